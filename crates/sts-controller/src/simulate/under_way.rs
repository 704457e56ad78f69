//! Pod starts and terminations in progress, so that another world can resume them. A change in several stages is
//! planned stage by stage, and pods in transition at the end of one stage continue in the next.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::event_queue::{PodEvent, ScheduledEvent};
use super::expansion::Expansions;
use super::progress::{Spent, StopReason, run_until_stable};
use super::world::World;
use super::{End, Progression, Record};
use crate::controller::Sync;
use crate::version::Behaviour;

/// Pod starts and terminations in progress in a world, and the kubelet they belong to.
#[derive(Debug, Clone, Default)]
pub struct UnderWay {
    events: Vec<ScheduledEvent>,
    uids: u64,
    ready_after: SignedDuration,
    gone_after: SignedDuration,
    never_ready: BTreeSet<Arc<str>>,
    never_gone: BTreeSet<Arc<str>>,
    expansions: Expansions,
}

impl World {
    /// Returns the pod starts and terminations in progress.
    #[must_use]
    pub fn under_way(&self) -> UnderWay {
        let kubelet = self.kubelet();
        UnderWay {
            events: self.enabled().collect(),
            uids: self.uids(),
            ready_after: kubelet.ready_after,
            gone_after: kubelet.gone_after,
            never_ready: kubelet.never_ready.clone(),
            never_gone: kubelet.never_gone.clone(),
            expansions: self.expansions.clone(),
        }
    }

    /// Returns the same world with the transitions of another world that has the same objects. A pod in transition
    /// finishes when it would have finished there. A pod that was not in transition there is not in transition here.
    #[must_use]
    pub fn resuming(mut self, under_way: &UnderWay) -> World {
        self.take_uids(under_way.uids);
        self.expansions = under_way.expansions.clone();
        self.kubelet.ready_after = under_way.ready_after;
        self.kubelet.gone_after = under_way.gone_after;
        let never_ready = under_way.never_ready.iter().map(Arc::clone);
        self.kubelet.never_ready.extend(never_ready);
        let never_gone = under_way.never_gone.iter().map(Arc::clone);
        self.kubelet.never_gone.extend(never_gone);
        // The set decides when a ready pod becomes available, and may have changed.
        let goes_on = |due: &&ScheduledEvent| due.event != PodEvent::Available;
        let own: Vec<ScheduledEvent> = self.enabled().collect();
        for due in own.iter().filter(goes_on) {
            self.stall(&due.pod);
        }
        for due in under_way.events.iter().filter(goes_on) {
            if self.snapshot().pods.contains_key(&due.pod) {
                self.schedule_at(due);
            }
        }
        self
    }
}

/// Runs a world until just before an intervention at a given time: events due by then have happened, and the controller
/// has synced. `next` is the world's next sync.
#[must_use]
pub fn run_until(
    mut world: World,
    next: &Sync,
    behaviour: &Behaviour,
    until: Timestamp,
) -> Progression {
    let mut record = Record::default();
    let mut spent = Spent::new(&world);
    let mut next = Some(next);
    let exhausted = loop {
        let stable = run_until_stable(
            &mut world,
            behaviour,
            false,
            next.take(),
            &mut spent,
            &mut record,
        );
        if let ControlFlow::Break(StopReason::Exhausted(budget)) = stable {
            break Some(budget);
        }
        if world.next_moment().is_none_or(|at| at > until) {
            break None;
        }
        spent.event(&world);
        let steps = world.proceed(behaviour);
        spent.steps(&steps);
        record.steps.extend(steps);
    };
    world.advance(until);
    Progression {
        steps: record.steps,
        syncs: record.syncs,
        end: match exhausted {
            Some(_) => End::Livelock,
            None => End::Rest,
        },
        exhausted,
        world,
    }
}
