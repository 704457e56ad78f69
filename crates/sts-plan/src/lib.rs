//! What can be said of a StatefulSet's rollout: the plan, why it waits, what could be done, what to know besides.

pub mod analysis;
pub mod cause;
pub mod contrast;
pub mod diff;
pub mod duration;
pub mod explain;
pub mod findings;
pub mod lint;
mod name;
pub mod plan;
pub mod redact;
pub mod remedy;
pub mod report;
pub mod requirement;
pub mod what_if;
