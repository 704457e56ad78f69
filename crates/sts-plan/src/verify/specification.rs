//! Check that a set still has the planned specification.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::StaleField;
use super::prediction::Prediction;
use sts_controller::object::{IntOrPercent, PodManagement, Set, Snapshot};
use sts_controller::simulate::{ObjectEvent, next_sync};

/// State of a set's specification relative to a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SpecificationState {
    /// As planned.
    AsPlanned,
    /// The planned change has not been applied yet.
    NotChangedYet,
    /// A different change was applied.
    Changed(Vec<StaleField>),
}

pub(crate) const REPLICAS: &str = "spec.replicas";
pub(crate) const START: &str = "spec.ordinals.start";
pub(crate) const MANAGEMENT: &str = "spec.podManagementPolicy";
pub(crate) const STRATEGY: &str = "spec.updateStrategy.type";
pub(crate) const PARTITION: &str = "spec.updateStrategy.rollingUpdate.partition";
pub(crate) const MAX_UNAVAILABLE: &str = "spec.updateStrategy.rollingUpdate.maxUnavailable";
pub(crate) const MIN_READY: &str = "spec.minReadySeconds";
pub(crate) const CLAIM_TEMPLATES: &str = "spec.volumeClaimTemplates";

/// Default values of fields. Some server versions store them, others omit them.
const DEFAULTS: [(&str, &str); 5] = [
    (START, "0"),
    (PARTITION, "0"),
    (MAX_UNAVAILABLE, "1"),
    (MIN_READY, "0"),
    (CLAIM_TEMPLATES, ""),
];

pub(crate) fn without_defaults(
    mut fields: BTreeMap<&'static str, String>,
) -> BTreeMap<&'static str, String> {
    fields.retain(|path, value| !DEFAULTS.contains(&(*path, value.as_str())));
    fields
}

/// Returns the controller-relevant fields of a set, except the template.
fn fields(set: &Set) -> BTreeMap<&'static str, String> {
    let rolling = set.strategy.rolling_update();
    let templates = set.claim_templates.iter();
    let templates: Vec<&str> = templates.map(|template| &*template.name).collect();
    let mut fields = BTreeMap::from([
        (REPLICAS, set.replicas.to_string()),
        (START, set.stored_start_ordinal().to_string()),
        (MIN_READY, set.min_ready_seconds.to_string()),
        (STRATEGY, set.strategy.name().to_owned()),
        (CLAIM_TEMPLATES, templates.join(", ")),
        (
            MANAGEMENT,
            match set.pod_management {
                PodManagement::OrderedReady => "OrderedReady".to_owned(),
                PodManagement::Parallel => "Parallel".to_owned(),
            },
        ),
    ]);
    if let Some(partition) = rolling.and_then(|rolling| rolling.partition) {
        fields.insert(PARTITION, partition.to_string());
    }
    if let Some(bound) = rolling.and_then(|rolling| rolling.max_unavailable.as_ref()) {
        let text = match bound {
            IntOrPercent::Int(count) => count.to_string(),
            IntOrPercent::Text(text) => text.clone(),
        };
        fields.insert(MAX_UNAVAILABLE, text);
    }
    without_defaults(fields)
}

pub(super) fn specification_state(
    prediction: &Prediction,
    now: &Snapshot,
    then: Timestamp,
) -> SpecificationState {
    let set = &now.set;
    let counted = prediction.plan.metadata.generation > 0 && set.generation > 0;
    let mut differences = Vec::new();
    let found = fields(set);
    let paths = prediction.fields.keys().chain(found.keys());
    for path in paths.collect::<std::collections::BTreeSet<_>>() {
        let (planned, found) = (prediction.fields.get(path), found.get(path));
        if planned != found {
            differences.push(StaleField {
                path: (*path).to_owned(),
                planned: planned.cloned(),
                found: found.cloned(),
            });
        }
    }
    // For a set that is deleted, the plan only records the stored status.
    if !prediction.predicts(ObjectEvent::SetDeleted)
        && !prediction.plan.set.update_revision.is_empty()
    {
        let asked = next_sync(now, then, &prediction.behaviour).status;
        if !prediction.leads_to(&asked.update_revision) {
            differences.push(StaleField {
                path: "spec.template".to_owned(),
                planned: Some(format!("revision {}", prediction.plan.set.update_revision)),
                found: Some(format!("revision {}", asked.update_revision)),
            });
        }
    }
    let behind = counted && set.generation < prediction.plan.metadata.generation;
    if !prediction.plan.change.is_empty() && (behind || (!counted && !differences.is_empty())) {
        return SpecificationState::NotChangedYet;
    }
    // A change may consist of several requests, each of which increments the generation.
    let moved = counted
        && set.generation != prediction.plan.metadata.generation
        && prediction.plan.change.is_empty();
    if differences.is_empty() && moved {
        differences.push(StaleField {
            path: "metadata.generation".to_owned(),
            planned: Some(prediction.plan.metadata.generation.to_string()),
            found: Some(set.generation.to_string()),
        });
    }
    if differences.is_empty() {
        SpecificationState::AsPlanned
    } else {
        SpecificationState::Changed(differences)
    }
}
