//! STS018: what `kubectl rollout undo` would go back to is not what one would think.

use super::rule::{Check, Found, Rule, RuleId, Severity, list};
use crate::plan::{Outcome, Plan};
use sts_controller::controller::list_revisions;

pub(super) const RULE: Rule = Rule {
    id: RuleId::History,
    name: "ambiguous-history",
    title: "revisions share a number, or none is kept, so an undo may pick another one than expected",
    why: "kubectl rollout undo takes the revision with the second-highest number. Two revisions can share a number \
          when they were created by hand, restored, or adopted from an earlier set; then the name decides. With \
          revisionHistoryLimit: 0 no revision is left to go back to once an update is complete.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "Name the revision, and look at its plan first:\n  kubectl sts-plan NAME --to-revision N\n  kubectl \
             rollout undo sts/NAME --to-revision=N",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/55072",
        "https://github.com/kubernetes/kubernetes/issues/82613",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let mut found = Vec::new();
    if matches!(plan.outcome, Outcome::Rejected(_)) || plan.deletion().is_some() {
        return found;
    }
    let end = plan.progression.world.snapshot();
    let mut revisions = list_revisions(end, &plan.conditions.behaviour);
    revisions.sort_by(|a, b| (a.number, &a.meta.name).cmp(&(b.number, &b.meta.name)));
    // Sorted as they are, those of one number stand side by side.
    let twice: Vec<&str> = revisions
        .chunk_by(|one, other| one.number == other.number)
        .filter(|same| same.len() > 1)
        .flatten()
        .map(|revision| &*revision.meta.name)
        .collect();
    let before_last = revisions.len().checked_sub(2).map(|at| revisions[at]);
    if let (false, Some(picked)) = (twice.is_empty(), before_last) {
        let message = format!(
            "revisions share a number ({}): kubectl rollout undo would go to {} (number {})",
            list(twice),
            picked.meta.name,
            picked.number
        );
        found.push(Found::on_set(Severity::Warning, plan, message));
    }
    if plan.snapshot.set.revision_history_limit == 0 {
        let message = "revisionHistoryLimit is 0: once an update is complete, kubectl rollout undo has nothing to go back \
                       to"
            .to_owned();
        found.push(Found::on_set(Severity::Info, plan, message));
    }
    found
}
