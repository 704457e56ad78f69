//! Upgrades of the control plane: the answer, a row for each affected set and version, and the changes.

use std::collections::BTreeMap;

use super::{
    FieldFate, NextRollout, PatchRestart, ReportUpgrade, UpgradeOfSet, UpgradeStop, UpgradeVerdict,
};
use crate::answer::{
    Answer, AnswerBlock, AnswerList, AnswerRow, AnswerTable, Cell, Column, Look, Place, Role,
    ShrinkPriority, Subject, Tone, elapsed, full_name, or_dash,
};
use crate::plan::PlanResult;
use crate::version_diff::ChangeKind;
use crate::words::list;

const COLUMNS: [Column; 5] = [
    Column::new("TO", ShrinkPriority::Never, Look::Text),
    Column::new("SET", ShrinkPriority::Never, Look::Name),
    Column::new("RESTARTS", ShrinkPriority::Never, Look::State),
    Column::new("NEXT ROLLOUT", ShrinkPriority::Second, Look::Text),
    Column::new("REJECTED AFTERWARDS", ShrinkPriority::First, Look::Text),
];

/// Maximum number of sets named for one change.
const SETS: usize = 4;

impl Answer for &ReportUpgrade {
    fn place(&self) -> Place {
        Place::First
    }

    fn parts(&self, _: &Subject<'_>) -> Vec<Vec<AnswerBlock>> {
        vec![blocks(self)]
    }
}

fn blocks(upgrade: &ReportUpgrade) -> Vec<AnswerBlock> {
    let tone = match upgrade.verdict {
        UpgradeVerdict::Nothing => Tone::Good,
        UpgradeVerdict::Changes => Tone::Busy,
        UpgradeVerdict::Refuses | UpgradeVerdict::Breaks | UpgradeVerdict::Restarts => Tone::Bad,
    };
    let mut blocks = vec![AnswerBlock::say(Role::Headline, tone, "", &upgrade.summary)];
    for advice in &upgrade.advice {
        blocks.push(AnswerBlock::say(Role::Note, Tone::Plain, "Note", advice));
    }
    let order: BTreeMap<&str, usize> = upgrade
        .versions
        .iter()
        .enumerate()
        .map(|(at, version)| (version.version.as_str(), at))
        .collect();
    let mut stops: Vec<(&UpgradeOfSet, &UpgradeStop)> = upgrade
        .sets
        .iter()
        .flat_map(|set| set.versions.iter().map(move |stop| (set, stop)))
        .collect();
    // The sets are in order already.
    stops.sort_by_key(|(_, stop)| order.get(stop.version.as_str()));
    let affected = || stops.iter().filter(|(_, stop)| has_row(stop));
    let rows: Vec<AnswerRow> = affected().map(|(set, stop)| row(set, stop)).collect();
    if !rows.is_empty() {
        let table = AnswerTable {
            names: affected().map(|(set, _)| set.name.clone()).collect(),
            ..AnswerTable::new("Affected StatefulSets", "set", &COLUMNS, rows)
        };
        blocks.push(AnswerBlock::Table(table));
    }
    let changes = changes(&stops);
    if !changes.is_empty() {
        blocks.push(AnswerBlock::List(AnswerList::new(
            "Changes", "change", changes,
        )));
    }
    blocks
}

/// Reports whether the set is affected beyond the listed changes.
fn has_row(stop: &UpgradeStop) -> bool {
    stop.restart.is_some() || stop.next_rollout.is_some() || !stop.refused.is_empty() || stop.breaks
}

fn row(set: &UpgradeOfSet, stop: &UpgradeStop) -> AnswerRow {
    let tone = match stop.verdict() {
        UpgradeVerdict::Restarts | UpgradeVerdict::Breaks => Tone::Bad,
        UpgradeVerdict::Refuses => Tone::Busy,
        UpgradeVerdict::Changes | UpgradeVerdict::Nothing => Tone::Plain,
    };
    let refused = stop.refused.iter();
    let refused: Vec<String> = refused
        .map(|one| format!("{} {}: {}", one.request, one.field, one.message))
        .collect();
    let cells: [Cell; 5] = [
        stop.version.clone().into(),
        name(set).into(),
        restarts(set, stop).into(),
        or_dash(stop.next_rollout.as_ref().map_or_else(String::new, rollout)).into(),
        Cell::List(refused, "; "),
    ];
    AnswerRow::Cells(tone, cells.into())
}

/// `3 of 3 pods in 45s`, `none (1.34.0 to 1.34.1: 3 pods)`.
fn restarts(set: &UpgradeOfSet, stop: &UpgradeStop) -> String {
    let chosen = match &stop.restart {
        Some(restart) => {
            let course = &restart.course;
            let time = match course.result {
                PlanResult::Complete => format!("in {}", elapsed(course.duration_seconds)),
                result => format!("and is {result}"),
            };
            format!("{} of {} pods {time}", course.replaced, set.replicas)
        }
        None if stop.breaks => "none, and no longer completes".to_owned(),
        None => "none".to_owned(),
    };
    match patches(&stop.patches) {
        others if others.is_empty() => chosen,
        others => format!("{chosen} ({others})"),
    }
}

fn patches(patches: &[PatchRestart]) -> String {
    let ranges = patches.iter();
    let ranges = ranges.map(|patch| format!("{}: {}", patch.range(), patch.replaced));
    ranges.collect::<Vec<_>>().join(", ")
}

/// `45s -> 1m15s, min ready 2 -> 1`.
fn rollout(rollout: &NextRollout) -> String {
    let (before, after) = (&rollout.before, &rollout.after);
    let mut parts = Vec::new();
    if before.result != after.result {
        parts.push(format!("{} -> {}", before.result, after.result));
    }
    if before.duration_seconds != after.duration_seconds {
        let [before, after] = [before, after].map(|course| elapsed(course.duration_seconds));
        parts.push(format!("{before} -> {after}"));
    }
    if before.lowest_ready != after.lowest_ready {
        let (before, after) = (before.lowest_ready, after.lowest_ready);
        parts.push(format!("min ready {before} -> {after}"));
    }
    if before.replaced != after.replaced {
        let (before, after) = (before.replaced, after.replaced);
        parts.push(format!("pods replaced {before} -> {after}"));
    }
    parts.join(", ")
}

/// An entry for each change, with the affected sets.
fn changes(stops: &[(&UpgradeOfSet, &UpgradeStop)]) -> Vec<(Tone, String)> {
    let mut order: Vec<String> = Vec::new();
    let mut sets: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (set, stop) in stops {
        let behaviors = stop.changes.iter().map(|change| match change.change {
            ChangeKind::Begins => format!("new in {}: {}", stop.version, change.what),
            ChangeKind::Ends => format!("removed in {}: {}", stop.version, change.what),
        });
        let fields = stop.fields.iter().map(|field| {
            let fate = match field.change {
                FieldFate::FilledIn => "the API server defaults",
                FieldFate::LeftOut => "the API server no longer defaults",
                FieldFate::Kept => "the next apply sets",
                FieldFate::Dropped => "a create drops",
            };
            format!("{}: {fate} {}", stop.version, field.field)
        });
        for text in behaviors.chain(fields) {
            let known = sets.entry(text.clone()).or_default();
            if known.is_empty() {
                order.push(text);
            }
            known.push(name(set));
        }
    }
    let entries = order.into_iter().map(|text| {
        let names = sets.remove(&text).unwrap_or_default();
        (Tone::Plain, format!("{text} ({})", list(&names, SETS)))
    });
    entries.collect()
}

fn name(set: &UpgradeOfSet) -> String {
    full_name(&set.namespace, &set.name)
}
