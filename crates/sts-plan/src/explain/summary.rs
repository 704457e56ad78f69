//! The whole plan in the last line.

use super::deletion;
use super::headline::stuck;
use crate::analysis::{Analysis, Verdict};
use crate::duration::spell;
use crate::plan::Outcome;
use sts_controller::simulate::Cascade;

/// The whole plan in one line: stable, and the same value that decides the exit code.
#[must_use]
pub fn summary(analysis: &Analysis<'_>) -> String {
    let plan = analysis.plan;
    let tally = plan.tally();
    let mut text = format!(
        "Plan: {} to replace, {} to create, {} to delete",
        tally.replaced, tally.created, tally.deleted
    );
    if tally.held_by_partition > 0 {
        text.push_str(&format!("; {} held by partition", tally.held_by_partition));
    }
    if tally.on_delete > 0 {
        text.push_str(&format!(
            "; {} waiting to be deleted by hand",
            tally.on_delete
        ));
    }
    if let Some(cascade) = plan.deletion() {
        text.push_str(match cascade {
            Cascade::Background => "; the set is deleted",
            Cascade::Foreground => "; the set is deleted after its pods",
            Cascade::Orphan => "; the set is deleted without its pods",
        });
        if let Some(left) = deletion::left(plan) {
            text.push_str(&format!(", {left} stay behind"));
        }
    }
    let after = spell(plan.duration());
    match &plan.outcome {
        // The rollout goes on once its user deletes pods, so it is not complete.
        Outcome::Complete if tally.on_delete > 0 => {}
        Outcome::Complete if !plan.has_work() => text.push_str("; nothing to do"),
        Outcome::Complete => text.push_str(&format!("; complete after {after}")),
        Outcome::Livelock => text.push_str(&format!("; LIVELOCK after {after}")),
        Outcome::Rejected(refused) => {
            let paths: Vec<&str> = refused.iter().map(|refused| &*refused.path).collect();
            text.push_str(&format!("; REJECTED for {}", paths.join(", ")));
        }
        Outcome::Blocked(_) => {
            text.push_str(&format!("; {}", stuck(analysis)));
        }
    }
    let rests_on = &plan.evidence.relief.used;
    if !rests_on.is_empty() && !matches!(plan.outcome, Outcome::Rejected(_)) {
        let grants: Vec<&str> = rests_on.iter().map(String::as_str).collect();
        text.push_str(&format!("; rests on --assume {}", grants.join(", ")));
    }
    if analysis.verdict == Verdict::IncompleteInput {
        text.push_str("; INPUT INCOMPLETE");
    }
    text
}
