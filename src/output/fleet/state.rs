//! The state of a set, with its age and cause.

use jiff::Timestamp;
use strum::VariantArray;

use crate::output::document::difference_in_short;
use crate::output::overview::{livelock, next};
use crate::output::style::{Tone, escape};
use crate::output::words::{count, elapsed, place};
use sts_plan::analysis::Verdict;
use sts_plan::duration::age;
use sts_plan::lint::RuleId;
use sts_plan::report::{Finding, PodFate, Report, Severity};

/// The state of a set, the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, VariantArray)]
pub(in crate::output) enum State {
    /// The rollout cannot complete.
    Stuck,
    /// The rollout never settles.
    Livelock,
    /// The API server rejects the change.
    Rejected,
    /// The input contradicts itself.
    Incomplete,
    /// Claims are deleted with their data.
    LosesData,
    /// The controller waits for an event that is expected.
    Waiting,
    /// The controller has work to do.
    Progressing,
    /// Outdated pods wait for a manual delete.
    WaitingForUser,
    /// There is nothing to do.
    UpToDate,
}

impl State {
    /// All states, in the order of urgency.
    pub(in crate::output) const ALL: &[State] = State::VARIANTS;

    /// Returns the state of a report's set.
    pub(in crate::output) fn of(report: &Report) -> State {
        match report.analysis.verdict {
            Verdict::Stuck => State::Stuck,
            Verdict::Livelock => State::Livelock,
            Verdict::Rejected => State::Rejected,
            Verdict::IncompleteInput => State::Incomplete,
            _ if data_loss(report).is_some() => State::LosesData,
            Verdict::Waiting => State::Waiting,
            Verdict::Progressing => State::Progressing,
            Verdict::WaitingForUser => State::WaitingForUser,
            Verdict::NothingToDo => State::UpToDate,
        }
    }

    pub(in crate::output) fn words(self) -> &'static str {
        match self {
            State::Stuck => "stuck",
            State::Livelock => "livelock",
            State::Rejected => "rejected",
            State::Incomplete => "incomplete",
            State::LosesData => "loses data",
            State::Waiting => "waiting",
            State::Progressing => "progressing",
            State::WaitingForUser => "waiting for you",
            State::UpToDate => "up to date",
        }
    }

    /// Returns the number of sets in this state, in words: `3 stuck`, `1 loses data`, `2 up to date`.
    pub(in crate::output) fn counted(self, number: usize) -> String {
        let words = match self {
            State::LosesData if number != 1 => "lose data",
            other => other.words(),
        };
        format!("{} {words}", crate::output::words::spaced(number))
    }

    pub(in crate::output) fn tone(self) -> Tone {
        match self {
            State::Stuck
            | State::Livelock
            | State::Rejected
            | State::Incomplete
            | State::LosesData => Tone::Bad,
            State::Waiting | State::Progressing | State::WaitingForUser => Tone::Busy,
            State::UpToDate => Tone::Plain,
        }
    }
}

/// The finding that claims are deleted with their data.
fn data_loss(report: &Report) -> Option<&Finding> {
    let mut findings = report.findings.iter();
    findings.find(|it| it.id == RuleId::DataLoss && it.severity != Severity::Info)
}

/// Returns the age of the state: `38m`; `in 5s` for a future state, `ETA 1m21s` for one that ends.
pub(in crate::output) fn age_of(report: &Report) -> String {
    let now = report.now.parse::<Timestamp>();
    now.map_or("-".to_owned(), |now| age_at(report, now))
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
    match (State::of(report), left) {
        (State::Stuck | State::Livelock, left @ 1..) => format!("in {}", elapsed(left)),
        (State::LosesData | State::Waiting | State::Progressing, left @ 1..) => {
            format!("ETA {}", elapsed(left))
        }
        _ => "-".to_owned(),
    }
}

/// Describes the cause of the state.
pub(in crate::output) fn cause_of(report: &Report) -> String {
    let state = State::of(report);
    let first = report.outcome.blocked_by.first();
    let text = match state {
        State::Stuck | State::Rejected => match (&report.analysis.cause, first) {
            (Some(cause), _) => cause.message.clone(),
            (None, Some(obstacle)) => obstacle.message.clone(),
            (None, None) => report.outcome.result.to_string(),
        },
        State::Livelock => return livelock(report),
        State::Incomplete => report.input.missing.first().cloned().unwrap_or_default(),
        State::LosesData => data_loss(report).map_or(String::new(), |it| it.message.clone()),
        State::Waiting => {
            let mut holds = report.next.holds.iter();
            let hold = holds.find(|hold| hold.ends_by_itself == Some(true));
            match hold.or(report.next.holds.first()) {
                Some(hold) => hold.message.clone(),
                None => return next(report),
            }
        }
        State::Progressing => return with_difference(next(report), report),
        State::WaitingForUser => {
            let pods = report.set.pods.iter();
            let outdated = pods.filter(|pod| pod.fate == PodFate::OnDelete).count();
            let text = format!("delete {}", count(outdated, "outdated pod"));
            return with_difference(text, report);
        }
        State::UpToDate => return "-".to_owned(),
    };
    let at = match (state, first.and_then(|obstacle| obstacle.source.as_ref())) {
        (State::Rejected, Some(source)) => format!(" ({})", place(source)),
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
