//! How a plan ends, in a word, for formats that say it first.

use super::overview::{Standing, standing};
use super::style::Tone;
use super::words::elapsed;
use sts_plan::report::{PlanResult, Report};

/// How a plan ends.
pub(super) struct Verdict {
    /// In a word or three.
    pub(super) word: &'static str,
    /// When, or by whom.
    pub(super) when: String,
    /// How much of a worry it is.
    pub(super) tone: Tone,
}

/// How a plan ends.
pub(super) fn verdict(report: &Report) -> Verdict {
    let at = report.outcome.at;
    let after = match at {
        0 => "now".to_owned(),
        _ => format!("after {}", elapsed(at)),
    };
    let (word, when, tone) = match (report.outcome.result, standing(report)) {
        (PlanResult::Complete, Standing::Done) => ("nothing to do", String::new(), Tone::Good),
        (PlanResult::Complete, _) => ("completes", after, Tone::Strong),
        (PlanResult::Rejected, _) => ("rejected", "by the API server".to_owned(), Tone::Bad),
        (PlanResult::Livelock, _) => ("never comes to rest", String::new(), Tone::Bad),
        (PlanResult::Blocked, _) => ("blocked", after, Tone::Bad),
    };
    Verdict { word, when, tone }
}

/// What happens next in a sentence that does not begin with the verdict, which stands before it.
pub(super) fn headline(report: &Report) -> String {
    let summary = report.next.summary.as_str();
    let bare = ["BLOCKED: ", "REJECTED: "]
        .iter()
        .find_map(|word| summary.strip_prefix(word));
    bare.map_or_else(|| summary.to_owned(), capitalised)
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + characters.as_str()
    })
}

impl Verdict {
    /// The whole as a sentence begins: `Blocked after 27s`.
    pub(super) fn capitalised(&self) -> String {
        capitalised(&self.text())
    }

    /// The whole: `blocked after 27s`.
    pub(super) fn text(&self) -> String {
        format!("{} {}", self.word, self.when).trim_end().to_owned()
    }
}
