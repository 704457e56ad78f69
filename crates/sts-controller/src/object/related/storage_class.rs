//! StorageClasses.

use std::sync::Arc;

use serde_json::Value;

use crate::object::Meta;
use crate::object::field::{FieldError, Fields};

/// Annotations that mark the default class, newest first.
const DEFAULT: [&str; 2] = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
];

/// A StorageClass.
#[derive(Debug, Clone, PartialEq)]
pub struct StorageClass {
    /// Metadata.
    pub meta: Meta,
    /// `allowVolumeExpansion`; absent is false.
    pub allows_expansion: bool,
    /// True if a volume is deleted with its claim: `reclaimPolicy` is not `Retain`.
    pub deletes_volumes: bool,
    /// True if it is marked as the default class.
    pub is_default: bool,
    /// `provisioner`.
    pub provisioner: Arc<str>,
    /// True if each of its volumes is known to be in one zone, that of the node it was created for.
    pub is_zonal: bool,
}

/// Provisioner of classes whose volumes are created by hand.
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";
/// Provisioners of zonal volumes, each with the class parameter and value that select regional ones. Other provisioners
/// have zonal volumes too, but not in every cluster.
const ZONAL: [(&str, Option<(&str, &str)>); 4] = [
    ("ebs.csi.aws.com", None),
    ("kubernetes.io/aws-ebs", None),
    (
        "kubernetes.io/gce-pd",
        Some(("replication-type", "regional-pd")),
    ),
    (
        "pd.csi.storage.gke.io",
        Some(("replication-type", "regional-pd")),
    ),
];

impl StorageClass {
    pub(super) fn from_json(object: &Value) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        let metadata = fields.object("metadata")?;
        let annotations = metadata.labels("annotations")?;
        Ok(StorageClass {
            meta: Meta::read(&fields)?,
            allows_expansion: fields.boolean("allowVolumeExpansion")?.unwrap_or(false),
            provisioner: fields.shared_text("provisioner")?,
            is_zonal: is_zonal(
                fields.text("provisioner")?,
                fields.get("parameters").unwrap_or(&Value::Null),
            ),
            deletes_volumes: fields.text("reclaimPolicy")? != "Retain",
            is_default: DEFAULT
                .iter()
                .any(|key| annotations.get(key).is_some_and(|value| &**value == "true")),
        })
    }

    /// Reports whether no provisioner creates volumes for its claims: they bind to existing ones.
    #[must_use]
    pub fn is_static(&self) -> bool {
        &*self.provisioner == NO_PROVISIONER
    }
}

fn is_zonal(provisioner: &str, parameters: &Value) -> bool {
    let known = ZONAL.into_iter().find(|(name, _)| *name == provisioner);
    known.is_some_and(|(_, more)| more.is_none_or(|(key, value)| parameters[key] != value))
}
