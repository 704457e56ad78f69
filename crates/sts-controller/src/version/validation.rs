//! In which respects the API servers of different versions accept different sets.

use super::{Gate, Gates, PodRules, Version};

/// Named behaviours of an API server's validation of StatefulSets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validation {
    /// The minor, which decides the fields that exist.
    pub minor: u32,
    /// A new set's name has to be a DNS label, because the pods' host names start with it: from 1.27.
    /// Before, dots may be in it.
    pub name_is_label: bool,
    /// An update checks the name and the rest of the metadata as a creation does: until 1.26. It has the
    /// metadata and the spec looked at before it is asked what has changed.
    pub update_checks_as_create: bool,
    /// A new set's `serviceName`, where there is one, has to be a DNS label: from 1.33.
    pub service_name_is_label: bool,
    /// A negative `revisionHistoryLimit` is remarked on: from 1.33.
    pub negative_history_limit_warned: bool,
    /// Values in the selector's expressions have to be label values: from 1.26.
    pub selector_values_checked: bool,
    /// `minReadySeconds` may not be negative: from 1.22, where there is such a field.
    pub min_ready_seconds_checked: bool,
    /// The retention policies have to be known ones: from 1.23, whatever the gate.
    pub retention_policy_checked: bool,
    /// `maxUnavailable` has to be a positive number or a percentage up to 100: from 1.24, whatever the gate.
    pub max_unavailable_checked: bool,
    /// `ordinals.start` may not be negative: from 1.26.3, and before with StatefulSetStartOrdinal.
    pub ordinals_checked: bool,
    /// Pod templates are looked into as pods are, not just at labels and annotations: from 1.34.
    pub template_checked: bool,
    /// Claim templates of a new set are looked into: from 1.34.
    pub claim_templates_checked: bool,
    /// Rules for pods and pod templates.
    pub pod: PodRules,
    /// Fields of the spec that an update may change.
    pub updatable: Updatable,
    /// The strategy may be `Recreate` where the stored one is: from 1.37.
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
    /// Messages about an owner name the member that is empty: until 1.33.
    pub owner_members_named: bool,
    /// Messages about two managing owners have their kinds: from 1.26.
    pub owner_kinds_shown: bool,
    /// The group of a claim's source has to be a domain: from 1.29.
    pub source_groups_checked: bool,
    /// Messages show objects as JSON: from 1.34. Before, as Go writes its structs.
    pub objects_shown_as_json: bool,
    /// Messages speak of label keys where older ones speak of qualified names: from 1.35.
    pub label_keys_named: bool,
    /// Messages call the lengths of labels lengths in bytes: from 1.35. Before, and elsewhere, in characters.
    pub label_lengths_in_bytes: bool,
    /// Messages call lengths of whole fields lengths in bytes: from 1.32. Before, in characters, though bytes are meant.
    pub lengths_in_bytes: bool,
}

/// Fields of a spec that an update may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Updatable {
    /// These and no others, in the order in which the server lists them: until 1.36. Its sentence about all others is
    /// of the whole spec.
    Only(&'static [&'static str]),
    /// All but these, each of which is refused by itself: from 1.37.
    AllBut(&'static [&'static str]),
}

/// The minors whose servers were asked about thousands of templates.
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
    /// The behaviours of a version with these gates.
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
    /// The next minor whose servers were asked about templates, with what it would make of a template of this minor;
    /// none where this minor's own were asked, or none of a later one.
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
        // The sentence had a comma before its "and" until it was first added to.
        let comma = if fields.len() == 3 { "," } else { "" };
        format!(
            "updates to statefulset spec for fields other than {others}{comma} and {last} are forbidden"
        )
    }
}
