//! What may become of a stored set: `ValidateStatefulSetUpdate`.

use serde_json::{Map, Value};

use super::difference::differences;
use super::refused::Refusals;
use super::spec;
use super::spec::Depth;
use super::{meta, selector};
use crate::apiserver::schema::stateful_set;
use crate::version::Validation;

/// The path under which the server forbids a change, whichever field it is of.
pub(super) const FIELD: &str = "spec";

pub(super) fn check(old: &Value, new: &Value, out: &mut Refusals<'_>) {
    let rules = out.rules;
    if rules.update_checks_as_create {
        meta::check_new(&new["metadata"], out);
        spec::check(&new["spec"], depth(old, rules), out);
        meta::check_update(&old["metadata"], &new["metadata"], out);
    } else {
        meta::check_update(&old["metadata"], &new["metadata"], out);
        spec::check(&new["spec"], depth(old, rules), out);
    }
    check_unchangeable(old, new, out);
}

/// What is looked at in the new spec: only what the old one would have passed, where checks came late.
fn depth(old: &Value, rules: &Validation) -> Depth {
    let quiet = Refusals::new(rules);
    let mut depth = Depth {
        service_name: false,
        template: rules.template_checked,
        claim_templates: false,
        any_selector_value: selector::has_invalid_value(&old["spec"]["selector"], &quiet),
    };
    if depth.template {
        let mut stored = Refusals::new(rules);
        spec::check(&old["spec"], depth, &mut stored);
        depth.template = stored.is_empty();
    }
    depth
}

/// The spec may differ in the updatable fields only. The server says so once; here each difference is named.
fn check_unchangeable(old: &Value, new: &Value, out: &mut Refusals<'_>) {
    let rules = out.rules;
    let rest = |set: &Value| {
        let mut members = Map::new();
        for (name, value) in set["spec"].as_object().into_iter().flatten() {
            if !rules.updatable.has(name) {
                members.insert(name.clone(), value.clone());
            }
        }
        Value::Object(Map::from_iter([(
            "spec".to_owned(),
            Value::Object(members),
        )]))
    };
    for difference in differences(&rest(old), &rest(new), stateful_set(), rules.minor) {
        out.unchangeable(difference.path, difference.old, difference.new);
    }
}
