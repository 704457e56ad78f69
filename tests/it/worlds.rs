//! The engine's generated worlds, with the assumptions of their plans.

use sts_plan::plan::Conditions;

pub use test_kit::worlds::*;

/// Returns the conditions for a plan of that scenario.
pub fn conditions(scenario: &Scenario) -> Conditions {
    let kubelet = scenario.kubelet();
    Conditions {
        behaviour: scenario.behaviour(),
        gates: scenario.gates().1,
        ready_after: Some(kubelet.ready_after),
        gone_after: Some(kubelet.gone_after),
        assumptions: kubelet.assumptions,
        ..Conditions::new(scenario.behaviour().version, now())
    }
}
