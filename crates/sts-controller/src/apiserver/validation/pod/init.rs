//! Init containers: `validateInitContainers`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::context::PodContext;
use super::{container, handler, port, restart};
use crate::apiserver::schema::Path;
use crate::apiserver::validation::read::{each, list, text};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::rule::{Check, Rule, check as check_rules, rule};

const ENDS: Check =
    Check::Forbidden("may not be set for init containers without restartPolicy=Always");

/// Fields that only a sidecar may have: an init container that keeps running next to the containers.
static SIDECAR_FIELDS: [Rule; 4] = [
    rule("lifecycle", ENDS),
    rule("livenessProbe", ENDS),
    rule("readinessProbe", ENDS),
    rule("startupProbe", ENDS),
];

pub(super) fn check_all(pod: &PodContext<'_>, at: &Path<'_>, out: &mut Refusals<'_>) {
    let at = at.member("initContainers");
    let others = list(pod.spec, "containers").iter();
    let mut names: BTreeSet<&str> = others.map(|container| text(container, "name")).collect();
    for (index, init) in list(pod.spec, "initContainers").iter().enumerate() {
        let at_one = at.index(index);
        let given = &pod.given["initContainers"][index];
        container::check(init, given, pod, &at_one, out);
        check_restart_policy(init, &at_one, out);
        let name = text(init, "name");
        if names.contains(name) {
            out.duplicate(at_one.member("name"), name);
        } else if !name.is_empty() {
            names.insert(name);
        }
        port::check_conflicts(std::slice::from_ref(init), &at, out);
        let sidecar = text(init, "restartPolicy") == "Always";
        if sidecar {
            handler::check_all(init, pod, &at_one, out);
        } else {
            check_rules(init, &at_one, &SIDECAR_FIELDS, out);
            check_resizing(init, &at_one, out);
        }
    }
}

/// `validateInitContainerRestartPolicy`.
fn check_restart_policy(init: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let rules = list(init, "restartPolicyRules");
    let Some(policy) = init["restartPolicy"].as_str() else {
        if !rules.is_empty() {
            let detail = "must specify restartPolicy when restart rules are used";
            out.required(at.member("restartPolicy"), detail);
        }
        return;
    };
    if !out.rules.pod.container_restart_policies {
        if policy != "Always" {
            out.not_supported(at.member("restartPolicy"), policy, &["Always"]);
        }
    } else if policy != "Always" || out.rules.pod.restart_all_containers {
        restart::check(init, at, out);
    } else if !rules.is_empty() {
        let detail =
            "restartPolicyRules are not allowed for init containers with restart policy Always";
        out.forbidden(at.member("restartPolicyRules"), detail);
    }
}

fn check_resizing(init: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    if !out.rules.pod.init_resize_policies || out.ratcheting.init_resize_policies {
        return;
    }
    for (at, policy) in each(init, "resizePolicy", at) {
        let restart = text(policy, "restartPolicy");
        if restart == "RestartContainer" {
            let detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
            out.invalid_name(at.member("restartPolicy"), restart, detail);
        }
    }
}
