//! STS006: a claim of a pod is being deleted.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::observed::claim_users;
use crate::plan::Plan;
use crate::words::list;
use sts_controller::controller::{claim_of_pod, pod_name};

/// Maximum number of pods to name.
const NAMED: usize = 3;

pub(super) const RULE: Rule = Rule {
    id: RuleId::ClaimTerminating,
    name: "claim-terminating",
    title: "a claim that a pod needs is being deleted",
    why: "A deleted claim remains while a pod uses it, and is removed with that pod. The next pod of that name is not \
          created until the old claim is gone, and then gets a new, empty claim.",
    severities: &[Severity::Warning],
    happens: Some(|behaviour| behaviour.terminating_claim_blocks),
    remedy: "A deletion cannot be undone. Save the data while the pod is running. Or keep the volume: set its \
             persistentVolumeReclaimPolicy to Retain before the pod is deleted, and bind it to a new claim of the same \
             name.",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/89910",
        "https://github.com/kubernetes/kubernetes/issues/74374",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let set = &plan.snapshot.set;
    let mut found = Vec::new();
    for template in set.claim_templates.iter() {
        for ordinal in plan.conditions.behaviour.ordinals(set) {
            let pod = pod_name(set, ordinal);
            let name = claim_of_pod(&template.name, &pod);
            let claim = plan.snapshot.claims.get(name.as_str());
            if !claim.is_some_and(|claim| claim.meta.is_terminating()) {
                continue;
            }
            let blocks = if plan.conditions.behaviour.terminating_claim_blocks {
                format!("{pod} is not recreated until the claim is gone")
            } else {
                format!(
                    "Kubernetes {} creates {pod} anyway, and it stays Pending",
                    plan.conditions.behaviour.version
                )
            };
            let users = claim_users(&plan.snapshot, &plan.related, &name);
            let is_kept = claim.is_some_and(|claim| plan.volume_stays(claim));
            let end = match users.as_slice() {
                [] => None,
                [user] => Some(format!("as soon as {user} is gone")),
                users => Some(format!("as soon as {} are gone", list(users, NAMED))),
            };
            let message = match end {
                None => format!("{name} is being deleted: {blocks}"),
                Some(end) if is_kept => {
                    format!(
                        "{name} is being deleted: it is removed {end}, its volume is kept, and {blocks}"
                    )
                }
                Some(end) => {
                    format!("{name} is being deleted: its data is lost {end}, and {blocks}")
                }
            };
            found.push(Found::on_claim(Severity::Warning, &name, message));
        }
    }
    found
}
