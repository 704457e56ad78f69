//! Selectors, and the match between a set's selector and its template.

use serde_json::Value;

use super::depth::Depth;
use super::go::{self, quoted};
use super::read::{entries, list, text};
use super::refusals::Refusals;
use super::{meta, name};
use crate::apiserver::schema::Path;
use crate::object::{Selector, decoded_labels};
use crate::version::Validation;

/// Checks the selector and the labels of the template. Messages show both as sent (`given` is the spec), since the
/// server distinguishes a missing list from an empty one.
pub(super) fn check(spec: &Value, given: &Value, depth: Depth, out: &mut Refusals<'_>) {
    let selector = &spec["selector"];
    let at = Path::Root.member("spec");
    let at_selector = at.member("selector");
    let labels = &spec["template"]["metadata"]["labels"];
    if selector.is_null() {
        out.required(at_selector, "");
    } else {
        check_requirements(selector, &at_selector, !depth.any_selector_value, out);
        if is_empty(selector) {
            let detail = "empty selector is invalid for statefulset";
            refuse(selector, &given["selector"], detail, out);
        }
    }
    match matches(selector, labels) {
        None => refuse(selector, &given["selector"], "", out),
        Some(true) => {}
        Some(false) => {
            let shown = if labels.is_null() {
                &given["template"]["metadata"]["labels"]
            } else {
                labels
            };
            out.invalid_object(
                at.member("template.metadata.labels"),
                labels,
                &go::json(shown),
                &go::text_map(shown),
                "`selector` does not match template `labels`",
            );
        }
    }
}

/// `ValidateLabelSelector`.
pub(super) fn check_requirements(
    selector: &Value,
    at: &Path<'_>,
    values_too: bool,
    out: &mut Refusals<'_>,
) {
    meta::check_labels(&selector["matchLabels"], &at.member("matchLabels"), out);
    let at = at.member("matchExpressions");
    for (index, requirement) in list(selector, "matchExpressions").iter().enumerate() {
        let at = at.index(index);
        let at_values = at.member("values");
        let values = list(requirement, "values");
        match text(requirement, "operator") {
            "In" | "NotIn" if values.is_empty() => {
                let detail = "must be specified when `operator` is 'In' or 'NotIn'";
                out.required(at_values, detail);
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                out.forbidden(at_values, detail);
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            other => {
                out.invalid_name(
                    at.member("operator"),
                    other,
                    "not a valid selector operator",
                );
            }
        }
        let key = text(requirement, "key");
        out.invalid_text(at.member("key"), key, &name::qualified(key, out.rules));
        if out.rules.selector_values_checked && values_too {
            for (at, value) in at_values.items(values) {
                let value = value.as_str().unwrap_or_default();
                let complaints = name::label_value(value, out.rules);
                out.invalid_text(at, value, &complaints);
            }
        }
    }
}

/// Reports whether a selector has a value that is not a label value, which later updates may keep.
pub(super) fn has_invalid_value(selector: &Value, rules: &Validation) -> bool {
    list(selector, "matchExpressions")
        .iter()
        .flat_map(|requirement| list(requirement, "values"))
        .any(|value| !name::label_value(value.as_str().unwrap_or_default(), rules).is_empty())
}

fn refuse(selector: &Value, given: &Value, detail: &str, out: &mut Refusals<'_>) {
    out.invalid_object(
        "spec.selector",
        selector,
        &go::label_selector(selector),
        &go_selector(if given.is_null() { selector } else { given }),
        detail,
    );
}

fn is_empty(selector: &Value) -> bool {
    entries(selector, "matchLabels").next().is_none()
        && list(selector, "matchExpressions").is_empty()
}

/// Reports whether the selector matches the labels; `None` for an invalid selector. A missing selector matches nothing,
/// an empty one everything.
fn matches(selector: &Value, labels: &Value) -> Option<bool> {
    if selector.is_null() {
        return Some(false);
    }
    let selector = Selector::from_json(selector).ok()?;
    selector.check().ok()?;
    Some(selector.matches(&decoded_labels(labels)))
}

/// Reports whether the selector is valid. Otherwise the server does not validate the template.
pub(super) fn is_usable(selector: &Value) -> bool {
    matches(selector, &Value::Null).is_some()
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
        go::text_map(&selector["matchLabels"])
    )
}

fn go_requirement(requirement: &Value) -> String {
    let quoted = |value: &Value| quoted(value.as_str().unwrap_or_default());
    let values = go::text_list(&requirement["values"]);
    format!(
        "v1.LabelSelectorRequirement{{Key:{}, Operator:{}, Values:{values}}}",
        quoted(&requirement["key"]),
        quoted(&requirement["operator"])
    )
}
