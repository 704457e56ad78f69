//! Lifecycle of an object: the states that the plan's steps lead it through.
//!
//! Positions count steps: at position 3, three steps have happened. A lifecycle covers all positions from 0 to the
//! number of steps.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::observe::{Instance, Observed, Stage};
use super::prediction::{Kind, PredictedEvent, Prediction};
use sts_controller::controller::Verb;
use sts_controller::simulate::{ObjectEvent, PodEvent};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    Absent,
    There(Instance),
    /// Being deleted. Only for sets: a terminating claim still counts as existing.
    Leaving,
    Pod {
        instance: Instance,
        revision: Option<Arc<str>>,
        stage: Stage,
    },
}

/// State with the range of positions at which the object is in it.
#[derive(Debug, Clone)]
pub(super) struct Span {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) state: State,
}

/// States of one object, in order. A state that the model passes within one step but that takes time in reality is
/// a span at the position before that step.
#[derive(Debug, Clone)]
pub(super) struct Lifecycle {
    pub(super) spans: Vec<Span>,
}

pub(super) type Lifecycles = BTreeMap<(Kind, Arc<str>), Lifecycle>;

impl Lifecycle {
    fn new(state: State) -> Self {
        Lifecycle {
            spans: vec![Span {
                from: 0,
                to: usize::MAX,
                state,
            }],
        }
    }

    /// Creates an empty lifecycle for an object that the plan does not mention.
    pub(super) fn unknown(end: usize) -> Self {
        let mut lifecycle = Lifecycle::new(State::Absent);
        lifecycle.close(end);
        lifecycle
    }

    /// Returns the state after the steps so far.
    fn last(&self) -> &State {
        static ABSENT: State = State::Absent;
        self.spans.last().map_or(&ABSENT, |span| &span.state)
    }

    /// Enters a new state with the step at `index`.
    fn enter(&mut self, index: usize, state: State) {
        if *self.last() == state {
            return;
        }
        if let Some(last) = self.spans.last_mut() {
            last.to = index;
        }
        self.spans.push(Span {
            from: index + 1,
            to: usize::MAX,
            state,
        });
    }

    /// Adds a state that the object may temporarily be in during the step at `index`.
    fn pass(&mut self, index: usize, state: State) {
        let at = self.spans.len().saturating_sub(1);
        let span = Span {
            from: index,
            to: index,
            state,
        };
        self.spans.insert(at, span);
    }

    fn close(&mut self, end: usize) {
        for span in &mut self.spans {
            span.to = span.to.min(end);
        }
        // Of two changes within one step, the intermediate state is dropped.
        self.spans.retain(|span| span.from <= span.to);
    }

    pub(super) fn positions(&self, observed: &Observed) -> Vec<(usize, usize)> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        let matching = self
            .spans
            .iter()
            .filter(|span| span.state.is_seen_as(observed));
        let mut all: Vec<(usize, usize)> = matching.map(|span| (span.from, span.to)).collect();
        all.sort_unstable();
        for (from, to) in all {
            match found.last_mut() {
                Some(last) if from <= last.1.saturating_add(1) => last.1 = last.1.max(to),
                _ => found.push((from, to)),
            }
        }
        found
    }
}

impl State {
    fn is_seen_as(&self, observed: &Observed) -> bool {
        let same = |here: Instance, seen: Option<Instance>| seen.is_none_or(|seen| seen == here);
        match (self, observed) {
            (State::Absent, Observed::Absent) | (State::Leaving, Observed::Leaving) => true,
            (State::There(here), Observed::There(seen)) => same(*here, *seen),
            (
                State::Pod {
                    instance,
                    revision,
                    stage,
                },
                Observed::Pod {
                    instance: seen,
                    pod,
                },
            ) => {
                let right = revision
                    .as_ref()
                    .is_none_or(|revision| *revision == pod.revision);
                same(*instance, *seen) && right && *stage == Stage::of(pod)
            }
            _ => false,
        }
    }
}

/// Effect of a step on a pod, for looking ahead.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PodChange {
    Created,
    Deleted,
    Removed,
}

