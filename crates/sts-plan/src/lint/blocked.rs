//! STS001: the set never reaches the state in its spec.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::explain;
use crate::plan::{Outcome, Plan};

pub(super) const RULE: Rule = Rule {
    id: RuleId::Blocked,
    name: "blocked",
    title: "the set never reaches the state in its spec",
    why: "The StatefulSet controller has no progress deadline and reports no condition. It waits indefinitely, and only \
          its log at a high verbosity names the reason. The simulation ran until nothing was left to happen, and the set \
          did not match its spec. Under the plan's assumptions, only a user can change that.",
    severities: &[Severity::Error],
    happens: None,
    remedy: "See blockedBy in the plan: it names each obstacle with commands. If a pod that is assumed to stay unready will \
             become ready: --assume POD=ready-after:30s.",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/106054",
        "https://github.com/kubernetes/kubectl/issues/738",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let message = match &plan.outcome {
        Outcome::Livelock => {
            "the rollout never settles (livelock): the controller repeats the same writes forever"
                .to_owned()
        }
        Outcome::Blocked(obstacles) => {
            let end = plan.predicted().objects();
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
