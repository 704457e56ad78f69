//! The pass over the pods.

use super::*;

impl Sync<'_> {
    fn available(&self, pod: &Seat) -> bool {
        let min_ready = if self.behaviour.min_ready_seconds {
            self.set.min_ready_seconds
        } else {
            0
        };
        let since = pod.stored.as_ref().and_then(|pod| pod.ready?.since);
        let wait = SignedDuration::from_secs(i64::from(min_ready));
        pod.ready() && (min_ready == 0 || since.is_some_and(|since| since + wait <= self.now))
    }

    pub(super) fn unavailable(&self, pod: &Seat) -> bool {
        let well = match self.behaviour.update_waits_for {
            UpdateWaitsFor::Readiness => pod.running_and_ready(),
            UpdateWaitsFor::Availability => self.available(pod),
        };
        !well || pod.terminating()
    }

    fn count(&mut self, pods: &[Seat]) {
        let mut counters = Counters::default();
        for pod in pods {
            counters.replicas += i64::from(pod.created());
            counters.ready += i64::from(pod.running_and_ready());
            counters.available += i64::from(pod.running_and_ready() && self.available(pod));
            let live = pod.created() && !pod.terminating();
            counters.current += i64::from(live && pod.revision == self.current);
            counters.updated += i64::from(live && pod.revision == self.update);
        }
        self.counters = counters;
    }

    fn recount(&mut self) {
        let pods: Vec<Seat> = self.slots.iter().chain(&self.condemned).cloned().collect();
        self.count(&pods);
    }

    /// Returns the pod that would be created for a slot.
    fn new_pod(&self, slot: usize) -> Seat {
        let start = self.behaviour.ordinals(self.set).start;
        let slot = i64::try_from(slot).unwrap();
        let old = match self.set.strategy.rolling_update() {
            Some(rolling) => slot < i64::from(rolling.partition.unwrap_or(0)),
            None => {
                matches!(self.set.strategy, Strategy::RollingUpdate(_))
                    && slot < self.snapshot.status.current_replicas
            }
        };
        Seat {
            name: format!("{}-{}", self.set.meta.name, start + slot),
            revision: if old { &self.current } else { &self.update }.clone(),
            stored: None,
        }
    }

    pub(super) fn pass(&mut self, pods: &[Seat]) -> Result<()> {
        let range = self.behaviour.ordinals(self.set);
        let count = usize::try_from(range.end - range.start).unwrap();
        let mut slots: Vec<Option<Seat>> = vec![None; count];
        for pod in pods {
            let ordinal = ordinal_of(&pod.name);
            if range.contains(&ordinal) {
                slots[usize::try_from(ordinal - range.start).unwrap()] = Some(pod.clone());
            } else if ordinal >= 0 {
                self.condemned.push(pod.clone());
            }
        }
        self.slots = slots
            .into_iter()
            .enumerate()
            .map(|(slot, pod)| pod.unwrap_or_else(|| self.new_pod(slot)))
            .collect();
        // If leading zeros give two pods one ordinal, the last name comes first.
        self.condemned
            .sort_by_key(|pod| std::cmp::Reverse((ordinal_of(&pod.name), pod.name.clone())));
        let in_order = self.slots.iter().chain(self.condemned.iter().rev());
        self.first_unhealthy = in_order
            .clone()
            .find(|pod| self.unavailable(pod))
            .map(|pod| pod.name.clone());
        self.count(pods);
        let batched = self.behaviour.pass == PassStyle::Batched;
        if !batched {
            self.counters.replicas = i64::try_from(pods.len()).unwrap();
        }
        if self.set.is_terminating() {
            return Ok(());
        }
        if self.recreates() {
            let result = self.delete_outdated();
            self.recount();
            if !result? {
                return Ok(());
            }
        }
        let goes_on = if batched {
            let goes_on = self.batches();
            self.recount();
            goes_on?
        } else {
            self.one_by_one()?
        };
        let by_hand = matches!(self.set.strategy, Strategy::OnDelete(_));
        if !goes_on || by_hand || self.recreates() {
            return Ok(());
        }
        self.update_pods()
    }

    /// Processes all items in order up to the first that stops, or in growing batches. Returns false at the end of the
    /// pass.
    fn drive(
        &mut self,
        count: usize,
        each: &mut dyn FnMut(&mut Self, usize) -> Result<bool>,
    ) -> Result<bool> {
        if self.set.is_monotonic() {
            for item in 0..count {
                if !each(self, item)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        self.in_batches(count, each)
    }

    pub(super) fn in_batches(
        &mut self,
        count: usize,
        each: &mut dyn FnMut(&mut Self, usize) -> Result<bool>,
    ) -> Result<bool> {
        let (mut at, mut size) = (0, 1);
        while at < count {
            let end = count.min(at + size);
            let failures: Vec<Failure> = (at..end)
                .filter_map(|item| each(self, item).err())
                .collect();
            if failures.contains(&Failure::Panic) {
                return Err(Failure::Panic);
            }
            if let Some(first) = failures.first() {
                return Err(*first);
            }
            (at, size) = (end, (size * 2).min(500));
        }
        Ok(true)
    }

    fn batches(&mut self) -> Result<bool> {
        if !self.drive(self.slots.len(), &mut |sync, slot| {
            sync.process_replica(slot)
        })? {
            return Ok(false);
        }
        self.drive(self.condemned.len(), &mut |sync, item| {
            let pod = sync.condemned[item].clone();
            if !sync.claims_match(&pod) {
                sync.own_claims(&pod)?;
            }
            Ok(true)
        })?;
        self.drive(self.condemned.len(), &mut |sync, item| {
            sync.process_condemned(item)
        })
    }

    fn process_replica(&mut self, slot: usize) -> Result<bool> {
        let finished = match self.slots[slot].phase() {
            Phase::Failed => true,
            Phase::Succeeded => self.behaviour.finished_pods != FinishedPods::FailedRecreated,
            _ => false,
        };
        if finished && self.behaviour.finished_pods == FinishedPods::BothDeleted {
            if !self.slots[slot].terminating() {
                self.delete(&self.slots[slot].clone())?;
            }
            return Ok(false);
        }
        if finished {
            self.recreate(slot)?;
        }
        let pod = self.slots[slot].clone();
        if !pod.created() {
            if self.has_stale_claim(&pod)? {
                return Ok(false);
            }
            self.create(&pod)?;
            if self.set.is_monotonic() {
                return Ok(false);
            }
        }
        self.check(&pod)
    }

    /// Deletes a finished pod, and makes room for another one.
    fn recreate(&mut self, slot: usize) -> Result<()> {
        let pod = self.slots[slot].clone();
        let failed = pod.phase() == Phase::Failed;
        let reason = if failed {
            "RecreatingFailedPod"
        } else {
            "RecreatingTerminatedPod"
        };
        self.event(failed, reason);
        self.delete(&pod)?;
        self.slots[slot] = self.new_pod(slot);
        Ok(())
    }

    /// Checks an existing pod. Returns false if the next one has to wait for it.
    fn check(&mut self, pod: &Seat) -> Result<bool> {
        if pod.phase() == Phase::Pending && self.behaviour.claims_for_pending_pods {
            self.make_claims(pod)?;
            let owned = self.own_claims(pod);
            owned.or_else(|failure| self.report("Update", Err(failure)))?;
        }
        let well = pod.running_and_ready() && self.available(pod) && !pod.terminating();
        if self.set.is_monotonic() && !well {
            return Ok(false);
        }
        self.repair(pod)?;
        Ok(true)
    }

    fn process_condemned(&mut self, item: usize) -> Result<bool> {
        let pod = self.condemned[item].clone();
        let monotonic = self.set.is_monotonic();
        if pod.terminating() {
            return Ok(!monotonic);
        }
        let is_first = self.first_unhealthy.as_ref() == Some(&pod.name);
        if monotonic && !is_first {
            if !pod.running_and_ready() {
                return Ok(false);
            }
            if !self.available(&pod) {
                let crashes = self.behaviour.panics_on_unavailable_condemned
                    && self.first_unhealthy.is_none();
                return if crashes {
                    Err(Failure::Panic)
                } else {
                    Ok(false)
                };
            }
        }
        self.delete(&pod)?;
        Ok(false)
    }

    fn one_by_one(&mut self) -> Result<bool> {
        for slot in 0..self.slots.len() {
            if self.slots[slot].phase() == Phase::Failed {
                let old = self.slots[slot].clone();
                self.recreate(slot)?;
                self.count_by_hand(&old, -1);
                self.counters.replicas -= 1;
            }
            let pod = self.slots[slot].clone();
            if !pod.created() {
                if self.has_stale_claim(&pod)? {
                    return Ok(false);
                }
                self.create(&pod)?;
                self.counters.replicas += 1;
                self.count_by_hand(&pod, 1);
                if self.set.is_monotonic() {
                    return Ok(false);
                }
                continue;
            }
            if !self.check(&pod)? {
                return Ok(false);
            }
        }
        for item in (0..self.condemned.len()).rev() {
            let pod = self.condemned[item].clone();
            if !self.claims_match(&pod) {
                self.own_claims(&pod)?;
            }
        }
        for item in 0..self.condemned.len() {
            let deletes = self.result.writes.len();
            self.process_condemned(item)?;
            if self.result.writes.len() > deletes {
                self.count_by_hand(&self.condemned[item].clone(), -1);
            }
            if self.set.is_monotonic() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn count_by_hand(&mut self, pod: &Seat, by: i64) {
        self.counters.current += if pod.revision == self.current { by } else { 0 };
        self.counters.updated += if pod.revision == self.update { by } else { 0 };
    }
}
