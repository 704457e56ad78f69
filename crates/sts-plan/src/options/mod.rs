//! The options in the middle of a rollout: what can be done now, each simulated from now on.
//!
//! The remedy room ([`crate::remedy`]) says what helps against an obstacle: its remedies stand first in the list, in the
//! order in which the verdict on a stuck set has them. The others apply to any rollout: to pause it, to go on, to go back
//! or to be faster. One that the API server refuses, that does not get where it should, or that costs data or a quorum
//! which the rollout itself keeps, is not in the list.

mod candidate;
mod chain;
mod effect;
mod history;
mod next;
mod order;

use std::sync::Arc;

pub use effect::OptionEffect;
pub(crate) use history::history;
pub use next::{Held, Next, NextMove, Waiting, next};
pub use order::{Label, Order, OrderError};

use crate::analysis::Diagnosis;
use crate::lint::deploying_tool;
use crate::plan::{Outcome, Plan};
use crate::remedy::{Remedy, RemedyAction};
use candidate::candidates;

/// Maximum number of options that are told.
const MOST_OPTIONS: usize = 16;

/// A kind of option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter)]
pub enum OptionKind {
    /// Nothing is done, and the rollout goes on.
    GoOn,
    /// A remedy of what keeps the set stuck.
    Fix,
    /// The outdated pods of an `OnDelete` set are deleted one after the other.
    ReplaceEach,
    /// No further pod is updated.
    Pause,
    /// The partition lets one more pod be updated.
    Advance,
    /// The partition lets all pods be updated.
    Resume,
    /// More pods are updated at once.
    MaxUnavailable,
    /// The set is recreated around its pods as one that starts them at once.
    Parallel,
    /// The template becomes the earlier one again.
    RollBack,
    /// The pods that have moved go back to the earlier revision, and the template stays.
    RollBackMoved,
}

impl OptionKind {
    /// The kind's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            OptionKind::GoOn => "go-on",
            OptionKind::Fix => "fix",
            OptionKind::ReplaceEach => "replace-each",
            OptionKind::Pause => "pause",
            OptionKind::Advance => "advance",
            OptionKind::Resume => "resume",
            OptionKind::MaxUnavailable => "max-unavailable",
            OptionKind::Parallel => "parallel",
            OptionKind::RollBack => "roll-back",
            OptionKind::RollBackMoved => "roll-back-moved",
        }
    }
}

/// The reason that there are no options to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter)]
pub enum OptionsSkipped {
    /// The API server refuses the change.
    Rejected,
    /// Something is done to the set, its pods or nodes first.
    Changed,
    /// The set is being deleted.
    Deleted,
    /// The input contradicts itself.
    Incomplete,
    /// The set is as its specification wants it.
    AtRest,
}

impl OptionsSkipped {
    /// The reason in a clause.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            OptionsSkipped::Rejected => "the API server refuses the change, so nothing happens",
            OptionsSkipped::Changed => {
                "options are about the rollout that is under way: leave the change out"
            }
            OptionsSkipped::Deleted => "the set is being deleted",
            OptionsSkipped::Incomplete => "the input contradicts itself",
            OptionsSkipped::AtRest => "no rollout is under way, and nothing is stuck",
        }
    }
}

/// Something that can be done now, and its effect.
#[derive(Debug, Clone)]
pub struct PlanOption {
    /// Its kind.
    pub kind: OptionKind,
    /// The actions, in order; none to go on.
    pub actions: Vec<RemedyAction>,
    /// The remedy that it is, of a stuck set.
    pub remedy: Option<Remedy>,
    /// Its effect.
    pub effect: OptionEffect,
}

/// The options.
#[derive(Debug, Clone)]
pub enum PlanOptions {
    /// The options, to go on first; and the tool or the owner that may revert what is done by hand.
    Told(Vec<PlanOption>, Option<Arc<str>>),
    /// There is nothing to choose from, for this reason.
    Skipped(OptionsSkipped),
}

/// Returns the options of a plan whose obstacles have these diagnoses.
#[must_use]
pub(crate) fn options(
    plan: &Plan,
    diagnoses: &[Diagnosis<'_>],
    is_contradictory: bool,
) -> PlanOptions {
    if let Some(skipped) = skipped(plan, is_contradictory) {
        return PlanOptions::Skipped(skipped);
    }
    let mut told = candidates(plan, diagnoses);
    told.truncate(MOST_OPTIONS);
    PlanOptions::Told(told, manager(plan))
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

/// Reports whether something is asked for that is not so yet.
fn is_changed(plan: &Plan) -> bool {
    !plan.change.is_empty()
        || !plan.actions.is_empty()
        || !plan.conditions.outage.leaving.is_empty()
        || !plan.conditions.outage.agenda.is_empty()
}

/// The owner of the set, or the tool that deploys it.
fn manager(plan: &Plan) -> Option<Arc<str>> {
    if let Some(owner) = plan.snapshot.set.meta.controller() {
        return Some(format!("{} {}", owner.kind, owner.name).into());
    }
    deploying_tool(plan).map(|(tool, _)| tool.into())
}
