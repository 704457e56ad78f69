//! Findings on the plans of small worlds, a line each.

use serde_json::Value;
use sts_controller::apiserver::apply::{Edit, Effect, FieldChange, Request, change};
use sts_controller::simulate::{Assumption, Start};
use sts_plan::analysis::InputCheck;
use sts_plan::lint::{Scope, SetSummary, cross_set_findings};
use sts_plan::plan::Plan;
use sts_plan::report::Finding;

use crate::input::related;
use crate::plans::{Scenario, plan, plan_assuming};

pub trait Within {
    fn within(self, text: &str) -> Plan;
    fn changing(self, path: &str, old: Value, new: Value, effect: Effect) -> Plan;
}

impl Within for Plan {
    fn within(self, text: &str) -> Plan {
        let related = related(text);
        Plan { related, ..self }
    }

    /// The plan of a change.
    fn changing(self, path: &str, old: Value, new: Value, effect: Effect) -> Plan {
        let some = |value: Value| (!value.is_null()).then_some(value);
        let change = FieldChange {
            path: path.to_owned(),
            old: some(old),
            new: some(new),
            effect,
        };
        Plan {
            change: vec![change],
            ..self
        }
    }
}

/// The plan of setting a field, which the server may refuse.
pub fn setting(scenario: &Scenario, path: &str, value: Value) -> Plan {
    setting_in(scenario, path, value, "1.36")
}

pub fn setting_in(scenario: &Scenario, path: &str, value: Value, version: &str) -> Plan {
    let plan = plan(scenario, version);
    let request = Request {
        manifest: None,
        edits: vec![Edit::Set {
            path: path.parse().unwrap(),
            value,
        }],
    };
    let stored = plan.snapshot.set.object.open();
    let outcome = change(Some(&stored), &request, &plan.conditions.behaviour);
    let outcome = outcome.unwrap();
    if outcome.refused.is_empty() {
        return Plan {
            change: outcome.changes,
            dropped: outcome.dropped,
            ..plan
        };
    }
    let (snapshot, conditions) = (plan.snapshot, plan.conditions);
    Plan::rejected(snapshot, conditions, outcome.changes, outcome.refused)
}

/// Returns the findings of the rules in a single plan.
pub fn findings(plan: &Plan) -> Vec<Finding> {
    sts_plan::lint::findings(plan, &InputCheck::of(plan), Scope::default())
}

/// All findings of the first plan, including those that come from the others: `STS001 error statefulset/web: ...`.
pub fn lines(plans: &[&Plan]) -> Vec<String> {
    let briefs: Vec<SetSummary> = plans.iter().map(|plan| SetSummary::of(plan)).collect();
    let mut all = findings(plans[0]);
    all.extend(cross_set_findings(&briefs).swap_remove(0));
    all.iter()
        .map(|found| {
            let known = found.id.rule().severities;
            assert!(known.contains(&found.severity), "{found:?}");
            format!(
                "{} {} {}: {}",
                found.id,
                found.severity.name(),
                found.object,
                found.message
            )
        })
        .collect()
}

/// The plan of any scenario in which that pod never becomes ready.
pub fn never_ready(pod: &str, scenario: &Scenario, version: &str) -> Plan {
    let never = Assumption {
        start: Start::NeverReady,
        ..Assumption::default()
    };
    plan_assuming(&[(pod, never)], Vec::new(), scenario, version)
}
