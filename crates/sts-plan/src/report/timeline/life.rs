//! Timeline of one pod: its initial state and the changes of each step.

use super::{Moment, Span, State};
use crate::report::ReportWrite;
use sts_controller::controller::{Resource, Verb};
use sts_controller::simulate::PodEvent;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Start<'r> {
    pub(crate) state: State,
    /// Revision label; empty without one.
    pub(crate) revision: &'r str,
    /// Reason why the pod will not become ready on its own, if known.
    pub(crate) why: Option<&'r str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change<'r> {
    Created(&'r str),
    Deleted,
    Removed,
    Ready,
    Failed,
    Available,
}

impl<'r> Change<'r> {
    /// Returns the pod that a write creates or deletes, with the change; `None` for other or refused writes.
    pub(crate) fn of_write(write: &'r ReportWrite) -> Option<(&'r str, Self)> {
        if write.resource != Resource::Pods || write.is_refused() {
            return None;
        }
        let change = match write.verb {
            Verb::Create => Change::Created(write.revision.as_deref().unwrap_or_default()),
            Verb::Delete => Change::Deleted,
            Verb::Update | Verb::Patch => return None,
        };
        Some((&write.name, change))
    }
}

impl From<PodEvent> for Change<'_> {
    fn from(event: PodEvent) -> Self {
        match event {
            PodEvent::Removed => Change::Removed,
            PodEvent::Ready => Change::Ready,
            PodEvent::Failed => Change::Failed,
            PodEvent::Available => Change::Available,
        }
    }
}

/// Builds the spans of one pod from its initial state and changes.
pub(crate) fn spans<'r>(
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
            // Finished or unscheduled pods are removed by the request itself, without a later event.
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
            // The condition of a pod that is not running is ignored.
            Change::Available if !life.is(State::Ready) => continue,
            Change::Available => State::Available,
        };
        life.turns(*moment, becomes);
    }
    life.finish()
}

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
            // A state that begins and ends in the same step is never visible.
            if span.from.step != at.step {
                self.done.push(span);
            }
        }
    }

    fn is(&self, state: State) -> bool {
        self.open.as_ref().is_some_and(|span| span.state == state)
    }

    /// Ends the current span and begins one with another state. A terminating pod keeps its state.
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
