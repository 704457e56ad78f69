//! Claim of a full volume that is being grown, and whose resize fails.

use std::sync::Arc;

use crate::catalogue::{CauseTrait, Recognized};
use crate::grow::resize_failure;
use crate::plan::Plan;
use sts_controller::object::Pod;

/// Maximum number of bytes of the words of the storage, which stand at the end of a resizer's message.
const LONGEST_END: usize = 180;

/// A claim whose resize fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StuckClaim {
    /// Name of the claim.
    pub claim: Arc<str>,
    /// The words of the storage, or of the claim's status.
    pub trouble: String,
}

impl StuckClaim {
    /// Finds the first one of a pod whose process lacks space.
    pub(super) fn of(plan: &Plan, pod: &Pod, recognized: Option<&Recognized>) -> Option<Self> {
        recognized.filter(|found| found.entry.has(CauseTrait::LacksSpace))?;
        let claims = pod.claims().filter_map(|it| plan.snapshot.claims.get(it));
        let mut stuck = claims.filter_map(|claim| {
            let message = resize_failure(claim, &plan.related)?;
            Some(StuckClaim {
                claim: Arc::clone(&claim.meta.name),
                trouble: end(&message).to_owned(),
            })
        });
        stuck.next()
    }
}

/// Returns the end of a message, from the first part of it that is short enough.
fn end(message: &str) -> &str {
    let starts = message
        .match_indices(": ")
        .map(|(at, mark)| at + mark.len());
    let mut ends = std::iter::once(0)
        .chain(starts)
        .map(|at| message[at..].trim().trim_end_matches('.'));
    let found = ends.find(|end| end.len() <= LONGEST_END && !end.is_empty());
    found.unwrap_or_default()
}
