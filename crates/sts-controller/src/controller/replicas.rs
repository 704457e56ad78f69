//! The batched pass over slots and condemned pods: docs/semantics.md 3.10 and 4b.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::cache::{Counters, FirstUnavailable, PodIndex};
use super::context::SyncContext;
use super::error::SyncError;
use super::event;
use super::hold::Hold;
use super::pod_control::{
    create_missing_claims, create_stateful_pod, delete_stateful_pod, update_stateful_pod,
};
use super::pvc;
use super::recorder::Recorder;
use super::write::DeleteReason;
use crate::object::{Phase, Pod};
use crate::version::FinishedPods;

/// Maximum number of pods in one batch of a burst.
const MAX_BATCH: usize = 500;

/// The pods of a pass in progress: the index, and the slots whose pods the pass itself replaced.
pub(super) struct Slots<'r> {
    pub(super) index: &'r PodIndex,
    replaced: BTreeMap<usize, Arc<Pod>>,
    counters: Counters,
}

impl<'r> Slots<'r> {
    pub(super) fn new(index: &'r PodIndex) -> Self {
        Slots {
            index,
            replaced: BTreeMap::new(),
            counters: index.recount(),
        }
    }

    /// Returns the current counters over pods in slots and condemned pods.
    pub(super) fn recount(&self) -> Counters {
        self.counters
    }

    /// Returns the pod in a slot. An empty slot has a pod that exists in memory only.
    pub(super) fn pod(&self, context: &SyncContext<'_>, slot: usize) -> Arc<Pod> {
        let existing = self.replaced.get(&slot).or_else(|| self.index.pod(slot));
        existing.map_or_else(|| context.new_pod(slot), Arc::clone)
    }

    /// Reports whether the pod in a slot exists in memory only.
    pub(super) fn is_unstored(&self, slot: usize) -> bool {
        self.replaced.contains_key(&slot) || self.index.pod(slot).is_none()
    }

    /// Returns the last slot below `above` whose pod the pass replaced.
    pub(super) fn last_replaced(&self, above: usize) -> Option<usize> {
        self.replaced
            .range(..above)
            .next_back()
            .map(|(slot, _)| *slot)
    }

    /// Returns the number of pods that were available until the pass replaced them; their replacements are unavailable.
    pub(super) fn replaced_while_available(&self, context: &SyncContext<'_>) -> i64 {
        let old = self
            .replaced
            .keys()
            .filter_map(|slot| self.index.pod(*slot));
        old.map(|pod| i64::from(!context.is_unavailable(pod))).sum()
    }

    /// Puts a pod that exists in memory only into the slot of a deleted pod.
    pub(super) fn replace(
        &mut self,
        context: &SyncContext<'_>,
        slot: usize,
        old: &Pod,
    ) -> Arc<Pod> {
        let new = context.new_pod(slot);
        self.counters = self.counters.without(context, old);
        self.replaced.insert(slot, Arc::clone(&new));
        new
    }
}

/// Outcome of a step of the pass.
pub(super) enum Step {
    /// The pass continues with the next pod.
    Continue,
    /// A monotonic pass stops.
    Exit,
}

type StepResult = Result<Step, SyncError>;

/// Processes all slots. `Exit` means that a monotonic pass stops here.
pub(super) fn process_replicas(
    context: &SyncContext<'_>,
    slots: &mut Slots<'_>,
    out: &mut Recorder<'_>,
) -> StepResult {
    let index = slots.index;
    let unsettled = |from| index.next_unsettled(from);
    let monotonic = context.set.is_monotonic();
    drive(monotonic, context.replicas, unsettled, |slot| {
        process_replica(context, slots, slot, out)
    })
}

/// `runForAll` and `slowStartBatch`: processes items in order up to the first that stops, or in growing batches, of
/// which a failure ends the last. `next` returns the items with work to do.
pub(super) fn drive(
    monotonic: bool,
    total: usize,
    next: impl Fn(usize) -> Option<usize>,
    mut process: impl FnMut(usize) -> StepResult,
) -> StepResult {
    let mut errors = Vec::new();
    let mut end = total;
    let mut at = 0;
    while let Some(item) = next(at).filter(|item| *item < end) {
        match process(item) {
            Ok(Step::Exit) if monotonic => return Ok(Step::Exit),
            Ok(_) => {}
            Err(error) if monotonic => return Err(error),
            Err(error) => {
                end = end.min(batch_end(item, total));
                errors.push(error);
            }
        }
        at = item + 1;
    }
    SyncError::all(errors).map_or(Ok(Step::Continue), Err)
}

/// Returns the end of the batch that holds the item. Batches hold 1, 2, 4 and so on up to 500 items.
fn batch_end(item: usize, total: usize) -> usize {
    let (mut end, mut size) = (0, 1);
    while end <= item {
        end += size;
        size = (size * 2).min(MAX_BATCH);
    }
    end.min(total)
}

