//! The state of a set in two words, since when, and why.

use jiff::Timestamp;

use crate::output::document::difference_in_short;
use crate::output::overview::{circles, next};
use crate::output::style::{Tone, escape};
use crate::output::words::{count, elapsed, place};
use sts_plan::analysis::Verdict;
use sts_plan::duration::age;
use sts_plan::lint::RuleId;
use sts_plan::report::{Finding, PodFate, Report, Severity};

/// The state of a set, the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::output) enum State {
    /// It does not get where it should.
    Stuck,
    /// It goes round in circles.
    Livelock,
    /// The API server refuses the change.
    Rejected,
    /// The input contradicts itself.
    Incomplete,
    /// Claims go with what they hold.
    LosesData,
    /// The controller waits for something that is expected to happen.
    Waiting,
    /// The controller has something to do.
    Moving,
    /// Outdated pods wait to be deleted by hand.
    YourTurn,
    /// It is where it should be.
    Idle,
}

impl State {
    /// All of them, as they are counted.
    pub(in crate::output) const ALL: [State; 9] = [
        State::Stuck,
        State::Livelock,
        State::Rejected,
        State::Incomplete,
        State::LosesData,
        State::Waiting,
        State::Moving,
        State::YourTurn,
        State::Idle,
    ];

    /// Returns the state of a report's set.
    pub(in crate::output) fn of(report: &Report) -> State {
        match report.analysis.verdict {
            Verdict::Stuck => State::Stuck,
            Verdict::Livelock => State::Livelock,
            Verdict::Rejected => State::Rejected,
            Verdict::IncompleteInput => State::Incomplete,
            _ if data_loss(report).is_some() => State::LosesData,
            Verdict::Waiting => State::Waiting,
            Verdict::Progressing => State::Moving,
            Verdict::WaitingForUser => State::YourTurn,
            Verdict::NothingToDo => State::Idle,
        }
    }

    /// Its words.
    pub(in crate::output) fn words(self) -> &'static str {
        match self {
            State::Stuck => "stuck",
            State::Livelock => "livelock",
            State::Rejected => "rejected",
            State::Incomplete => "incomplete",
            State::LosesData => "loses data",
            State::Waiting => "waiting",
            State::Moving => "moving",
            State::YourTurn => "your turn",
            State::Idle => "idle",
        }
    }

    /// Returns the number of sets in this state, in words: `3 stuck`, `1 loses data`, `2 wait for you`.
    pub(in crate::output) fn counted(self, number: usize) -> String {
        let words = match self {
            State::LosesData if number != 1 => "lose data",
            State::YourTurn if number == 1 => "waits for you",
            State::YourTurn => "wait for you",
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
            State::Waiting | State::Moving | State::YourTurn => Tone::Busy,
            State::Idle => Tone::Plain,
        }
    }
}

/// The finding that claims go with what they hold.
fn data_loss(report: &Report) -> Option<&Finding> {
    let mut findings = report.findings.iter();
    findings.find(|it| it.id == RuleId::DataLoss && it.severity != Severity::Info)
}

/// Since when it is so: `38m`; `in 5s` for what is still to come, `1m21s left` for what has an end.
pub(in crate::output) fn age_of(report: &Report) -> String {
    let now = report.now.parse::<Timestamp>();
    now.map_or("-".to_owned(), |now| age_at(report, now))
}

/// The same as of a moment since the plan was made.
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
        (State::LosesData | State::Waiting | State::Moving, left @ 1..) => {
            format!("{} left", elapsed(left))
        }
        _ => "-".to_owned(),
    }
}

/// Returns the cause of the state, in one clause.
pub(in crate::output) fn cause_of(report: &Report) -> String {
    let state = State::of(report);
    let first = report.outcome.blocked_by.first();
    let text = match state {
        State::Stuck | State::Rejected => match (&report.analysis.cause, first) {
            (Some(cause), _) => cause.message.clone(),
            (None, Some(obstacle)) => obstacle.message.clone(),
            (None, None) => report.outcome.result.to_string(),
        },
        State::Livelock => return circles(report),
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
        State::Moving => return with_difference(next(report), report),
        State::YourTurn => {
            let pods = report.set.pods.iter();
            let outdated = pods.filter(|pod| pod.fate == PodFate::OnDelete).count();
            let text = format!("delete {}", count(outdated, "outdated pod"));
            return with_difference(text, report);
        }
        State::Idle => return "-".to_owned(),
    };
    let at = match (state, first.and_then(|obstacle| obstacle.source.as_ref())) {
        (State::Rejected, Some(source)) => format!(" ({})", place(source)),
        _ => String::new(),
    };
    escape(&(text + &at)).into_owned()
}

/// A cause with the field that differs behind it, where that is short.
fn with_difference(text: String, report: &Report) -> String {
    match difference_in_short(report) {
        Some(differs) => format!("{text}: {differs}"),
        None => text,
    }
}
