//! Differences in StatefulSet validation between API server versions.

use super::{Gate, Gates, PodRules, Version};

/// Validation behavior of an API server for StatefulSets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validation {
    /// The minor, which determines the existing fields.
    pub minor: u32,
    /// A new set's name must be a DNS label, because the pods' host names start with it: from 1.27. Before, it may have
    /// dots.
    pub name_is_label: bool,
    /// An update validates the name and the rest of the metadata like a creation: until 1.26. It validates metadata and
    /// spec before it compares them with the stored set.
    pub update_checks_as_create: bool,
    /// A new set's `serviceName`, if set, must be a DNS label: from 1.33.
    pub service_name_is_label: bool,
    /// A negative `revisionHistoryLimit` causes a warning: from 1.33.
    pub negative_history_limit_warned: bool,
    /// Values in the selector's expressions must be label values: from 1.26.
    pub selector_values_checked: bool,
    /// `minReadySeconds` must not be negative: from 1.22, where the field exists.
    pub min_ready_seconds_checked: bool,
    /// The retention policies must be known: from 1.23, whatever the gate.
    pub retention_policy_checked: bool,
    /// `maxUnavailable` must be a positive number or a percentage up to 100: from 1.24, whatever the gate.
    pub max_unavailable_checked: bool,
    /// `ordinals.start` must not be negative: from 1.26.3, and before with StatefulSetStartOrdinal.
    pub ordinals_checked: bool,
    /// Pod templates are validated like pods, not just their labels and annotations: from 1.34.
    pub template_checked: bool,
    /// Claim templates of a new set are validated: from 1.34.
    pub claim_templates_checked: bool,
    /// Rules for pods and pod templates.
    pub pod: PodRules,
    /// Fields of the spec that an update may change.
    pub updatable: Updatable,
    /// The strategy may be `Recreate` if the stored one is: from 1.37.
    pub recreate_known: bool,
    /// The strategy may be `Recreate`: from 1.37, with gate StatefulSetRecreateStrategy.
    pub recreate_allowed: bool,
    /// `minReadySeconds` of a new set is dropped: gate StatefulSetMinReadySeconds off, 1.22 to 1.24.
    pub min_ready_seconds_dropped: bool,
    /// A new retention policy is dropped: gate StatefulSetAutoDeletePVC off, 1.23 to 1.31.
    pub retention_policy_dropped: bool,
    /// A new `maxUnavailable` is dropped: gate MaxUnavailableStatefulSet off, from 1.24.
    pub max_unavailable_dropped: bool,
    /// New `ordinals` are dropped: gate StatefulSetStartOrdinal off, 1.26 to 1.30.
    pub ordinals_dropped: bool,
    /// Messages about an owner name the empty member: until 1.33.
    pub owner_members_named: bool,
    /// Messages about two controllers show their kinds: from 1.26.
    pub owner_kinds_shown: bool,
    /// The group of a claim's source must be a domain: from 1.29.
    pub source_groups_checked: bool,
    /// Messages show objects as JSON: from 1.34. Before, as Go prints structs.
    pub objects_shown_as_json: bool,
    /// Messages refer to label keys, before to qualified names: from 1.35.
    pub label_keys_named: bool,
    /// Messages give the lengths of labels in bytes: from 1.35. Before, and elsewhere, in characters.
    pub label_lengths_in_bytes: bool,
    /// Messages give the lengths of whole fields in bytes: from 1.32. Before, they name characters but count bytes.
    pub lengths_in_bytes: bool,
}

/// Fields of a spec that an update may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Updatable {
    /// Only these fields, in the order of the server's message: until 1.36. The message is about the whole spec.
    Only(&'static [&'static str]),
    /// All fields except these, each with its own error: from 1.37.
    AllBut(&'static [&'static str]),
}

/// Minors whose servers were compared on thousands of templates.
const COMPARED: [u32; 6] = [20, 30, 33, 34, 35, 36];

const REPLICAS: &str = "replicas";
const ORDINALS: &str = "ordinals";
const TEMPLATE: &str = "template";
const STRATEGY: &str = "updateStrategy";
const HISTORY: &str = "revisionHistoryLimit";
const RETENTION: &str = "persistentVolumeClaimRetentionPolicy";
const MIN_READY: &str = "minReadySeconds";
const IMMUTABLE: &[&str] = &[
    "selector",
    "volumeClaimTemplates",
    "serviceName",
    "podManagementPolicy",
];

