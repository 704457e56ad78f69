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
    /// `spec.scopes` and the terms of `spec.scopeSelector`: it counts the pods that match all of them.
    pub scopes: Vec<QuotaScope>,
}

/// A scope of a ResourceQuota.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotaScope {
    /// Name, such as `NotTerminating` or `PriorityClass`.
    pub name: Arc<str>,
    /// Operator; `Exists` for an entry of `spec.scopes`.
    pub operator: Arc<str>,
    /// Values.
    pub values: Vec<Arc<str>>,
}

impl QuotaScope {
    fn all_of(spec: &Value) -> Vec<QuotaScope> {
        let text = |value: &Value| Arc::from(value.as_str().unwrap_or_default());
        let named = spec["scopes"].as_array().into_iter().flatten();
        let named = named.map(|name| QuotaScope {
            name: text(name),
            operator: Arc::from("Exists"),
            values: Vec::new(),
        });
        let terms = spec["scopeSelector"]["matchExpressions"].as_array();
        let terms = terms.into_iter().flatten().map(|term| QuotaScope {
            name: text(&term["scopeName"]),
            operator: text(&term["operator"]),
            values: term["values"]
                .as_array()
                .into_iter()
                .flatten()
                .map(text)
                .collect(),
        });
        named.chain(terms).collect()
    }

    /// Reports whether a pod with this spec is in the scope; `None` if that is not known. Upstream: `podMatchesScopeFunc` in
    /// `pkg/quota/v1/evaluator/core/pods.go`.
    #[must_use]
    pub fn admits(&self, pod: &Value) -> Option<bool> {
        let is_terminating = pod["activeDeadlineSeconds"]
            .as_i64()
            .is_some_and(|it| it >= 0);
        let class = pod["priorityClassName"].as_str().unwrap_or_default();
        match &*self.name {
            "Terminating" => Some(is_terminating),
            "NotTerminating" => Some(!is_terminating),
            "BestEffort" => Some(is_best_effort(pod)),
            "NotBestEffort" => Some(!is_best_effort(pod)),
            "PriorityClass" => {
                let is_listed = self.values.iter().any(|value| **value == *class);
                match &*self.operator {
                    "In" => Some(is_listed),
                    "NotIn" => Some(!is_listed),
                    "Exists" => Some(!class.is_empty()),
                    "DoesNotExist" => Some(class.is_empty()),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Reports whether no container asks for CPU or memory.
fn is_best_effort(pod: &Value) -> bool {
    let list = |name: &str| pod[name].as_array().into_iter().flatten();
    let asks = |resources: &Value| {
        ["requests", "limits"].iter().any(|kind| {
            ["cpu", "memory"]
                .iter()
                .any(|name| !resources[kind][name].is_null())
        })
    };
    let mut containers = list("containers").chain(list("initContainers"));
    !asks(&pod["resources"]) && !containers.any(|container| asks(&container["resources"]))
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
            scopes: QuotaScope::all_of(&object["spec"]),
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
    /// `default`: limits of a container without its own.
    pub default: Quantities,
    /// `defaultRequest`: requests of a container without its own.
    pub default_request: Quantities,
    /// `maxLimitRequestRatio`.
    pub max_limit_request_ratio: Quantities,
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
                    default: quantities(item.get("default")),
                    default_request: quantities(item.get("defaultRequest")),
                    max_limit_request_ratio: quantities(item.get("maxLimitRequestRatio")),
                }
                .with_defaults())
            })?,
        })
    }
}

impl Limit {
    /// Fills in the amounts that the API server does: `SetDefaults_LimitRangeItem` in `pkg/apis/core/v1/defaults.go`.
    fn with_defaults(mut self) -> Self {
        if &*self.of == "Container" {
            let fill = |to: &mut Quantities, from: &Quantities| {
                for (resource, amount) in from {
                    to.entry(Arc::clone(resource))
                        .or_insert_with(|| Arc::clone(amount));
                }
            };
            fill(&mut self.default, &self.max);
            fill(&mut self.default_request, &self.default);
            fill(&mut self.default_request, &self.min);
        }
        self
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
