//! Actions on a pod.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::entry::{Assumed, RemedyEffect, RemedyEntry, Scene, is_unplaced};
use super::node::{detach_risk, forced_detach};
use crate::catalogue::SERVER_ACCEPTS;
use crate::cause::{Blame, Cause, ReadPart, comes_back_on};
use crate::command::{delete_pod, finalizers_patch, named, pair, quoted};
use crate::members::surplus;
use crate::plan::is_down;
use sts_controller::object::{ContainerStatus, Phase, Pod, Snapshot};
use sts_controller::simulate::Action;

/// Maximum age of the end of a container's last run that tells why it is not ready now.
const RECENT_END: SignedDuration = SignedDuration::from_mins(15);

/// Fixing the reason that a pod is not ready, which only its user can do.
pub(super) fn fix(name: &Arc<str>, scene: Scene<'_>) -> RemedyEntry {
    let cause = scene.causes_of(name).next();
    let look = cause.map_or_else(Vec::new, Cause::look);
    let commands = match look.is_empty() {
        true => look_at(name, scene),
        false => look,
    };
    RemedyEntry {
        effect: RemedyEffect::Looks,
        assumed: Some(Assumed::PodFixed(Arc::clone(name))),
        commands,
        condition: Some(ready_once(name, scene)),
        ..RemedyEntry::default()
    }
}

pub(super) fn delete(name: &Arc<str>, scene: Scene<'_>) -> RemedyEntry {
    RemedyEntry {
        request: Some(Action::DeletePod(Arc::clone(name))),
        commands: vec![delete_pod(name, scene.snapshot)],
        condition: deleted_if(name, scene),
        risk: scene.snapshot.pods.get(name).and_then(|pod| {
            if !is_ours(pod, scene.snapshot) {
                return Some("takes down what it serves; its owner may recreate it".to_owned());
            }
            let behaviour = &scene.plan.conditions.behaviour;
            let unwanted = surplus(scene.snapshot, behaviour);
            if unwanted.iter().any(|it| it.meta.name == *name) {
                return None;
            }
            let is_up = pod.is_running_and_ready();
            is_up.then(|| format!("{name} is down until it is ready again"))
        }),
        ..RemedyEntry::default()
    }
}

/// Deleting a pod without waiting for its containers.
pub(super) fn force_delete(name: &Arc<str>, scene: Scene<'_>) -> RemedyEntry {
    let pod = scene.end().pods.get(name);
    let node = pod.and_then(|pod| pod.node());
    let down = node.filter(|_| pod.is_some_and(|pod| is_down(pod, &scene.plan.conditions)));
    let detached_after = match (down, pod) {
        (Some(node), Some(pod)) => forced_detach(node, &[pod], scene),
        _ => BTreeMap::new(),
    };
    let command = format!("delete pod {} --grace-period=0 --force", named(name));
    RemedyEntry {
        request: Some(Action::ForceDeletePod(Arc::clone(name))),
        commands: vec![scene.kubectl(&command)],
        condition: Some(match node {
            Some(node) => {
                format!("if node {node} is down for good, or runs no container of {name}")
            }
            None => format!("if no container of {name} is running"),
        }),
        risk: Some(format!(
            "if {name} is still running, two pods of that name write to one volume and may corrupt its data{}",
            detach_risk(&detached_after)
        )),
        detached_after,
        ..RemedyEntry::default()
    }
}

/// Letting a quota, or another admission check, admit a pod.
pub(super) fn admit(name: &Arc<str>, quota: Option<&str>, scene: Scene<'_>) -> RemedyEntry {
    let (object, condition) = match quota {
        Some(quota) => (
            format!("quota {}", named(quota)),
            format!("once quota {quota} has room for {name} (raise it, or request less)"),
        ),
        None => {
            let entry = scene.causes_of(name).find_map(Cause::entry);
            let condition = entry.map_or(SERVER_ACCEPTS, |entry| &*entry.admitted_once);
            (
                format!("sts {}", scene.set()),
                condition.replace("{pod}", name),
            )
        }
    };
    RemedyEntry {
        effect: RemedyEffect::Looks,
        assumed: Some(Assumed::PodAdmitted(Arc::clone(name))),
        commands: vec![scene.kubectl(&format!("describe {object}"))],
        condition: Some(condition),
        ..RemedyEntry::default()
    }
}

