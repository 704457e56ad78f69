//! The lanes of a set's pods, which comments, screens and pictures draw: predicted by a plan, preceded by the observations
//! of a watch.

mod columns;
mod legend;
mod rows;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use super::words::cut;
pub(super) use columns::{Columns, mark_interval, overlay};
pub(super) use legend::{Entry, Symbol, legend, state_name, state_of};
pub(super) use rows::Row;
use sts_plan::report::timeline::{State, Timeline, Wait, unavailable};
use sts_plan::report::{HoldReason, PlanResult, PodPeriod, Report, ReportHold};
pub(super) use text::{character, picture};

/// The lanes of a set, with their time axis.
#[derive(Debug, Clone, Default)]
pub(super) struct Lanes {
    /// By ordinal, then name; the other way round if `is_descending`.
    pub(super) pods: Vec<PodLane>,
    /// Seconds from the start to the end.
    pub(super) end: i64,
    /// The revisions, the update revision first.
    pub(super) revisions: Vec<String>,
    /// True if the pod that changes first is the last by ordinal; `None` if at most one pod changes.
    pub(super) goes_down: Option<bool>,
    is_descending: bool,
}

#[derive(Debug, Clone)]
pub(super) struct PodLane {
    pub(super) pod: String,
    /// True if the spec wants the pod.
    pub(super) wanted: bool,
    /// In chronological order; no period covers the time without the pod.
    pub(super) periods: Vec<PodPeriod>,
}

impl Lanes {
    /// Returns the lanes that a plan predicts, the pod that changes first at the top.
    pub(super) fn of(report: &Report) -> Self {
        let lanes = Self::predicted(report, 0);
        let goes_down = lanes.goes_down;
        lanes.top_down(goes_down)
    }

    /// Returns the lanes that a plan predicts, by ordinal, with a delay of all steps in seconds.
    pub(super) fn predicted(report: &Report, delay: i64) -> Self {
        let timeline = Timeline::new(report);
        let pods = timeline.lanes.iter().map(|lane| PodLane {
            pod: lane.pod.clone(),
            wanted: lane.wanted,
            periods: lane.periods(delay),
        });
        let lanes = Lanes {
            pods: pods.collect(),
            end: timeline.end + delay,
            revisions: vec![report.set.update_revision.clone()],
            goes_down: timeline.goes_down(),
            is_descending: false,
        };
        lanes.with_revisions()
    }

    /// Puts observations of the given number of seconds in front, including those of deleted pods.
    pub(super) fn after(
        mut self,
        observed: &BTreeMap<String, Vec<PodPeriod>>,
        seconds: i64,
    ) -> Self {
        self.end += seconds;
        let planned: BTreeSet<&str> = self.pods.iter().map(|lane| lane.pod.as_str()).collect();
        let gone = observed
            .keys()
            .filter(|pod| !planned.contains(pod.as_str()));
        let gone: Vec<PodLane> = gone
            .map(|pod| PodLane {
                pod: pod.clone(),
                wanted: false,
                periods: Vec::new(),
            })
            .collect();
        self.pods.extend(gone);
        self.pods
            .sort_by(|a, b| (ordinal(&a.pod), &a.pod).cmp(&(ordinal(&b.pod), &b.pod)));
        for lane in &mut self.pods {
            let observed = observed.get(&lane.pod).into_iter().flatten();
            let observed = observed.filter(|it| it.from < seconds).map(|it| PodPeriod {
                to: Some(it.to.unwrap_or(seconds).min(seconds)),
                ..it.clone()
            });
            let mut periods: Vec<PodPeriod> = observed.collect();
            for mut period in std::mem::take(&mut lane.periods) {
                period.from += seconds;
                period.to = period.to.map(|to| to + seconds);
                match periods.last_mut() {
                    Some(last) if last.continues_in(&period) => last.to = period.to,
                    _ => periods.push(period),
                }
            }
            lane.periods = periods;
        }
        self.with_revisions()
    }

