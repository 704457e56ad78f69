//! Pod states from start to end, derived from the initial pods and the steps.

mod life;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use life::{Change, Start, spans};

use super::{PodPeriod, Report, ReportHold, SetPod, StepEvent, SyncFinding};
use crate::plan::PlanResult;
use sts_controller::simulate::ObjectEvent;

/// States of every pod over time.
#[derive(Debug, Clone)]
pub struct Timeline<'r> {
    /// Pods by ordinal, then name: existing pods, created pods, and desired pods that are never created.
    pub lanes: Vec<Lane<'r>>,
    /// Seconds from the start to the end.
    pub end: i64,
    /// Number of steps.
    pub steps: usize,
}

/// Timeline of one pod.
#[derive(Debug, Clone)]
pub struct Lane<'r> {
    /// Pod name.
    pub pod: String,
    /// True if the set desires a pod of that name.
    pub wanted: bool,
    /// Spans, in order. The pod does not exist in gaps between them.
    pub spans: Vec<Span<'r>>,
}

/// Period with a constant pod state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span<'r> {
    /// State of the pod.
    pub state: State,
    /// Revision label; empty without one.
    pub revision: &'r str,
    /// Reason why the pod will not become ready on its own, if known.
    pub why: Option<&'r str>,
    /// Start of the span.
    pub from: Moment,
    /// End of the span; `None` if it lasts beyond the end of the plan.
    pub to: Option<Moment>,
}

/// Point in time of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Whole seconds since the start.
    pub at: i64,
    /// Number of completed steps.
    pub step: usize,
}

/// State of a pod.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter, strum::IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum State {
    /// Ready for at least `minReadySeconds`.
    Available,
    /// Ready for less than `minReadySeconds`.
    Ready,
    /// Not ready: starting, or broken.
    #[strum(serialize = "notReady")]
    Unready,
    /// Ended on its own.
    Failed,
    /// Being deleted.
    Terminating,
}

serialized!(by_name: State);

impl State {
    /// Returns the severity of the state for users of the pod; higher is worse.
    #[must_use]
    pub fn badness(self) -> u8 {
        match self {
            State::Available => 0,
            State::Ready => 1,
            State::Terminating => 2,
            State::Unready => 3,
            State::Failed => 4,
        }
    }

    /// All states, the best first.
    pub const ALL: [State; 5] = [
        State::Available,
        State::Ready,
        State::Unready,
        State::Failed,
        State::Terminating,
    ];
}

/// Period in which the controller waits for the same condition.
#[derive(Debug, Clone, Copy)]
pub struct Wait<'r> {
    /// Observations of the sync that began the wait.
    pub look: &'r SyncFinding,
    /// Start in seconds.
    pub from: i64,
    /// End in seconds; `None` if the wait never ends.
    pub to: Option<i64>,
}

impl Wait<'_> {
    /// Returns the first hold of the sync.
    #[must_use]
    pub fn hold(&self) -> Option<&ReportHold> {
        self.look.holds.first()
    }
}

impl<'r> Timeline<'r> {
    /// Builds the timeline of a report.
    #[must_use]
    pub fn new(report: &'r Report) -> Self {
        let changes = changes(report);
        let start: BTreeMap<&str, &SetPod> = report
            .set
            .pods
            .iter()
            .map(|pod| (&*pod.name, pod))
            .collect::<BTreeMap<_, _>>();
        let there_at_end: BTreeSet<&str> =
            report.outcome.pods.iter().map(|pod| &*pod.name).collect();
        let mut names: BTreeSet<(i64, String)> = start
            .keys()
            .chain(changes.keys())
            .map(|pod| (ordinal(pod), (*pod).to_owned()))
            .collect();
        let wanted = report.set.ordinals.clone();
        let set = &report.metadata.name;
        // A rejected or deleted set may name any number of pods that never existed.
        if report.outcome.result != PlanResult::Rejected {
            names.extend(wanted.clone().map(|at| (at, format!("{set}-{at}"))));
        }
        let lanes = names
            .into_iter()
            .map(|(at, pod)| Lane {
                wanted: wanted.contains(&at) && pod == format!("{set}-{at}"),
                spans: spans(
                    start.get(pod.as_str()).map(|pod| Start {
                        state: state_of(pod),
                        revision: &pod.revision,
                        why: pod.waiting.as_deref(),
                    }),
                    changes.get(pod.as_str()).map_or(&[], Vec::as_slice),
                    there_at_end.contains(pod.as_str()),
                    report.set.min_ready_seconds,
                ),
                pod,
            })
            .collect();
        Timeline {
            lanes,
            end: report.outcome.at,
            steps: report.steps.len(),
        }
    }

    /// Reports whether changes proceed from the highest to the lowest pod; `None` if at most one pod changes.
    #[must_use]
    pub fn goes_down(&self) -> Option<bool> {
        let changes = self.lanes.iter().enumerate().filter_map(|(at, lane)| {
            let mut steps = lane.spans.iter().map(|span| span.from.step);
            Some((steps.find(|step| *step > 0)?, at))
        });
        let changes: Vec<(usize, usize)> = changes.collect();
        let ((_, first), (_, last)) = (changes.iter().min()?, changes.iter().max()?);
        (first != last).then_some(first > last)
    }

