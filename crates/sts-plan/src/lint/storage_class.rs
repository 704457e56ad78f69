//! STS035: a claim names a StorageClass that does not exist, or needs a default one and there is none.

use super::foreseen;
use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity};
use crate::foresight::{ClaimTrouble, Foreseen};
use crate::plan::Plan;

pub(super) const RULE: Rule = Rule {
    id: RuleId::StorageClass,
    name: "storage-class",
    title: "a claim names a StorageClass that does not exist, or none while no class is the default",
    why: "The claim stays Pending, its pod is not scheduled, and an ordered rollout stops there. The set itself is \
          accepted: the class is first looked up when a claim needs a volume.",
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
