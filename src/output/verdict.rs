//! The outcome of a plan in a few words.

use super::answers;
use super::overview::has_work;
use super::style::Tone;
use super::words::{capitalized, elapsed};
use sts_plan::plan::provided;
use sts_plan::report::{PlanResult, PodFate, Report};

pub(super) struct Verdict {
    /// `blocked after 27s`.
    pub(super) text: String,
    pub(super) tone: Tone,
}

/// Returns the outcome of a plan.
pub(super) fn verdict(report: &Report) -> Verdict {
    let after = match report.outcome.at {
        0 => "now".to_owned(),
        at => format!("after {}", elapsed(at)),
    };
    let is_broken = !answers::broken(report).is_empty();
    let but = match (is_broken, report.loses_data()) {
        (true, true) => ", but violates a requirement and loses data",
        (true, false) => ", but violates a requirement",
        (false, true) => ", but loses data",
        (false, false) => "",
    };
    let (text, tone) = match (report.outcome.result, has_work(report)) {
        (PlanResult::Complete, false) if waits_for_user(report) => {
            (format!("WAITING FOR YOU{but}"), Tone::Busy)
        }
        (PlanResult::Complete, false) => (format!("nothing to do{but}"), Tone::Good),
        (PlanResult::Complete, true) if waits_for_user(report) => {
            (format!("WAITING FOR YOU {after}{but}"), Tone::Busy)
        }
        (PlanResult::Complete, true) => {
            let condition = provided("", &report.outcome.rests_on);
            (format!("completes {after}{condition}{but}"), Tone::Strong)
        }
        (PlanResult::Rejected, _) => ("rejected by the API server".to_owned(), Tone::Bad),
        (PlanResult::Livelock, _) => ("never settles".to_owned(), Tone::Bad),
        (PlanResult::Blocked, _) => (format!("blocked {after}"), Tone::Bad),
    };
    let tone = if but.is_empty() { tone } else { Tone::Bad };
    Verdict { text, tone }
}

/// Reports whether outdated pods wait for a manual delete at the end.
pub(super) fn waits_for_user(report: &Report) -> bool {
    let mut pods = report.set.pods.iter();
    pods.any(|pod| pod.fate == PodFate::OnDelete)
}

impl Verdict {
    /// `Blocked after 27s`.
    pub(super) fn capitalized(&self) -> String {
        capitalized(&self.text)
    }
}
