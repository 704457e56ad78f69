//! The state of a set in words, with its age and cause.

use jiff::Timestamp;

use crate::output::document::difference_in_short;
use crate::output::overview::{livelock, next};
use crate::output::style::{Tone, escape};
use crate::output::words::{count, elapsed, place, spaced};
use sts_plan::duration::age;
use sts_plan::fleet::FleetGroup;
use sts_plan::plan::provided;
use sts_plan::report::{PodFate, Report, SetState};

/// Returns the words for a state.
pub(in crate::output) fn words(state: SetState) -> &'static str {
    match state {
        SetState::Stuck => "stuck",
        SetState::Livelock => "livelock",
        SetState::Rejected => "rejected",
        SetState::Incomplete => "incomplete",
        SetState::LosesData => "loses data",
        SetState::Waiting => "waiting",
        SetState::Progressing => "progressing",
        SetState::WaitingForYou => "waiting for you",
        SetState::UpToDate => "up to date",
    }
}

/// Returns the number of sets in a state, in words: `3 stuck`, `1 loses data`, `2 up to date`.
pub(in crate::output) fn counted(state: SetState, number: usize) -> String {
    let words = match state {
        SetState::LosesData if number != 1 => "lose data",
        other => words(other),
    };
    format!("{} {words}", spaced(number))
}

/// Returns the tone of a state.
pub(in crate::output) fn tone(state: SetState) -> Tone {
    match state {
        SetState::Stuck
        | SetState::Livelock
        | SetState::Rejected
        | SetState::Incomplete
        | SetState::LosesData => Tone::Bad,
        SetState::Waiting | SetState::Progressing | SetState::WaitingForYou => Tone::Busy,
        SetState::UpToDate => Tone::Plain,
    }
}

/// Returns the age of the state: `38m`; `in 5s` for a future state, `ETA 1m21s` for one that ends.
pub(in crate::output) fn age_of(report: &Report) -> String {
    let now = report.now.parse::<Timestamp>();
    now.map_or("-".to_owned(), |now| age_at(report, now))
}

/// Returns the age of the state of a group. `first` is one of its sets.
pub(in crate::output) fn age_of_group(group: &FleetGroup, first: &Report) -> String {
    let moment = |text: &str| text.parse::<Timestamp>();
    match (group.since.as_deref().map(moment), moment(&first.now)) {
        (Some(Ok(since)), Ok(now)) => age(now.duration_since(since)),
        _ => age_of(first),
    }
}

/// Returns the age of the state at a later time than that of the plan.
pub(in crate::output) fn age_at(report: &Report, now: Timestamp) -> String {
    let since = report
        .analysis
        .since
        .as_deref()
        .map(str::parse::<Timestamp>);
    if let Some(Ok(since)) = since {
        return age(now.duration_since(since));
    }
    let made = report.now.parse::<Timestamp>().unwrap_or(now);
    let left = report.outcome.at - now.duration_since(made).as_secs().max(0);
    match (report.state, left) {
        (SetState::Stuck | SetState::Livelock, left @ 1..) => format!("in {}", elapsed(left)),
        (SetState::LosesData | SetState::Waiting | SetState::Progressing, left @ 1..) => {
            format!("ETA {}", elapsed(left))
        }
        _ => "-".to_owned(),
    }
}

/// States the conditions on which completion rests; empty without any.
fn rests_on(report: &Report) -> String {
    provided("; completes", &report.outcome.rests_on)
}

/// Describes the cause of the state.
pub(in crate::output) fn cause_of(report: &Report) -> String {
    let state = report.state;
    let first = report.outcome.blocked_by.first();
    let text = match state {
        SetState::Stuck | SetState::Rejected => match (&report.analysis.cause, first) {
            (Some(cause), _) => cause.message.clone(),
            (None, Some(obstacle)) => obstacle.message.clone(),
            (None, None) => report.outcome.result.to_string(),
        },
        SetState::Livelock => return livelock(report),
        SetState::Incomplete => report.input.missing.first().cloned().unwrap_or_default(),
        SetState::LosesData => report
            .data_loss()
            .map_or(String::new(), |it| it.message.clone()),
        SetState::Waiting => {
            let mut holds = report.next.holds.iter();
            let hold = holds.find(|hold| hold.ends_by_itself == Some(true));
            match hold.or(report.next.holds.first()) {
                Some(hold) => hold.message.clone() + &rests_on(report),
                None => return next(report) + &rests_on(report),
            }
        }
        SetState::Progressing => {
            return with_difference(next(report) + &rests_on(report), report);
        }
        SetState::WaitingForYou => {
            let pods = report.set.pods.iter();
            let outdated = pods.filter(|pod| pod.fate == PodFate::OnDelete).count();
            let text = format!("delete {}", count(outdated, "outdated pod"));
            return with_difference(text, report);
        }
        SetState::UpToDate => return "-".to_owned(),
    };
    let at = match (state, first.and_then(|obstacle| obstacle.source.as_ref())) {
        (SetState::Rejected, Some(source)) => format!(" ({})", place(source)),
        _ => String::new(),
    };
    escape(&(text + &at)).into_owned()
}

/// Appends the field that differs to a cause, if it is short.
fn with_difference(text: String, report: &Report) -> String {
    match difference_in_short(report) {
        Some(differs) => format!("{text}: {differs}"),
        None => text,
    }
}
