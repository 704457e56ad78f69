//! Lost nodes: their pods become unready after the grace period, and are deleted after their toleration time.
//! docs/semantics.md, "Lost nodes".

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::SignedDuration;

use crate::plan::{Plan, owns, pods_of};
use sts_controller::object::Pod;
use sts_controller::simulate::{Action, ScheduledAction};

/// The taint of an unreachable node.
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

/// Returns the events of a set when these nodes are lost now.
pub(super) fn agenda(plan: &Plan, lost: &BTreeSet<Arc<str>>) -> Vec<ScheduledAction> {
    let conditions = &plan.conditions;
    let grace = conditions.behaviour.version.node_monitor_grace_period();
    let Ok(noticed) = conditions.now.checked_add(grace) else {
        return Vec::new();
    };
    let pods = pods_of(&plan.snapshot).filter(|pod| owns(&plan.snapshot, pod));
    let there = pods.filter(|pod| pod.node.as_ref().is_some_and(|node| lost.contains(node)));
    let mut agenda = Vec::new();
    for pod in there {
        let name = &pod.meta.name;
        agenda.push(ScheduledAction {
            at: noticed,
            action: Action::LosePod(Arc::clone(name)),
        });
        let evicted = tolerated(pod).and_then(|time| noticed.checked_add(time).ok());
        agenda.extend(evicted.map(|at| ScheduledAction {
            at,
            action: Action::TaintEvictPod(Arc::clone(name)),
        }));
    }
    agenda
}

/// Returns the time for which a pod tolerates an unreachable node; `None` for forever. Without a toleration the time is
/// zero, but admission adds a toleration of five minutes (`DefaultTolerationSeconds`): upstream
/// `plugin/pkg/admission/defaulttolerationseconds/admission.go` and `getMinTolerationTime` in
/// `pkg/controller/tainteviction/taint_eviction.go`.
fn tolerated(pod: &Pod) -> Option<SignedDuration> {
    const USUAL: SignedDuration = SignedDuration::from_secs(300);
    let object = pod.given()?;
    let Some(tolerations) = object["spec"]["tolerations"].as_array() else {
        return Some(USUAL);
    };
    let matching = tolerations.iter().filter(|toleration| {
        let text = |name: &str| toleration[name].as_str().unwrap_or_default();
        let has_key = match (text("key"), text("operator")) {
            ("", "Exists") | (UNREACHABLE, "Exists") => true,
            (UNREACHABLE, "" | "Equal") => text("value").is_empty(),
            _ => false,
        };
        has_key && matches!(text("effect"), "" | "NoExecute")
    });
    let mut least: Option<Option<SignedDuration>> = None;
    for toleration in matching {
        let seconds = toleration["tolerationSeconds"].as_i64();
        let time = seconds.map(|seconds| SignedDuration::from_secs(seconds.max(0)));
        least = Some(match (least.flatten(), time) {
            (Some(least), Some(time)) => Some(least.min(time)),
            (least, time) => least.or(time),
        });
    }
    match least {
        Some(time) => time,
        None => Some(SignedDuration::ZERO),
    }
}
