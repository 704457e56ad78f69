//! STS007: a claim is still owned by a deleted pod.

use std::collections::BTreeSet;

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::Plan;
use sts_controller::controller::Hold;

pub(super) const RULE: Rule = Rule {
    id: RuleId::StaleClaim,
    name: "stale-claim",
    title: "a claim is still owned by a deleted pod, so the new pod is not created",
    why: "With whenScaled: Delete, a pod that is scaled down becomes the owner of its claims, and the garbage collector \
          deletes them after the pod. If the set is scaled up before that, the controller waits rather than use a claim \
          that is about to be deleted.",
    severities: &[Severity::Warning],
    happens: Some(|behaviour| behaviour.claim_owners.is_some()),
    remedy: "Usually this resolves in seconds: the garbage collector deletes the claim. If you need the data, remove the \
             owner reference from the claim immediately:\n  kubectl patch pvc CLAIM --type json -p \
             '[{\"op\":\"remove\",\"path\":\"/metadata/ownerReferences\"}]'",
    links: &[
        "https://github.com/kubernetes/kubernetes/pull/99728",
        "https://github.com/kubernetes/enhancements/tree/master/keps/sig-apps/1847-autoremove-statefulset-pvcs",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for hold in plan.next.holds.iter().chain(&plan.last.holds) {
        let Hold::StaleClaim {
            pod, claim, owner, ..
        } = hold
        else {
            continue;
        };
        if seen.insert(claim) {
            let message = format!(
                "{claim} is still owned by an earlier {} (uid {}): {} is not created until the garbage collector has deleted \
                 the claim with its data",
                owner.name, owner.uid, pod.meta.name
            );
            found.push(Found::on_claim(Severity::Warning, claim, message));
        }
    }
    found
}
