//! The table of many sets: the stuck ones and their causes first, then data loss, then progress. Sets that are up to date are
//! counted, and sets with the same cause share a row.

mod findings;
pub(in crate::output) mod groups;
pub(in crate::output) mod state;
pub(in crate::output) mod table;

use std::io;

use super::document::{self, Block, Part, Scope};
use super::format::Format;
use super::limits::Limits;
use super::screen;
use super::sink::Terminal;
use super::style::{Style, Tone};
use super::words::{count, set_name, spaced};
use groups::{Group, groups};
use sts_plan::report::{Report, ReportList, SetState};

/// Writes a row for each set or group of sets. The wide format adds findings and settings, and truncates nothing.
pub(super) fn render(
    plans: &ReportList<'_>,
    format: Format,
    out: &mut Terminal<'_>,
) -> io::Result<()> {
    let is_wide = format == Format::Wide;
    let style = &Style {
        whole_tables: out.style.whole_tables || is_wide,
        ..*out.style
    };
    let out = &mut out.with(style);
    let scope = Scope {
        limits: Limits::of(Format::Table, style),
        style,
    };
    let together = document::together(plans, &scope);
    for block in &together {
        if matches!(block, Block::Table(_)) {
            out.blank()?;
        }
        screen::block(block, out)?;
    }
    if !together.is_empty() {
        out.blank()?;
    }
    let sorted = most_urgent_first(&plans.items);
    let (busy, idle): (Vec<&Report>, Vec<&Report>) = sorted
        .iter()
        .partition(|report| report.state != SetState::UpToDate);
    let shown: Vec<&Report> = match style.idle_sets {
        true => sorted.clone(),
        false => busy,
    };
    let groups = match style.each_set {
        true => shown.into_iter().map(Group::single).collect(),
        false => groups(&shown),
    };
    let columns = if is_wide { table::WIDE } else { table::BRIEF };
    let rows = table::rows(plans, &groups);
    if !rows.is_empty() {
        table::table(&rows, columns, &scope).write(out)?;
    }
    if !idle.is_empty() && !style.idle_sets {
        let text = format!("{} up to date (--show idle)", count(idle.len(), "set"));
        out.prose(&text, Tone::Faint, 2)?;
    }
    findings::write(&plans.items, out)?;
    options(&sorted, format, out)?;
    if !plans.items.is_empty() {
        out.blank()?;
    }
    let is_bad = |report: &Report| state::tone(report.state) == Tone::Bad;
    let tone = match !plans.errors.is_empty() || plans.items.iter().any(is_bad) {
        true => Tone::Bad,
        false => Tone::Strong,
    };
    out.prose(&tally(plans), tone, 2)
}

/// Writes the options of each set that has any.
fn options(sorted: &[&Report], format: Format, out: &mut Terminal<'_>) -> io::Result<()> {
    let has_options = |report: &&&Report| {
        let options = report.options.as_ref();
        options.is_some_and(|options| !options.items.is_empty())
    };
    for report in sorted.iter().filter(has_options) {
        out.blank()?;
        out.line(Tone::Strong, &set_name(&report.metadata))?;
        screen::parts(report, &[Part::Options, Part::History], format, out)?;
    }
    Ok(())
}

/// Sorts the sets by urgency, then by name.
pub(super) fn most_urgent_first(reports: &[Report]) -> Vec<&Report> {
    let mut sorted: Vec<&Report> = reports.iter().collect();
    sorted.sort_by_key(|report| {
        let metadata = &report.metadata;
        (
            report.state,
            metadata.namespace.clone(),
            metadata.name.clone(),
        )
    });
    sorted
}

/// Counts the sets by state: `10 sets: 3 stuck, 1 loses data, 4 progressing, 2 up to date`.
pub(super) fn tally(plans: &ReportList<'_>) -> String {
    let states: Vec<SetState> = plans.items.iter().map(|report| report.state).collect();
    tally_of(&states, plans.errors.len())
}

/// Counts the states, and the sets that could not be planned.
pub(super) fn tally_of(states: &[SetState], unplanned: usize) -> String {
    let mut parts = Vec::new();
    if unplanned > 0 {
        parts.push(format!("{} not planned", spaced(unplanned)));
    }
    for state in SetState::ALL {
        match states.iter().filter(|it| *it == state).count() {
            0 => {}
            number => parts.push(state::counted(*state, number)),
        }
    }
    let sets = count(states.len() + unplanned, "set");
    match parts.is_empty() {
        true => sets,
        false => format!("{sets}: {}", parts.join(", ")),
    }
}
