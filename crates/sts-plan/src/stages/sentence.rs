//! Descriptions of stages.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{ReportTakes, Staged};
use crate::command::{kubectl, named, quoted};
use crate::duration::spell;
use crate::plan::{Plan, PlanResult};
use crate::words::plural;
use sts_controller::object::Snapshot;

/// Summarizes all stages in one line.
#[must_use]
pub fn stages_summary(staged: &Staged) -> String {
    let reached = staged.stages.len();
    let all = reached + staged.unreached.len();
    let total = |count: fn(&ReportTakes) -> usize| -> usize {
        staged.stages.iter().map(|it| count(&it.summary)).sum()
    };
    let text = format!(
        "Plan: {}: {} to replace, {} to create, {} to delete",
        plural(all, "stage", "stages"),
        total(|it| it.restarts),
        total(|it| it.created),
        total(|it| it.deleted),
    );
    let Some(last) = staged.last() else {
        return text;
    };
    let end = spell(last.start.saturating_add(last.plan.duration()));
    let stopped = |word: &str| {
        let unreached = match all - reached {
            0 => String::new(),
            1 => format!(", stage {all} is not reached"),
            _ => format!(", stages {} to {all} are not reached", reached + 1),
        };
        format!("{text}; stage {reached} {word}{unreached}")
    };
    match last.summary.result {
        PlanResult::Complete => format!("{text}; complete after {end}"),
        PlanResult::Blocked => stopped(&format!("BLOCKED after {end}")),
        PlanResult::Livelock => stopped(&format!("LIVELOCK after {end}")),
        PlanResult::Rejected => stopped("REJECTED"),
    }
}

/// Returns the commands that show whether a stage is complete.
#[must_use]
pub fn check_commands(end: &Snapshot) -> Vec<String> {
    let set = named(&end.set.meta.name);
    let mut commands = Vec::new();
    // kubectl only follows rolling updates, and honors their partition.
    if end.set.strategy.rolling_update().is_some() || end.set.strategy.name() == "RollingUpdate" {
        commands.push(kubectl(end, &format!("rollout status sts/{set}")));
    }
    commands.push(kubectl(end, &format!("get sts {set}")));
    commands
}

/// Returns the command that shows the progress of growing claims; `None` without claims.
#[must_use]
pub fn check_claims_command(claims: &BTreeSet<Arc<str>>, end: &Snapshot) -> Option<String> {
    let names: Vec<_> = claims.iter().map(|claim| named(claim)).collect();
    (!names.is_empty()).then(|| {
        let columns = "NAME:.metadata.name,ASKS:.spec.resources.requests.storage,HAS:.status.capacity.storage,\
                       PENDING:.status.conditions[*].type";
        let get = format!("get pvc {} -o {}", names.join(" "), quoted(&format!("custom-columns={columns}")));
        kubectl(end, &get)
    })
}

/// Returns the command that waits for the deletion of a set.
#[must_use]
pub fn set_gone_commands(plan: &Plan) -> Vec<String> {
    let set = named(&plan.snapshot.set.meta.name);
    let wait = format!("wait --for=delete sts/{set}");
    vec![kubectl(&plan.snapshot, &wait)]
}
