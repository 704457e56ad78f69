//! Answers of a report to questions, in the order of reading.

use super::Report;
use crate::answer::{Answer, Check, CheckResult, Subject};
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
        let requirements = Some(&*self.requirements).filter(|all| !all.is_empty());
        let all = [
            answer(requirements),
            answer(self.exploration.as_deref()),
            answer(self.branches.as_ref()),
            answer(self.partitions.as_ref()),
            answer(options),
        ];
        all.into_iter().flatten().collect()
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

fn answer<'r>(found: Option<impl Answer + 'r>) -> Option<Box<dyn Answer + 'r>> {
    found.map(|found| Box::new(found) as Box<dyn Answer + 'r>)
}
