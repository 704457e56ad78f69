//! Metadata, selectors and references, which many types share.

use crate::apiserver::schema::fields::Kind::{Bool, Int64, Raw, Text, TextMap, Texts, Time};
use crate::apiserver::schema::fields::{Shape, field, objects, shape};

pub(super) static OBJECT_META: Shape = shape(&[
    field("annotations", TextMap),
    field("clusterName", Text).until(24),
    field("creationTimestamp", Time).always().until(33),
    field("creationTimestamp", Time).since(34),
    field("deletionGracePeriodSeconds", Int64).pointer(),
    field("deletionTimestamp", Time).pointer(),
    field("finalizers", Texts),
    field("generateName", Text),
    field("generation", Int64),
    field("labels", TextMap),
    objects("managedFields", &MANAGED_FIELDS_ENTRY),
    field("name", Text),
    field("namespace", Text),
    objects("ownerReferences", &OWNER_REFERENCE),
    field("resourceVersion", Text),
    field("selfLink", Text),
    field("uid", Text),
]);

pub(super) static OWNER_REFERENCE: Shape = shape(&[
    field("apiVersion", Text).always(),
    field("blockOwnerDeletion", Bool).pointer(),
    field("controller", Bool).pointer(),
    field("kind", Text).always(),
    field("name", Text).always(),
    field("uid", Text).always(),
]);

pub(super) static MANAGED_FIELDS_ENTRY: Shape = shape(&[
    field("apiVersion", Text),
    field("fieldsType", Text),
    field("fieldsV1", Raw).pointer(),
    field("manager", Text),
    field("operation", Text),
    field("subresource", Text).since(22),
    field("time", Time).pointer(),
]);

pub(super) static LABEL_SELECTOR: Shape = shape(&[
    objects("matchExpressions", &LABEL_SELECTOR_REQUIREMENT),
    field("matchLabels", TextMap),
]);

pub(super) static LABEL_SELECTOR_REQUIREMENT: Shape = shape(&[
    field("key", Text).always(),
    field("operator", Text).always(),
    field("values", Texts),
]);

pub(super) static LOCAL_OBJECT_REFERENCE: Shape = shape(&[field("name", Text)]);

pub(super) static TYPED_LOCAL_OBJECT_REFERENCE: Shape = shape(&[
    field("apiGroup", Text).nullable(),
    field("kind", Text).always(),
    field("name", Text).always(),
]);

pub(super) static TYPED_OBJECT_REFERENCE: Shape = shape(&[
    field("apiGroup", Text).nullable(),
    field("kind", Text).always(),
    field("name", Text).always(),
    field("namespace", Text).pointer().since(26),
]);
