//! Other failing containers of a pod: each of them keeps it from becoming ready, whatever cures the first one.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{ContainerFailure, Facts, Place, Recognized, TemplateDifference};
use crate::catalogue::{other_failures, readiness_failures, with_names};
use crate::plan::Plan;
use sts_controller::object::{Event, Pod};

/// Maximum age of the failed probe of a container that runs and is not ready.
const PROBED: SignedDuration = SignedDuration::from_mins(10);

/// Another failing container of a pod.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherFailure {
    /// Name of the container.
    pub container: String,
    /// Failure of a container that waits; `None` if it runs and is not ready.
    pub failure: Option<ContainerFailure>,
    /// Report of the failed probe of a container that runs; empty for one that waits.
    pub probe: String,
    /// Catalogue entry, if recognized.
    pub recognized: Option<Recognized>,
}

impl OtherFailure {
    /// Returns a text of its entry with the names of the case.
    pub(crate) fn named(&self, pod: &str, text: &str) -> String {
        with_names(text, &|key| match key {
            "pod" => Some(pod.to_owned()),
            "container" => Some(self.container.clone()),
            _ => None,
        })
    }

    /// Reports whether the other template differs in this container, or in what its containers share.
    pub(crate) fn is_reached(&self, difference: &TemplateDifference) -> bool {
        difference.pod || difference.init || difference.containers.contains(&self.container)
    }
}

/// Returns the other containers of a pod that fail: those that wait in a lasting failure, and those that run while their
/// readiness probes fail.
pub(super) fn also_failing(plan: &Plan, pod: &Pod, facts: &Facts) -> Vec<OtherFailure> {
    let first = match &facts.failure {
        Some(first) => Some(&*first.container),
        None if facts.foreseen.is_some() => {
            pod.trouble.as_ref().and_then(|it| it.container.as_deref())
        }
        None => None,
    };
    let Some(first) = first else {
        return Vec::new();
    };
    let catalogue = plan.conditions.catalogue;
    let waiting = other_failures(pod, first).into_iter();
    let waiting = waiting.map(|(symptom, failure)| OtherFailure {
        container: failure.container.clone(),
        recognized: catalogue.of_failure(symptom, pod, &plan.related, &failure),
        probe: String::new(),
        failure: Some(failure),
    });
    let statuses = pod.containers();
    let unready = statuses
        .iter()
        .filter(|it| !it.init && !it.ready && it.waiting.is_none() && it.name != *first);
    let unready: Vec<&str> = unready.map(|it| &*it.name).collect();
    let running = unready.iter().filter_map(|name| {
        let event = failed_probe(plan, pod, name, unready.len() == 1)?;
        Some(OtherFailure {
            container: (*name).to_owned(),
            failure: None,
            probe: event.message.to_string(),
            recognized: catalogue.classify(Place::Ready, "", &event.message),
        })
    });
    waiting.chain(running).collect()
}

/// Returns the last failure of a container's readiness probe, if it is recent. An event that names no container is of the
/// only one that is not ready.
fn failed_probe<'p>(
    plan: &'p Plan,
    pod: &'p Pod,
    container: &str,
    is_only: bool,
) -> Option<&'p Arc<Event>> {
    let now = plan.observed().at();
    let is_recent = |last: Timestamp| now.duration_since(last) <= PROBED;
    let mut failures = readiness_failures(pod, &plan.related).rev();
    failures.find(|event| {
        let is_its = match &*event.container {
            "" => is_only,
            name => name == container,
        };
        is_its && event.last.is_some_and(is_recent)
    })
}