pub(super) fn lifecycles(prediction: &Prediction) -> Lifecycles {
    let mut lifecycles = Lifecycles::new();
    for (name, pod) in &prediction.pods {
        let state = State::Pod {
            instance: Instance::Read,
            revision: None,
            stage: pod.stage,
        };
        lifecycles.insert((Kind::Pod, Arc::clone(name)), Lifecycle::new(state));
    }
    for key in prediction
        .read
        .keys()
        .filter(|(kind, _)| *kind != Kind::Pod)
    {
        let state = State::There(Instance::Read);
        lifecycles.insert(key.clone(), Lifecycle::new(state));
    }
    for step in &prediction.steps {
        let PredictedEvent::Sync(writes) = &step.what else {
            continue;
        };
        for write in writes
            .iter()
            .filter(|write| write.verb == Verb::Create && !write.is_refused())
        {
            if let Some(kind) = Kind::of(write.resource) {
                let lifecycle = lifecycles.entry((kind, Arc::clone(&write.name)));
                lifecycle.or_insert_with(|| Lifecycle::new(State::Absent));
            }
        }
    }
    let ends = [ObjectEvent::SetDeleted, ObjectEvent::SetRemoved];
    if ends.into_iter().any(|event| prediction.predicts(event)) {
        let state = if prediction.plan.set.being_deleted {
            State::Leaving
        } else {
            State::There(Instance::Read)
        };
        let key = (Kind::Set, Arc::from(&*prediction.plan.metadata.name));
        lifecycles.insert(key, Lifecycle::new(state));
    }
    let mut changes = changes(prediction);
    for (index, step) in prediction.steps.iter().enumerate() {
        let mut of = |kind: Kind, name: &Arc<str>, change: &mut dyn FnMut(&mut Lifecycle)| {
            if let Some(lifecycle) = lifecycles.get_mut(&(kind, Arc::clone(name))) {
                change(lifecycle);
            }
        };
        match &step.what {
            PredictedEvent::ClaimRemoved(claim) => of(Kind::Claim, claim, &mut |lifecycle| {
                lifecycle.enter(index, State::Absent);
            }),
            PredictedEvent::Object(_, event, name) => match event {
                ObjectEvent::SetDeleted => of(Kind::Set, name, &mut |lifecycle| {
                    lifecycle.enter(index, State::Leaving);
                }),
                ObjectEvent::SetRemoved => of(Kind::Set, name, &mut |lifecycle| {
                    lifecycle.enter(index, State::Absent);
                }),
                ObjectEvent::RevisionRemoved => of(Kind::Revision, name, &mut |lifecycle| {
                    lifecycle.enter(index, State::Absent);
                }),
                ObjectEvent::PodDeleted => {
                    let stays = changes.stays_after_delete(name, prediction);
                    of(Kind::Pod, name, &mut |lifecycle| {
                        delete(lifecycle, index, stays)
                    });
                }
                // Owner references are not compared, and a recreated set requires another plan.
                ObjectEvent::SetCreated
                | ObjectEvent::PodNotReady
                | ObjectEvent::PodOrphaned
                | ObjectEvent::ClaimDeleted
                | ObjectEvent::ClaimOrphaned
                | ObjectEvent::ClaimResizing
                | ObjectEvent::ClaimResized
                | ObjectEvent::RevisionOrphaned => {}
            },
            PredictedEvent::Pod(event, pod) => of(Kind::Pod, pod, &mut |lifecycle| {
                happen(lifecycle, index, *event);
            }),
            PredictedEvent::Sync(writes) => {
                for write in writes.iter().filter(|write| !write.is_refused()) {
                    let Some(kind) = Kind::of(write.resource) else {
                        continue;
                    };
                    match (kind, write.verb) {
                        (Kind::Pod, Verb::Create) => of(kind, &write.name, &mut |lifecycle| {
                            create(lifecycle, index, write.revision.as_ref());
                        }),
                        (Kind::Pod, Verb::Delete) => {
                            let stays = changes.stays_after_delete(&write.name, prediction);
                            of(kind, &write.name, &mut |lifecycle| {
                                delete(lifecycle, index, stays)
                            });
                        }
                        (_, Verb::Create) => of(kind, &write.name, &mut |lifecycle| {
                            lifecycle.enter(index, State::There(Instance::Made));
                        }),
                        (_, Verb::Delete) => of(kind, &write.name, &mut |lifecycle| {
                            lifecycle.enter(index, State::Absent);
                        }),
                        (_, Verb::Update | Verb::Patch) => {}
                    }
                }
            }
        }
    }
    for lifecycle in lifecycles.values_mut() {
        lifecycle.close(prediction.steps.len());
    }
    lifecycles
}

