//! The time that a plan may take, in words.

use crate::duration::{approximate_range, range};
use crate::plan::{Eta, ReadySource};

/// The range with what it comes from: `about 8-40 min: ready 22s-1m10s seen, gone 5s-5m grace`.
#[must_use]
pub fn eta(eta: &Eta) -> String {
    let seen = match eta.ready_from {
        ReadySource::Seen => "seen",
        ReadySource::Given => "given",
        ReadySource::Assumed => "assumed",
    };
    format!(
        "{}: ready {} {seen}, gone {} grace",
        approximate_range(eta.total.shortest, eta.total.longest),
        range(eta.ready.shortest, eta.ready.longest),
        range(eta.gone.shortest, eta.gone.longest),
    )
}
