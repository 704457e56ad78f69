//! Readiness gates, scheduling gates and the scheduling group.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::apiserver::schema::Path;
use crate::apiserver::validation::name;
use crate::apiserver::validation::read::{list, text};
use crate::apiserver::validation::refusals::Refusals;

/// `validateReadinessGates` and `validateSchedulingGates`.
pub(super) fn check_gates(spec: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let at_gates = at.member("readinessGates");
    for (index, gate) in list(spec, "readinessGates").iter().enumerate() {
        let condition = text(gate, "conditionType");
        let complaints = name::qualified(condition, out.rules);
        let at = at_gates.index(index);
        out.invalid_text(at.member("conditionType"), condition, &complaints);
    }
    let at_gates = at.member("schedulingGates");
    let mut seen = BTreeSet::new();
    for (index, gate) in list(spec, "schedulingGates").iter().enumerate() {
        let name = text(gate, "name");
        let complaints = name::qualified(name, out.rules);
        out.invalid_text(at_gates.index(index), name, &complaints);
        if !seen.insert(name) {
            out.duplicate(at_gates.index(index), name);
        }
    }
}

/// `validateSchedulingGroup`.
pub(super) fn check_group(spec: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let group = &spec["schedulingGroup"];
    if group.is_null() {
        return;
    }
    let at = at.member("schedulingGroup.podGroupName");
    match group["podGroupName"].as_str() {
        None => out.invalid(at, Value::Null, "must specify one of: `podGroupName`"),
        Some(name) => out.invalid_text(at, name, &name::dns_subdomain(name)),
    }
}
