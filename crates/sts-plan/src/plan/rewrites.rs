//! Templates that change again and again, by the times of the revisions.

use jiff::{SignedDuration, Timestamp};

use crate::members::revisions_of;
use sts_controller::object::Snapshot;

/// Maximum time between two changes that belong together.
const LONGEST_GAP: SignedDuration = SignedDuration::from_mins(10);
/// Minimum number of revisions that no person makes in a row.
const LEAST: usize = 5;
/// Minimum number beside pods that are replaced again and again.
const LEAST_OF_LOOP: usize = 3;
/// Multiple of the time between two changes after which the last one was the last.
const STILL_TURNS: i32 = 3;
/// Minimum of that time.
const LEAST_STILL: SignedDuration = SignedDuration::from_mins(2);

/// Changes of a template, one shortly after the other, up to now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rewrites {
    /// Number of revisions, of which the history limit keeps the newest.
    pub count: usize,
    /// Time from the first of them to the last.
    pub lasts: SignedDuration,
    /// Mean time between two of them.
    pub every: SignedDuration,
    /// Time of the last one.
    pub last: Timestamp,
}

/// Returns the latest changes of the template that follow each other shortly, if there are at least this many and they go
/// on.
fn latest(snapshot: &Snapshot, now: Timestamp, least: usize) -> Option<Rewrites> {
    let mut times: Vec<Timestamp> = revisions_of(snapshot)
        .filter_map(|revision| revision.meta.created)
        .collect();
    times.sort();
    let last = *times.last()?;
    let gaps = times.windows(2).rev();
    let close = gaps.take_while(|pair| pair[1].duration_since(pair[0]) <= LONGEST_GAP);
    let count = close.count() + 1;
    let lasts = last.duration_since(*times.get(times.len() - count)?);
    let every = lasts / i32::try_from(count - 1).ok().filter(|gaps| *gaps > 0)?;
    let still = every.saturating_mul(STILL_TURNS).max(LEAST_STILL);
    (count >= least && now.duration_since(last) <= still).then_some(Rewrites {
        count,
        lasts,
        every,
        last,
    })
}

impl Rewrites {
    /// Returns the changes of a template that something makes again and again.
    pub(crate) fn of(snapshot: &Snapshot, now: Timestamp) -> Option<Self> {
        latest(snapshot, now, LEAST)
    }

    /// Returns those of a set whose controller replaces pods again and again, which needs less evidence.
    pub(crate) fn of_loop(snapshot: &Snapshot, now: Timestamp) -> Option<Self> {
        latest(snapshot, now, LEAST_OF_LOOP)
    }
}
