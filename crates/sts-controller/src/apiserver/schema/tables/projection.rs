//! Sources of volumes whose files come from other objects.

use super::container::{OBJECT_FIELD_SELECTOR, RESOURCE_FIELD_SELECTOR};
use super::meta::LABEL_SELECTOR;
use crate::apiserver::schema::fields::Kind::{Bool, Int32, Int64, Object, Objects, Text, TextMap};
use crate::apiserver::schema::fields::{Shape, field};

pub(super) static CONFIG_MAP_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("defaultMode", Int32).pointer(),
        field("defaultUser", Int64).pointer().since(37),
        field("items", Objects(&KEY_TO_PATH)),
        field("name", Text),
        field("optional", Bool).pointer(),
    ],
};

pub(super) static SECRET_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("defaultMode", Int32).pointer(),
        field("defaultUser", Int64).pointer().since(37),
        field("items", Objects(&KEY_TO_PATH)),
        field("optional", Bool).pointer(),
        field("secretName", Text),
    ],
};

pub(super) static KEY_TO_PATH: Shape = Shape {
    fields: &[
        field("key", Text).always(),
        field("mode", Int32).pointer(),
        field("path", Text).always(),
        field("user", Int64).pointer().since(37),
    ],
};

pub(super) static DOWNWARD_API_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("defaultMode", Int32).pointer(),
        field("defaultUser", Int64).pointer().since(37),
        field("items", Objects(&DOWNWARD_API_VOLUME_FILE)),
    ],
};

pub(super) static DOWNWARD_API_VOLUME_FILE: Shape = Shape {
    fields: &[
        field("fieldRef", Object(&OBJECT_FIELD_SELECTOR)).pointer(),
        field("mode", Int32).pointer(),
        field("path", Text).always(),
        field("resourceFieldRef", Object(&RESOURCE_FIELD_SELECTOR)).pointer(),
        field("user", Int64).pointer().since(37),
    ],
};

pub(super) static PROJECTED_VOLUME_SOURCE: Shape = Shape {
    fields: &[
        field("defaultMode", Int32).pointer(),
        field("defaultUser", Int64).pointer().since(37),
        field("sources", Objects(&VOLUME_PROJECTION)).always(),
    ],
};

pub(super) static VOLUME_PROJECTION: Shape = Shape {
    fields: &[
        field(
            "clusterTrustBundle",
            Object(&CLUSTER_TRUST_BUNDLE_PROJECTION),
        )
        .pointer()
        .since(29),
        field("configMap", Object(&CONFIG_MAP_PROJECTION)).pointer(),
        field("downwardAPI", Object(&DOWNWARD_API_PROJECTION)).pointer(),
        field("podCertificate", Object(&POD_CERTIFICATE_PROJECTION))
            .pointer()
            .since(34),
        field("secret", Object(&SECRET_PROJECTION)).pointer(),
        field(
            "serviceAccountToken",
            Object(&SERVICE_ACCOUNT_TOKEN_PROJECTION),
        )
        .pointer(),
    ],
};

pub(super) static CLUSTER_TRUST_BUNDLE_PROJECTION: Shape = Shape {
    fields: &[
        field("labelSelector", Object(&LABEL_SELECTOR))
            .pointer()
            .since(29),
        field("name", Text).pointer().since(29),
        field("optional", Bool).pointer().since(29),
        field("path", Text).always().since(29),
        field("signerName", Text).pointer().since(29),
        field("user", Int64).pointer().since(37),
    ],
};

pub(super) static CONFIG_MAP_PROJECTION: Shape = Shape {
    fields: &[
        field("items", Objects(&KEY_TO_PATH)),
        field("name", Text),
        field("optional", Bool).pointer(),
    ],
};

pub(super) static DOWNWARD_API_PROJECTION: Shape = Shape {
    fields: &[field("items", Objects(&DOWNWARD_API_VOLUME_FILE))],
};

pub(super) static POD_CERTIFICATE_PROJECTION: Shape = Shape {
    fields: &[
        field("certificateChainPath", Text).since(34),
        field("credentialBundlePath", Text).since(34),
        field("keyPath", Text).since(34),
        field("keyType", Text).since(34),
        field("maxExpirationSeconds", Int32).pointer().since(34),
        field("signerName", Text).since(34),
        field("user", Int64).pointer().since(37),
        field("userAnnotations", TextMap).since(35),
    ],
};

pub(super) static SECRET_PROJECTION: Shape = Shape {
    fields: &[
        field("items", Objects(&KEY_TO_PATH)),
        field("name", Text),
        field("optional", Bool).pointer(),
    ],
};

pub(super) static SERVICE_ACCOUNT_TOKEN_PROJECTION: Shape = Shape {
    fields: &[
        field("audience", Text),
        field("expirationSeconds", Int64).pointer(),
        field("path", Text).always(),
        field("user", Int64).pointer().since(37),
    ],
};
