//! State of a set by urgency: the verdict, with data loss ahead of progress.

use super::{Finding, Report, RuleId, Severity};
use crate::analysis::Verdict;

/// State of a set, the most urgent first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter, strum::IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum SetState {
    /// The rollout cannot complete.
    Stuck,
    /// The rollout never settles.
    Livelock,
    /// The API server rejects the change.
    Rejected,
    /// The input contradicts itself.
    Incomplete,
    /// Claims are deleted with their data.
    LosesData,
    /// The controller waits for an event that is expected.
    Waiting,
    /// The controller has work to do.
    Progressing,
    /// Outdated pods wait for a manual delete.
    WaitingForYou,
    /// There is nothing to do.
    UpToDate,
}

serialized!(by_name: SetState);

impl SetState {
    /// Returns the state by the verdict and the findings of a report.
    #[must_use]
    pub(super) fn of(report: &Report) -> SetState {
        match report.analysis.verdict {
            Verdict::Stuck => SetState::Stuck,
            Verdict::Livelock => SetState::Livelock,
            Verdict::Rejected => SetState::Rejected,
            Verdict::IncompleteInput => SetState::Incomplete,
            _ if report.data_loss().is_some() => SetState::LosesData,
            Verdict::Waiting => SetState::Waiting,
            Verdict::Progressing => SetState::Progressing,
            Verdict::WaitingForUser => SetState::WaitingForYou,
            Verdict::NothingToDo => SetState::UpToDate,
        }
    }
}

impl Report {
    /// Returns the finding that claims are deleted with their data; `None` if it is only information.
    #[must_use]
    pub fn data_loss(&self) -> Option<&Finding> {
        let mut findings = self.findings.iter();
        findings.find(|it| it.id == RuleId::DataLoss && it.severity != Severity::Info)
    }
}
