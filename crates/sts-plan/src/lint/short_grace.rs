//! STS041: the preStop hook uses up the grace period.

use serde_json::Value;

use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity};
use crate::plan::Plan;

pub(super) const RULE: Rule = Rule {
    id: RuleId::ShortGrace,
    name: "short-grace-period",
    title: "the preStop hook sleeps for the whole grace period",
    why: "terminationGracePeriodSeconds starts with the deletion and includes the preStop hook. If the hook uses all of it, \
          the container is killed two seconds later, without time to shut down.",
    severities: &[Severity::Info],
    happens: None,
    remedy: "Set terminationGracePeriodSeconds to the duration of the hook plus that of the shutdown.",
    links: &["https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination"],
    check: Check::Plan(check),
};

/// The default grace period in seconds.
const USUAL_GRACE: i64 = 30;

fn check(plan: &Plan) -> Vec<Found> {
    let tally = plan.tally();
    if !plan.completes() || tally.replaced + tally.created == 0 {
        return Vec::new();
    }
    let spec = &plan.snapshot.set.template["spec"];
    let grace = spec["terminationGracePeriodSeconds"].as_i64();
    let grace = grace.unwrap_or(USUAL_GRACE);
    let containers = spec["containers"].as_array().into_iter().flatten();
    containers
        .filter_map(|container| {
            let slept = sleep(&container["lifecycle"]["preStop"]).filter(|slept| *slept >= grace)?;
            let name = container["name"].as_str().unwrap_or_default();
            let message = format!(
                "the preStop hook of container {name} sleeps {slept}s, but terminationGracePeriodSeconds is {grace}: the \
                 container is killed before it can shut down"
            );
            Some(Found::on_set(Severity::Info, plan, message))
        })
        .collect()
}

/// Returns the minimum number of seconds that a hook sleeps, if known.
fn sleep(hook: &Value) -> Option<i64> {
    if let Some(seconds) = hook["sleep"]["seconds"].as_i64() {
        return Some(seconds);
    }
    let words = hook["exec"]["command"].as_array()?;
    let text: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    let text = text.join(" ");
    let mut words = text
        .split(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | ')'))
        .filter(|word| !word.is_empty());
    let mut total: Option<i64> = None;
    while let Some(word) = words.next() {
        if word != "sleep" && !word.ends_with("/sleep") {
            continue;
        }
        let seconds = words
            .next()
            .and_then(|word| word.trim_end_matches('s').parse::<i64>().ok());
        if let Some(seconds) = seconds {
            total = Some(total.unwrap_or(0).saturating_add(seconds));
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::sleep;
    use serde_json::json;

    #[test]
    fn sleep_of_a_hook_is_parsed() {
        for (hook, slept) in [
            (json!({"sleep": {"seconds": 40}}), Some(40)),
            (json!({"exec": {"command": ["sleep", "60"]}}), Some(60)),
            (
                json!({"exec": {"command": ["sh", "-c", "drain; /bin/sleep 15s && sleep 30"]}}),
                Some(45),
            ),
            (json!({"exec": {"command": ["drain"]}}), None),
            (json!({"exec": {"command": ["sleep", "$TIME"]}}), None),
            (json!(null), None),
        ] {
            assert_eq!(sleep(&hook), slept, "{hook}");
        }
    }
}
