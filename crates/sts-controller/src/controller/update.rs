//! The update phase, which deletes outdated pods: docs/semantics.md 3.11.

use std::sync::Arc;

use super::context::SyncContext;
use super::error::SyncError;
use super::hold::Hold;
use super::identity::ordinal_of;
use super::pod_control::{DeleteError, delete_stateful_pod};
use super::recorder::Recorder;
use super::recreate;
use super::replicas::Slots;
use super::write::DeleteReason;
use crate::object::{IntOrPercent, Pod, Set, Strategy};
use crate::version::{Behaviour, MaxUnavailable, UpdateDelete};

pub(super) struct UpdateResult {
    /// Number of deletes subtracted from `currentReplicas`.
    pub(super) deleted: i64,
    /// The error that ends the pass.
    pub(super) error: Option<SyncError>,
}

impl UpdateResult {
    const NOTHING: UpdateResult = UpdateResult {
        deleted: 0,
        error: None,
    };

    /// Deletes the pod in a slot. Returns whether the walk continues: a pod that was already gone is not an error.
    fn delete(
        &mut self,
        context: &SyncContext<'_>,
        slots: &Slots<'_>,
        slot: usize,
        out: &mut Recorder<'_>,
    ) -> bool {
        match delete_stateful_pod(
            context,
            &slots.pod(context, slot),
            DeleteReason::Outdated,
            out,
        ) {
            Ok(())
            | Err(DeleteError {
                not_found: true, ..
            }) => self.deleted += 1,
            Err(error) => self.error = Some(error.into()),
        }
        self.error.is_none()
    }
}

/// Deletes the next pods, or waits.
pub(super) fn update(
    context: &SyncContext<'_>,
    slots: &Slots<'_>,
    out: &mut Recorder<'_>,
) -> UpdateResult {
    if let Strategy::OnDelete(_) = context.set.strategy {
        if out.detailed {
            hold_outdated(context, slots, 0..context.replicas, out);
        }
        return UpdateResult::NOTHING;
    }
    if recreate::applies(context) {
        return UpdateResult::NOTHING;
    }
    if out.detailed {
        hold_outdated(
            context,
            slots,
            0..context.partition().min(context.replicas),
            out,
        );
    }
    let Some(style) = context.behaviour.max_unavailable else {
        return update_one(context, slots, out);
    };
    match max_unavailable(context.set, context.behaviour) {
        Ok(max) => {
            let over_budget =
                style == MaxUnavailable::UnavailableFirst && !context.set.is_monotonic();
            update_up_to(context, slots, max, over_budget, out)
        }
        Err(error) => UpdateResult {
            deleted: 0,
            error: Some(error),
        },
    }
}

/// Updates one pod at a time, from the top: deletes the first outdated pod, or waits for the first unhealthy one.
fn update_one(
    context: &SyncContext<'_>,
    slots: &Slots<'_>,
    out: &mut Recorder<'_>,
) -> UpdateResult {
    let Some(slot) = next_stop(context, slots, context.replicas) else {
        return UpdateResult::NOTHING;
    };
    let pod = slots.pod(context, slot);
    if context.is_updated(&pod) || pod.is_terminating() {
        let at = if pod.is_terminating() {
            None
        } else {
            pod.available_at(context.min_ready)
        };
        out.hold(|| Hold::UpdateWaitingForPod { pod, at });
        return UpdateResult::NOTHING;
    }
    match (
        delete_stateful_pod(context, &pod, DeleteReason::Outdated, out),
        context.behaviour.update_delete,
    ) {
        (Ok(()), _)
        | (
            Err(DeleteError {
                not_found: true, ..
            }),
            UpdateDelete::GoneIsFine,
        ) => UpdateResult {
            deleted: 1,
            error: None,
        },
        (Err(error), UpdateDelete::CountedAnyway) => UpdateResult {
            deleted: 1,
            error: Some(error.into()),
        },
        (Err(error), UpdateDelete::GoneIsFine) => UpdateResult {
            deleted: 0,
            error: Some(error.into()),
        },
    }
}

