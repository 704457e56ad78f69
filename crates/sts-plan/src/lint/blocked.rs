//! STS001: the plan never gets where the set should be.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::explain;
use crate::plan::{Outcome, Plan};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Blocked,
    name: "blocked",
    title: "the set never reaches the state its specification asks for",
    why: "The StatefulSet controller has no deadline and no condition that says so: it waits for as long as it takes, and \
          only its own log at a high level tells for what. The plan was run until nothing was left to happen, and the \
          set was not where it should be. Under the assumptions of the plan that changes only by hand.",
    severities: &[Severity::Error],
    happens: None,
    remedy: "The plan's blockedBy names each obstacle with commands. If a pod is taken to never become ready and will, \
             say so: --assume POD=ready-after:30s.",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/106054",
        "https://github.com/kubernetes/kubectl/issues/738",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let message = match &plan.outcome {
        Outcome::Livelock => {
            "the controller goes round in circles: the same writes again and again, for ever"
                .to_owned()
        }
        Outcome::Blocked(obstacles) => {
            let end = plan.progression.world.snapshot();
            let Some(first) = obstacles.first() else {
                return Vec::new();
            };
            let (reason, message) = (
                first.reason(),
                explain::obstacle(first, end, plan.conditions.now),
            );
            let more = match obstacles.len() {
                0 | 1 => String::new(),
                several => format!(" (and {} more)", several - 1),
            };
            format!("blocked by {reason}: {message}{more}")
        }
        Outcome::Complete | Outcome::Rejected(_) => return Vec::new(),
    };
    vec![Found::on_set(Severity::Error, plan, message)]
}
