//! The set's selector, and whether its template's labels satisfy it.

use std::sync::Arc;

use serde_json::Value;

use super::meta;
use super::name;
use super::refused::{Refusals, go_quoted};
use super::spec::Depth;
use crate::object::{Labels, Selector};

/// The selector and the labels of the template; the rest of the template is looked at elsewhere.
pub(super) fn check(spec: &Value, depth: Depth, out: &mut Refusals<'_>) {
    let selector = &spec["selector"];
    let labels = &spec["template"]["metadata"]["labels"];
    if selector.is_null() {
        out.required("spec.selector", "");
    } else {
        check_requirements(selector, "spec.selector", !depth.any_selector_value, out);
        if is_empty(selector) {
            refuse(selector, "empty selector is invalid for statefulset", out);
        }
    }
    match matches(selector, labels) {
        None => refuse(selector, "", out),
        Some(true) => {}
        Some(false) => {
            out.invalid_object(
                "spec.template.metadata.labels",
                labels,
                &labels.to_string(),
                &go_text_map(labels),
                "`selector` does not match template `labels`",
            );
        }
    }
}

/// `ValidateLabelSelector`.
pub(super) fn check_requirements(
    selector: &Value,
    path: &str,
    values_too: bool,
    out: &mut Refusals<'_>,
) {
    meta::check_labels(
        &selector["matchLabels"],
        &format!("{path}.matchLabels"),
        out,
    );
    let requirements = selector["matchExpressions"].as_array();
    for (index, requirement) in requirements.into_iter().flatten().enumerate() {
        let path = format!("{path}.matchExpressions[{index}]");
        let values = requirement["values"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let operator = requirement["operator"].as_str().unwrap_or_default();
        match operator {
            "In" | "NotIn" if values.is_empty() => out.required(
                &format!("{path}.values"),
                "must be specified when `operator` is 'In' or 'NotIn'",
            ),
            "Exists" | "DoesNotExist" if !values.is_empty() => out.forbidden(
                &format!("{path}.values"),
                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            _ => out.invalid(
                &format!("{path}.operator"),
                operator,
                "not a valid selector operator",
            ),
        }
        let key = requirement["key"].as_str().unwrap_or_default();
        let complaints = name::qualified(key, out.rules);
        out.invalid_text(&format!("{path}.key"), key, &complaints);
        if out.rules.selector_values_checked && values_too {
            for (index, value) in values.iter().enumerate() {
                let value = value.as_str().unwrap_or_default();
                let complaints = name::label_value(value, out.rules);
                out.invalid_text(&format!("{path}.values[{index}]"), value, &complaints);
            }
        }
    }
}

/// Whether a stored selector has a value that is no label value, which a later update need not mend.
pub(super) fn has_invalid_value(selector: &Value, out: &Refusals<'_>) -> bool {
    let requirements = selector["matchExpressions"].as_array();
    requirements
        .into_iter()
        .flatten()
        .flat_map(|requirement| requirement["values"].as_array().into_iter().flatten())
        .any(|value| !name::label_value(value.as_str().unwrap_or_default(), out.rules).is_empty())
}

fn refuse(selector: &Value, detail: &str, out: &mut Refusals<'_>) {
    out.invalid_object(
        "spec.selector",
        selector,
        &selector.to_string(),
        &go_selector(selector),
        detail,
    );
}

fn is_empty(selector: &Value) -> bool {
    let count = |member: &str| match &selector[member] {
        Value::Object(members) => members.len(),
        Value::Array(items) => items.len(),
        _ => 0,
    };
    count("matchLabels") + count("matchExpressions") == 0
}

/// Whether the labels are selected; none for a selector that cannot be used. A missing selector selects
/// nothing, an empty one everything.
fn matches(selector: &Value, labels: &Value) -> Option<bool> {
    if selector.is_null() {
        return Some(false);
    }
    let selector = Selector::from_json(selector).ok()?;
    selector.check().ok()?;
    Some(selector.matches(&labels_of(labels)))
}

fn labels_of(labels: &Value) -> Labels {
    let members = labels.as_object().into_iter().flatten();
    members
        .map(|(key, value)| {
            (
                Arc::from(&**key),
                Arc::from(value.as_str().unwrap_or_default()),
            )
        })
        .collect()
}

/// `map[string]string{"app":"web"}`.
fn go_text_map(map: &Value) -> String {
    let Some(members) = map.as_object() else {
        return "map[string]string(nil)".to_owned();
    };
    let entries: Vec<String> = members
        .iter()
        .map(|(key, value)| {
            let value = go_quoted(value.as_str().unwrap_or_default());
            format!("{}:{value}", go_quoted(key))
        })
        .collect();
    format!("map[string]string{{{}}}", entries.join(", "))
}

fn go_selector(selector: &Value) -> String {
    let expressions = match selector["matchExpressions"].as_array() {
        None => "(nil)".to_owned(),
        Some(requirements) => {
            let list: Vec<String> = requirements.iter().map(go_requirement).collect();
            format!("{{{}}}", list.join(", "))
        }
    };
    format!(
        "v1.LabelSelector{{MatchLabels:{}, MatchExpressions:[]v1.LabelSelectorRequirement{expressions}}}",
        go_text_map(&selector["matchLabels"])
    )
}

fn go_requirement(requirement: &Value) -> String {
    let quoted = |value: &Value| go_quoted(value.as_str().unwrap_or_default());
    let values = match requirement["values"].as_array() {
        None => "(nil)".to_owned(),
        Some(values) => {
            let values: Vec<String> = values.iter().map(quoted).collect();
            format!("{{{}}}", values.join(", "))
        }
    };
    format!(
        "v1.LabelSelectorRequirement{{Key:{}, Operator:{}, Values:[]string{values}}}",
        quoted(&requirement["key"]),
        quoted(&requirement["operator"])
    )
}
