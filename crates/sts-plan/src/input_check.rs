//! Gaps in the input of a plan: what contradicts itself, and what nothing shows.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::plan::{InputKind, Plan, owns, pods_of};
use sts_controller::object::{Phase, Snapshot};

/// The gaps in the input.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "ReportInput"))]
#[serde(rename_all = "camelCase")]
pub struct InputCheck {
    /// True if the input says, or is known, to be complete.
    pub complete: bool,
    /// Contradictions, a sentence each: something that the objects name is not there.
    pub missing: Vec<String>,
    /// Objects that were not in the input, so that nothing can be said of them.
    pub not_checked: Vec<NotChecked>,
}

/// Something that nothing in the input tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum NotChecked {
    /// PodDisruptionBudgets.
    #[serde(rename = "poddisruptionbudgets")]
    Budgets,
    /// The claims of a stored set, and so the loss of data.
    #[serde(rename = "persistentvolumeclaims")]
    Claims,
    /// Nodes.
    Nodes,
    /// Events.
    Events,
}

impl InputCheck {
    /// Holds the input of a plan against itself.
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

    /// Reports whether the input contradicts itself.
    #[must_use]
    pub fn is_contradictory(&self) -> bool {
        !self.missing.is_empty()
    }

    /// Reports whether nothing tells of this.
    #[must_use]
    pub fn lacks(&self, what: NotChecked) -> bool {
        self.not_checked.contains(&what)
    }
}

/// Reports whether the set was read from a server, rather than written by hand.
fn is_stored(plan: &Plan) -> bool {
    let set = &plan.stored().set;
    !set.meta.uid.is_empty() && set.meta.created.is_some()
}

/// Lists what the objects name that is not there.
fn missing(plan: &Plan) -> Vec<String> {
    // Of a set that is about to be replaced, the objects name what was stored with the old one.
    let snapshot = &*plan.stored();
    let status = &snapshot.status;
    let mut out = Vec::new();
    let owned: Vec<_> = pods_of(snapshot)
        .filter(|pod| owns(snapshot, pod))
        .collect();
    let counted = status.replicas.max(status.ready_replicas);
    // A pod that lost its owner, or has another one, was counted when the status was written.
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
            "status and pods name ControllerRevision{} {}, which the input does not have",
            if unknown.len() == 1 { "" } else { "s" },
            unknown.join(", ")
        ));
    }
    // A running pod's claims are protected: they cannot be gone while it runs.
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
            "running pods use claim {first}{more}, which the input does not have"
        ));
    }
    out
}

/// Returns the number of pods that may have gone between the list of sets and that of pods: while a rollout goes on,
/// one is replaced at any moment. A list without any pod was not a list of this set's pods.
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

/// Lists what nothing in the input tells of. A set that was never stored has no pods to disrupt and nothing to lose.
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