pub(super) fn drop_finalizers(name: &Arc<str>, scene: Scene<'_>) -> RemedyEntry {
    RemedyEntry {
        request: Some(Action::DropPodFinalizers(Arc::clone(name))),
        commands: vec![scene.kubectl(&finalizers_patch("pod", name))],
        condition: Some(format!(
            "if no controller will remove the finalizers of {name}"
        )),
        risk: Some(format!("skips the cleanup behind the finalizers of {name}")),
        ..RemedyEntry::default()
    }
}

/// Adding the labels that the set's selector matches.
pub(super) fn label(
    name: &Arc<str>,
    labels: &[(Arc<str>, Arc<str>)],
    scene: Scene<'_>,
) -> RemedyEntry {
    let pairs = labels.iter().map(|(key, value)| pair(key, value));
    let pairs: Vec<String> = pairs.collect();
    let command = format!("label pod {} {} --overwrite", named(name), pairs.join(" "));
    RemedyEntry {
        request: Some(Action::LabelPod(Arc::clone(name), labels.to_vec())),
        commands: vec![scene.kubectl(&command)],
        condition: Some(format!("if {name} belongs to the set")),
        risk: Some(format!(
            "the set adopts {name} and replaces it if its revision is outdated"
        )),
        ..RemedyEntry::default()
    }
}

/// Returns the condition under which a pod is ready.
fn ready_once(name: &str, scene: Scene<'_>) -> String {
    let cause = scene.causes_of(name).next();
    let is_predicted = cause.is_some_and(|cause| cause.facts.foreseen.is_some());
    match scene.end().pods.get(name).filter(|_| !is_predicted) {
        Some(pod) if is_unplaced(pod) => scheduled_once(pod, scene.end()),
        Some(pod) if pod.is_terminating() => format!("once the kubelet has terminated {name}"),
        _ => {
            let declared = cause.and_then(|cause| cause.ready(name));
            declared.unwrap_or_else(|| format!("once {name} is ready"))
        }
    }
}

/// Returns the condition under which an unschedulable pod is scheduled.
fn scheduled_once(pod: &Pod, snapshot: &Snapshot) -> String {
    let name = &pod.meta.name;
    let list = |claims: &[&str]| match claims {
        [] => None,
        [claim] => Some(format!("claim {claim}")),
        several => Some(format!("claims {}", several.join(", "))),
    };
    let (missing, unbound) = (snapshot.missing_claims(pod), snapshot.unbound_claims(pod));
    let missing: Vec<&str> = missing.iter().map(|claim| &**claim).collect();
    let unbound: Vec<&str> = unbound.iter().map(|claim| &*claim.meta.name).collect();
    match (list(&missing), list(&unbound)) {
        (Some(missing), _) => format!("once you recreate {missing} and {name} is scheduled"),
        (None, Some(unbound)) => format!("once {unbound} has a volume and {name} is scheduled"),
        (None, None) => format!("once {name} is scheduled"),
    }
}

/// Returns the commands that show what is wrong with a pod.
fn look_at(name: &str, scene: Scene<'_>) -> Vec<String> {
    let mut out = vec![scene.kubectl(&format!("describe pod {}", named(name)))];
    let Some(pod) = scene.snapshot.pods.get(name) else {
        return out;
    };
    // The logs and the node of the pod that is there.
    let pod = scene.plan.observed().pod(name).unwrap_or(pod);
    if let Some(node) = pod.node().filter(|_| pod.is_terminating()) {
        out.push(format!("kubectl describe node {}", named(node)));
    }
    let unbound = scene.snapshot.unbound_claims(pod);
    let unbound = unbound.iter().map(|claim| named(&claim.meta.name));
    out.extend(unbound.map(|claim| scene.kubectl(&format!("describe pvc {claim}"))));
    let containers = pod.containers();
    let now = scene.plan.observed().at();
    if let Some((container, is_over)) = logged(name, &containers, now, scene) {
        let previous = if is_over { " --previous" } else { "" };
        let (pod, container) = (named(name), quoted(&container.name));
        out.push(scene.kubectl(&format!("logs {pod} -c {container}{previous}")));
    }
    let mut unknown = scene.causes_of(name).filter(|cause| !cause.is_specific());
    let path = unknown.find_map(|cause| cause.facts.neighbors.answer.as_ref()?.path.as_ref());
    // The API server passes on the request of the probe.
    out.extend(path.map(|path| format!("kubectl get --raw {}", quoted(path))));
    out
}

