//! The legend of lanes: the meanings of fills and shapes.

use std::collections::BTreeSet;

use crate::output::style::escape;
use crate::output::words::{middle_cut, short_revision};
use sts_plan::report::timeline::State;
use sts_plan::report::{PodPeriod, Report};

/// The symbol of a legend entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::output) enum Symbol {
    /// The place of a revision.
    Revision(usize),
    State(State),
}

#[derive(Debug)]
pub(in crate::output) struct Entry {
    pub(in crate::output) symbol: Symbol,
    pub(in crate::output) text: String,
}

/// Returns the entries of the revisions and states in use. `width` is the maximum width of a revision.
pub(in crate::output) fn legend<'p>(
    set: &str,
    revisions: &[String],
    periods: impl Iterator<Item = &'p PodPeriod> + Clone,
    has_min_ready: bool,
    width: usize,
) -> Vec<Entry> {
    let used: BTreeSet<&str> = periods.clone().map(|it| it.revision.as_str()).collect();
    let places = revisions.iter().enumerate();
    let places = places.filter(|(_, revision)| used.contains(revision.as_str()));
    let fills = places.map(|(place, revision)| {
        let hash = match short_revision(revision, set) {
            "" => "no revision".to_owned(),
            hash => middle_cut(&escape(hash), width),
        };
        let role = if place == 0 { " (update)" } else { "" };
        Entry {
            symbol: Symbol::Revision(place),
            text: format!("{hash}{role}"),
        }
    });
    let states: BTreeSet<State> = periods.map(|it| it.state).collect();
    let shapes = states.into_iter().map(|state| Entry {
        symbol: Symbol::State(state),
        text: state_name(state, has_min_ready).to_owned(),
    });
    fills.chain(shapes).collect()
}

/// Names a pod's state in a report.
pub(in crate::output) fn state_of(report: &Report, state: State) -> &'static str {
    state_name(state, report.set.min_ready_seconds > 0)
}

/// Names a pod's state. With `minReadySeconds`, ready and available differ.
pub(in crate::output) fn state_name(state: State, has_min_ready: bool) -> &'static str {
    match state {
        State::Available if !has_min_ready => "ready",
        State::Available => "available",
        State::Ready => "ready, not yet available",
        State::Unready => "not ready",
        State::Failed => "failed",
        State::Terminating => "terminating",
    }
}
