//! The state and the `Plan:` sentence, including violated checks and data loss.

use super::{Report, RuleId, SetState, Severity};

impl Report {
    /// Reports whether the plan loses data and the finding is not suppressed.
    #[must_use]
    pub fn loses_data(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.any(|it| it.id == RuleId::DataLoss && it.severity == Severity::Error)
    }

    /// Updates the state and the summary from the current answers and findings.
    pub(super) fn conclude(&mut self) {
        let broken = self.broken_checks();
        let mut alarms: String = broken.map(|it| format!("; {}", it.alarm)).collect();
        if self.loses_data() {
            alarms.push_str("; LOSES DATA");
        }
        self.summary = format!("{}{alarms}", self.course);
        self.closing = format!("{}{alarms}", self.closing_course);
        self.state = SetState::of(self);
    }
}
