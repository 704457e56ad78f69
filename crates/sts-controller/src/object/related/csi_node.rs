//! CSINodes: limits of volumes on a node.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::object::Meta;
use crate::object::field::{FieldError, Fields};

/// A CSINode. It has the name of its node.
#[derive(Debug, Clone, PartialEq)]
pub struct CsiNode {
    /// Metadata.
    pub meta: Meta,
    /// Number of volumes of each driver that the node can have, if the driver reports one.
    pub limits: BTreeMap<Arc<str>, i64>,
}

impl CsiNode {
    pub(super) fn from_json(object: &Value) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        let drivers = fields.object("spec")?.list("drivers", |item, _| {
            let count = item.object("allocatable")?.integer("count")?;
            Ok(count.map(|count| (item.shared_text("name"), count)))
        })?;
        let mut limits = BTreeMap::new();
        for (name, count) in drivers.into_iter().flatten() {
            limits.insert(name?, count);
        }
        Ok(CsiNode {
            meta: Meta::read(&fields)?,
            limits,
        })
    }
}
