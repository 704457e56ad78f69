//! Leases of nodes.

use jiff::Timestamp;
use serde_json::Value;

use crate::object::Meta;
use crate::object::field::{FieldError, Fields};

/// Namespace of the leases that kubelets renew.
pub const NODE_LEASES: &str = "kube-node-lease";

/// A Lease; one of a node if it is in [`NODE_LEASES`].
#[derive(Debug, Clone, PartialEq)]
pub struct Lease {
    /// Metadata.
    pub meta: Meta,
    /// `spec.renewTime`.
    pub renewed: Option<Timestamp>,
}

impl Lease {
    pub(super) fn from_json(object: &Value) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        Ok(Lease {
            meta: Meta::read(&fields)?,
            renewed: fields.object("spec")?.time("renewTime")?,
        })
    }
}
