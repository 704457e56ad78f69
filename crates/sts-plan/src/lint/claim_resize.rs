//! STS050: the resize of a claim is pending.

use jiff::SignedDuration;
use serde_json::Value;

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::duration::span;
use crate::grow::{ONLINE, Pending, user_of};
use crate::plan::Plan;
use sts_controller::object::{Claim, Pod};

pub(super) const RULE: Rule = Rule {
    id: RuleId::ClaimResize,
    name: "claim-resize",
    title: "the resize of a claim is pending",
    why: "A claim is resized in two steps: the storage expands the volume, then the kubelet expands its file system \
          (condition FileSystemResizePending). Some storage expands a volume only while no pod uses it (offline \
          expansion). Some drivers expand the file system only when the volume is mounted. The claim then waits for a \
          restart of its pod, which no event reports.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "Check the conditions and events of the claim:\n  kubectl describe pvc CLAIM\nIf the file system is waiting for \
             a mount, restart the pod: kubectl delete pod POD. If the volume is waiting until no pod uses it, scale down \
             until the claim has its new size. If the storage cannot provide the size, request less, but not less than \
             the current size (Kubernetes 1.34 and later).",
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
            let (pending, since) = Pending::reported(claim, &status, &plan.related)?;
            let user = user_of(claim, snapshot);
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
        "" => format!("{name} is being resized to {wanted}"),
        has => format!("{name} is being resized from {has} to {wanted}"),
    };
    let is_late = since.is_some_and(|since| since > ONLINE);
    let age = since.map_or_else(String::new, |since| format!(" for {}", span(since)));
    let (severity, rest) = match (pending, user) {
        (Pending::Failed(message), _) => {
            let message = match message.as_str() {
                "" => String::new(),
                message => format!(": {message}"),
            };
            (Severity::Warning, format!("the resize fails{message}"))
        }
        (Pending::NoResizer, _) => (
            Severity::Warning,
            "it waits for an external controller, and none has answered: check that the CSI driver's controller runs with \
             a resizer, and that the driver can expand volumes (event ExternalExpanding)"
                .to_owned(),
        ),
        (Pending::FileSystem, None) => (
            Severity::Info,
            "its file system is resized when a pod mounts it".to_owned(),
        ),
        (Pending::FileSystem, Some(pod)) if is_late => (
            Severity::Warning,
            format!(
                "its file system has been pending{age} although {pod} is running: if the driver resizes only on mount, \
                 restart {pod}",
                pod = pod.meta.name
            ),
        ),
        (Pending::FileSystem, Some(pod)) => (
            Severity::Info,
            format!(
                "the kubelet is about to resize its file system in {}",
                pod.meta.name
            ),
        ),
        (Pending::Volume, Some(pod)) if is_late => (
            Severity::Warning,
            format!(
                "the storage has not expanded the volume{age}: if it does so only while no pod uses the volume, scale down \
                 {}",
                pod.meta.name
            ),
        ),
        (Pending::Volume, _) => (
            Severity::Info,
            "the storage is expanding the volume".to_owned(),
        ),
    };
    Found::on_claim(severity, name, format!("{begins}; {rest}"))
}
