//! The states of claims and of the set's status at every step.

use std::collections::BTreeMap;

use serde_json::Value;

use super::step_states::{Row, StateCell, plain};
use crate::output::svg::shown;
use sts_plan::report::{ObjectEvent, Report, Resource, StepEvent, Verb};

/// Returns the claims, step by step. The end is known, so that the steps are applied backwards.
pub(super) fn claims(report: &Report, most: usize) -> (Vec<Row>, usize) {
    const PRESENT: &str = "present";
    const ABSENT: &str = "absent";
    let end = report.outcome.claims.iter();
    let mut before: BTreeMap<&str, &'static str> = end
        .map(|claim| (&**claim, PRESENT))
        .collect::<BTreeMap<_, _>>();
    let mut changes: BTreeMap<&str, Vec<(usize, &'static str)>> = BTreeMap::new();
    for (index, step) in report.steps.iter().enumerate().rev() {
        let mut note = |claim, becomes, was| {
            changes.entry(claim).or_default().push((index + 1, becomes));
            before.insert(claim, was);
        };
        match (step.event, &step.name) {
            (Some(StepEvent::ClaimRemoved), Some(claim)) => note(claim, ABSENT, PRESENT),
            (Some(StepEvent::Object(ObjectEvent::ClaimDeleted)), Some(claim)) => {
                note(claim, "being deleted", PRESENT);
            }
            _ => {}
        }
        for write in step.writes.iter().flatten().rev() {
            let created = (write.resource, write.verb) == (Resource::Claims, Verb::Create);
            if created && write.error.is_none() {
                note(&write.name, PRESENT, ABSENT);
            }
        }
    }
    // Changing claims come first if there are too many.
    let mut names: Vec<&str> = before.keys().copied().collect();
    if names.len() > most {
        names.sort_by_key(|claim| !changes.contains_key(claim));
    }
    let more = names.len().saturating_sub(most);
    names.truncate(most);
    let rows = names.iter().map(|claim| {
        let first = before.get(claim).map(|is| (0, plain(is)));
        let later = changes.get(claim).into_iter().flatten().rev();
        let later = later.map(|(step, is)| (*step, plain(is)));
        Row {
            name: shown(claim),
            pod: None,
            note: String::new(),
            cells: first.into_iter().chain(later).collect(),
        }
    });
    (rows.collect(), more)
}

/// Returns the number of steps after which the set is gone for good.
fn set_is_gone(report: &Report) -> Option<usize> {
    let events = report.steps.iter().map(|step| step.event);
    let is = |event| {
        let event = Some(StepEvent::Object(event));
        events.clone().rposition(|found| found == event)
    };
    let removed = is(ObjectEvent::SetRemoved)?;
    (is(ObjectEvent::SetCreated) < Some(removed)).then_some(removed + 1)
}

/// Returns the fields of the status, step by step.
pub(super) fn status(report: &Report) -> Vec<Row> {
    let gone = set_is_gone(report);
    let mut rows: BTreeMap<String, (Value, Vec<(usize, StateCell)>)> = BTreeMap::new();
    let looks = report
        .sync_findings
        .iter()
        .map(|look| (look.steps, &look.status));
    let last = (report.steps.len(), &report.outcome.status);
    let all = std::iter::once((0, &report.set.status))
        .chain(looks)
        .chain([last]);
    let mut before = None;
    for (step, status) in all.filter(|(step, _)| gone.is_none_or(|gone| *step < gone)) {
        // Most syncs do not change the status.
        if before.replace(status) == Some(status) {
            continue;
        }
        let Value::Object(fields) = status.to_json() else {
            continue;
        };
        for (field, value) in fields {
            let (last, cells) = rows.entry(field).or_default();
            if !cells.is_empty() && *last == value {
                continue;
            }
            // A later field is empty before.
            if cells.is_empty() && step > 0 {
                cells.push((0, plain("")));
            }
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            cells.push((step, plain(&shown(&text))));
            *last = value;
        }
    }
    let row = |(name, (_, mut cells)): (String, (Value, Vec<(usize, StateCell)>))| {
        cells.extend(gone.map(|gone| (gone, plain("gone"))));
        Row {
            name: shown(&name),
            pod: None,
            note: String::new(),
            cells,
        }
    };
    rows.into_iter().map(row).collect()
}
