//! The StatefulSet itself.

use super::claim::PERSISTENT_VOLUME_CLAIM;
use super::meta::{LABEL_SELECTOR, OBJECT_META};
use super::pod::POD_TEMPLATE_SPEC;
use crate::apiserver::schema::fields::Kind::{Int32, Int64, IntOrString, Text, Time};
use crate::apiserver::schema::fields::{Shape, field, object, objects, shape};

pub(super) static STATEFUL_SET: Shape = shape(&[
    field("apiVersion", Text),
    field("kind", Text),
    object("metadata", &OBJECT_META).always(),
    object("spec", &STATEFUL_SET_SPEC).always(),
    object("status", &STATEFUL_SET_STATUS).always(),
]);

pub(super) static STATEFUL_SET_SPEC: Shape = shape(&[
    field("minReadySeconds", Int32).since(22),
    object("ordinals", &STATEFUL_SET_ORDINALS).since(26),
    object(
        "persistentVolumeClaimRetentionPolicy",
        &STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY,
    )
    .since(23),
    field("podManagementPolicy", Text),
    field("replicas", Int32).pointer(),
    field("revisionHistoryLimit", Int32).pointer(),
    object("selector", &LABEL_SELECTOR).nullable(),
    field("serviceName", Text).always(),
    object("template", &POD_TEMPLATE_SPEC).always(),
    object("updateStrategy", &STATEFUL_SET_UPDATE_STRATEGY).always(),
    objects("volumeClaimTemplates", &PERSISTENT_VOLUME_CLAIM),
]);

pub(super) static STATEFUL_SET_UPDATE_STRATEGY: Shape = shape(&[
    object("rollingUpdate", &ROLLING_UPDATE_STATEFUL_SET_STRATEGY),
    field("type", Text),
]);

pub(super) static ROLLING_UPDATE_STATEFUL_SET_STRATEGY: Shape = shape(&[
    field("maxUnavailable", IntOrString).pointer().since(24),
    field("partition", Int32).pointer(),
]);

pub(super) static STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY: Shape =
    shape(&[field("whenDeleted", Text), field("whenScaled", Text)]);

pub(super) static STATEFUL_SET_ORDINALS: Shape = shape(&[field("start", Int32).always()]);

pub(super) static STATEFUL_SET_STATUS: Shape = shape(&[
    field("availableReplicas", Int32).since(22).until(22),
    field("availableReplicas", Int32).always().since(23),
    field("collisionCount", Int32).pointer(),
    objects("conditions", &STATEFUL_SET_CONDITION),
    field("currentReplicas", Int32),
    field("currentRevision", Text),
    field("observedGeneration", Int64),
    field("readyReplicas", Int32),
    field("replicas", Int32).always(),
    field("updateRevision", Text),
    field("updatedReplicas", Int32),
]);

pub(super) static STATEFUL_SET_CONDITION: Shape = shape(&[
    field("lastTransitionTime", Time).always(),
    field("message", Text),
    field("reason", Text),
    field("status", Text).always(),
    field("type", Text).always(),
]);
