//! The workaround for a refusal: delete the set without its pods and recreate it.

use crate::analysis::Analysis;
use crate::command::manifest_file;
use crate::duration::spell;
use crate::explain::{obstacle, remedy_text};
use crate::plan::Outcome;
use crate::remedy::ReportRemedy;
use crate::remedy::UNTIL_RECREATED;
use crate::words::plural;

/// Returns the workaround for a refused change with its effect; `None` if there is none. `commands` create the new set.
#[must_use]
pub fn workaround(analysis: &Analysis<'_>, commands: &[String]) -> Option<ReportRemedy> {
    let successor = analysis.plan.workaround.as_deref()?;
    if commands.is_empty() {
        return None;
    }
    let mut advice = ReportRemedy {
        commands: commands.to_vec(),
        precondition: format!(
            "if {} is the manifest that you want",
            manifest_file(&successor.conditions)
        ),
        risk: UNTIL_RECREATED.to_owned(),
        effect: String::new(),
        obvious: false,
        helps: true,
        completes_after_seconds: None,
        looks: false,
        edits: false,
    };
    let replaced = match successor.tally().replaced {
        0 => "no pod is replaced".to_owned(),
        pods => format!("{} replaced", plural(pods, "pod is", "pods are")),
    };
    let after = successor.duration();
    match &successor.outcome {
        Outcome::Complete => {
            advice.completes_after_seconds = Some(after.as_secs());
            let after = spell(after);
            advice.effect = format!(
                "the new set adopts the existing objects, and the rollout completes after {after}: {replaced}"
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
                    advice.completes_after_seconds = Some(all.as_secs());
                    advice.effect = format!(
                        "the new set adopts the existing objects, but {stuck}; with {} the rollout completes after {}",
                        plural(found.commands.len(), "more command", "more commands"),
                        spell(all)
                    );
                    advice.commands.extend(found.commands);
                }
                None => {
                    advice.helps = false;
                    advice.effect = format!("does not help: {stuck}");
                }
            }
        }
        Outcome::Livelock | Outcome::Rejected(_) => return None,
    }
    Some(advice)
}
