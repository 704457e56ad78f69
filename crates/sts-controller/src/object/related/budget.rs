//! PodDisruptionBudgets.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use crate::object::field::{FieldError, Fields};
use crate::object::selector::Selector;
use crate::object::set::read_bound;
use crate::object::{IntOrPercent, Labels, Meta};

/// A PodDisruptionBudget.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget {
    /// Metadata.
    pub meta: Meta,
    /// `spec.selector`. An absent selector matches nothing, and so does an empty one in `policy/v1beta1`.
    pub selector: Option<Selector>,
    /// `spec.minAvailable`.
    pub min_available: Option<IntOrPercent>,
    /// `spec.maxUnavailable`.
    pub max_unavailable: Option<IntOrPercent>,
    /// `status.disruptionsAllowed`; absent until the controller has counted.
    pub disruptions_allowed: Option<i64>,
    /// `status.expectedPods`: number of pods that the budget covers.
    pub expected_pods: Option<i64>,
    /// `status.currentHealthy`: number of healthy pods among them.
    pub current_healthy: Option<i64>,
    /// `status.desiredHealthy`: number of pods that must be healthy.
    pub desired: Option<i64>,
    /// The latest time in `status.disruptedPods`: an eviction that was granted, whose pod was not deleted yet.
    pub disrupted: Option<Timestamp>,
    /// True if `status.observedGeneration` is that of the object: the controller has counted under this spec.
    pub is_observed: bool,
    /// Message of a condition with the reason `SyncFailed`: the controller cannot count, and allows no disruption.
    pub sync_failure: Option<Arc<str>>,
    /// True if `spec.unhealthyPodEvictionPolicy` is `AlwaysAllow`: pods that are not ready can always be evicted.
    pub evicts_unhealthy: bool,
}

impl Budget {
    pub(super) fn from_json(object: &Value) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        let spec = fields.object("spec")?;
        let status = fields.object("status")?;
        let selector = spec.object("selector")?;
        let selector = if selector.present() {
            Some(Selector::read(&selector)?)
        } else {
            None
        };
        let generation = fields.object("metadata")?.integer("generation")?;
        let observed = status.integer("observedGeneration")?;
        let conditions = status.list("conditions", |item, _| {
            let failed = item.text("reason")? == "SyncFailed" && item.text("status")? == "False";
            Ok(failed.then_some(item.shared_text("message")?))
        })?;
        let is_observed = observed.is_some() && observed >= generation;
        let empty_selects_nothing = fields.text("apiVersion")? == "policy/v1beta1";
        Ok(Budget {
            meta: Meta::read(&fields)?,
            selector: selector
                .filter(|selector| !(empty_selects_nothing && *selector == Selector::default())),
            min_available: read_bound(&spec, "minAvailable")?,
            max_unavailable: read_bound(&spec, "maxUnavailable")?,
            disruptions_allowed: status.integer("disruptionsAllowed")?,
            expected_pods: status.integer("expectedPods")?,
            current_healthy: status.integer("currentHealthy")?,
            desired: status.integer("desiredHealthy")?,
            disrupted: latest(status.get("disruptedPods")),
            is_observed,
            // A controller that cannot count leaves the observed generation unchanged, often absent.
            sync_failure: conditions.into_iter().flatten().next(),
            evicts_unhealthy: spec.text("unhealthyPodEvictionPolicy")? == "AlwaysAllow",
        })
    }

    /// Reports whether the budget covers pods with these labels.
    #[must_use]
    pub fn covers(&self, labels: &Labels) -> bool {
        let selector = self.selector.as_ref();
        selector.is_some_and(|selector| selector.matches(labels))
    }

    /// Reports whether the budget counts the desired replicas of its pods' controllers, and not the existing pods. It
    /// does for every bound except a number of `minAvailable`.
    #[must_use]
    pub fn counts_scale(&self) -> bool {
        self.max_unavailable.is_some() || matches!(self.min_available, Some(IntOrPercent::Text(_)))
    }

    /// Returns the number of pods out of `expected` that must be healthy; `None` if the bound is unreadable.
    #[must_use]
    pub fn desired_healthy(&self, expected: i64) -> Option<i64> {
        match (&self.max_unavailable, &self.min_available) {
            (Some(most), _) => Some(expected.saturating_sub(scaled(most, expected)?).max(0)),
            (None, Some(least)) => scaled(least, expected),
            // Only in v1beta1 does the API server default to minAvailable: 1. Without a bound no pod is protected.
            (None, None) => Some(0),
        }
    }

    /// Returns the number of pods out of `pods` that may be unavailable; `None` if the bound is unreadable. Percentages
    /// of either bound are rounded up, as in the disruption controller.
    #[must_use]
    pub fn allows(&self, pods: i64) -> Option<i64> {
        match (&self.max_unavailable, &self.min_available) {
            (Some(most), _) => Some(scaled(most, pods)?.clamp(0, pods)),
            (None, Some(least)) => Some((pods - scaled(least, pods)?).max(0)),
            (None, None) => None,
        }
    }
}

/// Returns the latest of the times by pod.
fn latest(disrupted: Option<&Value>) -> Option<Timestamp> {
    let times = disrupted?.as_object()?.values();
    times.filter_map(|at| at.as_str()?.parse().ok()).max()
}

fn scaled(bound: &IntOrPercent, pods: i64) -> Option<i64> {
    match bound {
        IntOrPercent::Int(count) => Some(*count),
        IntOrPercent::Text(text) => {
            let percent: i64 = text.strip_suffix('%')?.parse().ok()?;
            let hundredths = percent.checked_mul(pods)?;
            Some(hundredths.checked_add(99)?.div_euclid(100))
        }
    }
}
