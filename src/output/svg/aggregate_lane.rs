//! A group of pods in one row: the number of available pods by revision.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::palette::{KINDS, Palette};
use super::scale::Scale;
use super::text::px;
use crate::output::lanes::PodLane;
use sts_plan::report::timeline::State;

/// Width of a column, the finest detail.
const COLUMN: f64 = 4.0;

/// Draws a group between `top` and `top + height`.
pub(super) fn draw(
    lanes: &[PodLane],
    palette: &Palette<'_>,
    scale: &Scale,
    top: f64,
    height: f64,
) -> Markup {
    let counts = counts(lanes, palette, scale);
    let most = lanes.len().max(1) as f64;
    let layers = (0..palette.len()).filter_map(|place| {
        let level = |count: &[usize; KINDS + 1], places: usize| {
            let sum: usize = count[..places].iter().sum();
            top + height - height * sum as f64 / most
        };
        counts.iter().any(|(_, count)| count[place] > 0).then(|| {
            let lower: Vec<(f64, f64)> = counts
                .iter()
                .map(|(x, count)| (*x, level(count, place)))
                .collect();
            let upper: Vec<(f64, f64)> = counts
                .iter()
                .map(|(x, count)| (*x, level(count, place + 1)))
                .collect();
            (place, outline(&upper, &lower, scale.edge))
        })
    });
    html! {
        @for (place, path) in layers {
            path .bar fill=(palette.fill_at(place)) d=(path) {}
        }
    }
}

/// Returns the available pods by revision, from each column at which they change.
fn counts(
    lanes: &[PodLane],
    palette: &Palette<'_>,
    scale: &Scale,
) -> Vec<(f64, [usize; KINDS + 1])> {
    let column = |at: i64| ((scale.x(at) - scale.left) / COLUMN).floor() as i64;
    let mut deltas: BTreeMap<i64, [i64; KINDS + 1]> = BTreeMap::from([(0, [0; KINDS + 1])]);
    let periods = lanes.iter().flat_map(|lane| &lane.periods);
    for period in periods.filter(|period| period.state == State::Available) {
        let place = palette.place(&period.revision);
        deltas.entry(column(period.from)).or_default()[place] += 1;
        if let Some(to) = period.to {
            deltas.entry(column(to)).or_default()[place] -= 1;
        }
    }
    let mut count = [0_i64; KINDS + 1];
    let mut counts: Vec<(f64, [usize; KINDS + 1])> = Vec::new();
    for (column, delta) in deltas {
        for (count, delta) in count.iter_mut().zip(delta) {
            *count += delta;
        }
        let now = count.map(|count| usize::try_from(count).unwrap_or(0));
        if counts.last().is_none_or(|(_, before)| *before != now) {
            counts.push((scale.left + column as f64 * COLUMN, now));
        }
    }
    counts
}

/// Returns the path along the upper edge, and back along the lower one.
fn outline(upper: &[(f64, f64)], lower: &[(f64, f64)], edge: f64) -> String {
    let mut path = stairs(upper, edge, 'M');
    let mut back: Vec<(f64, f64)> = Vec::new();
    let mut right = edge;
    for (x, y) in lower.iter().rev() {
        back.push((right, *y));
        back.push((*x, *y));
        right = *x;
    }
    back.dedup();
    for (x, y) in back {
        path.push_str(&format!("L{} {}", px(x), px(y)));
    }
    path.push('Z');
    path
}

/// Returns a line that keeps its level until the next point, up to the edge.
pub(super) fn stairs(points: &[(f64, f64)], edge: f64, begin: char) -> String {
    let mut path = String::new();
    let mut level = None;
    for (x, y) in points {
        match level {
            None => path.push_str(&format!("{begin}{} {}", px(*x), px(*y))),
            Some(before) if before == *y => {}
            Some(_) => path.push_str(&format!("H{}V{}", px(*x), px(*y))),
        }
        level = Some(*y);
    }
    path.push_str(&format!("H{}", px(edge)));
    path
}
