//! Descriptions of the options in a rollout: commands, precondition, risk and effect.

use super::{OptionEffect, OptionKind, PlanOption, ReportOption};
use crate::duration::spell;
use crate::explain::{obstacle, remedy_text};
use crate::plan::{Plan, PlanResult};
use crate::remedy::{RemedyAction, RemedyEntry};
use crate::words::plural;

/// Returns the report of an option.
pub(crate) fn report_option(plan: &Plan, option: &PlanOption) -> ReportOption {
    let effect = &option.effect;
    let (commands, precondition, risk) = advice(plan, option);
    ReportOption {
        kind: option.kind,
        commands,
        precondition,
        risk,
        result: effect.result,
        effect: effect_text(plan, option.kind, effect),
        after_seconds: effect.after.as_secs(),
        restarts: effect.restarts,
        outdated: effect.outdated,
        replicas: effect.replicas,
        most_down: effect.most_down,
        lowest_ready: effect.lowest_ready,
        loses_quorum: effect.loses_quorum,
        lost_claims: effect.lost.iter().map(ToString::to_string).collect(),
    }
}

/// Returns the commands, the precondition and the risk of an option.
fn advice(plan: &Plan, option: &PlanOption) -> (Vec<String>, String, String) {
    if let Some(remedy) = &option.remedy {
        let text = remedy_text(plan, remedy);
        return (text.commands, text.precondition, text.risk);
    }
    let actions = option.actions.iter();
    let entries: Vec<RemedyEntry> = actions
        .map(|it| it.entry(plan, &plan.snapshot, &[]))
        .collect();
    let first = entries.first();
    let precondition = match option.kind {
        OptionKind::RollBackMoved => Some("if the set should keep the new template".to_owned()),
        OptionKind::RollBack | OptionKind::Parallel => first.and_then(|it| it.condition.clone()),
        _ => None,
    };
    let risk = match option.kind {
        OptionKind::Parallel => first.and_then(|it| it.risk.clone()),
        _ => caution(plan, option),
    };
    let commands = entries.into_iter().flat_map(|entry| entry.commands);
    (
        commands.collect(),
        precondition.unwrap_or_default(),
        risk.unwrap_or_default(),
    )
}

fn caution(plan: &Plan, option: &PlanOption) -> Option<String> {
    let current = &plan.next.status.current_revision;
    let deletes = option.actions.iter();
    let deletes = deletes.filter(|action| matches!(action, RemedyAction::DeletePod(_)));
    let one_by_one = (deletes.count() > 1)
        .then_some("delete each pod only when the previous one is ready (--next shows when)");
    Some(match option.kind {
        OptionKind::Pause | OptionKind::Advance => format!(
            "pods run two revisions meanwhile; a pod below the partition restarts on {current}"
        ),
        OptionKind::RollBackMoved => {
            let held = "no pod is updated until you lower the partition";
            match one_by_one {
                Some(one_by_one) => format!("{one_by_one}; {held}"),
                None => held.to_owned(),
            }
        }
        OptionKind::ReplaceEach | OptionKind::RollBack => one_by_one?.to_owned(),
        OptionKind::GoOn
        | OptionKind::Fix
        | OptionKind::Parallel
        | OptionKind::Resume
        | OptionKind::MaxUnavailable => return None,
    })
}

fn effect_text(plan: &Plan, kind: OptionKind, effect: &OptionEffect) -> String {
    let after = spell(effect.after);
    let mut text = match effect.result {
        PlanResult::Complete if effect.after.is_zero() && effect.restarts == 0 => {
            "no change".to_owned()
        }
        PlanResult::Complete => format!("completes after {after}"),
        PlanResult::Livelock => "pods are deleted and recreated forever".to_owned(),
        PlanResult::Blocked | PlanResult::Rejected => {
            let end = plan.predicted().objects();
            let left = effect.obstacle.as_ref();
            let left = left.map(|left| obstacle(left, end, plan.conditions.now));
            let left = left.unwrap_or_default();
            match kind {
                OptionKind::GoOn if effect.after.is_zero() => format!("stays stuck: {left}"),
                _ => format!("stuck after {after}: {left}"),
            }
        }
    };
    if effect.restarts > 0 {
        text.push_str(&format!(
            "; {} replaced",
            plural(effect.restarts, "pod", "pods")
        ));
    }
    if effect.outdated > 0 {
        text.push_str(&format!(
            "; {} outdated",
            plural(effect.outdated, "pod", "pods")
        ));
    }
    text
}