/// Updates as many pods at once as the budget allows, from the top. With `unavailable_first`, deletes unavailable
/// outdated pods first, whatever the budget.
fn update_up_to(
    context: &SyncContext<'_>,
    slots: &Slots<'_>,
    max: i64,
    unavailable_first: bool,
    out: &mut Recorder<'_>,
) -> UpdateResult {
    let unavailable = i64::try_from(slots.index.unavailable_slots()).unwrap_or(i64::MAX);
    let unavailable = unavailable + slots.replaced_while_available(context);
    let mut updated = UpdateResult::NOTHING;
    if unavailable_first {
        let mut above = context.replicas;
        while let Some(slot) = next_outdated(context, slots, above) {
            above = slot;
            out.looked_at += 1;
            if context.is_unavailable(&slots.pod(context, slot))
                && !updated.delete(context, slots, slot, out)
            {
                return updated;
            }
        }
    }
    let mut budget = max - unavailable;
    let mut above = context.replicas;
    while let Some(slot) = next_outdated(context, slots, above) {
        if budget <= 0 {
            break;
        }
        above = slot;
        out.looked_at += 1;
        if unavailable_first && context.is_unavailable(&slots.pod(context, slot)) {
            continue;
        }
        budget -= 1;
        if !updated.delete(context, slots, slot, out) {
            return updated;
        }
    }
    if out.detailed
        && updated.deleted == 0
        && unavailable >= max
        && next_outdated(context, slots, context.replicas).is_some()
    {
        let first = slots.index.next_unavailable(0);
        let pod = first.map(|slot| slots.pod(context, slot));
        out.hold(|| Hold::UnavailableBudgetSpent {
            unavailable,
            max_unavailable: max,
            pod,
        });
    }
    updated
}

/// Returns the last slot below `above`, and not below the partition, where the walk stops.
fn next_stop(context: &SyncContext<'_>, slots: &Slots<'_>, above: usize) -> Option<usize> {
    let replaced = slots.last_replaced(above);
    let slot = slots.index.previous_update_stop(above).max(replaced)?;
    (slot >= context.partition()).then_some(slot)
}

/// Returns the last slot below `above`, and not below the partition, whose pod is outdated and not terminating.
fn next_outdated(context: &SyncContext<'_>, slots: &Slots<'_>, mut above: usize) -> Option<usize> {
    loop {
        let replaced = slots.last_replaced(above);
        above = slots
            .index
            .previous_outdated_or_empty(above)
            .max(replaced)
            .filter(|slot| *slot >= context.partition())?;
        // The revision of an unstored pod depends on more than the index has.
        if !slots.is_unstored(above) || *context.revision_for(above) != context.update.meta.name {
            return Some(above);
        }
    }
}

/// Records a hold for every outdated pod in these slots that stays unchanged on purpose.
fn hold_outdated(
    context: &SyncContext<'_>,
    slots: &Slots<'_>,
    range: std::ops::Range<usize>,
    out: &mut Recorder<'_>,
) {
    for slot in range.rev() {
        let Some(pod) = slots.index.pod(slot) else {
            continue;
        };
        if context.is_updated(pod) || pod.is_terminating() || slots.is_unstored(slot) {
            continue;
        }
        if let Some(hold) = intended_hold(context.set, slot, pod) {
            out.hold(|| hold);
        }
    }
}

/// Returns the hold that keeps an outdated pod in this slot on purpose; `None` if it is to be replaced.
fn intended_hold(set: &Set, slot: usize, pod: &Arc<Pod>) -> Option<Hold> {
    let partition = set.strategy.partition();
    let held = || usize::try_from(partition).is_ok_and(|partition| slot < partition);
    let pod = Arc::clone(pod);
    match &set.strategy {
        Strategy::OnDelete(_) => Some(Hold::OnDelete { pod }),
        _ if held() => Some(Hold::HeldByPartition { pod, partition }),
        _ => None,
    }
}

/// Returns the hold that keeps an outdated pod on purpose, even if no sync gets as far as the update phase: the
/// partition or `OnDelete`. Returns `None` for a pod that is replaced in its turn, and for an excess pod.
#[must_use]
pub fn hold_if_outdated(set: &Set, behaviour: &Behaviour, pod: &Arc<Pod>) -> Option<Hold> {
    let ordinal = ordinal_of(&pod.meta.name);
    if !behaviour.ordinals(set).contains(&ordinal) {
        return None;
    }
    intended_hold(set, behaviour.slot(set, ordinal)?, pod)
}

/// `getStatefulSetMaxUnavailable`. A percentage refers to the replicas and is rounded down.
pub(super) fn max_unavailable(set: &Set, behaviour: &Behaviour) -> Result<i64, SyncError> {
    let Some(rolling) = set.strategy.rolling_update() else {
        return Ok(1);
    };
    let max = match &rolling.max_unavailable {
        None => 1,
        Some(IntOrPercent::Int(number)) => *number,
        Some(IntOrPercent::Text(text)) => {
            let percent = match behaviour.max_unavailable {
                // The parser of 1.24 drops every percent sign, and requires none.
                Some(MaxUnavailable::MayBeZero) => text.replace('%', "").parse::<i64>().ok(),
                _ => text
                    .strip_suffix('%')
                    .and_then(|number| number.parse::<i64>().ok()),
            };
            let percent = percent.ok_or_else(|| {
                SyncError::new(format!(
                    "invalid value for IntOrString: invalid type: string is not a percentage: {text}"
                ))
            })?;
            percent
                .saturating_mul(i64::from(set.replicas))
                .div_euclid(100)
        }
    };
    Ok(match behaviour.max_unavailable {
        Some(MaxUnavailable::MayBeZero) => max,
        _ => max.max(1),
    })
}
