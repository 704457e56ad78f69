//! STS035: the StorageClass of a claim does not exist, or there is no default class.

use super::foreseen;
use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity};
use crate::foresight::{ClaimTrouble, Foreseen};
use crate::plan::Plan;

pub(super) const RULE: Rule = Rule {
    id: RuleId::StorageClass,
    name: "storage-class",
    title: "the StorageClass of a claim does not exist, or the claim has none and there is no default class",
    why: "The claim stays Pending, its pod is not scheduled, and an ordered rollout is stuck. The API server accepts the set \
          anyway: the class is only looked up when a claim needs a volume.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Create the class, or mark one as the default:\n  kubectl annotate storageclass CLASS \
             storageclass.kubernetes.io/is-default-class=true\nspec.volumeClaimTemplates cannot be changed: for another \
             class, delete the set with --cascade=orphan, delete the Pending claims and apply it again.",
    links: &["https://kubernetes.io/docs/concepts/storage/storage-classes/"],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    foreseen::found(plan, |found| {
        matches!(
            found,
            Foreseen::Claim {
                trouble: ClaimTrouble::ClassMissing { .. } | ClaimTrouble::NoDefaultClass,
                ..
            }
        )
    })
}