    /// Returns the number of desired pods that are unavailable, from each second at which it changes.
    #[must_use]
    pub fn unavailable(&self) -> Vec<(i64, usize)> {
        let wanted = self.lanes.iter().filter(|lane| lane.wanted);
        unavailable(wanted.map(|lane| {
            let spans = lane.spans.iter();
            let up = spans.filter(|span| span.state == State::Available);
            up.map(|span| (span.from.at, span.to.map(|to| to.at)))
        }))
    }
}

/// Counts unavailable pods, from each second at which the number changes. Each pod is given by its periods of
/// availability, end exclusive.
#[must_use]
pub fn unavailable<S>(pods: impl Iterator<Item = S>) -> Vec<(i64, usize)>
where
    S: Iterator<Item = (i64, Option<i64>)>,
{
    let mut deltas: BTreeMap<i64, i64> = BTreeMap::from([(0, 0)]);
    let mut count = 0;
    for up in pods {
        count += 1;
        for (from, to) in up {
            *deltas.entry(from).or_default() -= 1;
            if let Some(to) = to {
                *deltas.entry(to).or_default() += 1;
            }
        }
    }
    let mut points: Vec<(i64, usize)> = Vec::new();
    for (at, delta) in deltas {
        count += delta;
        let now = usize::try_from(count).unwrap_or(0);
        if points.last().is_none_or(|(_, before)| *before != now) {
            points.push((at, now));
        }
    }
    points
}

impl Lane<'_> {
    /// Returns the periods of the pod in seconds, with all future changes delayed by `delay`. Omits periods
    /// shorter than a second.
    #[must_use]
    pub fn periods(&self, delay: i64) -> Vec<PodPeriod> {
        let at = |moment: Moment| match moment.step {
            0 => moment.at,
            _ => moment.at + delay,
        };
        let periods = self.spans.iter().map(|span| PodPeriod {
            state: span.state,
            revision: span.revision.to_owned(),
            from: at(span.from),
            to: span.to.map(at),
        });
        periods
            .filter(|period| period.to != Some(period.from))
            .collect()
    }

    /// Returns the span after a number of steps; `None` if the pod does not exist then.
    #[must_use]
    pub fn after(&self, step: usize) -> Option<&Span<'_>> {
        self.spans
            .iter()
            .find(|span| span.from.step <= step && span.to.is_none_or(|to| step < to.step))
    }
}

/// Returns the waits of the controller. Empty unless [`crate::what_if::Questions::observations`] is set.
#[must_use]
pub fn waits(report: &Report) -> Vec<Wait<'_>> {
    let at = |steps: usize| match steps.checked_sub(1) {
        Some(last) => report.steps.get(last).map_or(0, |step| step.at),
        None => 0,
    };
    let mut waits: Vec<Wait<'_>> = Vec::new();
    for (index, look) in report.sync_findings.iter().enumerate() {
        let from = at(look.steps);
        let to = report.steps.get(look.steps).map(|next| next.at);
        let is_rest = report
            .sync_findings
            .get(index + 1)
            .is_none_or(|next| next.steps != look.steps);
        if !is_rest || to == Some(from) || (look.holds.is_empty() && look.error.is_none()) {
            continue;
        }
        let same = |before: &Wait<'_>| {
            let (a, b) = (before.hold(), look.holds.first());
            let about =
                |hold: Option<&ReportHold>| hold.map(|hold| (hold.reason, hold.pod.clone()));
            before.to == Some(from) && about(a) == about(b) && before.look.error == look.error
        };
        match waits.last_mut() {
            Some(before) if same(before) => before.to = to,
            _ => waits.push(Wait { look, from, to }),
        }
    }
    waits
}

/// Returns the ordinal in a pod's name, or -1 without one.
pub(crate) fn ordinal(pod: &str) -> i64 {
    pod.rsplit_once('-')
        .and_then(|(_, ordinal)| ordinal.parse().ok())
        .unwrap_or(-1)
}

fn changes(report: &Report) -> BTreeMap<&str, Vec<(Moment, Change<'_>)>> {
    let mut changes: BTreeMap<&str, Vec<(Moment, Change<'_>)>> = BTreeMap::new();
    for (index, step) in report.steps.iter().enumerate() {
        let moment = Moment {
            at: step.at,
            step: index + 1,
        };
        let mut note = |pod, change| changes.entry(pod).or_default().push((moment, change));
        let writes = step.writes.iter().flatten();
        for (pod, change) in writes.filter_map(Change::of_write) {
            note(pod, change);
        }
        let change = match step.event {
            Some(StepEvent::Object(ObjectEvent::PodDeleted)) => Change::Deleted,
            Some(StepEvent::Pod(event)) => Change::from(event),
            _ => continue,
        };
        if let Some(pod) = &step.name {
            note(pod, change);
        }
    }
    changes
}

fn state_of(pod: &SetPod) -> State {
    if pod.terminating {
        State::Terminating
    } else if pod.phase.has_ended() {
        State::Failed
    } else if pod.ready && pod.available {
        State::Available
    } else if pod.ready {
        State::Ready
    } else {
        State::Unready
    }
}
