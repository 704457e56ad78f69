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

const fn controller(
    source: &'static str,
    what: &'static str,
    holds: fn(&Behaviour) -> bool,
) -> Row {
    row(Area::Controller, source, what, holds)
}

const fn default(source: &'static str, what: &'static str, holds: fn(&Behaviour) -> bool) -> Row {
    row(Area::Defaults, source, what, holds)
}

const fn refusal(source: &'static str, what: &'static str, holds: fn(&Behaviour) -> bool) -> Row {
    row(Area::Refusals, source, what, holds)
}

const fn wording(source: &'static str, what: &'static str, holds: fn(&Behaviour) -> bool) -> Row {
    row(Area::Words, source, what, holds)
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

fn has_unreadable_max_unavailable(set: &Set) -> bool {
    match max_unavailable(set) {
        Some(IntOrPercent::Text(text)) => !text.ends_with('%'),
        _ => false,
    }
}

fn deletes_claims(set: &Set) -> bool {
    let deletes = |policy: RetentionPolicy| {
        [policy.when_deleted, policy.when_scaled].contains(&Retention::Delete)
    };
    has_claims(set) && set.retention.is_some_and(deletes)
}

/// All differences between the known versions.
pub static ROWS: &[Row] = &[
    controller(
        CONTROL,
        "pods are processed in batches under Parallel, and the counters are recomputed",
        |b| b.pass == PassStyle::Batched,
    )
    .of(is_parallel),
    controller(
        CONTROL,
        "a failed sync writes the status, from inside the pass",
        |b| b.status_on_error == StatusOnError::WrittenInside,
    ),
    controller(CONTROL, "a failed sync writes the status afterwards", |b| {
        b.status_on_error == StatusOnError::WrittenAfter
    }),
    controller(
        CONTROL,
        "Succeeded pods are deleted and recreated, like Failed pods",
        |b| b.finished_pods != FinishedPods::FailedRecreated,
    ),
    controller(
        CONTROL,
        "finished pods are recreated by a later sync than their deletion",
        |b| b.finished_pods == FinishedPods::BothDeleted,
    ),
    controller(
        UTILS,
        "a rollout is complete when its counters equal spec.replicas",
        |b| b.completion != Completion::AgainstStatus,
    ),
    controller(
        UTILS,
        "a rollout completes under every update strategy",
        |b| b.completion == Completion::WhateverStrategy,
    )
    .of(|set| !matches!(set.strategy, Strategy::RollingUpdate(_))),
    controller(
        PODS,
        "a terminating PersistentVolumeClaim blocks the creation of its pod",
        |b| b.terminating_claim_blocks,
    )
    .of(has_claims),
    controller(CONTROL, "minReadySeconds delays a rollout", |b| {
        b.min_ready_seconds
    })
    .of(waits_for_availability),
    controller(CONTROL, "the status has availableReplicas", |b| {
        b.available_replicas
    }),
    controller(
        CONTROL,
        "the status has availableReplicas even if it is zero",
        |b| b.zero_availability_is_written,
    ),
    controller(
        UTILS,
        "the controller sets the owners of claims according to the retention policy",
        |b| b.claim_owners.is_some(),
    )
    .of(deletes_claims),
    controller(
        UTILS,
        "the controller owns claims through controller references, and respects other controllers",
        |b| b.claim_owners == Some(ClaimOwners::Controlling),
    )
    .of(deletes_claims),
    controller(
        UTILS,
        "a pod below the first ordinal counts as scaled down",
        |b| b.scaled_down_is_two_sided,
    )
    .of(starts_above_zero),
    controller(
        CONTROL,
        "missing claims of pending pods are recreated on every sync",
        |b| b.claims_for_pending_pods,
    )
    .of(has_claims),
    controller(UTILS, "spec.ordinals.start takes effect", |b| {
        b.start_ordinal
    })
    .of(starts_above_zero),
    controller(
        UTILS,
        "pods have the label apps.kubernetes.io/pod-index",
        |b| b.pod_index_label,
    ),
    controller(
        CONTROL,
        "a rolling update waits until a pod is available, not only ready",
        |b| b.update_waits_for == UpdateWaitsFor::Availability,
    )
    .of(waits_for_availability),
    controller(CONTROL, "maxUnavailable takes effect", |b| {
        b.max_unavailable.is_some()
    })
    .of(has_max_unavailable),
    controller(CONTROL, "maxUnavailable is at least 1", |b| {
        b.max_unavailable
            .is_some_and(|how| how != MaxUnavailable::MayBeZero)
    })
    .of(has_max_unavailable),
    controller(
        CONTROL,
        "under Parallel, unavailable outdated pods are deleted at once, even beyond maxUnavailable",
        |b| b.max_unavailable == Some(MaxUnavailable::UnavailableFirst),
    )
    .of(|set| is_parallel(set) && max_unavailable(set).is_some()),
    controller(CONTROL, "the update strategy Recreate is supported", |b| {
        b.recreate != Recreate::Unknown
    })
    .of(|set| matches!(set.strategy, Strategy::Recreate(_))),
    controller(CONTROL, "status updates keep the stored conditions", |b| {
        b.keeps_conditions
    }),
    controller(
        CONTROL,
        "an unreadable maxUnavailable prevents status updates",
        |b| b.max_unavailable_is_measured,
    )
    .of(has_unreadable_max_unavailable),
    controller(
        CONTROL,
        "a failed delete in an update leaves the counters unchanged",
        |b| b.update_delete == UpdateDelete::GoneIsFine,
    ),
    controller(PODS, "deleting a pod that is already gone succeeds", |b| {
        b.delete_tolerates_not_found
    }),
    controller(PODS, "event messages begin with a capital letter", |b| {
        b.capital_verbs
    }),
    controller(
        META_TYPES,
        "revisions contain creationTimestamp: null, which affects their names",
        |b| b.null_creation_timestamp,
    ),
    controller(
        GO_JSON,
        "revisions encode backspace and form feed in the short form",
        |b| b.short_escapes,
    ),
    controller(
        HISTORY,
        "revisions with equal bytes are equal, whatever their hash labels",
        |b| b.revision_equality != RevisionEquality::BytesAndNumericLabels,
    ),
    controller(
        CONTROL,
        "revisions that differ only in defaults are equal, so an upgrade starts no rollout",
        |b| b.revision_equality == RevisionEquality::BytesOrDefaulted,
    ),
    controller(
        CONTROL,
        "a negative revisionHistoryLimit keeps all revisions; before, the controller \
         manager panics",
        |b| b.negative_history_limit_keeps_all,
    )
    .of(|set| set.revision_history_limit < 0),
    controller(
        SETS,
        "a set is requeued after minReadySeconds while pods are not available",
        |b| b.requeue != Requeue::Never,
    )
    .of(waits_for_availability),
    controller(
        SETS,
        "a set is requeued when its next pod becomes available",
        |b| b.requeue == Requeue::WhenNextAvailable,
    )
    .of(waits_for_availability),
    controller(
        SETS,
        "pods belong to a set by the kind, name and uid in their owner reference, \
         not by uid alone",
        |b| b.owned_by == OwnedBy::KindNameAndUid,
    ),
    controller(
        HISTORY,
        "revisions belong to a set by the kind, name and uid in their owner reference, \
         not by uid alone",
        |b| b.revisions_owned_by == OwnedBy::KindNameAndUid,
    ),
    controller(
        CONTROL,
        "a scale-down that waits for a pod to become available crashes the controller manager",
        |b| b.panics_on_unavailable_condemned,
    )
    .of(waits_for_availability),
    default(
        META_TYPES,
        "template metadata has creationTimestamp: null",
        |b| b.defaulting.creation_timestamp_null,
    ),
    default(
        CORE_DEFAULTS,
        "container ports in templates with hostNetwork get a hostPort",
        |b| b.defaulting.host_ports_defaulted,
    ),
    default(
        DEFAULTS,
        "persistentVolumeClaimRetentionPolicy is defaulted",
        |b| b.defaulting.retention_policy_defaulted,
    ),
    default(DEFAULTS, "maxUnavailable is defaulted to 1", |b| {
        b.defaulting.max_unavailable_defaulted
    }),
    default(CORE_DEFAULTS, "image volumes get a pullPolicy", |b| {
        b.defaulting.image_volumes_defaulted
    }),
    default(
        IMAGES,
        "a registry with a capital letter or an IPv6 address is recognized when \
         imagePullPolicy is defaulted",
        |b| b.defaulting.wide_registries,
    ),
    refusal(APPS, "the name of a new set must be a DNS label", |b| {
        b.validation.name_is_label
    }),
    refusal(APPS, "updates validate metadata like creations", |b| {
        b.validation.update_checks_as_create
    }),
    refusal(APPS, "serviceName of a new set must be a DNS label", |b| {
        b.validation.service_name_is_label
    }),
    refusal(
        APPS,
        "values in selector expressions must be label values",
        |b| b.validation.selector_values_checked,
    ),
    refusal(APPS, "minReadySeconds must not be negative", |b| {
        b.validation.min_ready_seconds_checked
    }),
    refusal(
        APPS,
        "values of persistentVolumeClaimRetentionPolicy must be known",
        |b| b.validation.retention_policy_checked,
    ),
    refusal(
        APPS,
        "maxUnavailable must be a positive number or a percentage up to 100%",
        |b| b.validation.max_unavailable_checked,
    ),
    refusal(APPS, "ordinals.start must not be negative", |b| {
        b.validation.ordinals_checked
    }),
    refusal(APPS, "pod templates are validated like pods", |b| {
        b.validation.template_checked
    }),
    refusal(
        APPS,
        "volumeClaimTemplates of a new set are validated",
        |b| b.validation.claim_templates_checked,
    ),
    refusal(APPS, "an update may change revisionHistoryLimit", |b| {
        b.validation.updatable.has("revisionHistoryLimit")
    }),
    refusal(APPS, "an update may change ordinals", |b| {
        b.validation.updatable.has("ordinals")
    }),
    refusal(APPS, "an update may change minReadySeconds", |b| {
        b.validation.updatable.has("minReadySeconds")
    }),
    refusal(
        APPS,
        "an update may change persistentVolumeClaimRetentionPolicy",
        |b| {
            b.validation
                .updatable
                .has("persistentVolumeClaimRetentionPolicy")
        },
    ),
    refusal(
        APPS,
        "updates report each immutable field, and allow all others",
        |b| matches!(b.validation.updatable, crate::version::Updatable::AllBut(_)),
    ),
    refusal(APPS, "the update strategy may remain Recreate", |b| {
        b.validation.recreate_known
    }),
    refusal(STRATEGY, "minReadySeconds is dropped", |b| {
        b.validation.min_ready_seconds_dropped
    }),
    refusal(
        STRATEGY,
        "a new persistentVolumeClaimRetentionPolicy is dropped",
        |b| b.validation.retention_policy_dropped,
    ),
    refusal(STRATEGY, "a new maxUnavailable is dropped", |b| {
        b.validation.max_unavailable_dropped
    }),
    refusal(STRATEGY, "new ordinals are dropped", |b| {
        b.validation.ordinals_dropped
    }),
    refusal(
        CORE,
        "the API group of a claim's data source must be a domain",
        |b| b.validation.source_groups_checked,
    ),
    refusal(
        CORE,
        "variable names may contain any printable character except =",
        |b| b.validation.pod.relaxed_variable_names,
    ),
    refusal(CORE, "DNS search domains may contain underscores", |b| {
        b.validation.pod.relaxed_search_domains
    }),
    refusal(CORE, "a lifecycle hook may sleep for 0 seconds", |b| {
        b.validation.pod.zero_sleep
    }),
    refusal(CORE, "a pod may have pod-level resources", |b| {
        b.validation.pod.pod_resources
    }),
    refusal(CORE, "variables may come from files", |b| {
        b.validation.pod.variable_files
    }),
    refusal(
        CORE,
        "every container may have a restartPolicy and restart rules",
        |b| b.validation.pod.container_restart_policies,
    ),
    refusal(CORE, "a restart rule may restart all containers", |b| {
        b.validation.pod.restart_all_containers
    }),
    refusal(
        CORE,
        "matchLabelKeys of a spread constraint are merged into its selector",
        |b| b.validation.pod.spread_keys_merged,
    ),
    refusal(ADDRESSES, "IP addresses must not have leading zeros", |b| {
        b.validation.pod.strict_addresses
    }),
    refusal(CORE, "volumeAttributesClassName is validated", |b| {
        b.validation.pod.volume_attributes_class
    }),
    refusal(
        CORE,
        "values of required node affinity must be label values",
        |b| b.validation.pod.node_affinity_values,
    ),
    refusal(
        CORE,
        "sysctls of a namespace shared with the node are rejected",
        |b| b.validation.pod.host_sysctls,
    ),
    refusal(
        CORE,
        "volumeDevices are rejected with hostUsers: false",
        |b| b.validation.pod.no_devices_in_user_namespaces,
    ),
    refusal(
        CORE,
        "paths of projected tokens must stay inside their volume",
        |b| b.validation.pod.token_paths,
    ),
    refusal(CORE, "selectors of spread constraints are validated", |b| {
        b.validation.pod.spread_selectors
    }),
    refusal(
        CORE,
        "huge page amounts must be multiples of the page size",
        |b| b.validation.pod.whole_huge_pages,
    ),
    refusal(
        CORE,
        "the annotation controller.kubernetes.io/pod-deletion-cost must be a number",
        |b| b.validation.pod.deletion_costs,
    ),
    refusal(
        CORE,
        "appArmorProfile is a field, and the annotation must match it",
        |b| b.validation.pod.app_armor_fields,
    ),
    refusal(CORE, "procMount: Unmasked requires hostUsers: false", |b| {
        b.validation.pod.unmasked_needs_own_users
    }),
    refusal(
        CORE,
        "tolerations may compare numbers if their gate is on",
        |b| b.validation.pod.comparing_tolerations,
    ),
    refusal(
        CORE,
        "up to 32 DNS search domains with 2048 characters are allowed; before, 6 with 256",
        |b| b.validation.pod.search_limits.domains > 6,
    ),
    refusal(
        CORE,
        "init containers that are not sidecars must not be restarted on resize",
        |b| b.validation.pod.init_resize_policies,
    ),
    wording(
        STRATEGY,
        "a negative revisionHistoryLimit causes a warning",
        |b| b.validation.negative_history_limit_warned,
    ),
    wording(
        META,
        "errors about an owner reference name the empty member",
        |b| b.validation.owner_members_named,
    ),
    wording(META, "errors about two controllers show their kinds", |b| {
        b.validation.owner_kinds_shown
    }),
    wording(FIELD, "errors show objects as JSON", |b| {
        b.validation.objects_shown_as_json
    }),
    wording(LABELS, "errors refer to label keys", |b| {
        b.validation.label_keys_named
    }),
    wording(LENGTHS, "errors give label lengths in bytes", |b| {
        b.validation.label_lengths_in_bytes
    }),
    wording(FIELD, "errors give field lengths in bytes", |b| {
        b.validation.lengths_in_bytes
    }),
    wording(CORE, "a CSI driver without a name causes two errors", |b| {
        b.validation.pod.empty_csi_drivers_named
    }),
    wording(
        CORE,
        "errors about resizePolicy name the pod's restartPolicy",
        |b| b.validation.pod.pod_restart_policy_named,
    ),
    wording(CORE, "errors about restart rules count items", |b| {
        b.validation.pod.restart_rules_counted
    }),
    wording(
        CORE,
        "errors about a sleep of 0 seconds name the gate",
        |b| b.validation.pod.zero_sleep_gate_named,
    ),
    wording(CORE, "errors about requests show the limit", |b| {
        b.validation.pod.limits_shown
    }),
    wording(
        WARNINGS,
        "duplicate port names and addresses with leading zeros cause a warning",
        |b| b.validation.minor >= 33,
    ),
];
