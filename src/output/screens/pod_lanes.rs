//! The lanes of a set's pods: predicted by a plan, preceded by the observations of a watch.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::output::alike::runs;
use sts_plan::report::timeline::{State, Timeline, unavailable};
use sts_plan::report::{PodPeriod, Report};

/// The pods of a set, each with its lane.
#[derive(Debug, Clone, Default)]
pub(super) struct PodLanes {
    /// By ordinal, then name; or the other way round where the rollout goes down.
    pub(super) pods: Vec<PodLane>,
    /// Seconds from the beginning to the end.
    pub(super) end: i64,
    /// The revisions: the one that the template asks for first.
    pub(super) revisions: Vec<String>,
}

/// One pod's lane.
#[derive(Debug, Clone)]
pub(super) struct PodLane {
    pub(super) pod: String,
    pub(super) wanted: bool,
    /// In order; nothing covers a moment at which the pod is not there.
    pub(super) spans: Vec<PodPeriod>,
}

/// Minimum number of neighbors that make one row.
const RUN: usize = 3;

impl PodLanes {
    /// The lanes that a plan predicts.
    pub(super) fn of(report: &Report) -> Self {
        Self::late(report, 0)
    }

    /// The same, with all that is yet to happen so many seconds later.
    pub(super) fn late(report: &Report, seconds: i64) -> Self {
        let timeline = Timeline::new(report);
        let mut lanes = PodLanes {
            end: timeline.end + seconds,
            ..PodLanes::default()
        };
        lanes.name(&report.set.update_revision);
        for lane in &timeline.lanes {
            lanes.pods.push(PodLane {
                pod: lane.pod.clone(),
                wanted: lane.wanted,
                spans: lane.periods(seconds),
            });
        }
        lanes.name_all();
        lanes
    }

    /// The same, with what was seen of each pod in the seconds before; pods that are gone for good among them.
    pub(super) fn after(mut self, seen: &BTreeMap<String, Vec<PodPeriod>>, seconds: i64) -> Self {
        self.end += seconds;
        let planned: BTreeSet<&str> = self.pods.iter().map(|lane| lane.pod.as_str()).collect();
        let gone = seen.keys().filter(|pod| !planned.contains(pod.as_str()));
        let gone = gone.map(|pod| PodLane {
            pod: pod.clone(),
            wanted: false,
            spans: Vec::new(),
        });
        let gone: Vec<PodLane> = gone.collect();
        self.pods.extend(gone);
        self.pods
            .sort_by(|a, b| (ordinal(&a.pod), &a.pod).cmp(&(ordinal(&b.pod), &b.pod)));
        for lane in &mut self.pods {
            let seen = seen.get(&lane.pod).into_iter().flatten();
            let seen = seen
                .filter(|span| span.from < seconds)
                .map(|span| PodPeriod {
                    to: Some(span.to.unwrap_or(seconds).min(seconds)),
                    ..span.clone()
                });
            let mut spans: Vec<PodPeriod> = seen.collect();
            for mut span in std::mem::take(&mut lane.spans) {
                span.from += seconds;
                span.to = span.to.map(|to| to + seconds);
                match spans.last_mut() {
                    Some(last) if last.continues_in(&span) => last.to = span.to,
                    _ => spans.push(span),
                }
            }
            lane.spans = spans;
        }
        self.name_all();
        self
    }

    /// Counts the wanted pods that are not available, from each second on at which that changes.
    pub(super) fn unavailable(&self) -> Vec<(i64, usize)> {
        let wanted = self.pods.iter().filter(|lane| lane.wanted);
        unavailable(wanted.map(|lane| {
            let spans = lane.spans.iter();
            let up = spans.filter(|span| span.state == State::Available);
            up.map(|span| (span.from, span.to))
        }))
    }

    /// Gives every revision its place.
    fn name_all(&mut self) {
        let spans = self.pods.iter().flat_map(|lane| &lane.spans);
        let names: Vec<String> = spans.map(|span| span.revision.clone()).collect();
        for name in names {
            self.name(&name);
        }
    }

    fn name(&mut self, revision: &str) {
        if !self.revisions.iter().any(|known| known == revision) {
            self.revisions.push(revision.to_owned());
        }
    }

    /// The place of a revision.
    pub(super) fn place(&self, revision: &str) -> usize {
        let place = self.revisions.iter().position(|known| known == revision);
        place.unwrap_or(usize::MAX)
    }

    /// The rows of a chart that has room for so many: one a pod, or one for neighbours to which the same happens. The
    /// chosen pod has its own.
    pub(super) fn rows(&self, room: usize, chosen: Option<usize>) -> Vec<Range<usize>> {
        let least = if self.pods.len() <= room {
            usize::MAX
        } else {
            RUN
        };
        let rows = runs(&self.pods, least, |a, b| a.spans == b.spans).into_iter();
        let parted = rows.flat_map(|row| match chosen {
            Some(at) if row.contains(&at) => vec![row.start..at, at..at + 1, at + 1..row.end],
            _ => vec![row],
        });
        parted.filter(|row| !row.is_empty()).collect()
    }
}

/// The ordinal in a pod's name; before all others where it has none.
fn ordinal(pod: &str) -> i64 {
    let ordinal = pod.rsplit_once('-').and_then(|(_, it)| it.parse().ok());
    ordinal.unwrap_or(-1)
}
