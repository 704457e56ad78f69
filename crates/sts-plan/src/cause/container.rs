//! Container failures.

use std::sync::Arc;

use super::{CauseKind, CauseTrait, WaitsIn};
use crate::catalogue::{FailureKind, failed_container, other_failures};
use crate::plan::Plan;
use serde_json::Value;
use sts_controller::object::Pod;

pub use crate::catalogue::ContainerFailure;

/// Returns the failure of the container that the pod's status names, or of the one that it calls in vain.
pub(super) fn failing(plan: &Plan, pod: &Pod) -> Option<CauseKind> {
    let (mut kind, mut failure) = failed_container(pod)?;
    let catalogue = plan.conditions.catalogue;
    let found = catalogue.of_failure(kind, pod, &plan.related, &failure);
    if found.is_some_and(|found| found.entry.has(CauseTrait::WithinPod))
        && let Some(called) = other_failures(pod, &failure.container).into_iter().next()
    {
        (kind, failure) = called;
    }
    Some(match kind {
        FailureKind::CrashLoop => CauseKind::CrashLoop(failure),
        FailureKind::OutOfMemory => CauseKind::OutOfMemory(failure),
        FailureKind::ImagePull => CauseKind::ImagePull(failure),
        FailureKind::Config => CauseKind::ContainerConfig(failure),
    })
}

/// Returns the other containers of a pod that are waiting in a lasting failure.
pub(super) fn also_failing(pod: &Pod, kind: &CauseKind) -> Vec<ContainerFailure> {
    let first = match kind {
        CauseKind::CrashLoop(first)
        | CauseKind::OutOfMemory(first)
        | CauseKind::ImagePull(first)
        | CauseKind::ContainerConfig(first) => Some(&*first.container),
        CauseKind::Foreseen(_) => pod.trouble.as_ref().and_then(|it| it.container.as_deref()),
        _ => None,
    };
    let others = first.map_or_else(Vec::new, |first| other_failures(pod, first));
    others.into_iter().map(|(_, failure)| failure).collect()
}

/// Returns the reason that a pod without a failing container is not ready.
pub(super) fn waiting(pod: &Pod) -> CauseKind {
    let statuses = pod.containers();
    let is_begun = pod.phase == sts_controller::object::Phase::Running || !statuses.is_empty();
    if !is_begun {
        let node = pod.node();
        let given = pod.given();
        let scheduler = given
            .as_ref()
            .map(|object| &object["spec"]["schedulerName"]);
        return CauseKind::NotTakenUp {
            node: node.map(Arc::from),
            scheduler: scheduler
                .and_then(Value::as_str)
                .unwrap_or("default-scheduler")
                .to_owned(),
        };
    }
    let running_init = statuses
        .iter()
        .find(|status| status.init && !status.ready && status.waiting.is_none());
    if let Some(init) = running_init.filter(|_| pod.phase != sts_controller::object::Phase::Running)
    {
        return CauseKind::Starting {
            waits_in: WaitsIn::InitContainer(init.name.to_string()),
        };
    }
    let waiting = statuses
        .iter()
        .find_map(|status| status.waiting.as_ref().map(|(reason, _)| (status, reason)));
    if let Some((status, reason)) = waiting {
        return CauseKind::Starting {
            waits_in: WaitsIn::Container {
                name: status.name.to_string(),
                reason: reason.to_string(),
            },
        };
    }
    let not_ready = statuses
        .iter()
        .filter(|status| !status.init && !status.ready);
    CauseKind::NotReady {
        containers: not_ready.map(|status| status.name.clone()).collect(),
    }
}
