//! The set's own fields: `ValidateStatefulSetSpec`.

use serde_json::Value;

use super::depth::Depth;
use super::go::quoted;
use super::read::list;
use super::refusals::Refusals;
use super::{claim, name, pod, selector};
use crate::version::Validation;

/// `given` is the spec as it was sent.
pub(super) fn check(spec: &Value, given: &Value, depth: Depth, out: &mut Refusals<'_>) {
    let number = |member: &str| spec[member].as_i64().unwrap_or(0);
    check_management(&spec["podManagementPolicy"], out);
    check_strategy(&spec["updateStrategy"], depth, out);
    if out.rules.retention_policy_checked {
        check_retention(&spec["persistentVolumeClaimRetentionPolicy"], out);
    }
    if depth.claim_templates {
        claim::check_templates(list(spec, "volumeClaimTemplates"), out);
    }
    out.negative("spec.replicas", number("replicas"));
    if out.rules.min_ready_seconds_checked {
        out.negative("spec.minReadySeconds", number("minReadySeconds"));
    }
    if out.rules.ordinals_checked {
        let start = spec["ordinals"]["start"].as_i64().unwrap_or(0);
        out.negative("spec.ordinals.start", start);
    }
    if depth.service_name
        && let Some(service) = spec["serviceName"].as_str()
        && !service.is_empty()
    {
        let complaints = name::dns_label(service);
        out.invalid_text("spec.serviceName", service, &complaints);
    }
    selector::check(spec, given, depth, out);
    if selector::is_usable(&spec["selector"]) {
        pod::check_template(spec, &given["template"], depth.template, out);
    }
    let pod = &spec["template"]["spec"];
    let restart = pod["restartPolicy"].as_str().unwrap_or_default();
    if restart != "Always" {
        out.not_supported("spec.template.spec.restartPolicy", restart, &["Always"]);
    }
    if !pod["activeDeadlineSeconds"].is_null() {
        out.forbidden(
            "spec.template.spec.activeDeadlineSeconds",
            "activeDeadlineSeconds in StatefulSet is not Supported",
        );
    }
}

fn check_management(policy: &Value, out: &mut Refusals<'_>) {
    match policy.as_str().unwrap_or_default() {
        "" => out.required("spec.podManagementPolicy", ""),
        "OrderedReady" | "Parallel" => {}
        other => out.invalid(
            "spec.podManagementPolicy",
            other,
            "must be 'OrderedReady' or 'Parallel'",
        ),
    }
}

fn check_strategy(strategy: &Value, depth: Depth, out: &mut Refusals<'_>) {
    let path = "spec.updateStrategy";
    let rolling = &strategy["rollingUpdate"];
    let (block_json, block_go) = show_rolling(rolling, out.rules);
    match strategy["type"].as_str().unwrap_or_default() {
        "" => out.required(path, ""),
        name if name == "OnDelete" || (name == "Recreate" && depth.recreate) => {
            if !rolling.is_null() {
                out.invalid_object(
                    "spec.updateStrategy.rollingUpdate",
                    rolling,
                    &block_json,
                    &block_go,
                    "only allowed for updateStrategy 'RollingUpdate'",
                );
            }
        }
        "RollingUpdate" => {
            if !rolling.is_null() {
                check_rolling(rolling, out);
            }
        }
        other => {
            let name = quoted(other);
            let pointer = "(*apps.RollingUpdateStatefulSetStrategy)";
            // The server prints the memory address of a block, which cannot be predicted.
            let block = if rolling.is_null() {
                "(nil)"
            } else {
                "(0xc000000000)"
            };
            out.invalid_object(
                path,
                strategy,
                &format!("{{\"Type\":{name},\"RollingUpdate\":{block_json}}}"),
                &format!(
                    "apps.StatefulSetUpdateStrategy{{Type:{name}, RollingUpdate:{pointer}{block}}}"
                ),
                "must be 'RollingUpdate' or 'OnDelete'",
            );
        }
    }
}

/// Returns the block as the server shows it, as JSON and as a Go struct. It has the server's internal type, with
/// capitalized names and a plain number for the partition.
fn show_rolling(rolling: &Value, rules: &Validation) -> (String, String) {
    if rolling.is_null() {
        return ("null".to_owned(), "null".to_owned());
    }
    let partition = rolling["partition"].as_i64().unwrap_or(0);
    let most = &rolling["maxUnavailable"];
    let pointer = match (rules.max_unavailable_checked, most) {
        (false, _) => String::new(),
        (true, Value::Null) => ", MaxUnavailable:(*intstr.IntOrString)(nil)".to_owned(),
        (true, _) => ", MaxUnavailable:(*intstr.IntOrString)(0xc000000000)".to_owned(),
    };
    (
        format!("{{\"Partition\":{partition},\"MaxUnavailable\":{most}}}"),
        format!("apps.RollingUpdateStatefulSetStrategy{{Partition:{partition}{pointer}}}"),
    )
}

fn check_rolling(rolling: &Value, out: &mut Refusals<'_>) {
    let partition = rolling["partition"].as_i64().unwrap_or(0);
    out.negative("spec.updateStrategy.rollingUpdate.partition", partition);
    let most = &rolling["maxUnavailable"];
    if !out.rules.max_unavailable_checked || most.is_null() {
        return;
    }
    let path = "spec.updateStrategy.rollingUpdate.maxUnavailable";
    let go = go_int_or_string(most);
    let mut refuse = |detail: &str| {
        out.invalid_object(path, most, &most.to_string(), &go, detail);
    };
    match most {
        Value::String(text) => match name::percentage(text) {
            None => {
                refuse(&name::no_percentage());
                // A string that is not a percentage counts as its number, or as zero.
                if text.parse::<i64>().unwrap_or(0) == 0 {
                    refuse("cannot be 0");
                }
            }
            Some(0) => refuse("cannot be 0"),
            Some(101..) => refuse("must not be greater than 100%"),
            Some(_) => {}
        },
        number => {
            let number = number.as_i64().unwrap_or(0);
            if number == 0 {
                refuse("cannot be 0");
            }
            out.negative(path, number);
        }
    }
}

fn go_int_or_string(value: &Value) -> String {
    match value {
        Value::String(text) => format!(
            "intstr.IntOrString{{Type:1, IntVal:0, StrVal:{}}}",
            quoted(text)
        ),
        other => format!("intstr.IntOrString{{Type:0, IntVal:{other}, StrVal:\"\"}}"),
    }
}

fn check_retention(policy: &Value, out: &mut Refusals<'_>) {
    if policy.is_null() {
        return;
    }
    for member in ["whenDeleted", "whenScaled"] {
        let value = policy[member].as_str().unwrap_or_default();
        if !["Retain", "Delete"].contains(&value) {
            out.not_supported(
                format!("spec.persistentVolumeClaimRetentionPolicy.{member}"),
                value,
                &["Retain", "Delete"],
            );
        }
    }
}
