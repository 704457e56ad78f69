//! Topology spread constraints, and label keys, which pod affinity has as well.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::apiserver::schema::Path;
use crate::apiserver::validation::read::{entries, is_given, list, number, text, texts};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::rule::{Check, Rule, check as check_rules, rule};
use crate::apiserver::validation::{name, selector};

const HONOR: Check = Check::OneOf(&["Honor", "Ignore"]);

static POLICIES: [Rule; 2] = [
    rule("nodeAffinityPolicy", HONOR),
    rule("nodeTaintsPolicy", HONOR),
];

/// `validateTopologySpreadConstraints`.
pub(super) fn check_all(spec: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let at = at.member("topologySpreadConstraints");
    let constraints = list(spec, "topologySpreadConstraints");
    for (index, constraint) in constraints.iter().enumerate() {
        let at = at.index(index);
        check_numbers(
            constraint,
            constraints.get(index + 1..).unwrap_or(&[]),
            &at,
            out,
        );
        check_rules(constraint, &at, &POLICIES, out);
        check_keys(constraint, &at, out);
        if out.rules.pod.spread_selectors && !out.ratcheting.spread_selectors {
            let labels = &constraint["labelSelector"];
            selector::check_requirements(labels, &at.member("labelSelector"), true, out);
        }
    }
}

fn check_numbers(constraint: &Value, later: &[Value], at: &Path<'_>, out: &mut Refusals<'_>) {
    let skew = number(constraint, "maxSkew");
    if skew <= 0 {
        out.invalid(at.member("maxSkew"), skew, "must be greater than zero");
    }
    let (key, action) = (
        text(constraint, "topologyKey"),
        text(constraint, "whenUnsatisfiable"),
    );
    if key.is_empty() {
        out.required(at.member("topologyKey"), "can not be empty");
    }
    if !["DoNotSchedule", "ScheduleAnyway"].contains(&action) {
        out.not_supported(
            at.member("whenUnsatisfiable"),
            action,
            &["DoNotSchedule", "ScheduleAnyway"],
        );
    }
    let repeated = later.iter().any(|other| {
        text(other, "topologyKey") == key && text(other, "whenUnsatisfiable") == action
    });
    if repeated {
        let before = out.len();
        out.duplicate(
            at.member("{topologyKey, whenUnsatisfiable}"),
            format!("{{{key}, {action}}}"),
        );
        out.blame(before, at);
    }
    if let Some(domains) = constraint["minDomains"].as_i64() {
        let at = at.member("minDomains");
        if domains <= 0 {
            out.invalid(at, domains, "must be greater than zero");
        }
        if action != "DoNotSchedule" {
            let detail =
                format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}");
            out.invalid(at, domains, &detail);
        }
    }
}

fn check_keys(constraint: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    if out.rules.pod.spread_keys_merged && !out.ratcheting.spread_keys {
        check_merged_keys(constraint, at, out);
    } else {
        check_own_keys(constraint, &at.member("matchLabelKeys"), out);
    }
}

/// `ValidateMatchLabelKeysInTopologySpread`: keys that are not part of the selector.
fn check_own_keys(constraint: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    if list(constraint, "matchLabelKeys").is_empty() {
        return;
    }
    let labels = &constraint["labelSelector"];
    if labels.is_null() {
        out.forbidden(at, "must not be specified when labelSelector is not set");
    }
    let selected: BTreeSet<&str> = entries(labels, "matchLabels")
        .map(|(key, _)| key)
        .chain(
            list(labels, "matchExpressions")
                .iter()
                .map(|e| text(e, "key")),
        )
        .collect();
    for (index, key) in texts(constraint, "matchLabelKeys").enumerate() {
        let at = at.index(index);
        out.invalid_text(at, key, &name::qualified(key, out.rules));
        if selected.contains(key) {
            out.invalid(at, key, "exists in both matchLabelKeys and labelSelector");
        }
    }
}

/// `ValidateMatchLabelKeysAndMismatchLabelKeys`: keys that were merged into the selector, once each.
pub(in crate::apiserver::validation) fn check_merged_keys(
    owner: &Value,
    at: &Path<'_>,
    out: &mut Refusals<'_>,
) {
    let labels = &owner["labelSelector"];
    for member in ["matchLabelKeys", "mismatchLabelKeys"] {
        let at = at.member(member);
        if !is_given(owner, member) || list(owner, member).is_empty() {
            continue;
        }
        if labels.is_null() {
            out.forbidden(at, "must not be specified when labelSelector is not set");
            continue;
        }
        for (index, key) in texts(owner, member).enumerate() {
            out.invalid_text(at.index(index), key, &name::qualified(key, out.rules));
        }
    }
    let keys: Vec<&str> = texts(owner, "matchLabelKeys").collect();
    let mut selected: BTreeSet<&str> = entries(labels, "matchLabels").map(|(key, _)| key).collect();
    for expression in list(labels, "matchExpressions") {
        let key = text(expression, "key");
        // If a key repeats, the last one counts, and the server attributes its index to the whole constraint.
        if let Some(index) = keys.iter().rposition(|other| *other == key)
            && selected.contains(key)
        {
            let before = out.len();
            let detail = "exists in both matchLabelKeys and labelSelector";
            out.invalid(at.index(index), key, detail);
            out.blame(before, at.member("matchLabelKeys").index(index));
        }
        selected.insert(key);
    }
    let others: BTreeSet<&str> = texts(owner, "mismatchLabelKeys").collect();
    for (at, key) in at.member("matchLabelKeys").items(&keys) {
        if others.contains(key) {
            let detail = "exists in both matchLabelKeys and mismatchLabelKeys";
            out.invalid(at, *key, detail);
        }
    }
}
