//! Answers of a report to questions, in the order of reading.

use super::Report;
use crate::answer::{Answer, Check, CheckResult, Subject, asked};
use crate::options::OptionsAnswer;

impl Report {
    /// Returns the subject of the answers.
    #[must_use]
    pub fn subject(&self) -> Subject<'_> {
        Subject {
            set: &self.metadata.name,
            has_claims: !self.set.claim_templates.is_empty(),
        }
    }

    /// Returns the answers to the questions that were asked.
    #[must_use]
    pub fn answers(&self) -> Vec<Box<dyn Answer + '_>> {
        let options = self.options.as_deref().map(|options| OptionsAnswer {
            options,
            history: self.history.as_deref(),
        });
        let stages = Some(&*self.stages).filter(|all| !all.is_empty());
        let requirements = Some(&*self.requirements).filter(|all| !all.is_empty());
        let all = [
            asked(self.nodes.as_deref()),
            asked(self.upgrade.as_deref()),
            asked(stages),
            asked(requirements),
            asked(self.exploration.as_deref()),
            asked(self.branches.as_ref()),
            asked(self.partitions.as_ref()),
            asked(options),
        ];
        all.into_iter().flatten().collect()
    }

    /// Returns the first answer that fails a run as a blocked plan does, in a sentence.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        let answers = self.answers();
        let mut failures = answers.iter().filter_map(|answer| answer.failure());
        failures.next().map(str::to_owned)
    }

    /// Returns the expectations of the answers.
    #[must_use]
    pub fn checks(&self) -> Vec<Check> {
        let answers = self.answers();
        answers.iter().flat_map(|answer| answer.checks()).collect()
    }

    /// Returns the violated expectations.
    pub fn broken_checks(&self) -> impl Iterator<Item = Check> {
        let checks = self.checks().into_iter();
        checks.filter(|check| check.result == CheckResult::Broken)
    }
}
