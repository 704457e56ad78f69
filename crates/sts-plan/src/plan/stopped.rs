//! A controller that does not run, as the pods and the lease of its manager show it.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{Conditions, NowSource};
use crate::catalogue::{ContainerFailure, decisive_line, other_failures};
use sts_controller::controller::{Resource, Sync};
use sts_controller::object::{Pod, RelatedObjects};

/// Namespace of the control plane.
const NAMESPACE: &str = "kube-system";
/// Name of the manager's lease. The names of its pods begin with it.
const MANAGER: &str = "kube-controller-manager";
/// Age from which the lease has expired beyond doubt: the manager renews it every two seconds, and it lasts for 15.
const EXPIRED: SignedDuration = SignedDuration::from_mins(2);

/// A manager that does not run.
pub(super) struct Stopped {
    /// `kube-controller-manager-cp-0 crash-loops: unknown flag: --pod-eviction-timeout`.
    pub(super) shown: String,
    /// Time from which on it does not run, if known.
    pub(super) since: Option<Timestamp>,
}

/// Returns the manager if the input shows that it does not run: its lease has expired, or none of its pods is ready.
pub(super) fn stopped(conditions: &Conditions) -> Option<Stopped> {
    let related = &conditions.related;
    let renewed = related.lease(NAMESPACE, MANAGER).and_then(|it| it.renewed);
    let age = renewed.map(|renewed| conditions.now.duration_since(renewed));
    let age = age.filter(|_| conditions.now_source != NowSource::Clock);
    let is_expired = age.is_some_and(|age| age > EXPIRED);
    // Another manager may run elsewhere.
    if age.is_some() && !is_expired {
        return None;
    }
    let of_pods = failing(related);
    if let Some(found) = of_pods {
        let since = renewed.filter(|_| is_expired).or(found.since);
        return Some(Stopped { since, ..found });
    }
    renewed.filter(|_| is_expired).map(|renewed| Stopped {
        shown: format!("{MANAGER} does not renew its lease"),
        since: Some(renewed),
    })
}

/// Returns the first pod of the manager if none is ready.
fn failing(related: &RelatedObjects) -> Option<Stopped> {
    let is_managers = |pod: &&Arc<Pod>| {
        let rest = pod.meta.name.strip_prefix(MANAGER);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let pods: Vec<&Arc<Pod>> = related.pods(NAMESPACE).filter(is_managers).collect();
    if pods.iter().any(|pod| pod.is_ready()) {
        return None;
    }
    let told = |pod: &&Arc<Pod>| {
        let (_, failure) = other_failures(pod, "").into_iter().next()?;
        Some((Arc::clone(pod), failure))
    };
    let (pod, failure) = pods.iter().find_map(told)?;
    Some(Stopped {
        shown: words(&pod.meta.name, &failure),
        since: pod.ready.and_then(|ready| ready.since),
    })
}

/// `kube-controller-manager-cp-0 crash-loops: unknown flag: --pod-eviction-timeout`.
fn words(pod: &str, failure: &ContainerFailure) -> String {
    let state = match &*failure.reason {
        "CrashLoopBackOff" => "crash-loops".to_owned(),
        reason => format!("does not run ({reason})"),
    };
    let line = match &*failure.last_words {
        "" => failure.message.clone(),
        words => decisive_line(words, None),
    };
    match line.is_empty() {
        true => format!("{pod} {state}"),
        false => format!("{pod} {state}: {line}"),
    }
}

/// Reports whether a sync writes more than the status.
pub(super) fn acts(sync: &Sync) -> bool {
    let mut writes = sync.writes.iter();
    writes.any(|write| write.resource != Resource::Status)
}
