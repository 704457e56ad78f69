//! Sources of volumes whose files come from other objects.

use super::container::{OBJECT_FIELD_SELECTOR, RESOURCE_FIELD_SELECTOR};
use super::meta::LABEL_SELECTOR;
use crate::apiserver::schema::fields::Kind::{Bool, Int32, Int64, Text, TextMap};
use crate::apiserver::schema::fields::{Shape, field, object, objects, shape};

pub(super) static CONFIG_MAP_VOLUME_SOURCE: Shape = shape(&[
    field("defaultMode", Int32).pointer(),
    field("defaultUser", Int64).pointer().since(37),
    objects("items", &KEY_TO_PATH),
    field("name", Text),
    field("optional", Bool).pointer(),
]);

pub(super) static SECRET_VOLUME_SOURCE: Shape = shape(&[
    field("defaultMode", Int32).pointer(),
    field("defaultUser", Int64).pointer().since(37),
    objects("items", &KEY_TO_PATH),
    field("optional", Bool).pointer(),
    field("secretName", Text),
]);

pub(super) static KEY_TO_PATH: Shape = shape(&[
    field("key", Text).always(),
    field("mode", Int32).pointer(),
    field("path", Text).always(),
    field("user", Int64).pointer().since(37),
]);

pub(super) static DOWNWARD_API_VOLUME_SOURCE: Shape = shape(&[
    field("defaultMode", Int32).pointer(),
    field("defaultUser", Int64).pointer().since(37),
    objects("items", &DOWNWARD_API_VOLUME_FILE),
]);

pub(super) static DOWNWARD_API_VOLUME_FILE: Shape = shape(&[
    object("fieldRef", &OBJECT_FIELD_SELECTOR),
    field("mode", Int32).pointer(),
    field("path", Text).always(),
    object("resourceFieldRef", &RESOURCE_FIELD_SELECTOR),
    field("user", Int64).pointer().since(37),
]);

pub(super) static PROJECTED_VOLUME_SOURCE: Shape = shape(&[
    field("defaultMode", Int32).pointer(),
    field("defaultUser", Int64).pointer().since(37),
    objects("sources", &VOLUME_PROJECTION).always(),
]);

pub(super) static VOLUME_PROJECTION: Shape = shape(&[
    object("clusterTrustBundle", &CLUSTER_TRUST_BUNDLE_PROJECTION).since(29),
    object("configMap", &CONFIG_MAP_PROJECTION),
    object("downwardAPI", &DOWNWARD_API_PROJECTION),
    object("podCertificate", &POD_CERTIFICATE_PROJECTION).since(34),
    object("secret", &SECRET_PROJECTION),
    object("serviceAccountToken", &SERVICE_ACCOUNT_TOKEN_PROJECTION),
]);

pub(super) static CLUSTER_TRUST_BUNDLE_PROJECTION: Shape = shape(&[
    object("labelSelector", &LABEL_SELECTOR).since(29),
    field("name", Text).pointer().since(29),
    field("optional", Bool).pointer().since(29),
    field("path", Text).always().since(29),
    field("signerName", Text).pointer().since(29),
    field("user", Int64).pointer().since(37),
]);

pub(super) static CONFIG_MAP_PROJECTION: Shape = shape(&[
    objects("items", &KEY_TO_PATH),
    field("name", Text),
    field("optional", Bool).pointer(),
]);

pub(super) static DOWNWARD_API_PROJECTION: Shape =
    shape(&[objects("items", &DOWNWARD_API_VOLUME_FILE)]);

pub(super) static POD_CERTIFICATE_PROJECTION: Shape = shape(&[
    field("certificateChainPath", Text).since(34),
    field("credentialBundlePath", Text).since(34),
    field("keyPath", Text).since(34),
    field("keyType", Text).since(34),
    field("maxExpirationSeconds", Int32).pointer().since(34),
    field("signerName", Text).since(34),
    field("user", Int64).pointer().since(37),
    field("userAnnotations", TextMap).since(35),
]);

pub(super) static SECRET_PROJECTION: Shape = shape(&[
    objects("items", &KEY_TO_PATH),
    field("name", Text),
    field("optional", Bool).pointer(),
]);

pub(super) static SERVICE_ACCOUNT_TOKEN_PROJECTION: Shape = shape(&[
    field("audience", Text),
    field("expirationSeconds", Int64).pointer(),
    field("path", Text).always(),
    field("user", Int64).pointer().since(37),
]);
