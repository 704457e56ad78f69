//! The rows of the version matrix.

use super::{Area, Row};
use crate::object::{IntOrPercent, PodManagement, Retention, RetentionPolicy, Set, Strategy};
use crate::version::{
    Behaviour, ClaimOwners, Completion, FinishedPods, MaxUnavailable, OwnedBy, PassStyle, Recreate,
    Requeue, RevisionEquality, StatusOnError, UpdateDelete, UpdateWaitsFor,
};

const CONTROL: &str = "pkg/controller/statefulset/stateful_set_control.go";
const UTILS: &str = "pkg/controller/statefulset/stateful_set_utils.go";
const PODS: &str = "pkg/controller/statefulset/stateful_pod_control.go";
const SETS: &str = "pkg/controller/statefulset/stateful_set.go";
const HISTORY: &str = "pkg/controller/history/controller_history.go";
const DEFAULTS: &str = "pkg/apis/apps/v1/defaults.go";
const CORE_DEFAULTS: &str = "pkg/apis/core/v1/defaults.go";
const APPS: &str = "pkg/apis/apps/validation/validation.go";
const CORE: &str = "pkg/apis/core/validation/validation.go";
const STRATEGY: &str = "pkg/registry/apps/statefulset/strategy.go";
const WARNINGS: &str = "pkg/api/pod/warnings.go";
const META: &str = "staging/src/k8s.io/apimachinery/pkg/api/validation/objectmeta.go";
const FIELD: &str = "staging/src/k8s.io/apimachinery/pkg/util/validation/field/errors.go";
const META_TYPES: &str = "staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go";
const ADDRESSES: &str = "staging/src/k8s.io/apimachinery/pkg/util/validation/ip.go";
const LABELS: &str = "staging/src/k8s.io/apimachinery/pkg/api/validate/content/kube.go";
const LENGTHS: &str = "staging/src/k8s.io/apimachinery/pkg/api/validate/content/errors.go";
const IMAGES: &str = "pkg/util/parsers/parsers.go";
const GO_JSON: &str = "src/encoding/json/encode.go of Go 1.22";

const fn row(
    area: Area,
    source: &'static str,
    what: &'static str,
    holds: fn(&Behaviour) -> bool,
) -> Row {
    Row {
        area,
        what,
        source,
        holds,
        concerns: None,
    }
}

fn is_parallel(set: &Set) -> bool {
    set.pod_management == PodManagement::Parallel
}

fn has_claims(set: &Set) -> bool {
    !set.claim_templates.is_empty()
}

fn waits_for_availability(set: &Set) -> bool {
    set.min_ready_seconds > 0
}

fn starts_above_zero(set: &Set) -> bool {
    set.start_ordinal > 0
}

fn max_unavailable(set: &Set) -> Option<&IntOrPercent> {
    set.strategy.rolling_update()?.max_unavailable.as_ref()
}

fn has_max_unavailable(set: &Set) -> bool {
    max_unavailable(set).is_some_and(|most| *most != IntOrPercent::Int(1))
}

fn deletes_claims(set: &Set) -> bool {
    let deletes = |policy: RetentionPolicy| {
        [policy.when_deleted, policy.when_scaled].contains(&Retention::Delete)
    };
    has_claims(set) && set.retention.is_some_and(deletes)
}

