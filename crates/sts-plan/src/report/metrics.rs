//! The numbers of a plan that a monitoring system follows.

use jiff::Timestamp;

use super::Report;
use crate::analysis::Verdict;
use crate::plan::PlanResult;

impl Report {
    /// Returns for how many seconds the set is stuck; `None` where it is not, or where no object says since when.
    #[must_use]
    pub fn stuck_seconds(&self) -> Option<i64> {
        if self.analysis.verdict != Verdict::Stuck {
            return None;
        }
        let since: Timestamp = self.analysis.since.as_deref()?.parse().ok()?;
        let now: Timestamp = self.now.parse().ok()?;
        // A clock that is behind that of the cluster makes no age negative.
        Some(now.as_second().saturating_sub(since.as_second()).max(0))
    }

    /// Returns the number of the set's pods that are of another revision than the next sync finds to be the template's;
    /// `None` where no sync is predicted.
    #[must_use]
    pub fn outdated_pods(&self) -> Option<usize> {
        let wanted = self.next.status.update_revision();
        let pods = self.set.pods.iter();
        let outdated = pods.filter(|pod| pod.owned && *pod.revision != *wanted);
        self.is_predicted().then(|| outdated.count())
    }

    /// Returns the predicted seconds until the plan is complete; `None` where it does not complete, or nothing is
    /// predicted.
    #[must_use]
    pub fn eta_seconds(&self) -> Option<i64> {
        let completes = self.outcome.result == PlanResult::Complete;
        (completes && self.is_predicted()).then_some(self.outcome.at)
    }

    /// Reports whether the plan says what happens to the set as it is: not where the change is refused, or where the input
    /// contradicts itself.
    pub(super) fn is_predicted(&self) -> bool {
        !matches!(
            self.analysis.verdict,
            Verdict::Rejected | Verdict::IncompleteInput
        )
    }
}