fn happen(lifecycle: &mut Lifecycle, index: usize, event: PodEvent) {
    let next = match event {
        PodEvent::Removed => {
            lifecycle.enter(index, State::Absent);
            return;
        }
        PodEvent::Ready => Stage::Ready,
        PodEvent::Failed => Stage::Ended,
        // A snapshot does not store this; it follows from the time.
        PodEvent::Available => return,
    };
    if let State::Pod {
        instance, revision, ..
    } = lifecycle.last().clone()
    {
        let stage = next;
        lifecycle.enter(
            index,
            State::Pod {
                instance,
                revision,
                stage,
            },
        );
    }
}

fn create(lifecycle: &mut Lifecycle, index: usize, revision: Option<&Arc<str>>) {
    lifecycle.pass(index, State::Absent);
    lifecycle.enter(
        index,
        State::Pod {
            instance: Instance::Made,
            revision: revision.map(Arc::clone),
            stage: Stage::Waiting,
        },
    );
}

/// Handles a deletion. A pod that the plan removes immediately may terminate for a while in reality.
fn delete(lifecycle: &mut Lifecycle, index: usize, stays: bool) {
    let State::Pod {
        instance, revision, ..
    } = lifecycle.last().clone()
    else {
        return;
    };
    let terminating = State::Pod {
        instance,
        revision,
        stage: Stage::Terminating,
    };
    if stays {
        lifecycle.enter(index, terminating);
    } else {
        lifecycle.pass(index, terminating);
        lifecycle.enter(index, State::Absent);
    }
}

/// Changes of each pod by the steps, in order.
struct PodChanges(BTreeMap<Arc<str>, std::vec::IntoIter<PodChange>>);

fn changes(prediction: &Prediction) -> PodChanges {
    let mut changes: BTreeMap<Arc<str>, Vec<PodChange>> = BTreeMap::new();
    for step in &prediction.steps {
        let mut note =
            |pod: &Arc<str>, change| changes.entry(Arc::clone(pod)).or_default().push(change);
        match &step.what {
            PredictedEvent::Pod(PodEvent::Removed, pod) => note(pod, PodChange::Removed),
            PredictedEvent::Object(_, ObjectEvent::PodDeleted, pod) => {
                note(pod, PodChange::Deleted)
            }
            PredictedEvent::Pod(..)
            | PredictedEvent::ClaimRemoved(_)
            | PredictedEvent::Object(..) => {}
            PredictedEvent::Sync(writes) => {
                let taken = writes.iter().filter(|write| !write.is_refused());
                for write in taken.filter(|write| Kind::of(write.resource) == Some(Kind::Pod)) {
                    match write.verb {
                        Verb::Create => note(&write.name, PodChange::Created),
                        Verb::Delete => note(&write.name, PodChange::Deleted),
                        Verb::Update | Verb::Patch => {}
                    }
                }
            }
        }
    }
    let changes = changes.into_iter();
    PodChanges(
        changes
            .map(|(pod, changes)| (pod, changes.into_iter()))
            .collect(),
    )
}

impl PodChanges {
    /// Reports whether a pod keeps terminating after its next deletion not yet queried.
    fn stays_after_delete(&mut self, pod: &Arc<str>, prediction: &Prediction) -> bool {
        match self.after_delete(pod) {
            Some(change) => change == PodChange::Removed,
            None => prediction.final_pods().any(|left| left == pod),
        }
    }

    /// Consumes a pod's changes up to its next deletion, and returns the one after it unless that is another
    /// deletion.
    fn after_delete(&mut self, pod: &str) -> Option<PodChange> {
        let changes = self.0.get_mut(pod)?;
        changes.find(|change| *change == PodChange::Deleted)?;
        let rest = changes.as_slice().iter().copied();
        rest.into_iter()
            .find(|change| *change != PodChange::Deleted)
    }
}