/// `processReplica`.
fn process_replica(
    context: &SyncContext<'_>,
    slots: &mut Slots<'_>,
    slot: usize,
    out: &mut Recorder<'_>,
) -> StepResult {
    let mut pod = slots.pod(context, slot);
    let recreated = match context.behaviour.finished_pods {
        FinishedPods::BothDeleted if Hold::is_finished(pod.phase) => {
            if !pod.is_terminating() {
                delete_stateful_pod(context, &pod, DeleteReason::of_finished(&pod), out)?;
            }
            out.hold(|| Hold::PodFailed { pod });
            return Ok(Step::Exit);
        }
        FinishedPods::BothDeleted => false,
        FinishedPods::FailedRecreated => pod.phase == Phase::Failed,
        FinishedPods::BothRecreated => Hold::is_finished(pod.phase),
    };
    if recreated {
        let failed = pod.phase == Phase::Failed;
        out.event(|| event::of_recreation(context.set, &pod.meta, failed));
        delete_stateful_pod(context, &pod, DeleteReason::of_finished(&pod), out)?;
        pod = slots.replace(context, slot, &pod);
    }
    if !pod.is_created() {
        if pvc::has_stale_claim(context, &pod, out)? {
            return Ok(Step::Exit);
        }
        create_stateful_pod(context, &pod, out)?;
        if context.set.is_monotonic() {
            return Ok(Step::Exit);
        }
        // A burst falls through to the checks below with the pod that was just built. It passes them, unless the cache
        // lacks the owners of its claims that were just written (quirk Q18). Old controllers write into the cache
        // itself, so their cache always has them.
        if context.behaviour.edits_cached_claims {
            return Ok(Step::Continue);
        }
    }
    check_replica(context, &pod, out)
}

/// Checks an existing pod, in both passes: creates missing claims, waits if the pass is monotonic, and repairs the pod.
pub(super) fn check_replica(
    context: &SyncContext<'_>,
    pod: &Arc<Pod>,
    out: &mut Recorder<'_>,
) -> StepResult {
    if pod.phase == Phase::Pending && context.behaviour.claims_for_pending_pods {
        create_missing_claims(context, pod, out)?;
    }
    if context.set.is_monotonic()
        && let Some(hold) = context.wait_for(pod)
    {
        out.hold(|| hold);
        return Ok(Step::Exit);
    }
    update_stateful_pod(context, pod, out)?;
    Ok(Step::Continue)
}

/// Sets the owners of the claims of condemned pods, the highest ordinal first.
pub(super) fn fix_condemned_claims(
    context: &SyncContext<'_>,
    index: &PodIndex,
    out: &mut Recorder<'_>,
) -> Result<(), SyncError> {
    let unsettled: Vec<&Arc<Pod>> = index.unsettled_condemned().rev().collect();
    drive(
        context.set.is_monotonic(),
        unsettled.len(),
        |from| (from < unsettled.len()).then_some(from),
        |item| pvc::update_claim_owners(context, unsettled[item], out).map(|()| Step::Continue),
    )
    .map(|_| ())
}

/// Scales down: one pod at a time from the top, or all at once.
pub(super) fn process_condemned_pods(
    context: &SyncContext<'_>,
    index: &PodIndex,
    out: &mut Recorder<'_>,
) -> StepResult {
    let mut condemned = index.condemned();
    if context.set.is_monotonic() {
        return match condemned.next() {
            Some(pod) => process_condemned(context, index, pod, out),
            None => Ok(Step::Continue),
        };
    }
    let condemned: Vec<&Arc<Pod>> = condemned.collect();
    drive(
        false,
        condemned.len(),
        |from| (from < condemned.len()).then_some(from),
        |item| process_condemned(context, index, condemned[item], out),
    )
}

/// `processCondemned`. The highest condemned pod always ends a monotonic pass: the pass waits for it, or deletes it.
pub(super) fn process_condemned(
    context: &SyncContext<'_>,
    index: &PodIndex,
    pod: &Arc<Pod>,
    out: &mut Recorder<'_>,
) -> StepResult {
    if pod.is_terminating() {
        if context.set.is_monotonic() {
            out.hold(|| Hold::ScaleDownWaitingForTermination {
                pod: Arc::clone(pod),
            });
        }
        return Ok(Step::Exit);
    }
    if context.set.is_monotonic()
        && let Some(hold) = wait_before_scale_down(context, index, pod)?
    {
        out.hold(|| hold);
        return Ok(Step::Exit);
    }
    delete_stateful_pod(context, pod, DeleteReason::ScaledDown, out)?;
    Ok(Step::Exit)
}

/// Returns the hold of a condemned pod that cannot be deleted yet: it is unhealthy, and not the first unhealthy pod.
fn wait_before_scale_down(
    context: &SyncContext<'_>,
    index: &PodIndex,
    pod: &Arc<Pod>,
) -> Result<Option<Hold>, SyncError> {
    let first = index.first_unavailable();
    if first == FirstUnavailable::Condemned(Arc::clone(&pod.meta.name)) {
        return Ok(None);
    }
    let name = || match &first {
        FirstUnavailable::None => None,
        FirstUnavailable::Slot(slot) => Some(match index.pod(*slot) {
            Some(pod) => Arc::clone(&pod.meta.name),
            None => Arc::clone(&context.new_pod(*slot).meta.name),
        }),
        FirstUnavailable::Condemned(name) => Some(Arc::clone(name)),
    };
    if !pod.is_running_and_ready() {
        return Ok(Some(Hold::ScaleDownWaitingForReady {
            pod: Arc::clone(pod),
            first_unhealthy: name(),
        }));
    }
    if !context.is_available(pod) {
        if context.behaviour.panics_on_unavailable_condemned && first == FirstUnavailable::None {
            return Err(SyncError::panic(
                "the pod to be deleted is ready but not yet available, and no pod is unhealthy",
            ));
        }
        return Ok(Some(Hold::ScaleDownWaitingForAvailable {
            pod: Arc::clone(pod),
            at: pod.available_at(context.min_ready),
            first_unhealthy: name(),
        }));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::batch_end;

    #[test]
    fn batches_double_up_to_five_hundred() {
        let ends: Vec<usize> = [0, 1, 2, 3, 6, 7, 510, 511, 1_010, 1_011]
            .iter()
            .map(|item| batch_end(*item, 9_999))
            .collect();
        assert_eq!(ends, [1, 3, 3, 7, 7, 15, 511, 1_011, 1_011, 1_511]);
        assert_eq!(batch_end(4, 5), 5);
    }
}
