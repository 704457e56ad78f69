//! STS018: `kubectl rollout undo` may pick an unexpected revision.

use super::rule::{Check, Found, Rule, RuleId, Severity, list};
use crate::plan::{Outcome, Plan};
use sts_controller::controller::list_revisions;

pub(super) const RULE: Rule = Rule {
    id: RuleId::History,
    name: "ambiguous-history",
    title: "revisions share a number, or none is kept, so a rollback may pick an unexpected one",
    why: "kubectl rollout undo uses the revision with the second-highest number. Revisions can share a number if they were \
          created manually, restored, or adopted from an earlier set; then the name decides. With revisionHistoryLimit: 0 \
          there is no revision to roll back to once an update is complete.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "Name the revision, and check its plan first:\n  kubectl sts-plan NAME --to-revision N\n  kubectl \
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
    let end = plan.predicted().objects();
    let mut revisions = list_revisions(end, &plan.conditions.behaviour);
    revisions.sort_by(|a, b| (a.number, &a.meta.name).cmp(&(b.number, &b.meta.name)));
    // Revisions with the same number are adjacent.
    let twice: Vec<&str> = revisions
        .chunk_by(|one, other| one.number == other.number)
        .filter(|same| same.len() > 1)
        .flatten()
        .map(|revision| &*revision.meta.name)
        .collect();
    let before_last = revisions.len().checked_sub(2).map(|at| revisions[at]);
    if let (false, Some(picked)) = (twice.is_empty(), before_last) {
        let message = format!(
            "revisions share a number ({}): kubectl rollout undo would roll back to {} (number {})",
            list(twice),
            picked.meta.name,
            picked.number
        );
        found.push(Found::on_set(Severity::Warning, plan, message));
    }
    if plan.snapshot.set.revision_history_limit == 0 {
        let message = "revisionHistoryLimit is 0: once an update is complete, kubectl rollout undo has no revision to roll \
                       back to"
            .to_owned();
        found.push(Found::on_set(Severity::Info, plan, message));
    }
    found
}
