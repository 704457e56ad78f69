//! STS036: a claim has no volume.

use super::foreseen;
use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity};
use crate::foresight::{ClaimTrouble, Foreseen};
use crate::members::pods_of;
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
             reasons. If the class has no provisioner, create a matching PersistentVolume. If a pod still runs on a volume \
             that is gone, back up its data first.",
    links: &[
        "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#binding",
        "https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let mut found = without_volume(plan);
    found.extend(lost_under_pods(plan));
    found
}

/// Returns the claims of the pods that are ready, and run on a volume which they cannot mount again.
fn lost_under_pods(plan: &Plan) -> Vec<Found> {
    let mut found = Vec::new();
    for pod in pods_of(&plan.snapshot).filter(|pod| pod.is_ready()) {
        let claims = pod
            .claims()
            .filter_map(|name| plan.snapshot.claims.get(name));
        for claim in claims.filter(|claim| !claim.meta.is_terminating()) {
            if claim.phase() != "Lost" {
                continue;
            }
            let volume = claim.volume_name().unwrap_or_default();
            let (pod, claim) = (&pod.meta.name, &claim.meta.name);
            let message = format!(
                "volume {volume} of {claim} is gone (phase Lost): {pod} runs on, but cannot mount it after a restart; back \
                 up its data while it runs, and do not restart it before the volume is restored"
            );
            found.push(Found::on_claim(Severity::Warning, claim, message));
        }
    }
    found
}

fn without_volume(plan: &Plan) -> Vec<Found> {
    foreseen::found(plan, |found| {
        matches!(
            found,
            Foreseen::Claim {
                trouble: ClaimTrouble::NoVolume { .. }
                    | ClaimTrouble::Provisioner { .. }
                    | ClaimTrouble::NoAnswer { .. }
                    | ClaimTrouble::VolumeRefused { .. }
                    | ClaimTrouble::Lost { .. },
                ..
            }
        )
    })
}
