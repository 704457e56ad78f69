//! The estimated duration of a plan.

use crate::duration::{approximate_range, range, span};
use crate::plan::{Eta, GoneSource, ReadySource};

/// Formats the range with its sources: `about 8-40 min: ready 22s-1m10s seen, gone 5s-5m grace`. A rollout in progress
/// adds its pace: `about 25-35 min: 12 of 30, 1m40s a pod; ready 1m5s-1m30s seen, gone 20s-30s seen`.
#[must_use]
pub fn eta(eta: &Eta) -> String {
    let ready = match eta.ready_from {
        ReadySource::Rollout | ReadySource::Seen => "seen".to_owned(),
        ReadySource::Given => "given".to_owned(),
        ReadySource::Assumed => "assumed".to_owned(),
    };
    let gone = match eta.gone_from {
        GoneSource::Rollout => "seen".to_owned(),
        GoneSource::Given => "given".to_owned(),
        GoneSource::Grace => "grace".to_owned(),
    };
    let pace = eta.pace.map_or_else(String::new, |pace| {
        let (done, of) = (pace.done, pace.of);
        format!("{done} of {of}, {} a pod; ", span(pace.each))
    });
    format!(
        "{}: {pace}ready {} {ready}, gone {} {gone}",
        approximate_range(eta.total.shortest, eta.total.longest),
        range(eta.ready.shortest, eta.ready.longest),
        range(eta.gone.shortest, eta.gone.longest),
    )
}
