//! Tolerations: `ValidateTolerations`.

use serde_json::Value;

use crate::apiserver::schema::Path;
use crate::apiserver::validation::name;
use crate::apiserver::validation::read::{is_given, text};
use crate::apiserver::validation::refusals::Refusals;

pub(super) fn check_all(tolerations: &[Value], at: &Path<'_>, out: &mut Refusals<'_>) {
    for (at, toleration) in at.items(tolerations) {
        check(toleration, &at, out);
    }
}

fn check(toleration: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let (key, value) = (text(toleration, "key"), text(toleration, "value"));
    let (operator, effect) = (text(toleration, "operator"), text(toleration, "effect"));
    let (at_operator, at_effect) = (at.member("operator"), at.member("effect"));
    if !key.is_empty() {
        out.invalid_text(at.member("key"), key, &name::qualified(key, out.rules));
    } else if operator != "Exists" {
        let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
        out.invalid_name(at_operator, operator, detail);
    }
    if is_given(toleration, "tolerationSeconds") && effect != "NoExecute" {
        let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
        out.invalid_name(at_effect, effect, detail);
    }
    match operator {
        "" | "Equal" => {
            let complaints = name::label_value(value, out.rules);
            if !complaints.is_empty() {
                out.invalid(at_operator, value, &complaints.join(";"));
            }
        }
        "Exists" => {
            if !value.is_empty() {
                let detail = "value must be empty when `operator` is 'Exists'";
                out.invalid(at_operator, value, detail);
            }
        }
        // Comparisons are known from 1.35 on, behind a gate that is off.
        "Lt" | "Gt" if out.rules.pod.comparing_tolerations => {
            out.not_supported(at_operator, operator, &["Equal", "Exists", "Lt", "Gt"]);
        }
        _ => out.not_supported(at_operator, operator, &["Equal", "Exists"]),
    }
    if !effect.is_empty() && !["NoSchedule", "PreferNoSchedule", "NoExecute"].contains(&effect) {
        out.not_supported(
            at_effect,
            effect,
            &["NoSchedule", "PreferNoSchedule", "NoExecute"],
        );
    }
}
