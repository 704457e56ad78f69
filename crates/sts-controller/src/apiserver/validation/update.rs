//! Allowed changes of a stored set: `ValidateStatefulSetUpdate`.

use serde_json::{Map, Value};

use super::depth::Depth;
use super::difference::differences;
use super::refusals::Refusals;
use super::{meta, selector, spec, stored_template};
use crate::apiserver::schema::stateful_set;

/// `given` is the new set's spec as sent.
pub(super) fn check(old: &Value, new: &Value, given: &Value, out: &mut Refusals<'_>) {
    let rules = out.rules;
    if rules.template_checked {
        out.ratcheting = stored_template::exemptions(&old["spec"]["template"], rules);
    }
    let depth = depth(old, out);
    if rules.update_checks_as_create {
        meta::check_new(&new["metadata"], out);
        spec::check(&new["spec"], given, depth, out);
        meta::check_update(&old["metadata"], &new["metadata"], out);
    } else {
        meta::check_update(&old["metadata"], &new["metadata"], out);
        spec::check(&new["spec"], given, depth, out);
    }
    check_unchangeable(old, new, out);
}

/// Returns the parts of the new spec to validate. Newer rules apply only if the old spec already satisfies them.
fn depth(old: &Value, out: &Refusals<'_>) -> Depth {
    let rules = out.rules;
    let mut depth = Depth {
        service_name: false,
        template: rules.template_checked,
        claim_templates: false,
        // From 1.34 on the selector is validated strictly, since an invalid one never worked.
        any_selector_value: !rules.template_checked
            && selector::has_invalid_value(&old["spec"]["selector"], rules),
        recreate: rules.recreate_allowed
            || (rules.recreate_known && old["spec"]["updateStrategy"]["type"] == "Recreate"),
    };
    if depth.template {
        let mut stored = Refusals::new(rules);
        stored.ratcheting = out.ratcheting;
        let spec = &old["spec"];
        spec::check(spec, spec, depth, &mut stored);
        depth.template = stored.is_empty();
    }
    depth
}

/// Checks that only updatable fields differ. The server reports one error; here each difference is named.
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
        out.unchangeable(difference, &new["spec"]);
    }
}
