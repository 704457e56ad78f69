//! STS050: a claim was told to grow, and has not yet.

use jiff::SignedDuration;
use serde_json::Value;

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::duration::span;
use crate::grow::{ONLINE, Pending};
use crate::plan::Plan;
use sts_controller::object::{Claim, Pod};

pub(super) const RULE: Rule = Rule {
    id: RuleId::ClaimResize,
    name: "claim-resize",
    title: "a claim was told to grow, and has not yet",
    why: "A claim grows in two steps: the storage makes the volume larger, then the kubelet makes its file system larger \
          (condition FileSystemResizePending). Some storage does the first only while no pod uses the volume (offline \
          expansion), and some drivers do the second only when the volume is mounted. The claim then waits for a restart \
          of its pod, which nothing announces.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "Look at the conditions and events of the claim:\n  kubectl describe pvc CLAIM\nWhere the file system waits \
             for a mount, restart the pod: kubectl delete pod POD. Where the volume waits until nobody uses it, scale the \
             pod away until the claim has its new size. Where the storage cannot make it as large, ask for less, but \
             not for less than it has (Kubernetes 1.34 and later allow that).",
    links: &[
        "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#resizing-an-in-use-persistentvolumeclaim",
        "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#recovering-from-failure-when-expanding-volumes",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let snapshot = &plan.snapshot;
    let claims = snapshot.claims.values();
    let growing = claims.filter(|claim| !claim.meta.is_terminating());
    growing
        .filter_map(|claim| {
            let status = claim.given()?["status"].clone();
            let (pending, since) = Pending::of(claim, &status)?;
            let user = snapshot.pods.values().find(|pod| uses(pod, claim));
            let since = since.map(|since| plan.conditions.now.duration_since(since));
            Some(found(
                claim,
                &status,
                &pending,
                since,
                user.map(|pod| &**pod),
            ))
        })
        .collect()
}

fn uses(pod: &Pod, claim: &Claim) -> bool {
    let mut volumes = pod.volumes.iter();
    pod.scheduled && volumes.any(|volume| volume.claim.as_ref() == Some(&claim.meta.name))
}

fn found(
    claim: &Claim,
    status: &Value,
    pending: &Pending,
    since: Option<SignedDuration>,
    user: Option<&Pod>,
) -> Found {
    let name = &claim.meta.name;
    let wanted = claim.storage.as_deref().unwrap_or_default();
    let has = status["capacity"]["storage"].as_str().unwrap_or_default();
    let begins = match has {
        "" => format!("{name} is to grow to {wanted}"),
        has => format!("{name} is to grow to {wanted} and has {has}"),
    };
    let is_late = since.is_some_and(|since| since > ONLINE);
    let age = since.map_or_else(String::new, |since| format!(" for {}", span(since)));
    let (severity, rest) = match (pending, user) {
        (Pending::Failed(message), _) => {
            let message = match message.as_str() {
                "" => String::new(),
                message => format!(": {message}"),
            };
            (Severity::Warning, format!("growing fails{message}"))
        }
        (Pending::FileSystem, None) => (
            Severity::Info,
            "its file system grows when a pod mounts it".to_owned(),
        ),
        (Pending::FileSystem, Some(pod)) if is_late => (
            Severity::Warning,
            format!(
                "its file system waits{age} though {pod} runs: where the driver grows it only on mount, it waits until \
                 {pod} is restarted",
                pod = pod.meta.name
            ),
        ),
        (Pending::FileSystem, Some(pod)) => (
            Severity::Info,
            format!(
                "the kubelet is about to grow its file system under {}",
                pod.meta.name
            ),
        ),
        (Pending::Volume, Some(pod)) if is_late => (
            Severity::Warning,
            format!(
                "the storage has not made the volume larger{age}: where it does so only while no pod uses the volume, it \
                 waits until {} is scaled away",
                pod.meta.name
            ),
        ),
        (Pending::Volume, _) => (
            Severity::Info,
            "the storage is to make the volume larger".to_owned(),
        ),
    };
    Found::on_claim(severity, name, format!("{begins}; {rest}"))
}
