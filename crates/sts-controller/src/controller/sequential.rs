//! The older pass, which processes one pod at a time and adjusts the counters by hand: docs/semantics.md 4.

use super::cache::Counters;
use super::context::SyncContext;
use super::error::SyncError;
use super::event;
use super::pod_control::{create_stateful_pod, delete_stateful_pod};
use super::pvc;
use super::recorder::Recorder;
use super::replicas::{Slots, Step, check_replica, process_condemned};
use super::write::DeleteReason;
use crate::object::{Phase, Pod};

/// Processes the slots, then the condemned pods. `Exit` means that the update phase is not reached.
pub(super) fn process(
    context: &SyncContext<'_>,
    slots: &mut Slots<'_>,
    counters: &mut Counters,
    out: &mut Recorder<'_>,
) -> Result<Step, SyncError> {
    let mut at = 0;
    while let Some(slot) = slots.index.next_unsettled(at) {
        if let Step::Exit = process_slot(context, slots, slot, counters, out)? {
            return Ok(Step::Exit);
        }
        at = slot + 1;
    }
    for pod in slots.index.unsettled_condemned() {
        pvc::update_claim_owners(context, pod, out)?;
    }
    for pod in slots.index.condemned() {
        let deletes = out.writes.len();
        let step = process_condemned(context, slots.index, pod, out)?;
        if out.writes.len() > deletes {
            subtract(context, counters, pod);
        }
        if context.set.is_monotonic() {
            return Ok(step);
        }
    }
    Ok(Step::Continue)
}

/// Subtracts a deleted pod from the counters of its revisions, even if it was not counted (quirk Q6).
fn subtract(context: &SyncContext<'_>, counters: &mut Counters, pod: &Pod) {
    if pod.revision == context.current.meta.name {
        counters.current -= 1;
    }
    if context.is_updated(pod) {
        counters.updated -= 1;
    }
}

fn process_slot(
    context: &SyncContext<'_>,
    slots: &mut Slots<'_>,
    slot: usize,
    counters: &mut Counters,
    out: &mut Recorder<'_>,
) -> Result<Step, SyncError> {
    let mut pod = slots.pod(context, slot);
    if pod.phase == Phase::Failed {
        out.event(|| event::of_recreation(context.set, &pod.meta, true));
        delete_stateful_pod(context, &pod, DeleteReason::Failed, out)?;
        subtract(context, counters, &pod);
        counters.replicas -= 1;
        pod = slots.replace(context, slot, &pod);
    }
    if !pod.is_created() {
        if pvc::has_stale_claim(context, &pod, out)? {
            return Ok(Step::Exit);
        }
        create_stateful_pod(context, &pod, out)?;
        counters.replicas += 1;
        if pod.revision == context.current.meta.name {
            counters.current += 1;
        }
        if context.is_updated(&pod) {
            counters.updated += 1;
        }
        return Ok(if context.set.is_monotonic() {
            Step::Exit
        } else {
            Step::Continue
        });
    }
    check_replica(context, &pod, out)
}
