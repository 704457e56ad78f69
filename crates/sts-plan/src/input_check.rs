//! Gaps in the input of a plan: inconsistencies and missing kinds of objects.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::plan::{InputKind, Plan, owns, pods_of};
use sts_controller::object::{Phase, Snapshot};

/// Gaps in the input.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "ReportInput"))]
#[serde(rename_all = "camelCase")]
pub struct InputCheck {
    /// True if the input is marked or known as complete.
    pub complete: bool,
    /// Inconsistencies, one sentence each: referenced objects that are missing.
    pub missing: Vec<String>,
    /// Kinds of objects missing from the input, which are not checked.
    pub not_checked: Vec<NotChecked>,
}

/// Kind of object missing from the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum NotChecked {
    /// PodDisruptionBudgets.
    #[serde(rename = "poddisruptionbudgets")]
    Budgets,
    /// Claims of a stored set, and therefore data loss.
    #[serde(rename = "persistentvolumeclaims")]
    Claims,
    /// Nodes.
    Nodes,
    /// Events.
    Events,
}

impl InputCheck {
    /// Checks the input of a plan for gaps.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let kind = plan.conditions.input;
        if kind != InputKind::Files {
            return InputCheck {
                complete: true,
                ..InputCheck::default()
            };
        }
        let stored = is_stored(plan);
        InputCheck {
            complete: false,
            missing: if stored { missing(plan) } else { Vec::new() },
            not_checked: if stored {
                not_checked(plan)
            } else {
                Vec::new()
            },
        }
    }

    /// Reports whether the input is inconsistent.
    #[must_use]
    pub fn is_contradictory(&self) -> bool {
        !self.missing.is_empty()
    }

    /// Reports whether a kind of object is missing.
    #[must_use]
    pub fn lacks(&self, what: NotChecked) -> bool {
        self.not_checked.contains(&what)
    }
}

/// Reports whether the set was read from a server, not written by hand.
fn is_stored(plan: &Plan) -> bool {
    let set = &plan.stored().set;
    !set.meta.uid.is_empty() && set.meta.created.is_some()
}

fn missing(plan: &Plan) -> Vec<String> {
    // If the set is being replaced, the objects refer to the old one.
    let snapshot = &*plan.stored();
    let status = &snapshot.status;
    let mut out = Vec::new();
    let owned: Vec<_> = pods_of(snapshot)
        .filter(|pod| owns(snapshot, pod))
        .collect();
    let counted = status.replicas.max(status.ready_replicas);
    // Pods that were released or have another owner were counted in the status.
    let there = i64::try_from(pods_of(snapshot).count()).unwrap_or(i64::MAX);
    if counted > there.saturating_add(between_lists(snapshot)) {
        out.push(format!(
            "status says {}, the input has {}",
            pods(counted),
            if there == 0 {
                "none".to_owned()
            } else {
                there.to_string()
            }
        ));
    }
    let mut revisions: BTreeSet<&str> = BTreeSet::new();
    revisions.extend([&*status.current_revision, &*status.update_revision]);
    revisions.extend(owned.iter().map(|pod| &*pod.revision));
    let unknown: Vec<&str> = revisions
        .into_iter()
        .filter(|name| !name.is_empty() && !snapshot.revisions.contains_key(*name))
        .collect();
    if !unknown.is_empty() {
        out.push(format!(
            "status and pods reference ControllerRevision{} {}, missing from the input",
            if unknown.len() == 1 { "" } else { "s" },
            unknown.join(", ")
        ));
    }
    // The claims of a running pod are protected, so they must exist.
    let running = owned.iter().filter(|pod| pod.phase == Phase::Running);
    let claims: Vec<String> = running
        .flat_map(|pod| snapshot.missing_claims(pod))
        .map(|claim| claim.to_string())
        .collect();
    if let Some(first) = claims.first() {
        let more = match claims.len() {
            1 => String::new(),
            several => format!(" and {} more", several - 1),
        };
        out.push(format!(
            "running pods use claim {first}{more}, missing from the input"
        ));
    }
    out
}

/// Returns the number of pods that may be missing because a rollout replaced them between the lists of sets and
/// pods. A list without any pod does not cover the set.
fn between_lists(snapshot: &Snapshot) -> i64 {
    let status = &snapshot.status;
    let is_rolling =
        !status.update_revision.is_empty() && status.current_revision != status.update_revision;
    let is_moving = is_rolling || pods_of(snapshot).any(|pod| pod.is_terminating());
    i64::from(is_moving && pods_of(snapshot).next().is_some())
}

fn pods(number: i64) -> String {
    match number {
        1 => "1 pod".to_owned(),
        _ => format!("{number} pods"),
    }
}

/// Lists missing kinds of objects. A set that was never stored has no pods to disrupt and no data to lose.
fn not_checked(plan: &Plan) -> Vec<NotChecked> {
    let snapshot = &plan.snapshot;
    let related = &plan.related;
    let mut out = Vec::new();
    if related
        .budgets(&snapshot.set.meta.namespace)
        .next()
        .is_none()
    {
        out.push(NotChecked::Budgets);
    }
    if !snapshot.set.claim_templates.is_empty() && snapshot.claims.is_empty() {
        out.push(NotChecked::Claims);
    }
    if !related.has_nodes() {
        out.push(NotChecked::Nodes);
    }
    if !related.has_events() {
        out.push(NotChecked::Events);
    }
    out
}