impl Validation {
    /// Returns the behavior of a version with these gates.
    pub(super) fn new(version: Version, gates: &Gates) -> Self {
        let from = |minor| version.is_at_least(minor, 0);
        let ordinals = version.is_at_least(26, 3) || gates.is_on(Gate::StatefulSetStartOrdinal);
        let min_ready_seconds = gates.is_on(Gate::StatefulSetMinReadySeconds);
        Self {
            minor: version.minor,
            name_is_label: from(27),
            update_checks_as_create: !from(27),
            service_name_is_label: from(33),
            negative_history_limit_warned: from(33),
            selector_values_checked: from(26),
            min_ready_seconds_checked: min_ready_seconds,
            retention_policy_checked: from(23),
            max_unavailable_checked: from(24),
            ordinals_checked: ordinals,
            template_checked: from(34),
            claim_templates_checked: from(34),
            pod: PodRules::for_minor(version.minor),
            updatable: if from(37) {
                Updatable::AllBut(IMMUTABLE)
            } else {
                Updatable::Only(if from(33) {
                    &[
                        REPLICAS, ORDINALS, TEMPLATE, STRATEGY, HISTORY, RETENTION, MIN_READY,
                    ]
                } else if ordinals {
                    &[REPLICAS, ORDINALS, TEMPLATE, STRATEGY, RETENTION, MIN_READY]
                } else if from(23) && min_ready_seconds {
                    &[REPLICAS, TEMPLATE, STRATEGY, RETENTION, MIN_READY]
                } else if from(23) {
                    &[REPLICAS, TEMPLATE, STRATEGY, RETENTION]
                } else if min_ready_seconds {
                    &[REPLICAS, TEMPLATE, STRATEGY, MIN_READY]
                } else {
                    &[REPLICAS, TEMPLATE, STRATEGY]
                })
            },
            recreate_known: from(37),
            recreate_allowed: gates.is_on(Gate::StatefulSetRecreateStrategy),
            min_ready_seconds_dropped: gates.is_off(Gate::StatefulSetMinReadySeconds),
            retention_policy_dropped: gates.is_off(Gate::StatefulSetAutoDeletePVC),
            max_unavailable_dropped: gates.is_off(Gate::MaxUnavailableStatefulSet),
            ordinals_dropped: gates.is_off(Gate::StatefulSetStartOrdinal),
            owner_members_named: !from(34),
            owner_kinds_shown: from(26),
            label_lengths_in_bytes: from(35),
            source_groups_checked: from(29),
            objects_shown_as_json: from(34),
            label_keys_named: from(35),
            lengths_in_bytes: from(32),
        }
    }
}

impl Validation {
    /// Returns the next minor whose servers were compared, with its validation of a template of this minor. Returns
    /// `None` if this minor was compared, or no later one.
    #[must_use]
    pub fn next_compared(&self) -> Option<(u32, Validation)> {
        if COMPARED.contains(&self.minor) {
            return None;
        }
        let minor = COMPARED.into_iter().find(|minor| *minor > self.minor)?;
        let rules = Validation {
            pod: PodRules::for_minor(minor),
            ..*self
        };
        Some((minor, rules))
    }
}

impl Updatable {
    /// Reports whether an update may change this field of the spec.
    #[must_use]
    pub fn has(self, field: &str) -> bool {
        match self {
            Updatable::Only(fields) => fields.contains(&field),
            Updatable::AllBut(fields) => !fields.contains(&field),
        }
    }

    /// Returns the server's message about the other fields.
    #[must_use]
    pub fn message(self) -> String {
        let Updatable::Only(fields) = self else {
            return "field is immutable".to_owned();
        };
        let quoted: Vec<String> = fields.iter().map(|name| format!("'{name}'")).collect();
        let (last, others) = match quoted.split_last() {
            Some((last, others)) => (last.as_str(), others.join(", ")),
            None => ("", String::new()),
        };
        // The sentence had a comma before its "and" until the first field was added.
        let comma = if fields.len() == 3 { "," } else { "" };
        format!(
            "updates to statefulset spec for fields other than {others}{comma} and {last} are forbidden"
        )
    }
}
