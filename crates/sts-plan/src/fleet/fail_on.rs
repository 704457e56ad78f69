//! Conditions that fail a run: docs/contract.md, "Exit codes".

use std::fmt;
use std::str::FromStr;

use crate::lint;
use crate::lint::{RuleId, Severity};

/// One word of `--fail-on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailOn {
    /// The rollout is blocked or in a livelock, or completes only if an assumption holds that the evidence speaks
    /// against.
    Blocked,
    /// The input cannot tell: it lacks objects, or contradicts itself.
    Unknown,
    /// The API server would refuse the change.
    Rejected,
    /// A finding of at least this severity.
    Severity(Severity),
    /// A finding of this rule.
    Rule(RuleId),
    /// Claims with data are deleted: STS003, at warning or above.
    DataLoss,
    /// No pod is ready for some time: STS023.
    Downtime,
    /// More pods are down than a PodDisruptionBudget allows: STS015 and STS016.
    Pdb,
    /// Less than a majority of the pods is ready for some time: STS042; STS023 if none is.
    Quorum,
}

/// Words that are not rule ids.
const WORDS: [(&str, FailOn); 10] = [
    ("blocked", FailOn::Blocked),
    ("unknown", FailOn::Unknown),
    ("rejected", FailOn::Rejected),
    ("data-loss", FailOn::DataLoss),
    ("downtime", FailOn::Downtime),
    ("pdb", FailOn::Pdb),
    ("quorum", FailOn::Quorum),
    ("error", FailOn::Severity(Severity::Error)),
    ("warning", FailOn::Severity(Severity::Warning)),
    ("info", FailOn::Severity(Severity::Info)),
];

/// Returns all values of `--fail-on`: the words and the rule ids, each with its meaning if the word does not say it.
pub fn fail_on_words() -> impl Iterator<Item = (&'static str, &'static str)> {
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
                "unknown gate {text:?}: use {}; or {}",
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
