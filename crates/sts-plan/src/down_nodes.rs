//! Pods on nodes that are down, tainted or missing: what node lifecycle, taint eviction and pod garbage collection do with
//! them. docs/semantics.md, "Lost nodes".

mod unread;

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::conditions::{Conditions, InputKind};
use crate::members::{owns, pods_of};
use sts_controller::object::{Node, Pod, Snapshot, Taint};
use sts_controller::simulate::{Action, Fault, NodeLoss, ScheduledAction};
pub(crate) use unread::{is_reported_down, is_unread};

/// The taint of a node whose kubelet does not respond.
pub(crate) const UNREACHABLE: &str = "node.kubernetes.io/unreachable";
/// The taint of a node that reports that it is not ready.
const NOT_READY: &str = "node.kubernetes.io/not-ready";
/// The taint that the cloud node lifecycle controller sets while the provider reports a machine as shut down.
const SHUT_DOWN: &str = "node.cloudprovider.kubernetes.io/shutdown";
/// The taint of a node that is shut down for good.
pub(crate) const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

/// Returns the taint by which the provider of a node reports its machine as shut down.
pub(crate) fn shut_down(node: &Node) -> Option<&Taint> {
    node.taints.iter().find(|taint| &*taint.key == SHUT_DOWN)
}
/// Interval between the checks of pod garbage collection.
const GC_PERIOD: SignedDuration = SignedDuration::from_secs(20);
/// Time for which it waits for a node that is missing.
const GC_QUARANTINE: SignedDuration = SignedDuration::from_secs(40);
/// Age from which on a taint that a pod does not tolerate has been stopped by something that the input does not show.
const TAINT_ACTS_WITHIN: SignedDuration = SignedDuration::from_mins(1);

/// Returns the events of a set's pods on nodes that are down, tainted or missing in the input. An assumption about a pod
/// takes precedence, and nodes of an outage have their own events.
pub(crate) fn agenda(snapshot: &Snapshot, conditions: &Conditions) -> Vec<ScheduledAction> {
    let pods = pods_of(snapshot).filter(|pod| owns(snapshot, pod));
    let losses = pods.filter_map(|pod| Some((pod, loss(pod, conditions)?)));
    losses.flat_map(|(pod, loss)| actions(pod, loss)).collect()
}

/// Returns the actions of a loss on a pod of a set. They end with the pod: another one of its name may run elsewhere.
pub(crate) fn actions(pod: &Pod, loss: NodeLoss) -> Vec<ScheduledAction> {
    let name = || Arc::clone(&pod.meta.name);
    let unready = loss.unready.map(|at| (at, Action::LosePod(name())));
    let deleted = loss.deleted.map(|at| (at, Action::TaintEvictPod(name())));
    let gone = loss
        .gone
        .map(|at| (at, Action::Fault(Fault::Vanishes, name())));
    let due = [unready, deleted, gone].into_iter().flatten();
    due.map(|(at, action)| ScheduledAction {
        at,
        action: Action::OfPod {
            name: name(),
            uid: Arc::clone(&pod.meta.uid),
            action: Box::new(action),
        },
    })
    .collect()
}

/// Returns what happens to a pod because its node is down, has a taint that the pod does not tolerate, or is missing;
/// `None` if nothing does.
pub(crate) fn loss(pod: &Pod, conditions: &Conditions) -> Option<NodeLoss> {
    let now = conditions.now;
    if is_orphan(pod, conditions) {
        if is_overdue(pod, now) {
            return None;
        }
        // Its status stays as it is until then.
        return Some(NodeLoss {
            unready: None,
            deleted: None,
            gone: now.checked_add(GC_QUARANTINE).ok(),
            is_silent: true,
        });
    }
    let node = node_of(pod, conditions)?;
    let is_down = node.is_down();
    let mut loss = NodeLoss {
        is_silent: is_down,
        ..NodeLoss::default()
    };
    if pod.is_ready() && is_down && !pod.is_terminating() && is_unmarked(node, now) {
        loss.unready = Some(now);
    }
    if !pod.is_terminating() {
        loss.deleted = deletion(pod, node, now);
    }
    if is_out_of_service(pod, conditions) {
        let terminates = match pod.is_terminating() {
            true => Some(now),
            false => loss.deleted,
        };
        loss.gone = terminates.and_then(|at| at.checked_add(GC_PERIOD).ok());
    }
    let is_any = loss.unready.or(loss.deleted).or(loss.gone).is_some();
    (is_any || is_down).then_some(loss)
}

