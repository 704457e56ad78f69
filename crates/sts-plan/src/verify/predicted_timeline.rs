//! Timeline of a saved plan.

use std::collections::{BTreeMap, BTreeSet};

use super::{PredictedEvent, PredictedStep, Prediction, Stage, StartPod};
use crate::report::timeline::{Change, Lane, Moment, Start, State, Timeline, ordinal, spans};
use sts_controller::simulate::ObjectEvent;

impl<'p> Timeline<'p> {
    /// Builds the timeline that a saved plan predicts. Pods that the plan neither starts with nor creates have
    /// no lane.
    #[must_use]
    pub fn predicted(prediction: &'p Prediction) -> Self {
        let changes = changes(&prediction.steps);
        let at_end: BTreeSet<&str> = prediction.final_pods().map(|pod| &**pod).collect();
        let names = prediction.pods.keys().map(|pod| &**pod);
        let names: BTreeSet<(i64, &str)> = names
            .chain(changes.keys().copied())
            .map(|pod| (ordinal(pod), pod))
            .collect();
        let lanes = names.into_iter().map(|(_, pod)| Lane {
            pod: pod.to_owned(),
            wanted: at_end.contains(pod),
            spans: spans(
                prediction.pods.get(pod).map(start),
                changes.get(pod).map_or(&[], Vec::as_slice),
                at_end.contains(pod),
                prediction.plan.set.min_ready_seconds,
            ),
        });
        Timeline {
            lanes: lanes.collect(),
            end: prediction.steps.last().map_or(0, |step| step.at),
            steps: prediction.steps.len(),
        }
    }
}

/// Converts the initial state of a pod. A ready pod counts as available, as a saved plan does not record that.
fn start(pod: &StartPod) -> Start<'_> {
    Start {
        state: match pod.stage {
            Stage::Waiting => State::Unready,
            Stage::Ready => State::Available,
            Stage::Terminating => State::Terminating,
            Stage::Ended => State::Failed,
        },
        revision: &pod.revision,
        why: pod.waiting.as_deref(),
    }
}

fn changes(steps: &[PredictedStep]) -> BTreeMap<&str, Vec<(Moment, Change<'_>)>> {
    let mut changes: BTreeMap<&str, Vec<(Moment, Change<'_>)>> = BTreeMap::new();
    for (index, step) in steps.iter().enumerate() {
        let moment = Moment {
            at: step.at,
            step: index + 1,
        };
        let mut note = |pod, change| changes.entry(pod).or_default().push((moment, change));
        match &step.what {
            PredictedEvent::Sync(writes) => {
                for (pod, change) in writes.iter().filter_map(Change::of_write) {
                    note(pod, change);
                }
            }
            PredictedEvent::Pod(event, pod) => note(pod, Change::from(*event)),
            PredictedEvent::Object(_, ObjectEvent::PodDeleted, pod) => note(pod, Change::Deleted),
            PredictedEvent::Object(..) | PredictedEvent::ClaimRemoved(_) => {}
        }
    }
    changes
}
