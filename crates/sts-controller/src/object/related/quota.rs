//! ResourceQuotas and LimitRanges.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::object::Meta;
use crate::object::field::{FieldError, Fields};

/// Quantities by resource, as written.
pub type Quantities = BTreeMap<Arc<str>, Arc<str>>;

/// A ResourceQuota.
#[derive(Debug, Clone, PartialEq)]
pub struct Quota {
    /// Metadata.
    pub meta: Meta,
    /// `status.hard`: the enforced limits.
    pub hard: Quantities,
    /// `status.used`.
    pub used: Quantities,
    /// True if `spec.scopes` or `spec.scopeSelector` limit it to some pods.
    pub is_scoped: bool,
}

impl Quota {
    pub(super) fn from_json(object: &Value) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        let (spec, status) = (fields.object("spec")?, fields.object("status")?);
        let hard = quantities(status.get("hard").or(spec.get("hard")));
        Ok(Quota {
            meta: Meta::read(&fields)?,
            hard,
            used: quantities(status.get("used")),
            is_scoped: ["scopes", "scopeSelector"]
                .iter()
                .any(|name| spec.get(name).is_some_and(|value| !value.is_null())),
        })
    }
}

/// A LimitRange.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitRange {
    /// Metadata.
    pub meta: Meta,
    /// `spec.limits`.
    pub limits: Vec<Limit>,
}

/// The bounds of a LimitRange for one type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// `Container`, `Pod` or `PersistentVolumeClaim`.
    pub of: Arc<str>,
    /// `min`.
    pub min: Quantities,
    /// `max`.
    pub max: Quantities,
}

impl LimitRange {
    pub(super) fn from_json(object: &Value) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        Ok(LimitRange {
            meta: Meta::read(&fields)?,
            limits: fields.object("spec")?.list("limits", |item, _| {
                Ok(Limit {
                    of: item.shared_text("type")?,
                    min: quantities(item.get("min")),
                    max: quantities(item.get("max")),
                })
            })?,
        })
    }
}

/// Reads quantities; empty without a mapping.
pub(super) fn quantities(value: Option<&Value>) -> Quantities {
    let members = value.and_then(Value::as_object).into_iter().flatten();
    members
        .filter_map(|(resource, amount)| {
            // Files written by hand have plain numbers as well.
            let amount = match amount {
                Value::String(text) => Arc::from(text.as_str()),
                Value::Number(number) => Arc::from(number.to_string()),
                _ => return None,
            };
            Some((Arc::from(resource.as_str()), amount))
        })
        .collect()
}
