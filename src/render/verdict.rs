//! How a plan ends, in a word, for formats that say it first.

use super::overview::{Standing, standing};
use super::words::elapsed;
use crate::report::Report;

/// How a plan ends.
pub(super) struct Verdict {
    /// In a word or three.
    pub(super) word: &'static str,
    /// When, or by whom.
    pub(super) when: String,
}

/// How a plan ends.
pub(super) fn verdict(report: &Report) -> Verdict {
    let at = report.outcome.at;
    let after = match at {
        0 => "now".to_owned(),
        _ => format!("after {}", elapsed(at)),
    };
    let (word, when) = match (report.outcome.result, standing(report)) {
        ("complete", Standing::Done) => ("nothing to do", String::new()),
        ("complete", _) => ("completes", after),
        ("rejected", _) => ("rejected", "by the API server".to_owned()),
        ("livelock", _) => ("never comes to rest", String::new()),
        _ => ("blocked", after),
    };
    Verdict { word, when }
}

impl Verdict {
    /// The whole as a sentence begins: `Blocked after 27s`.
    pub(super) fn capitalised(&self) -> String {
        let text = self.text();
        let mut characters = text.chars();
        characters.next().map_or_else(String::new, |first| {
            first.to_uppercase().collect::<String>() + characters.as_str()
        })
    }

    /// The whole: `blocked after 27s`.
    pub(super) fn text(&self) -> String {
        format!("{} {}", self.word, self.when).trim_end().to_owned()
    }
}
