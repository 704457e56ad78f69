//! Metrics of a plan for monitoring.

use jiff::Timestamp;

use super::Report;
use crate::analysis::Verdict;
use crate::plan::PlanResult;

impl Report {
    /// Returns how many seconds the set has been stuck; `None` if it is not stuck or the start is unknown.
    #[must_use]
    pub fn stuck_seconds(&self) -> Option<i64> {
        if self.analysis.verdict != Verdict::Stuck {
            return None;
        }
        let since: Timestamp = self.analysis.since.as_deref()?.parse().ok()?;
        let now: Timestamp = self.now.parse().ok()?;
        // Clock skew must not produce a negative age.
        Some(now.as_second().saturating_sub(since.as_second()).max(0))
    }

    /// Returns the number of the set's pods that are not on the update revision of the next sync; `None` if no
    /// sync is predicted.
    #[must_use]
    pub fn outdated_pods(&self) -> Option<usize> {
        let wanted = self.next.status.update_revision();
        let pods = self.set.pods.iter();
        let outdated = pods.filter(|pod| pod.owned && *pod.revision != *wanted);
        self.is_predicted().then(|| outdated.count())
    }

    /// Returns the predicted seconds until the plan completes; `None` if it does not complete or nothing is
    /// predicted.
    #[must_use]
    pub fn eta_seconds(&self) -> Option<i64> {
        let completes = self.outcome.result == PlanResult::Complete;
        (completes && self.is_predicted()).then_some(self.outcome.at)
    }

    /// Reports whether the plan predicts a course: false if the change is rejected or the input is
    /// inconsistent.
    pub(super) fn is_predicted(&self) -> bool {
        !matches!(
            self.analysis.verdict,
            Verdict::Rejected | Verdict::IncompleteInput
        )
    }
}
