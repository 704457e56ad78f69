//! Node affinity, pod affinity and pod anti-affinity.

use serde_json::Value;

use super::spread;
use crate::apiserver::schema::Path;
use crate::apiserver::validation::read::{each, is_given, list, number, text, texts};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::{name, selector};
use crate::version::Validation;

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

pub(super) fn check(affinity: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let (node, at_node) = (&affinity["nodeAffinity"], at.member("nodeAffinity"));
    if is_given(node, REQUIRED) {
        check_node_selector(&node[REQUIRED], &at_node.member(REQUIRED), out);
    }
    let at_terms = at_node.member(PREFERRED);
    for (at, term) in at_terms.items(list(node, PREFERRED)) {
        check_weight(term, &at, out);
        check_node_term(&term["preference"], false, &at.member("preference"), out);
    }
    for member in ["podAffinity", "podAntiAffinity"] {
        let (pod, at) = (&affinity[member], at.member(member));
        let at_terms = at.member(REQUIRED);
        for (at, term) in at_terms.items(list(pod, REQUIRED)) {
            check_pod_term(term, &at, out);
        }
        for (at, term) in each(pod, PREFERRED, &at) {
            check_weight(term, &at, out);
            check_pod_term(&term["podAffinityTerm"], &at.member("podAffinityTerm"), out);
        }
    }
}

fn check_weight(term: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let weight = number(term, "weight");
    if !(1..=100).contains(&weight) {
        out.invalid(at.member("weight"), weight, "must be in the range 1-100");
    }
}

/// `ValidateNodeSelector`.
fn check_node_selector(selector: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let at = at.member("nodeSelectorTerms");
    let terms = list(selector, "nodeSelectorTerms");
    if terms.is_empty() {
        out.required(at, "must have at least one node selector term");
    }
    let values = out.rules.pod.node_affinity_values && !out.ratcheting.node_values;
    for (at, term) in at.items(terms) {
        check_node_term(term, values, &at, out);
    }
}

/// `ValidateNodeSelectorTerm`. Values are validated only in required terms.
fn check_node_term(term: &Value, values: bool, at: &Path<'_>, out: &mut Refusals<'_>) {
    for (at, requirement) in each(term, "matchExpressions", at) {
        check_label_requirement(requirement, values, &at, out);
    }
    for (at, requirement) in each(term, "matchFields", at) {
        check_field_requirement(requirement, &at, out);
    }
}

fn check_label_requirement(
    requirement: &Value,
    values: bool,
    at: &Path<'_>,
    out: &mut Refusals<'_>,
) {
    let at_values = at.member("values");
    let count = list(requirement, "values").len();
    match text(requirement, "operator") {
        "In" | "NotIn" if count == 0 => {
            let detail = "must be specified when `operator` is 'In' or 'NotIn'";
            out.required(at_values, detail);
        }
        "Exists" | "DoesNotExist" if count > 0 => {
            let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            out.forbidden(at_values, detail);
        }
        "Gt" | "Lt" if count != 1 => {
            let detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
            out.required(at_values, detail);
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
        other => out.invalid_name(
            at.member("operator"),
            other,
            "not a valid selector operator",
        ),
    }
    let key = text(requirement, "key");
    out.invalid_text(at.member("key"), key, &name::qualified(key, out.rules));
    if values {
        for (index, value) in texts(requirement, "values").enumerate() {
            let complaints = name::label_value(value, out.rules);
            out.invalid_text(at_values.index(index), value, &complaints);
        }
    }
}

/// `ValidateNodeFieldSelectorRequirement`: only the name of a node is supported.
fn check_field_requirement(requirement: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let at_values = at.member("values");
    match text(requirement, "operator") {
        "In" | "NotIn" => {
            if list(requirement, "values").len() != 1 {
                let detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
                out.required(at_values, detail);
            }
        }
        other => out.invalid_name(
            at.member("operator"),
            other,
            "not a valid selector operator",
        ),
    }
    let key = text(requirement, "key");
    if key == "metadata.name" {
        for (index, node) in texts(requirement, "values").enumerate() {
            let complaints = name::dns_subdomain(node);
            out.invalid_text(at_values.index(index), node, &complaints);
        }
    } else {
        out.invalid(at.member("key"), key, "not a valid field selector key");
    }
}

/// `validatePodAffinityTerm`. The server's path for `namespaces` lacks the final s.
fn check_pod_term(term: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let values = !out.ratcheting.selector_values;
    for member in ["labelSelector", "namespaceSelector"] {
        selector::check_requirements(&term[member], &at.member(member), values, out);
    }
    let at_namespaces = at.member("namespaces");
    for (index, namespace) in texts(term, "namespaces").enumerate() {
        let before = out.len();
        let complaints = name::dns_label(namespace);
        out.invalid_text(at.member("namespace"), namespace, &complaints);
        out.blame(before, at_namespaces.index(index));
    }
    spread::check_merged_keys(term, at, out);
    let key = text(term, "topologyKey");
    if key.is_empty() {
        out.required(at.member("topologyKey"), "can not be empty");
    }
    out.invalid_text(
        at.member("topologyKey"),
        key,
        &name::qualified(key, out.rules),
    );
}

/// Returns all terms of pod affinity and anti-affinity.
fn pod_terms(affinity: &Value) -> impl Iterator<Item = &Value> {
    ["podAffinity", "podAntiAffinity"]
        .into_iter()
        .flat_map(|member| {
            let required = list(&affinity[member], REQUIRED).iter();
            let preferred = list(&affinity[member], PREFERRED).iter();
            required.chain(preferred.map(|term| &term["podAffinityTerm"]))
        })
}

/// Reports whether a pod selector has a value that is not a label value.
pub(in crate::apiserver::validation) fn has_invalid_selector_value(
    affinity: &Value,
    rules: &Validation,
) -> bool {
    pod_terms(affinity).any(|term| {
        ["labelSelector", "namespaceSelector"]
            .iter()
            .any(|member| selector::has_invalid_value(&term[*member], rules))
    })
}

/// Reports whether required node affinity has a value that is not a label value.
pub(in crate::apiserver::validation) fn has_invalid_node_value(
    affinity: &Value,
    rules: &Validation,
) -> bool {
    let terms = list(&affinity["nodeAffinity"][REQUIRED], "nodeSelectorTerms").iter();
    terms
        .flat_map(|term| list(term, "matchExpressions"))
        .flat_map(|requirement| texts(requirement, "values"))
        .any(|value| !name::label_value(value, rules).is_empty())
}
