//! The StatefulSet itself.

use super::claim::PERSISTENT_VOLUME_CLAIM;
use super::meta::{LABEL_SELECTOR, OBJECT_META};
use super::pod::POD_TEMPLATE_SPEC;
use crate::apiserver::schema::fields::Kind::{
    Int32, Int64, IntOrString, Object, Objects, Text, Time,
};
use crate::apiserver::schema::fields::{Shape, field};

pub(super) static STATEFUL_SET: Shape = Shape {
    fields: &[
        field("apiVersion", Text),
        field("kind", Text),
        field("metadata", Object(&OBJECT_META)).always(),
        field("spec", Object(&STATEFUL_SET_SPEC)).always(),
        field("status", Object(&STATEFUL_SET_STATUS)).always(),
    ],
};

pub(super) static STATEFUL_SET_SPEC: Shape = Shape {
    fields: &[
        field("minReadySeconds", Int32).since(22),
        field("ordinals", Object(&STATEFUL_SET_ORDINALS))
            .pointer()
            .since(26),
        field(
            "persistentVolumeClaimRetentionPolicy",
            Object(&STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY),
        )
        .pointer()
        .since(23),
        field("podManagementPolicy", Text),
        field("replicas", Int32).pointer(),
        field("revisionHistoryLimit", Int32).pointer(),
        field("selector", Object(&LABEL_SELECTOR)).nullable(),
        field("serviceName", Text).always(),
        field("template", Object(&POD_TEMPLATE_SPEC)).always(),
        field("updateStrategy", Object(&STATEFUL_SET_UPDATE_STRATEGY)).always(),
        field("volumeClaimTemplates", Objects(&PERSISTENT_VOLUME_CLAIM)),
    ],
};

pub(super) static STATEFUL_SET_UPDATE_STRATEGY: Shape = Shape {
    fields: &[
        field(
            "rollingUpdate",
            Object(&ROLLING_UPDATE_STATEFUL_SET_STRATEGY),
        )
        .pointer(),
        field("type", Text),
    ],
};

pub(super) static ROLLING_UPDATE_STATEFUL_SET_STRATEGY: Shape = Shape {
    fields: &[
        field("maxUnavailable", IntOrString).pointer().since(24),
        field("partition", Int32).pointer(),
    ],
};

pub(super) static STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY: Shape = Shape {
    fields: &[field("whenDeleted", Text), field("whenScaled", Text)],
};

pub(super) static STATEFUL_SET_ORDINALS: Shape = Shape {
    fields: &[field("start", Int32).always()],
};

pub(super) static STATEFUL_SET_STATUS: Shape = Shape {
    fields: &[
        field("availableReplicas", Int32).since(22).until(22),
        field("availableReplicas", Int32).always().since(23),
        field("collisionCount", Int32).pointer(),
        field("conditions", Objects(&STATEFUL_SET_CONDITION)),
        field("currentReplicas", Int32),
        field("currentRevision", Text),
        field("observedGeneration", Int64),
        field("readyReplicas", Int32),
        field("replicas", Int32).always(),
        field("updateRevision", Text),
        field("updatedReplicas", Int32),
    ],
};

pub(super) static STATEFUL_SET_CONDITION: Shape = Shape {
    fields: &[
        field("lastTransitionTime", Time).always(),
        field("message", Text),
        field("reason", Text),
        field("status", Text).always(),
        field("type", Text).always(),
    ],
};
