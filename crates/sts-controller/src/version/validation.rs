//! Differences in StatefulSet validation between API server versions.

use super::difference::differences;
use super::{Gate, Gates, PodRules, Version};

const APPS: &str = "pkg/apis/apps/validation/validation.go";
const CORE: &str = "pkg/apis/core/validation/validation.go";
const STRATEGY: &str = "pkg/registry/apps/statefulset/strategy.go";
const META: &str = "staging/src/k8s.io/apimachinery/pkg/api/validation/objectmeta.go";
const FIELD: &str = "staging/src/k8s.io/apimachinery/pkg/util/validation/field/errors.go";
const LABELS: &str = "staging/src/k8s.io/apimachinery/pkg/api/validate/content/kube.go";
const LENGTHS: &str = "staging/src/k8s.io/apimachinery/pkg/api/validate/content/errors.go";

differences! {
    /// Validation behavior of an API server for StatefulSets.
    #[derive(Copy)]
    Validation(version: Version, gates: &Gates) in |it| &it.validation;

    /// The minor, which determines the existing fields.
    minor: u32 = version.minor;
    /// The host names of pods start with it. Before, it may have dots.
    name_is_label: bool = version.is_from(27)
        => Refusals in APPS: "the name of a new set must be a DNS label";
    /// Metadata and spec are validated before they are compared with the stored set.
    update_checks_as_create: bool = !version.is_from(27)
        => Refusals in APPS: "updates validate metadata like creations";
    service_name_is_label: bool = version.is_from(33)
        => Refusals in APPS: "serviceName of a new set must be a DNS label";
    selector_values_checked: bool = version.is_from(26)
        => Refusals in APPS: "values in selector expressions must be label values";
    min_ready_seconds_checked: bool = gates.is_on(Gate::StatefulSetMinReadySeconds)
        => Refusals in APPS: "minReadySeconds must not be negative";
    /// Checked whatever the gate.
    retention_policy_checked: bool = version.is_from(23)
        => Refusals in APPS: "values of persistentVolumeClaimRetentionPolicy must be known";
    /// Checked whatever the gate.
    max_unavailable_checked: bool = version.is_from(24)
        => Refusals in APPS: "maxUnavailable must be a positive number or a percentage up to 100%";
    ordinals_checked: bool = checks_ordinals(version, gates)
        => Refusals in APPS: "ordinals.start must not be negative";
    /// Before, only their labels and annotations are.
    template_checked: bool = version.is_from(34)
        => Refusals in APPS: "pod templates are validated like pods";
    claim_templates_checked: bool = version.is_from(34)
        => Refusals in APPS: "volumeClaimTemplates of a new set are validated";
    /// Rules for pods and pod templates.
    pod: PodRules = PodRules::for_minor(version.minor);
    /// Fields of the spec that an update may change.
    updatable: Updatable = Updatable::of(version, gates)
        => Refusals in APPS: "an update may change revisionHistoryLimit"
            if |it| it.updatable.has("revisionHistoryLimit")
        => Refusals in APPS: "an update may change ordinals" if |it| it.updatable.has("ordinals")
        => Refusals in APPS: "an update may change minReadySeconds" if |it| it.updatable.has("minReadySeconds")
        => Refusals in APPS: "an update may change persistentVolumeClaimRetentionPolicy"
            if |it| it.updatable.has("persistentVolumeClaimRetentionPolicy")
        => Refusals in APPS: "updates report each immutable field, and allow all others"
            if |it| matches!(it.updatable, Updatable::AllBut(_));
    recreate_known: bool = version.is_from(37)
        => Refusals in APPS: "the update strategy may remain Recreate";
    /// The update strategy may be `Recreate`.
    recreate_allowed: bool = gates.is_on(Gate::StatefulSetRecreateStrategy);
    min_ready_seconds_dropped: bool = gates.is_off(Gate::StatefulSetMinReadySeconds)
        => Refusals in STRATEGY: "minReadySeconds is dropped";
    retention_policy_dropped: bool = gates.is_off(Gate::StatefulSetAutoDeletePVC)
        => Refusals in STRATEGY: "a new persistentVolumeClaimRetentionPolicy is dropped";
    max_unavailable_dropped: bool = gates.is_off(Gate::MaxUnavailableStatefulSet)
        => Refusals in STRATEGY: "a new maxUnavailable is dropped";
    ordinals_dropped: bool = gates.is_off(Gate::StatefulSetStartOrdinal)
        => Refusals in STRATEGY: "new ordinals are dropped";
    source_groups_checked: bool = version.is_from(29)
        => Refusals in CORE: "the API group of a claim's data source must be a domain";
    negative_history_limit_warned: bool = version.is_from(33)
        => Words in STRATEGY: "a negative revisionHistoryLimit causes a warning";
    owner_members_named: bool = !version.is_from(34)
        => Words in META: "errors about an owner reference name the empty member";
    owner_kinds_shown: bool = version.is_from(26)
        => Words in META: "errors about two controllers show their kinds";
    /// Before, as Go prints structs.
    objects_shown_as_json: bool = version.is_from(34)
        => Words in FIELD: "errors show objects as JSON";
    /// Before, to qualified names.
    label_keys_named: bool = version.is_from(35)
        => Words in LABELS: "errors refer to label keys";
    /// Before, and elsewhere, in characters.
    label_lengths_in_bytes: bool = version.is_from(35)
        => Words in LENGTHS: "errors give label lengths in bytes";
    /// Before, they name characters but count bytes.
    lengths_in_bytes: bool = version.is_from(32)
        => Words in FIELD: "errors give field lengths in bytes";
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
const STRATEGY_FIELD: &str = "updateStrategy";
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
        Validation::with(version, gates)
    }

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

/// Reports whether `ordinals.start` is validated.
fn checks_ordinals(version: Version, gates: &Gates) -> bool {
    version.is_at_least(26, 3) || gates.is_on(Gate::StatefulSetStartOrdinal)
}

impl Updatable {
    fn of(version: Version, gates: &Gates) -> Self {
        let min_ready_seconds = gates.is_on(Gate::StatefulSetMinReadySeconds);
        if version.is_from(37) {
            return Updatable::AllBut(IMMUTABLE);
        }
        Updatable::Only(if version.is_from(33) {
            &[
                REPLICAS,
                ORDINALS,
                TEMPLATE,
                STRATEGY_FIELD,
                HISTORY,
                RETENTION,
                MIN_READY,
            ]
        } else if checks_ordinals(version, gates) {
            &[
                REPLICAS,
                ORDINALS,
                TEMPLATE,
                STRATEGY_FIELD,
                RETENTION,
                MIN_READY,
            ]
        } else if version.is_from(23) && min_ready_seconds {
            &[REPLICAS, TEMPLATE, STRATEGY_FIELD, RETENTION, MIN_READY]
        } else if version.is_from(23) {
            &[REPLICAS, TEMPLATE, STRATEGY_FIELD, RETENTION]
        } else if min_ready_seconds {
            &[REPLICAS, TEMPLATE, STRATEGY_FIELD, MIN_READY]
        } else {
            &[REPLICAS, TEMPLATE, STRATEGY_FIELD]
        })
    }

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
