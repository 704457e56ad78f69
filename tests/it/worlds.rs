//! The engine's made-up worlds, with what a plan of one takes for granted.

#[path = "../../crates/sts-controller/tests/it/worlds.rs"]
#[allow(dead_code, reason = "the engine's tests use all of it")]
mod engine;

use sts_plan::plan::{Conditions, VersionSource};

pub use engine::*;

/// What a plan of that scenario is made under.
pub fn conditions(scenario: &Scenario) -> Conditions {
    let kubelet = scenario.kubelet();
    Conditions {
        now: now(),
        behaviour: scenario.behaviour(),
        gates: scenario.gates().1,
        version_source: VersionSource::Flag,
        ready_after: Some(kubelet.ready_after),
        gone_after: Some(kubelet.gone_after),
        related: std::sync::Arc::default(),
        manifest: None,
        input: sts_plan::plan::InputKind::Complete,
        as_recorded: false,
        outage: std::sync::Arc::default(),
        assumptions: kubelet.assumptions,
    }
}
