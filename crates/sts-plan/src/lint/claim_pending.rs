//! STS036: a claim has no volume.

use super::foreseen;
use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity};
use crate::foresight::{ClaimTrouble, Foreseen};
use crate::plan::Plan;

pub(super) const RULE: Rule = Rule {
    id: RuleId::ClaimPending,
    name: "claim-pending",
    title: "a claim has no volume: its provisioner fails, no volume is available, or its volume is gone",
    why: "A pod is not scheduled before its claims have volumes, unless their class waits for the first consumer. A claim \
          that is waiting for its pod is fine. A claim whose provisioner fails keeps the pod Pending.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Read the provisioner's message (kubectl describe pvc CLAIM): quotas, credentials and zones are the usual \
             reasons. If the class has no provisioner, create a matching PersistentVolume.",
    links: &[
        "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#binding",
        "https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    foreseen::found(plan, |found| {
        matches!(
            found,
            Foreseen::Claim {
                trouble: ClaimTrouble::NoVolume { .. }
                    | ClaimTrouble::Provisioner { .. }
                    | ClaimTrouble::NoAnswer { .. }
                    | ClaimTrouble::Lost { .. },
                ..
            }
        )
    })
}
