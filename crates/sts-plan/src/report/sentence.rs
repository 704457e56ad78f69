//! The `Plan:` sentence with what is wrong besides the end: broken requirements, a counterexample, lost data.

use super::{ExplorationVerdict, Report, RuleId, Severity};

impl Report {
    /// Reports whether data is lost on the way, and nobody has ignored that.
    #[must_use]
    pub fn loses_data(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.any(|it| it.id == RuleId::DataLoss && it.severity == Severity::Error)
    }

    /// Sets the sentence by the requirements, the exploration and the findings that the report has now.
    pub(super) fn conclude(&mut self) {
        let broken = self.requirements.iter().filter(|it| !it.holds);
        let broken: String = broken.map(|it| format!("; BREAKS {}", it.text)).collect();
        let mut summary = format!("{}{broken}", self.course);
        let explored = self.exploration.as_ref();
        if explored.is_some_and(|explored| explored.verdict == ExplorationVerdict::Broken) {
            summary.push_str("; GOES WRONG IN SOME ORDER");
        }
        if self.loses_data() {
            summary.push_str("; LOSES DATA");
        }
        self.summary = summary;
    }
}
