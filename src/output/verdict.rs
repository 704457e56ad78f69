//! The outcome of a plan in a word, for formats that say it first.

use super::answers;
use super::overview::{Progress, progress};
use super::style::Tone;
use super::words::{capitalised, elapsed};
use sts_plan::report::{PlanResult, Report};

/// The outcome of a plan.
pub(super) struct Verdict {
    /// In a word or three.
    pub(super) word: &'static str,
    /// When, or by whom.
    pub(super) when: String,
    /// The urgency, as a tone.
    pub(super) tone: Tone,
}

/// Returns the outcome of a plan.
pub(super) fn verdict(report: &Report) -> Verdict {
    let at = report.outcome.at;
    let after = match at {
        0 => "now".to_owned(),
        _ => format!("after {}", elapsed(at)),
    };
    let broken = !answers::broken(report).is_empty();
    let lost = report.loses_data();
    let is_bad = broken || lost;
    let but = match (broken, lost) {
        (true, true) => ", but breaks what is required and loses data",
        (true, false) => ", but breaks what is required",
        (false, true) => ", but loses data",
        (false, false) => "",
    };
    let but = but.to_owned();
    let (word, when, tone) = match (report.outcome.result, progress(report)) {
        (PlanResult::Complete, Progress::Done) if !is_bad => {
            ("nothing to do", String::new(), Tone::Good)
        }
        (PlanResult::Complete, Progress::Done) => ("nothing to do", but, Tone::Bad),
        (PlanResult::Complete, _) if !is_bad => ("completes", after, Tone::Strong),
        (PlanResult::Complete, _) => ("completes", format!("{after}{but}"), Tone::Bad),
        (PlanResult::Rejected, _) => ("rejected", "by the API server".to_owned(), Tone::Bad),
        (PlanResult::Livelock, _) => ("never comes to rest", String::new(), Tone::Bad),
        (PlanResult::Blocked, _) => ("blocked", after, Tone::Bad),
    };
    Verdict { word, when, tone }
}

impl Verdict {
    /// The whole as a sentence begins: `Blocked after 27s`.
    pub(super) fn capitalised(&self) -> String {
        capitalised(&self.text())
    }

    /// The whole: `blocked after 27s`.
    pub(super) fn text(&self) -> String {
        let space = match self.when.starts_with(',') {
            true => "",
            false => " ",
        };
        format!("{}{space}{}", self.word, self.when)
            .trim_end()
            .to_owned()
    }
}
