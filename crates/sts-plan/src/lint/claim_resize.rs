//! STS050: a claim was told to grow, and has not yet.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::duration::span;
use crate::plan::Plan;
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{Claim, Pod, time};

/// Time in which a kubelet grows the file system of a volume that a running pod uses: it looks at each volume about once a
/// minute (`podSyncTimeout`), and tries again with a delay of up to two minutes.
const ONLINE: SignedDuration = SignedDuration::from_mins(5);

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

/// The state of a claim that grows.
enum Growth {
    /// The storage has not made the volume larger.
    Volume,
    /// The file system is still to grow.
    FileSystem,
    /// It failed, in the words of the one who tried.
    Failed(String),
}

fn check(plan: &Plan) -> Vec<Found> {
    let snapshot = &plan.snapshot;
    let claims = snapshot.claims.values();
    let growing = claims.filter(|claim| !claim.meta.is_terminating());
    growing
        .filter_map(|claim| {
            let status = claim.given()?["status"].clone();
            let (growth, since) = growth(claim, &status)?;
            let user = snapshot.pods.values().find(|pod| uses(pod, claim));
            let since = since.map(|since| plan.conditions.now.duration_since(since));
            Some(found(
                claim,
                &status,
                &growth,
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

/// Returns how far a claim has grown that is to grow, and since when that is so. Upstream:
/// `PersistentVolumeClaimConditionType` and `ClaimResourceStatus` in `staging/src/k8s.io/api/core/v1/types.go`.
fn growth(claim: &Claim, status: &Value) -> Option<(Growth, Option<Timestamp>)> {
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let on: Vec<&Value> = conditions
        .filter(|condition| condition["status"] == "True")
        .collect();
    let called = |kind: &str| on.iter().find(|condition| condition["type"] == kind);
    let since = |condition: &Value| time(condition["lastTransitionTime"].as_str()?);
    for kind in ["NodeResizeError", "ControllerResizeError"] {
        if let Some(condition) = called(kind) {
            let message = condition["message"].as_str().unwrap_or_default();
            return Some((Growth::Failed(message.to_owned()), since(condition)));
        }
    }
    let recorded = status["allocatedResourceStatuses"]["storage"].as_str();
    if let Some(infeasible @ ("ControllerResizeInfeasible" | "NodeResizeInfeasible")) = recorded {
        return Some((Growth::Failed(infeasible.to_owned()), None));
    }
    if let Some(condition) = called("FileSystemResizePending") {
        return Some((Growth::FileSystem, since(condition)));
    }
    let resizing = called("Resizing");
    let read = |text: Option<&str>| Quantity::parse(text?).ok();
    let wanted = read(claim.storage.as_deref())?;
    let has = read(status["capacity"]["storage"].as_str())?;
    (wanted > has).then(|| {
        let since = resizing.and_then(|condition| since(condition));
        (Growth::Volume, since)
    })
}

fn found(
    claim: &Claim,
    status: &Value,
    growth: &Growth,
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
    let (severity, rest) = match (growth, user) {
        (Growth::Failed(message), _) => {
            let message = match message.as_str() {
                "" => String::new(),
                message => format!(": {message}"),
            };
            (Severity::Warning, format!("growing fails{message}"))
        }
        (Growth::FileSystem, None) => (
            Severity::Info,
            "its file system grows when a pod mounts it".to_owned(),
        ),
        (Growth::FileSystem, Some(pod)) if is_late => (
            Severity::Warning,
            format!(
                "its file system waits{age} though {pod} runs: where the driver grows it only on mount, it waits until \
                 {pod} is restarted",
                pod = pod.meta.name
            ),
        ),
        (Growth::FileSystem, Some(pod)) => (
            Severity::Info,
            format!(
                "the kubelet is about to grow its file system under {}",
                pod.meta.name
            ),
        ),
        (Growth::Volume, Some(pod)) if is_late => (
            Severity::Warning,
            format!(
                "the storage has not made the volume larger{age}: where it does so only while no pod uses the volume, it \
                 waits until {} is scaled away",
                pod.meta.name
            ),
        ),
        (Growth::Volume, _) => (
            Severity::Info,
            "the storage is to make the volume larger".to_owned(),
        ),
    };
    Found::on_claim(severity, name, format!("{begins}; {rest}"))
}