/// All differences between the known versions.
pub static ROWS: &[Row] = &[
    row(
        Area::Controller,
        CONTROL,
        "pods are processed in batches under Parallel, and the counters are counted again",
        |b| b.pass == PassStyle::Batched,
    ).of(is_parallel),
    row(
        Area::Controller,
        CONTROL,
        "a sync that fails writes the status, from inside the pass",
        |b| b.status_on_error == StatusOnError::WrittenInside,
    ),
    row(
        Area::Controller,
        CONTROL,
        "a sync that fails writes the status afterwards",
        |b| b.status_on_error == StatusOnError::WrittenAfter,
    ),
    row(
        Area::Controller,
        CONTROL,
        "Succeeded pods are deleted and recreated, as Failed ones are",
        |b| b.finished_pods != FinishedPods::FailedRecreated,
    ),
    row(
        Area::Controller,
        CONTROL,
        "finished pods are recreated by a later sync than the one that deletes them",
        |b| b.finished_pods == FinishedPods::BothDeleted,
    ),
    row(
        Area::Controller,
        UTILS,
        "a rollout is complete when its counters equal spec.replicas",
        |b| b.completion != Completion::AgainstStatus,
    ),
    row(
        Area::Controller,
        UTILS,
        "a rollout completes under every update strategy",
        |b| b.completion == Completion::WhateverStrategy,
    ).of(|set| !matches!(set.strategy, Strategy::RollingUpdate(_))),
    row(
        Area::Controller,
        PODS,
        "a terminating PersistentVolumeClaim keeps its pod from being created",
        |b| b.terminating_claim_blocks,
    ).of(has_claims),
    row(
        Area::Controller,
        CONTROL,
        "minReadySeconds delays a rollout",
        |b| b.min_ready_seconds,
    ).of(waits_for_availability),
    row(
        Area::Controller,
        CONTROL,
        "the status has availableReplicas",
        |b| b.available_replicas,
    ),
    row(
        Area::Controller,
        CONTROL,
        "the status has availableReplicas even when it is zero",
        |b| b.zero_availability_is_written,
    ),
    row(
        Area::Controller,
        UTILS,
        "the controller owns claims as the retention policy says",
        |b| b.claim_owners.is_some(),
    ).of(deletes_claims),
    row(
        Area::Controller,
        UTILS,
        "the controller owns claims by controller references, and respects other controllers",
        |b| b.claim_owners == Some(ClaimOwners::Controlling),
    ).of(deletes_claims),
    row(
        Area::Controller,
        UTILS,
        "a pod below the first ordinal counts as scaled away",
        |b| b.scaled_down_is_two_sided,
    ).of(starts_above_zero),
    row(
        Area::Controller,
        CONTROL,
        "pending pods get missing claims back on every sync",
        |b| b.claims_for_pending_pods,
    ).of(has_claims),
    row(Area::Controller, UTILS, "spec.ordinals.start counts", |b| {
        b.start_ordinal
    }).of(starts_above_zero),
    row(
        Area::Controller,
        UTILS,
        "pods have the label apps.kubernetes.io/pod-index",
        |b| b.pod_index_label,
    ),
    row(
        Area::Controller,
        CONTROL,
        "a rolling update waits until a pod is available, not only ready",
        |b| b.update_waits_for == UpdateWaitsFor::Availability,
    ).of(waits_for_availability),
    row(Area::Controller, CONTROL, "maxUnavailable counts", |b| {
        b.max_unavailable.is_some()
    }).of(has_max_unavailable),
    row(
        Area::Controller,
        CONTROL,
        "maxUnavailable is at least 1",
        |b| {
            b.max_unavailable
                .is_some_and(|how| how != MaxUnavailable::MayBeZero)
        },
    ).of(has_max_unavailable),
    row(
        Area::Controller,
        CONTROL,
        "under Parallel, outdated pods that are unavailable are deleted at once, beyond maxUnavailable",
        |b| b.max_unavailable == Some(MaxUnavailable::UnavailableFirst),
    ).of(|set| is_parallel(set) && max_unavailable(set).is_some()),
    row(
        Area::Controller,
        CONTROL,
        "the update strategy Recreate is known",
        |b| b.recreate != Recreate::Unknown,
    ).of(|set| matches!(set.strategy, Strategy::Recreate(_))),
    row(
        Area::Controller,
        CONTROL,
        "a written status keeps the stored conditions",
        |b| b.keeps_conditions,
    ),
    row(
        Area::Controller,
        CONTROL,
        "a maxUnavailable that cannot be read keeps the status from being written",
        |b| b.max_unavailable_is_measured,
    ).of(|set| {
        matches!(max_unavailable(set), Some(IntOrPercent::Text(text)) if !text.ends_with('%'))
    }),
    row(
        Area::Controller,
        CONTROL,
        "a delete of an update that fails leaves the counters unchanged",
        |b| b.update_delete == UpdateDelete::GoneIsFine,
    ),
    row(
        Area::Controller,
        PODS,
        "a delete of a pod that is already gone succeeds",
        |b| b.delete_tolerates_not_found,
    ),
    row(
        Area::Controller,
        PODS,
        "messages of events begin with a capital letter",
        |b| b.capital_verbs,
    ),
    row(
        Area::Controller,
        META_TYPES,
        "revisions carry creationTimestamp: null, which is part of their names",
        |b| b.null_creation_timestamp,
    ),
    row(
        Area::Controller,
        GO_JSON,
        "revisions write backspace and form feed in the short form",
        |b| b.short_escapes,
    ),
    row(
        Area::Controller,
        HISTORY,
        "revisions are the same when their bytes are, whatever their hash labels",
        |b| b.revision_equality != RevisionEquality::BytesAndNumericLabels,
    ),
    row(
        Area::Controller,
        CONTROL,
        "a revision that differs in defaults only is the same, so that an upgrade starts no rollout",
        |b| b.revision_equality == RevisionEquality::BytesOrDefaulted,
    ),
    row(
        Area::Controller,
        CONTROL,
        "a negative revisionHistoryLimit keeps all revisions; before, the controller manager panics",
        |b| b.negative_history_limit_keeps_all,
    ).of(|set| set.revision_history_limit < 0),
    row(
        Area::Controller,
        SETS,
        "a set is synced again after minReadySeconds while pods are not available",
        |b| b.requeue != Requeue::Never,
    ).of(waits_for_availability),
    row(
        Area::Controller,
        SETS,
        "a set is synced again when its next pod becomes available",
        |b| b.requeue == Requeue::WhenNextAvailable,
    ).of(waits_for_availability),
    row(
        Area::Controller,
        SETS,
        "pods belong to the set that their owner reference names by kind, name and uid, not by uid alone",
        |b| b.owned_by == OwnedBy::KindNameAndUid,
    ),
    row(
        Area::Controller,
        HISTORY,
        "revisions belong to the set that their owner reference names by kind, name and uid, not by uid alone",
        |b| b.revisions_owned_by == OwnedBy::KindNameAndUid,
    ),
    row(
        Area::Controller,
        CONTROL,
        "a scale-down that waits for a pod to become available makes the controller manager panic",
        |b| b.panics_on_unavailable_condemned,
    ).of(waits_for_availability),
    row(
        Area::Defaults,
        META_TYPES,
        "metadata of templates has creationTimestamp: null",
        |b| b.defaulting.creation_timestamp_null,
    ),
    row(
        Area::Defaults,
        CORE_DEFAULTS,
        "ports of templates with hostNetwork get a hostPort",
        |b| b.defaulting.host_ports_defaulted,
    ),
    row(
        Area::Defaults,
        DEFAULTS,
        "persistentVolumeClaimRetentionPolicy is filled in",
        |b| b.defaulting.retention_policy_defaulted,
    ),
    row(
        Area::Defaults,
        DEFAULTS,
        "maxUnavailable: 1 is filled in",
        |b| b.defaulting.max_unavailable_defaulted,
    ),
    row(
        Area::Defaults,
        CORE_DEFAULTS,
        "image volumes get a pullPolicy",
        |b| b.defaulting.image_volumes_defaulted,
    ),
    row(
        Area::Defaults,
        IMAGES,
        "a registry with a capital letter or an IPv6 address counts when imagePullPolicy is filled in",
        |b| b.defaulting.wide_registries,
    ),
    row(
        Area::Refusals,
        APPS,
        "the name of a new set is a DNS label",
        |b| b.validation.name_is_label,
    ),
    row(
        Area::Refusals,
        APPS,
        "an update checks metadata as a create does",
        |b| b.validation.update_checks_as_create,
    ),
    row(
        Area::Refusals,
        APPS,
        "serviceName of a new set is a DNS label",
        |b| b.validation.service_name_is_label,
    ),
    row(
        Area::Refusals,
        APPS,
        "values in expressions of the selector are label values",
        |b| b.validation.selector_values_checked,
    ),
    row(
        Area::Refusals,
        APPS,
        "minReadySeconds is not negative",
        |b| b.validation.min_ready_seconds_checked,
    ),
    row(
        Area::Refusals,
        APPS,
        "persistentVolumeClaimRetentionPolicy has known values",
        |b| b.validation.retention_policy_checked,
    ),
    row(
        Area::Refusals,
        APPS,
        "maxUnavailable is a positive number or a percentage up to 100%",
        |b| b.validation.max_unavailable_checked,
    ),
    row(
        Area::Refusals,
        APPS,
        "ordinals.start is not negative",
        |b| b.validation.ordinals_checked,
    ),
    row(
        Area::Refusals,
        APPS,
        "pod templates are checked as pods are",
        |b| b.validation.template_checked,
    ),
    row(
        Area::Refusals,
        APPS,
        "volumeClaimTemplates of a new set are checked",
        |b| b.validation.claim_templates_checked,
    ),
    row(
        Area::Refusals,
        APPS,
        "an update may change revisionHistoryLimit",
        |b| b.validation.updatable.has("revisionHistoryLimit"),
    ),
    row(Area::Refusals, APPS, "an update may change ordinals", |b| {
        b.validation.updatable.has("ordinals")
    }),
    row(
        Area::Refusals,
        APPS,
        "an update may change minReadySeconds",
        |b| b.validation.updatable.has("minReadySeconds"),
    ),
    row(
        Area::Refusals,
        APPS,
        "an update may change persistentVolumeClaimRetentionPolicy",
        |b| {
            b.validation
                .updatable
                .has("persistentVolumeClaimRetentionPolicy")
        },
    ),
    row(
        Area::Refusals,
        APPS,
        "updates name each field that is immutable, and allow all others",
        |b| matches!(b.validation.updatable, crate::version::Updatable::AllBut(_)),
    ),
    row(
        Area::Refusals,
        APPS,
        "the update strategy may stay Recreate",
        |b| b.validation.recreate_known,
    ),
    row(
        Area::Refusals,
        STRATEGY,
        "minReadySeconds is dropped",
        |b| b.validation.min_ready_seconds_dropped,
    ),
    row(
        Area::Refusals,
        STRATEGY,
        "a new persistentVolumeClaimRetentionPolicy is dropped",
        |b| b.validation.retention_policy_dropped,
    ),
    row(
        Area::Refusals,
        STRATEGY,
        "a new maxUnavailable is dropped",
        |b| b.validation.max_unavailable_dropped,
    ),
    row(Area::Refusals, STRATEGY, "new ordinals are dropped", |b| {
        b.validation.ordinals_dropped
    }),
    row(
        Area::Refusals,
        CORE,
        "the group of the source of a claim is a domain",
        |b| b.validation.source_groups_checked,
    ),
    row(
        Area::Refusals,
        CORE,
        "names of variables may have any printable character but =",
        |b| b.validation.pod.relaxed_variable_names,
    ),
    row(
        Area::Refusals,
        CORE,
        "DNS search domains may have underscores",
        |b| b.validation.pod.relaxed_search_domains,
    ),
    row(
        Area::Refusals,
        CORE,
        "a hook may sleep for 0 seconds",
        |b| b.validation.pod.zero_sleep,
    ),
    row(
        Area::Refusals,
        CORE,
        "a pod may have resources of its own",
        |b| b.validation.pod.pod_resources,
    ),
    row(Area::Refusals, CORE, "variables may come from files", |b| {
        b.validation.pod.variable_files
    }),
    row(
        Area::Refusals,
        CORE,
        "every container may have a restartPolicy, and restart rules",
        |b| b.validation.pod.container_restart_policies,
    ),
    row(
        Area::Refusals,
        CORE,
        "a restart rule may restart all containers",
        |b| b.validation.pod.restart_all_containers,
    ),
    row(
        Area::Refusals,
        CORE,
        "matchLabelKeys of a spread constraint are merged into its selector",
        |b| b.validation.pod.spread_keys_merged,
    ),
    row(
        Area::Refusals,
        ADDRESSES,
        "addresses have no leading zeros",
        |b| b.validation.pod.strict_addresses,
    ),
    row(
        Area::Refusals,
        CORE,
        "volumeAttributesClassName is checked",
        |b| b.validation.pod.volume_attributes_class,
    ),
    row(
        Area::Refusals,
        CORE,
        "values of required node affinity are label values",
        |b| b.validation.pod.node_affinity_values,
    ),
    row(
        Area::Refusals,
        CORE,
        "sysctls of a namespace that the pod shares with its node are refused",
        |b| b.validation.pod.host_sysctls,
    ),
    row(
        Area::Refusals,
        CORE,
        "volumeDevices are refused with hostUsers: false",
        |b| b.validation.pod.no_devices_in_user_namespaces,
    ),
    row(
        Area::Refusals,
        CORE,
        "paths of projected tokens stay inside their volume",
        |b| b.validation.pod.token_paths,
    ),
    row(
        Area::Refusals,
        CORE,
        "selectors of spread constraints are checked",
        |b| b.validation.pod.spread_selectors,
    ),
    row(
        Area::Refusals,
        CORE,
        "amounts of huge pages are multiples of their size",
        |b| b.validation.pod.whole_huge_pages,
    ),
    row(
        Area::Refusals,
        CORE,
        "the annotation controller.kubernetes.io/pod-deletion-cost is a number",
        |b| b.validation.pod.deletion_costs,
    ),
    row(
        Area::Refusals,
        CORE,
        "appArmorProfile is a field, and the annotation says the same",
        |b| b.validation.pod.app_armor_fields,
    ),
    row(
        Area::Refusals,
        CORE,
        "procMount: Unmasked needs hostUsers: false",
        |b| b.validation.pod.unmasked_needs_own_users,
    ),
    row(
        Area::Refusals,
        CORE,
        "tolerations may compare numbers once their gate is on",
        |b| b.validation.pod.comparing_tolerations,
    ),
    row(
        Area::Refusals,
        CORE,
        "32 DNS search domains of 2048 characters are allowed; before, 6 of 256",
        |b| b.validation.pod.search_limits.domains > 6,
    ),
    row(
        Area::Refusals,
        CORE,
        "resizing may not restart init containers that are no sidecars",
        |b| b.validation.pod.init_resize_policies,
    ),
    row(
        Area::Words,
        STRATEGY,
        "a negative revisionHistoryLimit is warned of",
        |b| b.validation.negative_history_limit_warned,
    ),
    row(
        Area::Words,
        META,
        "messages about an owner reference name the member that is empty",
        |b| b.validation.owner_members_named,
    ),
    row(
        Area::Words,
        META,
        "messages about two controllers tell their kinds",
        |b| b.validation.owner_kinds_shown,
    ),
    row(Area::Words, FIELD, "messages show objects as JSON", |b| {
        b.validation.objects_shown_as_json
    }),
    row(Area::Words, LABELS, "messages speak of label keys", |b| {
        b.validation.label_keys_named
    }),
    row(
        Area::Words,
        LENGTHS,
        "messages give lengths of labels in bytes",
        |b| b.validation.label_lengths_in_bytes,
    ),
    row(
        Area::Words,
        FIELD,
        "messages give lengths of fields in bytes",
        |b| b.validation.lengths_in_bytes,
    ),
    row(
        Area::Words,
        CORE,
        "a CSI driver without a name is refused for two reasons",
        |b| b.validation.pod.empty_csi_drivers_named,
    ),
    row(
        Area::Words,
        CORE,
        "messages about resizePolicy speak of the restartPolicy of the pod",
        |b| b.validation.pod.pod_restart_policy_named,
    ),
    row(
        Area::Words,
        CORE,
        "messages about restart rules count items",
        |b| b.validation.pod.restart_rules_counted,
    ),
    row(
        Area::Words,
        CORE,
        "messages about a sleep of 0 seconds name the gate",
        |b| b.validation.pod.zero_sleep_gate_named,
    ),
    row(
        Area::Words,
        CORE,
        "messages about requests show the limit",
        |b| b.validation.pod.limits_shown,
    ),
    row(
        Area::Words,
        WARNINGS,
        "port names that occur twice and addresses with leading zeros are warned of",
        |b| b.validation.minor >= 33,
    ),
];
