//! The repair of a stuck pod that the update revision already has, and the pod lacks because it is on an older one.

use std::sync::Arc;

use serde_json::Value;

use super::template::{comes_back_on, container_named, difference};
use super::{
    Blames, CauseEntry, Cure, Facts, OtherFailure, Rank, ReadPart, Symptom, TemplateDifference,
};
use crate::foresight::Foreseen;
use crate::plan::Plan;
use crate::words::list;
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{Pod, Revision};

/// Maximum number of differing members to name.
const MOST_MEMBERS: usize = 3;

/// Members of a container with which its process can use less memory.
const SPARED_BY: [&str; 5] = ["args", "command", "env", "envFrom", "image"];

/// A change of the update revision in the part that the cause of a pod reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Repair {
    /// Name of the update revision.
    pub(crate) revision: Arc<str>,
    /// Its words after `the template already`: `has a higher limit, 4Gi`.
    pub(crate) has: String,
    /// True if this is the change that the cause asks for; false if it is only in the part that the cause reads.
    pub(crate) is_certain: bool,
    /// True if the partition keeps the pod's replacement from it.
    pub(crate) is_held: bool,
    /// True if the cluster has the revision; false if only the question makes it.
    pub(crate) is_stored: bool,
}

impl Repair {
    /// Returns the repair of a pod on an older revision. A failing pod on the update revision tells that it has none.
    pub(super) fn of(
        plan: &Plan,
        pod: &Pod,
        symptom: Symptom,
        facts: &Facts,
        entry: Option<&CauseEntry>,
        also: &[OtherFailure],
    ) -> Option<Self> {
        let end = plan.predicted().objects();
        let next = &end.status.update_revision;
        if next.is_empty()
            || pod.revision.is_empty()
            || pod.revision == *next
            || pod.is_terminating()
            || plan.terminating_claim(pod).is_some()
            || any_fails(plan, next)
        {
            return None;
        }
        let back = comes_back_on(plan, pod);
        let is_held = back.is_none();
        if back.is_some_and(|back| back != *next) {
            return None;
        }
        let other = end.revisions.get(next);
        let difference = difference(plan, pod, Some(next), other);
        let reaches_all = also.iter().all(|it| it.is_reached(&difference));
        if !difference.is_known || !reaches_all || !difference.may_fix(symptom, facts, entry, other)
        {
            return None;
        }
        // A rollout that was undone: pods are ready on the older template, whatever fails on the newer one.
        let mut ready = plan.observed().ready();
        let is_undone = difference.is_older && ready.any(|pod| pod.revision == *next);
        let (has, is_certain) = change(symptom, facts, entry, other?, &difference, is_undone)?;
        let stored = &plan.observed().objects().revisions;
        Some(Repair {
            revision: Arc::clone(next),
            has,
            is_certain,
            is_held,
            is_stored: stored.contains_key(next),
        })
    }
}

/// Returns what the update revision has in the part that a cause reads, and true if it is the change that the cause asks for.
fn change(
    symptom: Symptom,
    facts: &Facts,
    entry: Option<&CauseEntry>,
    other: &Revision,
    difference: &TemplateDifference,
    is_undone: bool,
) -> Option<(String, bool)> {
    let is_of_template =
        entry.is_some_and(|it| it.rank != Rank::Generic && it.blames == Blames::Template);
    match (symptom.entry().cure, symptom.entry().reads) {
        (Cure::Memory, _) => match memory(facts, other)? {
            Memory::Raised(limit) => Some((format!("has a higher memory limit, {limit}"), true)),
            Memory::Same => {
                let spares = |it: &&String| SPARED_BY.contains(&it.as_str());
                let members = difference.members.iter().filter(spares);
                Some((differs_in(members.cloned().collect())?, false))
            }
        },
        (Cure::Image, ReadPart::Image) => {
            let image = container_of(other, facts.container()?)?["image"].as_str()?;
            // One with the same credentials may fail in the same way.
            Some((format!("has another image, {image}"), is_of_template))
        }
        (Cure::Object, ReadPart::Object) => match &facts.foreseen {
            Some(Foreseen::MissingConfig { object, .. }) => {
                Some((format!("does without {object}"), true))
            }
            _ => None,
        },
        (
            Cure::Template,
            ReadPart::Process
            | ReadPart::Container
            | ReadPart::Configuration
            | ReadPart::InitContainers,
        ) if is_of_template || is_undone => {
            let members = difference.members.iter().cloned().collect();
            Some((differs_in(members)?, false))
        }
        _ => None,
    }
}

/// A memory limit of the update revision that is not lower than that of the pod.
enum Memory {
    /// It is higher: this one.
    Raised(String),
    /// It is the same.
    Same,
}

/// Compares the memory limit of the failing container with that of the update revision; `None` if that one is lower, or
/// if either has none: its node can run out of memory instead.
fn memory(facts: &Facts, other: &Revision) -> Option<Memory> {
    let failure = facts.failure.as_ref()?;
    let now = Quantity::parse(failure.memory_limit.as_ref()?).ok()?;
    let limit = |of: &Value| {
        let text = of["resources"]["limits"]["memory"].as_str()?;
        Some((text.to_owned(), Quantity::parse(text).ok()?))
    };
    let of_container = container_of(other, &failure.container).and_then(limit);
    // The limit is of the pod if the container has none of its own.
    let of_pod = || limit(&other.template()?["spec"]);
    let (text, then) = of_container.or_else(of_pod)?;
    if then > now {
        return Some(Memory::Raised(text));
    }
    (then == now).then_some(Memory::Same)
}

/// Returns a container of a revision.
fn container_of<'r>(revision: &'r Revision, name: &str) -> Option<&'r Value> {
    container_named(&revision.template()?["spec"], name)
}

fn differs_in(members: Vec<String>) -> Option<String> {
    (!members.is_empty()).then(|| format!("differs in {}", list(&members, MOST_MEMBERS)))
}

/// Reports whether a pod on a revision is stuck. Others may be ready on it: nothing tells that this pod would be, too.
fn any_fails(plan: &Plan, revision: &Arc<str>) -> bool {
    let mut of_it = plan
        .observed()
        .owned()
        .filter(|pod| pod.revision == *revision);
    of_it.any(|pod| plan.evidence.of_this(pod).is_some())
}
