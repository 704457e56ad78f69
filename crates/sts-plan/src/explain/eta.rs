//! The time that a plan may take, in words.

use crate::duration::{approximate_range, range, span};
use crate::plan::{Eta, ReadySource};

/// The range with what it comes from: `about 8-40 min: ready 22s-1m10s seen, gone 5s-5m grace`, and of a rollout that is
/// under way `about 25-35 min: 12 of 30, 1m40s a pod; ready 1m5s-1m30s seen, gone 20s-30s seen`.
#[must_use]
pub fn eta(eta: &Eta) -> String {
    let seen = match eta.ready_from {
        ReadySource::Rollout | ReadySource::Seen => "seen",
        ReadySource::Given => "given",
        ReadySource::Assumed => "assumed",
    };
    let pace = eta.pace.map_or_else(String::new, |pace| {
        let (done, of) = (pace.done, pace.of);
        format!("{done} of {of}, {} a pod; ", span(pace.each))
    });
    let grace = if eta.gone_is_seen { "seen" } else { "grace" };
    format!(
        "{}: {pace}ready {} {seen}, gone {} {grace}",
        approximate_range(eta.total.shortest, eta.total.longest),
        range(eta.ready.shortest, eta.ready.longest),
        range(eta.gone.shortest, eta.gone.longest),
    )
}
