//! Methods of a world for the detection of cycles: see [`crate::simulate::recurrence`].

use std::sync::Arc;

use jiff::SignedDuration;

use super::World;
use crate::simulate::digest::Digest;
use crate::simulate::event_queue::{PodEvent, ScheduledEvent};
use crate::simulate::recurrence::Cycle;

impl World {
    pub(in crate::simulate) fn mark_waiting(&mut self) {
        self.event_queue.mark_waiting();
    }

    pub(in crate::simulate) fn waiting(&self) -> Vec<ScheduledEvent> {
        self.event_queue.waiting()
    }

    pub(in crate::simulate) fn waiting_is_empty(&self) -> bool {
        self.event_queue.waiting_is_empty()
    }

    pub(in crate::simulate) fn waiting_gone(&self) -> u64 {
        self.event_queue.waiting_gone()
    }

    /// Returns a digest of the objects and the pending events other than the waiting ones.
    pub(in crate::simulate) fn digest_without_waiting(&self) -> u64 {
        Digest::new()
            .number(self.digest)
            .number(self.event_queue.digest_without_waiting(self.now))
            .finish()
    }

    /// Skips whole cycles up to the first waiting event, and moves all waiting events forward by that time. Returns
    /// false if the event comes within the next cycle.
    pub(in crate::simulate) fn skip_cycles(&mut self, cycle: &Cycle) -> bool {
        let Some(first) = cycle.waiting.first() else {
            return false;
        };
        let left = first.at.duration_since(self.now).as_nanos();
        let period = cycle.period.as_nanos();
        // Two cycles remain, since the first may still differ because of the one before.
        let cycles = left / period.max(1) - 2;
        if cycles < 1 {
            return false;
        }
        let Ok(skipped) = i64::try_from(cycles * period) else {
            return false;
        };
        let skipped = SignedDuration::from_nanos(skipped);
        for due in &cycle.waiting {
            self.bring_forward(due, skipped);
        }
        true
    }

    fn bring_forward(&mut self, due: &ScheduledEvent, by: SignedDuration) {
        let sooner = due.at - by;
        if due.event == PodEvent::Available {
            self.becoming_available
                .remove(&(due.at, Arc::clone(&due.pod)));
            self.becoming_available
                .insert((sooner, Arc::clone(&due.pod)));
            if let Some(pod) = self.snapshot.pods.get_mut(&due.pod) {
                let pod = Arc::make_mut(pod);
                if let Some(ready) = &mut pod.ready {
                    ready.since = ready.since.map(|since| since - by);
                }
            }
            self.cache.touch(&due.pod);
        }
        self.event_queue.schedule(sooner, due.event, &due.pod);
    }
}
