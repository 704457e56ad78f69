//! One pod's life: how it is at the beginning, and what each step makes of it.

use super::{Moment, Span, State};

/// A pod as a plan begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start<'r> {
    pub(super) state: State,
    /// Empty when it carries none.
    pub(super) revision: &'r str,
    /// The reason that it is not going to become ready by itself, where something says so.
    pub(super) why: Option<&'r str>,
}

/// A change that a step makes to a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change<'r> {
    Created(&'r str),
    Deleted,
    Removed,
    Ready,
    Failed,
    Available,
}

/// One pod's life, from how it is at the beginning and what happens to it.
pub(super) fn spans<'r>(
    start: Option<Start<'r>>,
    changes: &[(Moment, Change<'r>)],
    there_at_end: bool,
    min_ready_seconds: i32,
) -> Vec<Span<'r>> {
    let mut life = PodTimeline::default();
    if let Some(pod) = start {
        life.enter(Moment { at: 0, step: 0 }, pod.state, pod.revision);
        if let Some(span) = &mut life.open {
            span.why = pod.why;
        }
    }
    let ready = match min_ready_seconds {
        0 => State::Available,
        _ => State::Ready,
    };
    for (index, (moment, change)) in changes.iter().enumerate() {
        let becomes = match change {
            Change::Created(revision) => {
                life.leave(*moment);
                life.enter(*moment, State::Unready, revision);
                continue;
            }
            // Pods that are done, or have no node yet, go with the request, and nothing tells of it later.
            Change::Deleted => match changes.get(index + 1..).and_then(|rest| {
                rest.iter()
                    .find(|(_, next)| matches!(next, Change::Removed | Change::Created(_)))
            }) {
                Some((_, Change::Removed)) => State::Terminating,
                None if there_at_end => State::Terminating,
                _ => {
                    life.leave(*moment);
                    continue;
                }
            },
            Change::Removed => {
                life.leave(*moment);
                continue;
            }
            Change::Ready => ready,
            Change::Failed => State::Failed,
            // The condition of a pod that does not even run says too much.
            Change::Available if !life.is(State::Ready) => continue,
            Change::Available => State::Available,
        };
        life.turns(*moment, becomes);
    }
    life.finish()
}

/// Spans in the making.
#[derive(Default)]
struct PodTimeline<'r> {
    done: Vec<Span<'r>>,
    open: Option<Span<'r>>,
}

impl<'r> PodTimeline<'r> {
    fn enter(&mut self, from: Moment, state: State, revision: &'r str) {
        self.open = Some(Span {
            state,
            revision,
            why: None,
            from,
            to: None,
        });
    }

    fn leave(&mut self, at: Moment) {
        if let Some(mut span) = self.open.take() {
            span.to = Some(at);
            // A state that one step both makes and ends is at no moment there.
            if span.from.step != at.step {
                self.done.push(span);
            }
        }
    }

    fn is(&self, state: State) -> bool {
        self.open.as_ref().is_some_and(|span| span.state == state)
    }

    /// Another state of the same pod. What is being deleted comes back to nothing else.
    fn turns(&mut self, at: Moment, state: State) {
        let Some(span) = &self.open else { return };
        if span.state == state || span.state == State::Terminating {
            return;
        }
        let revision = span.revision;
        self.leave(at);
        self.enter(at, state, revision);
    }

    fn finish(mut self) -> Vec<Span<'r>> {
        self.done.extend(self.open);
        self.done
    }
}