    /// Reverses the lanes if the rollout goes down.
    pub(super) fn top_down(mut self, goes_down: Option<bool>) -> Self {
        if goes_down == Some(true) {
            self.pods.reverse();
            self.is_descending = !self.is_descending;
        }
        self
    }

    /// Returns the number of unavailable wanted pods, from each second at which it changes.
    pub(super) fn unavailable(&self) -> Vec<(i64, usize)> {
        let wanted = self.pods.iter().filter(|lane| lane.wanted);
        unavailable(wanted.map(|lane| {
            let up = lane
                .periods
                .iter()
                .filter(|it| it.state == State::Available);
            up.map(|it| (it.from, it.to))
        }))
    }

    pub(super) fn periods(&self) -> impl Iterator<Item = &PodPeriod> + Clone {
        self.pods.iter().flat_map(|lane| &lane.periods)
    }

    /// Returns the place of a revision.
    pub(super) fn place(&self, revision: &str) -> usize {
        let place = self.revisions.iter().position(|known| known == revision);
        place.unwrap_or(usize::MAX)
    }

    fn with_revisions(mut self) -> Self {
        let known = std::mem::take(&mut self.revisions);
        self.revisions = revisions(known, self.periods());
        self
    }
}

/// Adds the revisions of pods in the order of their appearance.
pub(super) fn revisions<'p>(
    mut known: Vec<String>,
    periods: impl Iterator<Item = &'p PodPeriod>,
) -> Vec<String> {
    for period in periods {
        if !known.contains(&period.revision) {
            known.push(period.revision.clone());
        }
    }
    known
}

/// Returns the ordinal in a pod's name; -1 if it has none.
fn ordinal(pod: &str) -> i64 {
    let ordinal = pod.rsplit_once('-').and_then(|(_, it)| it.parse().ok());
    ordinal.unwrap_or(-1)
}

/// Names the condition that the controller waits for: `web-1 ready`, `web-1 ready: never`.
pub(super) fn condition(wait: &Wait<'_>, report: &Report) -> Option<String> {
    let text = match (wait.hold(), &wait.look.error) {
        (Some(hold), _) => condition_of(hold),
        (None, Some(_)) => "an error".to_owned(),
        (None, None) => return None,
    };
    Some(match is_stuck(wait, report) {
        true => format!("{text}: never"),
        false => text,
    })
}

/// Reports whether a wait has no end and blocks the rollout.
pub(super) fn is_stuck(wait: &Wait<'_>, report: &Report) -> bool {
    wait.to.is_none() && report.outcome.result == PlanResult::Blocked
}

fn condition_of(hold: &ReportHold) -> String {
    let pod = cut(hold.pod.as_deref().unwrap_or("the set"), 40);
    match hold.reason {
        HoldReason::WaitingForPodTermination
        | HoldReason::ScaleDownWaitingForTermination
        | HoldReason::RecreateWaitingForTermination
        | HoldReason::PodFailed => format!("{pod} gone"),
        HoldReason::WaitingForPodReady | HoldReason::ScaleDownWaitingForReady => {
            format!("{pod} ready")
        }
        HoldReason::WaitingForPodAvailable | HoldReason::ScaleDownWaitingForAvailable => {
            format!("{pod} available")
        }
        HoldReason::UpdateWaitingForPod => format!("{pod} healthy"),
        HoldReason::UnavailableBudgetSpent => format!("budget, {pod}"),
        HoldReason::StaleClaim | HoldReason::ClaimBeingDeleted => format!("claim of {pod}"),
        HoldReason::NameTaken => format!("name of {pod}"),
        HoldReason::PodUpdateRefused => format!("update of {pod}"),
        HoldReason::SetBeingDeleted => "set being deleted".to_owned(),
        HoldReason::HeldByPartition | HoldReason::OnDelete => format!("{} {pod}", hold.reason),
    }
}