/// Returns the time at which taint eviction deletes a pod of a node. A deletion that is overdue was stopped by something
/// that the input does not show.
fn deletion(pod: &Pod, node: &Node, now: Timestamp) -> Option<Timestamp> {
    let of_condition = node.is_down().then(|| {
        let key = match node.is_lost() {
            true => UNREACHABLE,
            false => NOT_READY,
        };
        let since = node.ready.as_ref().and_then(|ready| ready.since);
        let due = since.zip(tolerated(pod, key, ""));
        let due = due.and_then(|(since, time)| since.checked_add(time).ok());
        due.filter(|at| *at >= now)
    });
    // The condition tells the age of the other two taints.
    let others = node.taints.iter().filter(|taint| {
        &*taint.effect == "NoExecute" && ![UNREACHABLE, NOT_READY].contains(&&*taint.key)
    });
    let of_taints = others.filter_map(|taint| of_taint(pod, taint, now));
    of_condition.flatten().into_iter().chain(of_taints).min()
}

fn of_taint(pod: &Pod, taint: &Taint, now: Timestamp) -> Option<Timestamp> {
    let time = tolerated(pod, &taint.key, &taint.value)?;
    let added = taint.added.unwrap_or(now);
    if time.is_zero() {
        let is_recent = now.duration_since(added) < TAINT_ACTS_WITHIN;
        return (is_recent || &*taint.key == OUT_OF_SERVICE).then_some(now);
    }
    added.checked_add(time).ok().filter(|at| *at >= now)
}

/// Reports whether the node of a pod is missing from an input that lists the nodes, so that pod garbage collection removes
/// the pod. Upstream: `gcOrphaned` in `pkg/controller/podgc/gc_controller.go`.
pub(crate) fn is_orphan(pod: &Pod, conditions: &Conditions) -> bool {
    !pod.phase.has_ended()
        && !conditions.assumptions.contains_key(&*pod.meta.name)
        && is_missing(pod, conditions, 1)
}

/// Reports whether the node of a pod is missing from an input that has those of the other pods of the set.
pub(crate) fn is_gone(pod: &Pod, conditions: &Conditions) -> bool {
    is_missing(pod, conditions, 0)
}

/// Reports whether the node of a pod is missing from an input that has nodes: in files, those of all other pods of the set
/// and so many more.
fn is_missing(pod: &Pod, conditions: &Conditions, more: usize) -> bool {
    let Some(name) = pod.node.as_ref() else {
        return false;
    };
    let related = &conditions.related;
    let is_listed = |name: &str| related.node(name).is_some();
    if !related.has_nodes() || is_listed(name) {
        return false;
    }
    let observed = conditions.observed.iter();
    let others = observed.flat_map(|observed| observed.owned());
    let others = others.filter(|other| other.meta.uid != pod.meta.uid);
    let nodes: BTreeSet<&str> = others.filter_map(|other| other.node()).collect();
    let are_all = || {
        nodes.iter().all(|name| is_listed(name))
            && related.nodes().count() >= nodes.len().max(1) + more
            && (more == 0 || !nodes.is_empty())
    };
    conditions.input == InputKind::Complete || are_all()
}

/// Age from which on a pod of a missing node has been kept by something that the input does not show.
const COLLECTED_WITHIN: SignedDuration = SignedDuration::from_mins(5);

/// Reports whether pod garbage collection has had the time to remove a pod of a missing node: it has not been ready, or has
/// been terminating, for minutes.
fn is_overdue(pod: &Pod, now: Timestamp) -> bool {
    let unready = pod.ready.filter(|ready| !ready.is_true);
    let unready = unready.and_then(|ready| ready.since);
    let since = [unready, pod.meta.deleted].into_iter().flatten().min();
    since.is_some_and(|since| now.duration_since(since) > COLLECTED_WITHIN)
}

