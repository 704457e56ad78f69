//! STS001: the plan never gets where the set should be.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::explain;
use crate::plan::{Outcome, Plan};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Blocked,
    name: "blocked",
    title: "the set never reaches the state its specification asks for",
    why: "The StatefulSet controller has no progress deadline and sets no condition for it: it waits indefinitely, and \
          only its own log, at a high verbosity, says for what. The plan was simulated until nothing was left to \
          happen, and the set was not where its spec asks it to be. Under the plan's assumptions only a user can \
          change that.",
    severities: &[Severity::Error],
    happens: None,
    remedy: "blockedBy in the plan names each obstacle with commands. If a pod is assumed to never become ready but \
             will, say so: --assume POD=ready-after:30s.",
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
