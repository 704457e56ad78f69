//! The engine's made-up worlds, with what a plan of one takes for granted.

#[path = "../../crates/sts-controller/tests/it/worlds.rs"]
#[allow(dead_code, reason = "the engine's tests use all of it")]
mod engine;

use sts_plan::plan::Conditions;

pub use engine::*;

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
