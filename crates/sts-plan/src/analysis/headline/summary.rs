//! The last line of a plan.

use super::remaining::remaining;
use super::stuck::stuck;
use super::{deletion, stuck_state};
use crate::analysis::{Analysis, Verdict};
use crate::duration::spell;
use crate::plan::{Outcome, provided};
use sts_controller::simulate::Cascade;

/// Summarizes the plan in one stable line, from the verdict that decides the exit code. It stands alone.
#[must_use]
pub fn summary(analysis: &Analysis<'_>) -> String {
    line(analysis, &|| stuck(analysis).text())
}

/// Returns the same line for a text that begins with the headline, which it does not repeat.
#[must_use]
pub fn closing(analysis: &Analysis<'_>) -> String {
    line(analysis, &|| stuck_state(analysis))
}

fn line(analysis: &Analysis<'_>, stuck: &dyn Fn() -> String) -> String {
    let plan = analysis.plan;
    let tally = plan.tally();
    let acts = tally.replaced + tally.created + tally.deleted > 0;
    let is_blocked = matches!(plan.outcome, Outcome::Blocked(_));
    let mut parts = Vec::new();
    // That nothing changes would read as if nothing was wrong.
    if acts || !is_blocked {
        parts.push(format!(
            "{} to replace, {} to create, {} to delete",
            tally.replaced, tally.created, tally.deleted
        ));
    }
    if is_blocked {
        let state = stuck();
        parts.push(match remaining(plan) {
            Some(remaining) => format!("{state}; {remaining}"),
            None => state,
        });
    }
    let mut text = format!("Plan: {}", parts.join("; "));
    if tally.held_by_partition > 0 {
        text.push_str(&format!("; {} held by partition", tally.held_by_partition));
    }
    let after = spell(plan.duration());
    if tally.on_delete > 0 {
        let deleter = plan.deleter();
        let awaited = deleter.unwrap_or_else(|| "a manual delete".to_owned());
        text.push_str(&format!("; {} waiting for {awaited}", tally.on_delete));
        if matches!(plan.outcome, Outcome::Complete) && !plan.duration().is_zero() {
            text.push_str(&format!(" after {after}"));
        }
    }
    if let Some(cascade) = plan.deletion() {
        text.push_str(match cascade {
            Cascade::Background => "; the StatefulSet is deleted",
            Cascade::Foreground => "; the StatefulSet is deleted after its pods",
            Cascade::Orphan => "; the StatefulSet is deleted without its pods",
        });
        if let Some(retained) = deletion::retained(plan) {
            text.push_str(&format!(", {retained} kept"));
        }
    }
    match &plan.outcome {
        // The rollout continues once the user deletes pods, so it is not complete.
        Outcome::Complete if tally.on_delete > 0 => {}
        Outcome::Complete if !plan.has_work() => text.push_str("; nothing to do"),
        Outcome::Complete => {
            text.push_str(&format!("; complete after {after}"));
            text.push_str(&provided("", &plan.rests_on()));
        }
        Outcome::Livelock => text.push_str(&format!("; LIVELOCK after {after}")),
        Outcome::Rejected(refused) => {
            let paths: Vec<&str> = refused.iter().map(|refused| &*refused.path).collect();
            let paths: Vec<&str> = paths.into_iter().filter(|path| !path.is_empty()).collect();
            text.push_str("; REJECTED");
            if !paths.is_empty() {
                text.push_str(&format!(" for {}", paths.join(", ")));
            }
        }
        Outcome::Blocked(_) => {}
    }
    let used = &plan.evidence.relief.used;
    if !used.is_empty() && !matches!(plan.outcome, Outcome::Rejected(_)) {
        let grants: Vec<&str> = used.iter().map(String::as_str).collect();
        text.push_str(&format!("; depends on --assume {}", grants.join(", ")));
    }
    if analysis.verdict == Verdict::IncompleteInput {
        text.push_str("; INPUT INCOMPLETE");
    }
    text
}
