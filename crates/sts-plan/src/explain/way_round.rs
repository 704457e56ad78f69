//! Effects of the way round a refusal: deleting the set without its pods and creating it again.

use super::remedy::remedy_text;
use super::{obstacle, plural};
use crate::analysis::Analysis;
use crate::duration::spell;
use crate::plan::Outcome;
use crate::report::ReportRemedy;

/// The way round a refused change, with what comes of it; `None` when there is none to be had, or nothing to
/// tell. `commands` are those that lead to the new set.
#[must_use]
pub fn way_round_text(analysis: &Analysis<'_>, commands: &[String]) -> Option<ReportRemedy> {
    let successor = analysis.plan.workaround.as_deref()?;
    if commands.is_empty() {
        return None;
    }
    let mut told = ReportRemedy {
        commands: commands.to_vec(),
        precondition: "FILE has the set as you want it".to_owned(),
        risk: "until the new set exists, a deleted pod is not replaced".to_owned(),
        effect: String::new(),
        helps: true,
        completes_after_seconds: None,
        looks: false,
    };
    let replaced = match successor.tally().replaced {
        0 => "no pod is replaced".to_owned(),
        pods => format!("{} replaced", plural(pods, "pod is", "pods are")),
    };
    let after = successor.duration();
    match &successor.outcome {
        Outcome::Complete => {
            told.completes_after_seconds = Some(after.as_secs());
            let after = spell(after);
            told.effect = format!(
                "then the new set adopts the existing objects, and the rollout completes after {after}: {replaced}"
            );
        }
        Outcome::Blocked(obstacles) => {
            let end = successor.progression.world.snapshot();
            let now = successor.conditions.now;
            let stuck = obstacles.first().map(|first| obstacle(first, end, now));
            let stuck = stuck.unwrap_or_default();
            let remedies = analysis.workaround.iter();
            let mut remedies = remedies.map(|remedy| (remedy_text(successor, remedy), remedy));
            let found =
                remedies.find(|(found, _)| found.completes_after_seconds.is_some() && !found.looks);
            match found {
                Some((found, remedy)) => {
                    let all = after + remedy.trial.after;
                    told.completes_after_seconds = Some(all.as_secs());
                    told.effect = format!(
                        "then the new set adopts the existing objects, but {stuck}; with {} the rollout completes after {}",
                        plural(found.commands.len(), "more command", "more commands"),
                        spell(all)
                    );
                    told.commands.extend(found.commands);
                }
                None => {
                    told.helps = false;
                    told.effect = format!("does not help: {stuck}");
                }
            }
        }
        Outcome::Livelock | Outcome::Rejected(_) => return None,
    }
    Some(told)
}
