//! Claims, in `volumeClaimTemplates` or in an ephemeral volume.

use super::container::RESOURCE_CLAIM;
use super::meta::{
    LABEL_SELECTOR, OBJECT_META, TYPED_LOCAL_OBJECT_REFERENCE, TYPED_OBJECT_REFERENCE,
};
use crate::apiserver::schema::fields::Kind::{QuantityMap, Text, TextMap, Texts, Time};
use crate::apiserver::schema::fields::{Shape, field, object, objects, shape};

pub(super) static PERSISTENT_VOLUME_CLAIM: Shape = shape(&[
    field("apiVersion", Text),
    field("kind", Text),
    object("metadata", &OBJECT_META).always(),
    object("spec", &PERSISTENT_VOLUME_CLAIM_SPEC).always(),
    object("status", &PERSISTENT_VOLUME_CLAIM_STATUS).always(),
]);

pub(super) static PERSISTENT_VOLUME_CLAIM_TEMPLATE: Shape = shape(&[
    object("metadata", &OBJECT_META).always(),
    object("spec", &PERSISTENT_VOLUME_CLAIM_SPEC).always(),
]);

pub(super) static PERSISTENT_VOLUME_CLAIM_SPEC: Shape = shape(&[
    field("accessModes", Texts),
    object("dataSource", &TYPED_LOCAL_OBJECT_REFERENCE),
    object("dataSourceRef", &TYPED_OBJECT_REFERENCE).since(22),
    object("resources", &VOLUME_RESOURCE_REQUIREMENTS).always(),
    object("selector", &LABEL_SELECTOR),
    field("storageClassName", Text).pointer(),
    field("volumeAttributesClassName", Text).pointer().since(29),
    field("volumeMode", Text).pointer(),
    field("volumeName", Text),
]);

pub(super) static VOLUME_RESOURCE_REQUIREMENTS: Shape = shape(&[
    objects("claims", &RESOURCE_CLAIM).since(26).until(28),
    field("limits", QuantityMap),
    field("requests", QuantityMap),
]);

pub(super) static PERSISTENT_VOLUME_CLAIM_STATUS: Shape = shape(&[
    field("accessModes", Texts),
    field("allocatedResourceStatuses", TextMap).since(28),
    field("allocatedResources", QuantityMap).since(23),
    field("capacity", QuantityMap),
    objects("conditions", &PERSISTENT_VOLUME_CLAIM_CONDITION),
    field("currentVolumeAttributesClassName", Text)
        .pointer()
        .since(29),
    object("healthStatus", &VOLUME_HEALTH_STATUS).since(37),
    object("modifyVolumeStatus", &MODIFY_VOLUME_STATUS).since(29),
    field("phase", Text),
    field("resizeStatus", Text).pointer().since(23).until(27),
]);

pub(super) static PERSISTENT_VOLUME_CLAIM_CONDITION: Shape = shape(&[
    field("lastProbeTime", Time).always(),
    field("lastTransitionTime", Time).always(),
    field("message", Text),
    field("reason", Text),
    field("status", Text).always(),
    field("type", Text).always(),
]);

pub(super) static MODIFY_VOLUME_STATUS: Shape = shape(&[
    field("status", Text).always(),
    field("targetVolumeAttributesClassName", Text),
]);

pub(super) static VOLUME_HEALTH_STATUS: Shape = shape(&[
    objects("healthConditions", &VOLUME_HEALTH_CONDITION),
    field("lastTransitionTime", Time).always(),
]);

pub(super) static VOLUME_HEALTH_CONDITION: Shape = shape(&[
    field("message", Text),
    field("reason", Text).always(),
    field("status", Text).always(),
]);
