//! Descriptions of steps.

use super::style::escape;
use sts_plan::report::{Actor, Report, ReportStep, Resource};

pub(super) fn actor(step: &ReportStep) -> &'static str {
    match step.actor {
        Actor::GarbageCollector => "garbage collector",
        Actor::Eviction => "eviction API",
        Actor::NodeLifecycle => "node lifecycle",
        Actor::ApiServer => "API server",
        Actor::User => "you",
        Actor::Controller | Actor::Kubelet | Actor::Clock => step.actor.name(),
    }
}

/// Reports whether a step is a sync that writes nothing but the status.
pub(super) fn is_status_alone(step: &ReportStep) -> bool {
    let mut writes = step.writes.iter().flatten().peekable();
    step.event.is_none()
        && writes.peek().is_some()
        && writes.all(|write| write.resource == Resource::Status)
}

/// Describes a step in an escaped line.
pub(super) fn step(report: &Report, step: &ReportStep) -> String {
    escape(&step.words(&report.metadata.name)).into_owned()
}
