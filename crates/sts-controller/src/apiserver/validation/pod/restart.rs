//! Restart policies of containers: `validateContainerRestartPolicy`.

use serde_json::Value;

use crate::apiserver::schema::Path;
use crate::apiserver::validation::read::{list, text};
use crate::apiserver::validation::refusals::Refusals;

pub(super) fn check(container: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    const MAX_RULES: usize = 20;
    const MAX_CODES: usize = 255;
    let rules = list(container, "restartPolicyRules");
    match container["restartPolicy"].as_str() {
        None => {
            if rules.is_empty() {
                return;
            }
            let detail = "must specify restartPolicy when restart rules are used";
            out.required(at.member("restartPolicy"), detail);
        }
        Some("Always" | "Never" | "OnFailure") => {}
        Some(other) => out.not_supported(
            at.member("restartPolicy"),
            other,
            &["Always", "Never", "OnFailure"],
        ),
    }
    let at = at.member("restartPolicyRules");
    check_count(rules.len(), MAX_RULES, &at, out);
    let actions: &[&str] = if out.rules.pod.restart_all_containers {
        &["Restart", "RestartAllContainers"]
    } else {
        &["Restart"]
    };
    for (at, rule) in at.items(rules) {
        let action = text(rule, "action");
        if !actions.contains(&action) {
            out.not_supported(at.member("action"), action, actions);
        }
        let codes = &rule["exitCodes"];
        let at = at.member("exitCodes");
        if codes.is_null() {
            out.required(at, "must be specified");
            continue;
        }
        let operator = text(codes, "operator");
        if !["In", "NotIn"].contains(&operator) {
            out.not_supported(at.member("operator"), operator, &["In", "NotIn"]);
        }
        let count = list(codes, "values").len();
        check_count(count, MAX_CODES, &at.member("values"), out);
    }
}

fn check_count(count: usize, most: usize, at: &Path<'_>, out: &mut Refusals<'_>) {
    if count <= most {
        return;
    }
    if out.rules.pod.restart_rules_counted {
        out.too_many(at, count, most);
    } else {
        out.too_long(at, most);
    }
}
