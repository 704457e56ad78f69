//! The options in a rollout, each simulated from now on.
//!
//! The remedies of obstacles ([`crate::remedy`]) come first, in their order. The others apply to any rollout: to pause,
//! continue, roll back or speed it up. The list omits options that the API server refuses, that do not complete, or that
//! lose data or a quorum which the rollout keeps.

mod blocks;
mod candidate;
mod chain;
mod effect;
mod history;
mod history_blocks;
mod history_report;
mod report;
mod sentence;

pub use crate::order::{Label, Order, OrderError};
pub(crate) use blocks::OptionsAnswer;
pub(crate) use chain::{after, with_edit};
pub use effect::OptionEffect;
pub(crate) use history::history;
pub use history_report::{ReportHistory, ReportRevision, ReportWriter};
pub use report::{ReportOption, ReportOptions};

use crate::plan::{Outcome, Plan, deploying_tool};
use crate::remedy::{Diagnosis, Remedy, RemedyAction};
use candidate::candidates;
use sentence::report_option;

/// Maximum number of options.
const MOST_OPTIONS: usize = 16;

/// A kind of option.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter, strum::IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum OptionKind {
    /// Continue without a change.
    GoOn,
    /// A remedy of an obstacle.
    Fix,
    /// Delete the outdated pods of an `OnDelete` set one by one.
    ReplaceEach,
    /// Stop before the next pod.
    Pause,
    /// Lower the partition by one pod.
    Advance,
    /// Lower the partition to 0.
    Resume,
    /// Update more pods at once.
    MaxUnavailable,
    /// Recreate the set around its pods as Parallel.
    Parallel,
    /// Roll back the template.
    RollBack,
    /// Roll back the updated pods and keep the template.
    RollBackMoved,
}

serialized!(by_name: OptionKind);

/// The reason that there are no options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter)]
pub enum OptionsSkipped {
    /// The API server refuses the change.
    Rejected,
    /// The plan changes the set, its pods or nodes.
    Changed,
    /// The set is being deleted.
    Deleted,
    /// The input is incomplete.
    Incomplete,
    /// The set matches its spec.
    AtRest,
}

serialized!(text_by_name: OptionsSkipped);

impl OptionsSkipped {
    /// Returns the reason in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            OptionsSkipped::Rejected => "the API server refuses the change",
            OptionsSkipped::Changed => {
                "options only apply to the rollout in progress: omit the change"
            }
            OptionsSkipped::Deleted => "the set is being deleted",
            OptionsSkipped::Incomplete => "the input is incomplete",
            OptionsSkipped::AtRest => "no rollout is in progress, and nothing is stuck",
        }
    }
}

/// An option with its effect.
#[derive(Debug, Clone)]
pub struct PlanOption {
    /// Kind of option.
    pub kind: OptionKind,
    /// Actions, in order; empty to continue.
    pub actions: Vec<RemedyAction>,
    /// Underlying remedy, for a stuck set.
    pub remedy: Option<Remedy>,
    /// Effect in the simulation.
    pub effect: OptionEffect,
}

/// Returns the options of a plan whose obstacles have these diagnoses.
#[must_use]
pub(crate) fn options(
    plan: &Plan,
    diagnoses: &[Diagnosis<'_>],
    is_contradictory: bool,
) -> ReportOptions {
    if let Some(skipped) = skipped(plan, is_contradictory) {
        return ReportOptions {
            items: Vec::new(),
            left_out: 0,
            managed_by: None,
            skipped: Some(skipped),
        };
    }
    let (mut options, left_out) = candidates(plan, diagnoses);
    options.truncate(MOST_OPTIONS);
    ReportOptions {
        items: options.iter().map(|it| report_option(plan, it)).collect(),
        left_out,
        managed_by: manager(plan),
        skipped: None,
    }
}

fn skipped(plan: &Plan, is_contradictory: bool) -> Option<OptionsSkipped> {
    let is_idle = matches!(plan.outcome, Outcome::Complete)
        && !plan.has_work()
        && plan.next.holds.iter().all(|hold| hold.is_intended())
        && plan.tally().on_delete == 0
        && plan.tally().held_by_partition == 0;
    if is_contradictory {
        return Some(OptionsSkipped::Incomplete);
    }
    match &plan.outcome {
        Outcome::Rejected(_) => Some(OptionsSkipped::Rejected),
        _ if plan.snapshot.set.is_terminating() => Some(OptionsSkipped::Deleted),
        _ if is_changed(plan) => Some(OptionsSkipped::Changed),
        _ if is_idle => Some(OptionsSkipped::AtRest),
        _ => None,
    }
}

/// Reports whether the plan includes a change.
fn is_changed(plan: &Plan) -> bool {
    !plan.change.is_empty() || plan.is_about_actions()
}

/// Returns the owner of the set, or the tool that deploys it.
fn manager(plan: &Plan) -> Option<String> {
    let tool = || deploying_tool(plan).map(|(tool, _)| tool);
    plan.operator().or_else(tool)
}