/// Returns the container whose log tells why a pod is not ready, and true if that is the log of its last run. The pod waits
/// for a running init container; any other unready container logs its own reason.
fn logged<'c>(
    name: &str,
    containers: &'c [ContainerStatus],
    now: Timestamp,
    scene: Scene<'_>,
) -> Option<(&'c ContainerStatus, bool)> {
    let unready = || containers.iter().filter(|container| !container.ready);
    let has_crashed = |it: &&ContainerStatus| {
        let ended = it.ended.as_ref().and_then(|ended| ended.at);
        let is_recent = ended.is_none_or(|ended| now.duration_since(ended) <= RECENT_END);
        it.restarts > 0 && (it.waiting.is_some() || is_recent)
    };
    let ran = (scene.causes_of(name).next()).filter(|it| it.symptom.entry().ran);
    let at_fault = ran.and_then(|cause| {
        let failure = cause.facts.failure.as_ref()?;
        unready().find(|it| it.name == failure.container && has_crashed(it))
    });
    let crashed = at_fault.or_else(|| unready().find(has_crashed));
    let runs =
        |it: &&ContainerStatus| it.waiting.is_none() && (it.restarts > 0 || it.ended.is_none());
    let running = || unready().find(runs).map(|it| (it, false));
    crashed.map(|it| (it, true)).or_else(running)
}

/// Returns the condition under which a pod may be deleted, if any.
fn deleted_if(name: &Arc<str>, scene: Scene<'_>) -> Option<String> {
    let end = scene.end();
    let pod = end.pods.get(name)?;
    if !is_ours(pod, end) {
        return Some(format!("if {name} is no longer needed"));
    }
    let seen = scene.plan.observed().pod(name);
    let is_replaced = seen.is_some_and(|seen| seen.is_ready() && seen.meta.uid != pod.meta.uid);
    // It is only assumed to fail like another pod.
    let is_foretold = |cause: &Cause| cause.foretold.as_ref() == Some(name);
    if is_replaced && scene.causes_of(name).any(is_foretold) {
        return Some(format!(
            "delete {name} only if it has been replaced by then: now it is ready"
        ));
    }
    let unwanted = surplus(end, &scene.plan.conditions.behaviour);
    if unwanted.iter().any(|it| it.meta.name == *name) {
        return Some("delete surplus pods, which use the quota".to_owned());
    }
    let lacking = scene.plan.observed().objects().missing_claims(pod);
    if let Some(claim) = lacking.first().filter(|_| is_unplaced(pod)) {
        return Some(format!(
            "if no volume of {claim} was kept: {name} comes back with an empty one"
        ));
    }
    let next = comes_back_on(scene.plan, pod);
    let is_broken = !is_unplaced(pod) && !pod.is_ready() && !pod.is_terminating();
    if is_broken && next.is_none() && scene.plan.observed().has_ready_sibling(pod) {
        return Some(format!("restart {name} (keeps its volumes)"));
    }
    let next = next.filter(|_| is_of_pod_itself(name, scene))?;
    // A manifest next to the pods of the cluster may not have been applied yet.
    let is_manifest = scene.plan.assumptions.owns_pods()
        && !scene
            .plan
            .observed()
            .objects()
            .revisions
            .contains_key(&next);
    Some(match is_manifest {
        true => format!(
            "if the manifest of the input is applied and fixes {name}, which comes back on {next}"
        ),
        false => format!("if {next} fixes {name}, which comes back on it"),
    })
}

fn is_ours(pod: &Pod, snapshot: &Snapshot) -> bool {
    let uid = &snapshot.set.meta.uid;
    let owner = pod.meta.controller();
    owner.is_some_and(|owner| owner.uid == *uid) || pod.phase == Phase::Unset
}

/// Reports whether a pod fails for a reason of its own, which its replacement may share.
fn is_of_pod_itself(pod: &str, scene: Scene<'_>) -> bool {
    scene.causes_of(pod).next().is_some_and(|cause| {
        let is_of_container = matches!(
            cause.symptom.entry().reads,
            ReadPart::Process | ReadPart::Container | ReadPart::Configuration
        );
        is_of_container && cause.blame == Blame::Pod
    })
}
