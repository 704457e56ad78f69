//! STS036: a claim gets no volume.

use super::foreseen;
use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity};
use crate::foresight::{ClaimTrouble, Foreseen};
use crate::plan::Plan;

pub(super) const RULE: Rule = Rule {
    id: RuleId::ClaimPending,
    name: "claim-pending",
    title: "a claim gets no volume: its provisioner fails, no volume is free, or its volume is gone",
    why: "A pod is not scheduled before its claims have volumes, unless their class waits for the first consumer. A \
          claim that waits for its pod is fine; one whose provisioner fails keeps the pod Pending.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Read what the provisioner says (kubectl describe pvc CLAIM): quotas, credentials and zones are the usual \
             reasons. With a class that provisions nothing, create a PersistentVolume that fits.",
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
                    | ClaimTrouble::Lost { .. },
                ..
            }
        )
    })
}
