//! Claims, in `volumeClaimTemplates` or in an ephemeral volume.

use super::container::RESOURCE_CLAIM;
use super::meta::{
    LABEL_SELECTOR, OBJECT_META, TYPED_LOCAL_OBJECT_REFERENCE, TYPED_OBJECT_REFERENCE,
};
use crate::apiserver::schema::fields::Kind::{
    Object, Objects, QuantityMap, Text, TextMap, Texts, Time,
};
use crate::apiserver::schema::fields::{Shape, field};

pub(super) static PERSISTENT_VOLUME_CLAIM: Shape = Shape {
    fields: &[
        field("apiVersion", Text),
        field("kind", Text),
        field("metadata", Object(&OBJECT_META)).always(),
        field("spec", Object(&PERSISTENT_VOLUME_CLAIM_SPEC)).always(),
        field("status", Object(&PERSISTENT_VOLUME_CLAIM_STATUS)).always(),
    ],
};

pub(super) static PERSISTENT_VOLUME_CLAIM_TEMPLATE: Shape = Shape {
    fields: &[
        field("metadata", Object(&OBJECT_META)).always(),
        field("spec", Object(&PERSISTENT_VOLUME_CLAIM_SPEC)).always(),
    ],
};

pub(super) static PERSISTENT_VOLUME_CLAIM_SPEC: Shape = Shape {
    fields: &[
        field("accessModes", Texts),
        field("dataSource", Object(&TYPED_LOCAL_OBJECT_REFERENCE)).pointer(),
        field("dataSourceRef", Object(&TYPED_OBJECT_REFERENCE))
            .pointer()
            .since(22),
        field("resources", Object(&VOLUME_RESOURCE_REQUIREMENTS)).always(),
        field("selector", Object(&LABEL_SELECTOR)).pointer(),
        field("storageClassName", Text).pointer(),
        field("volumeAttributesClassName", Text).pointer().since(29),
        field("volumeMode", Text).pointer(),
        field("volumeName", Text),
    ],
};

pub(super) static VOLUME_RESOURCE_REQUIREMENTS: Shape = Shape {
    fields: &[
        field("claims", Objects(&RESOURCE_CLAIM))
            .since(26)
            .until(28),
        field("limits", QuantityMap),
        field("requests", QuantityMap),
    ],
};

pub(super) static PERSISTENT_VOLUME_CLAIM_STATUS: Shape = Shape {
    fields: &[
        field("accessModes", Texts),
        field("allocatedResourceStatuses", TextMap).since(28),
        field("allocatedResources", QuantityMap).since(23),
        field("capacity", QuantityMap),
        field("conditions", Objects(&PERSISTENT_VOLUME_CLAIM_CONDITION)),
        field("currentVolumeAttributesClassName", Text)
            .pointer()
            .since(29),
        field("healthStatus", Object(&VOLUME_HEALTH_STATUS))
            .pointer()
            .since(37),
        field("modifyVolumeStatus", Object(&MODIFY_VOLUME_STATUS))
            .pointer()
            .since(29),
        field("phase", Text),
        field("resizeStatus", Text).pointer().since(23).until(27),
    ],
};

pub(super) static PERSISTENT_VOLUME_CLAIM_CONDITION: Shape = Shape {
    fields: &[
        field("lastProbeTime", Time).always(),
        field("lastTransitionTime", Time).always(),
        field("message", Text),
        field("reason", Text),
        field("status", Text).always(),
        field("type", Text).always(),
    ],
};

pub(super) static MODIFY_VOLUME_STATUS: Shape = Shape {
    fields: &[
        field("status", Text).always(),
        field("targetVolumeAttributesClassName", Text),
    ],
};

pub(super) static VOLUME_HEALTH_STATUS: Shape = Shape {
    fields: &[
        field("healthConditions", Objects(&VOLUME_HEALTH_CONDITION)),
        field("lastTransitionTime", Time).pointer(),
    ],
};

pub(super) static VOLUME_HEALTH_CONDITION: Shape = Shape {
    fields: &[
        field("message", Text),
        field("reason", Text).always(),
        field("status", Text).always(),
    ],
};
