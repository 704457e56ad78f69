//! The state and the `Plan:` sentence, including failed requirements, counterexamples and data loss.

use super::{ExplorationVerdict, Report, RuleId, SetState, Severity};

impl Report {
    /// Reports whether the plan loses data and the finding is not suppressed.
    #[must_use]
    pub fn loses_data(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.any(|it| it.id == RuleId::DataLoss && it.severity == Severity::Error)
    }

    /// Updates the state and the summary from the current requirements, exploration and findings.
    pub(super) fn conclude(&mut self) {
        let broken = self.requirements.iter().filter(|it| !it.holds);
        let broken: String = broken.map(|it| format!("; BREAKS {}", it.text)).collect();
        let mut alarms = broken;
        let explored = self.exploration.as_ref();
        if explored.is_some_and(|explored| explored.verdict == ExplorationVerdict::Broken) {
            alarms.push_str("; COUNTEREXAMPLE FOUND");
        }
        if self.loses_data() {
            alarms.push_str("; LOSES DATA");
        }
        self.summary = format!("{}{alarms}", self.course);
        self.closing = format!("{}{alarms}", self.closing_course);
        self.state = SetState::of(self);
    }
}
