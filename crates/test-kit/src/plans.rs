//! Complete plans of the engine's small and generated worlds.

use jiff::SignedDuration;
use sts_controller::simulate::{Action, Assumption};
use sts_plan::plan::{Conditions, Plan};

use crate::worlds;

pub use crate::scenario::*;

/// The complete plan for one version: new pods are ready after 10s, deleted ones gone after 5s.
pub fn plan(scenario: &Scenario, version: &str) -> Plan {
    plan_after(Vec::new(), scenario, version)
}

/// The complete plan after user actions.
pub fn plan_after(actions: Vec<Action>, scenario: &Scenario, version: &str) -> Plan {
    plan_assuming(&[], actions, scenario, version)
}

/// The complete plan after user actions, with assumptions as with `--assume`. New pods are ready after 10s, except
/// input pods that are in trouble.
pub fn plan_assuming(
    assumed: &[(&str, Assumption)],
    actions: Vec<Action>,
    scenario: &Scenario,
    version: &str,
) -> Plan {
    let (words, gates) = versions(version);
    let (behaviour, gates) = rules_and_gates(words[0], &gates);
    let usual = Conditions::new(behaviour.version, moment());
    let conditions = Conditions {
        behaviour,
        gates,
        ready_after: Some(SignedDuration::from_secs(10)),
        gone_after: Some(SignedDuration::from_secs(5)),
        assumptions: assumed
            .iter()
            .map(|(pod, assumption)| ((*pod).to_owned(), assumption.clone()))
            .collect(),
        ..usual
    };
    let plan = Plan::with_actions(
        actions,
        scenario.snapshot(&conditions.behaviour),
        conditions,
    );
    let taken = plan
        .last
        .writes
        .iter()
        .find(|write| write.refused.is_none());
    assert!(taken.is_none(), "at rest, yet it writes {taken:?}");
    plan
}

/// The steps of a plan that touch pods or claims, one per line: `5 create web-2, update data-web-2`.
pub fn steps(plan: &Plan) -> Vec<String> {
    step_lines(&plan.progression.steps, plan.conditions.now)
}

/// The conditions for a plan of a generated world.
pub fn conditions(scenario: &worlds::Scenario) -> Conditions {
    let kubelet = scenario.kubelet();
    Conditions {
        behaviour: scenario.behaviour(),
        gates: scenario.gates().1,
        ready_after: Some(kubelet.ready_after),
        gone_after: Some(kubelet.gone_after),
        assumptions: kubelet.assumptions,
        ..Conditions::new(scenario.behaviour().version, worlds::now())
    }
}
