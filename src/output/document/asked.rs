//! Answers to the user's questions: requirements, every order of events, failing pods, partitions.

use super::{Block, Item, List, Role, Scope, say};
use crate::output::limits::Limits;
use crate::output::style::Tone;
use crate::output::table::Table;
use crate::output::words::elapsed;
use crate::output::{branches, partitions};
use sts_plan::report::{ExplorationVerdict, Report, ReportRequirement};

/// The requirements, each with the point at which it is violated.
pub(super) fn required<'r>(report: &Report) -> Vec<Block<'r>> {
    if report.requirements.is_empty() {
        return Vec::new();
    }
    let items = report.requirements.iter().map(requirement).collect();
    vec![Block::List(List {
        label: "Required",
        ..List::new("Required", "requirement", items)
    })]
}

fn requirement(requirement: &ReportRequirement) -> Item {
    match broken_requirement(requirement) {
        Some(sentence) => Item::sentence(Tone::Bad, sentence),
        None => Item::sentence(Tone::Good, format!("{} holds throughout", requirement.text)),
    }
}

/// Describes the violation of a requirement; `None` if it holds.
pub(in crate::output) fn broken_requirement(requirement: &ReportRequirement) -> Option<String> {
    let broken = requirement.broken_at.as_ref()?;
    let meaning = requirement.meaning.iter();
    let meaning: String = meaning.map(|meaning| format!(" ({meaning})")).collect();
    let moment = match broken.step {
        None => broken.event.clone(),
        Some(_) => format!("after {} ({})", elapsed(broken.at), broken.event),
    };
    Some(format!(
        "{}{meaning} is violated: {} {moment}",
        requirement.text, broken.value
    ))
}

/// The verdict of the search of every order, and the counterexample.
pub(super) fn orders<'r>(report: &Report, limits: &Limits) -> Vec<Block<'r>> {
    let Some(exploration) = &report.exploration else {
        return Vec::new();
    };
    let tone = match exploration.verdict {
        ExplorationVerdict::Holds => Tone::Good,
        ExplorationVerdict::Broken => Tone::Bad,
        ExplorationVerdict::Unknown | ExplorationVerdict::Skipped => Tone::Busy,
    };
    let mut blocks = vec![say(
        Role::Verdict,
        tone,
        "Every order",
        &exploration.summary,
    )];
    let Some(found) = &exploration.counterexample else {
        return blocks;
    };
    let steps = found.steps.iter().take(limits.items);
    let steps = steps.map(|step| Item::sentence(Tone::Plain, step.clone()));
    blocks.push(Block::List(List {
        numbered: true,
        left_out: found.steps.len().saturating_sub(limits.items),
        ..List::new("Counterexample", "step", steps.collect())
    }));
    blocks.push(match &found.not_replayable {
        Some(why) => say(Role::Note, Tone::Faint, "Not replayable with flags", why),
        None if found.assume.is_empty() => say(
            Role::Note,
            Tone::Plain,
            "",
            "The plan itself takes this order.",
        ),
        None => say(
            Role::Note,
            Tone::Plain,
            "Replay with",
            found.assume.join(" "),
        ),
    });
    blocks
}

/// A row for each pod that may never become ready.
pub(super) fn branches<'r>(report: &Report, scope: &Scope<'_>) -> Vec<Block<'r>> {
    let Some(found) = &report.branches else {
        return Vec::new();
    };
    vec![match found.items.is_empty() {
        true => say(Role::Remark, Tone::Plain, "", branches::NONE),
        false => whole(branches::table(report, found, scope), scope),
    }]
}

/// The final pods for every partition.
pub(super) fn partitions<'r>(report: &Report, scope: &Scope<'_>) -> Vec<Block<'r>> {
    let Some(found) = &report.partitions else {
        return Vec::new();
    };
    vec![match found.skipped {
        Some(why) => say(Role::Remark, Tone::Busy, "No partitions", format!("{why}.")),
        None => whole(partitions::table(report, found, scope), scope),
    }]
}

fn whole<'r>(mut table: Table, scope: &Scope<'_>) -> Block<'r> {
    table.leave_out_middle(scope.limits.answers);
    Block::Table(table)
}
