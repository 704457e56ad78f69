//! The conditions that a run fails on: docs/contract.md, "Exit codes".

use std::fmt;
use std::str::FromStr;

use sts_plan::lint;
use sts_plan::lint::{RuleId, Severity};

/// One word of `--fail-on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailOn {
    /// A set never gets where it should be.
    Blocked,
    /// The API server would refuse the change.
    Rejected,
    /// A finding of this severity or above.
    Severity(Severity),
    /// A finding of the rule with this id.
    Rule(RuleId),
    /// Claims go with what they hold: STS003, at warning or above.
    DataLoss,
    /// For some time no pod is ready: STS023.
    Downtime,
    /// More pods are down than a PodDisruptionBudget allows: STS015 and STS016.
    Pdb,
    /// Less than a majority of the pods is ready for some time: STS042, and STS023 where none is.
    Quorum,
}

/// The words that are no ids.
const WORDS: [(&str, FailOn); 9] = [
    ("blocked", FailOn::Blocked),
    ("rejected", FailOn::Rejected),
    ("data-loss", FailOn::DataLoss),
    ("downtime", FailOn::Downtime),
    ("pdb", FailOn::Pdb),
    ("quorum", FailOn::Quorum),
    ("error", FailOn::Severity(Severity::Error)),
    ("warning", FailOn::Severity(Severity::Warning)),
    ("info", FailOn::Severity(Severity::Info)),
];

/// All that there is to fail on, each with what it means where that is not the word itself: the words, and the ids
/// of rules.
pub fn words() -> impl Iterator<Item = (&'static str, &'static str)> {
    let ids = lint::RULES.iter().map(|rule| (rule.id.name(), rule.title));
    WORDS.iter().map(|(word, _)| (*word, "")).chain(ids)
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let word = WORDS.iter().find(|(word, _)| *word == text);
        if let Some((_, found)) = word {
            return Ok(*found);
        }
        let rules = lint::rules_by_name(text).into_iter();
        let rule = rules.map(|rule| FailOn::Rule(rule.id)).next();
        rule.ok_or_else(|| {
            let words: Vec<&str> = WORDS.iter().map(|(word, _)| *word).collect();
            format!(
                "there is no gate {text:?}: expected {}; or {}",
                words.join(", "),
                lint::known_ids().trim_start_matches("expected "),
            )
        })
    }
}

impl fmt::Display for FailOn {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let FailOn::Rule(id) = self {
            return id.fmt(out);
        }
        let word = WORDS.iter().find(|(_, word)| word == self);
        out.write_str(word.map_or("", |(word, _)| word))
    }
}
