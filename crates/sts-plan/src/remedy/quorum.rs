//! A majority of the members that is lost with nodes: what the other pods show is a result of it, or has to wait for it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Diagnosis;
use crate::catalogue::Cure;
use crate::cause::{Blames, Cause, LostMajority};
use crate::plan::Plan;
use crate::requirement::{majority, members};

/// Marks the causes of pods that show only the lack of a majority, and those of data that are not to be changed without one.
pub(super) fn mark(plan: &Plan, diagnoses: &mut [Diagnosis<'_>]) {
    let members = members(plan);
    let needed = majority(members);
    let ready = i64::try_from(plan.observed().ready().count()).unwrap_or(i64::MAX);
    if members < 3 || ready >= needed {
        return;
    }
    let causes = diagnoses.iter().filter_map(|it| it.cause.as_ref());
    let down: Vec<&Cause> = causes.filter(|cause| is_of_node(cause)).collect();
    let nodes = down.iter().filter_map(|cause| cause.facts.node.clone());
    let nodes: BTreeSet<Arc<str>> = nodes.collect();
    let Some(since) = down.iter().filter_map(|cause| cause.since).min() else {
        return;
    };
    let up = members.saturating_sub(i64::try_from(down.len()).unwrap_or(i64::MAX));
    let lost = |is_reason| LostMajority {
        nodes: nodes.iter().cloned().collect(),
        members,
        ready,
        is_reason,
    };
    let causes = diagnoses.iter_mut().filter_map(|it| it.cause.as_mut());
    for cause in causes.filter(|cause| !is_of_node(cause)) {
        let is_later = cause.since.is_some_and(|began| began >= since);
        if !cause.is_specific() && is_later && up < needed {
            cause.lost_majority = Some(lost(true));
        } else if cause.is_specific() && cause.blames() == Blames::Volume {
            cause.lost_majority = Some(lost(false));
        }
    }
}

/// Reports whether a pod is down with its node.
fn is_of_node(cause: &Cause) -> bool {
    cause.facts.node.is_some() && matches!(cause.cure(), Cure::LeaveNode | Cure::RestoreNode)
}