/// Reports whether a pod does not serve, whatever its status says: its node is lost now, or is missing.
pub(crate) fn is_cut_off(pod: &Pod, conditions: &Conditions) -> bool {
    conditions.outage.is_lost(pod) || is_orphan(pod, conditions)
}

/// Reports whether pod garbage collection removes a pod once it is terminating: its node is down and has the out-of-service
/// taint, of any effect. Upstream: `gcTerminating` in `pkg/controller/podgc/gc_controller.go`.
pub(crate) fn is_out_of_service(pod: &Pod, conditions: &Conditions) -> bool {
    let version = conditions.behaviour.version;
    node_down(pod, conditions)
        .is_some_and(|node| node.is_out_of_service() && version.honours_out_of_service())
}

/// Time in which the node lifecycle controller marks the pods of a node that is down as not ready.
const MARKED_WITHIN: SignedDuration = SignedDuration::from_mins(1);

/// Reports whether a node went down so recently that its pods may still have the status of before. Later on, their own
/// status counts.
pub(crate) fn is_unmarked(node: &Node, now: Timestamp) -> bool {
    let since = node.ready.as_ref().and_then(|ready| ready.since);
    since.is_none_or(|since| now.duration_since(since) < MARKED_WITHIN)
}

/// Returns the node of a pod if it is down in the input, unless an assumption is about the pod or the node.
pub(crate) fn node_down<'c>(pod: &Pod, conditions: &'c Conditions) -> Option<&'c Arc<Node>> {
    node_of(pod, conditions).filter(|node| node.is_down())
}

/// Returns the node of a pod in the input, unless an assumption is about the pod or the node.
fn node_of<'c>(pod: &Pod, conditions: &'c Conditions) -> Option<&'c Arc<Node>> {
    let name = pod.node.as_ref().filter(|_| !pod.phase.has_ended())?;
    if conditions.outage.lost.contains(name) || conditions.assumptions.contains_key(&*pod.meta.name)
    {
        return None;
    }
    conditions.related.node(name)
}

/// Returns the time for which a pod tolerates a taint of its node: that of the first toleration that matches; `None` for
/// forever, and zero without one. Admission gives each pod tolerations of five minutes (`DefaultTolerationSeconds`), which
/// a manifest lacks: upstream `plugin/pkg/admission/defaulttolerationseconds/admission.go`, `GetMatchingTolerations` and
/// `getMinTolerationTime` in `pkg/controller/tainteviction/taint_eviction.go`.
pub(crate) fn tolerated(pod: &Pod, taint: &str, value: &str) -> Option<SignedDuration> {
    const USUAL: SignedDuration = SignedDuration::from_secs(300);
    let object = pod.given()?;
    let spec = &object["spec"];
    let Some(tolerations) = spec["tolerations"].as_array() else {
        // A pod from the API server shows its defaults. With them and without tolerations, it has none.
        let is_stored = ["dnsPolicy", "schedulerName", "restartPolicy"];
        let is_stored = is_stored.iter().all(|field| spec[*field].is_string());
        let gets_usual = [UNREACHABLE, NOT_READY].contains(&taint) && !is_stored;
        return Some(match gets_usual {
            true => USUAL,
            false => SignedDuration::ZERO,
        });
    };
    let first = tolerations.iter().find(|toleration| {
        let text = |name: &str| toleration[name].as_str().unwrap_or_default();
        let has_key = match (text("key"), text("operator")) {
            ("", "Exists") => true,
            (key, "Exists") => key == taint,
            (key, "" | "Equal") => key == taint && text("value") == value,
            _ => false,
        };
        has_key && matches!(text("effect"), "" | "NoExecute")
    });
    let Some(first) = first else {
        return Some(SignedDuration::ZERO);
    };
    let seconds = first["tolerationSeconds"].as_i64()?;
    Some(SignedDuration::from_secs(seconds.max(0)))
}
