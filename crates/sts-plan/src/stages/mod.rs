//! A change in several steps: each stage begins where the one before has brought the set, over one simulated world and
//! one clock.

mod back;
mod summary;

use std::sync::Arc;

use jiff::SignedDuration;
use thiserror::Error;

use crate::change::{Change, PlanError};
use crate::conditions::Conditions;
use crate::explain;
use crate::plan::{Outcome, Plan, PlanResult};
use crate::report::ReportTakes;
use crate::requirement;
use crate::requirement::{ReportRequirement, Requirement};
use sts_controller::object::{Set, Snapshot, Status};
use sts_controller::simulate::World;

pub(crate) use back::creatable;
pub use back::{NoWayBack, WayBack, WayBackEnd};

/// Maximum number of stages: more than anybody goes through by hand.
pub const MAX_STAGES: usize = 100;

/// The change of a stage, given the set as it is when the stage begins, and the conditions of that moment.
pub type StageChange<'c> =
    dyn Fn(Option<&Snapshot>, &Conditions) -> Result<Change<'c>, PlanError> + 'c;

/// One step of a change in several.
pub struct Stage<'c> {
    /// Its name; empty for none.
    pub name: String,
    /// When it begins. Of the first stage it says nothing.
    pub begins: Begins,
    /// The people who have to agree before it begins; empty for nobody.
    pub approval: String,
    /// The requirements from its beginning to that of the next, besides those of the whole.
    pub requirements: Vec<Requirement>,
    /// Its change.
    pub change: Box<StageChange<'c>>,
    /// The file with the manifest that it applies, which printed commands name.
    pub manifest: Option<Arc<str>>,
    /// Commands that take the place of those that its change leads to; empty for those.
    pub commands: Vec<String>,
}

/// When a stage begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begins {
    /// So long after the one before has come to rest: at once, unless it is to be watched for a while.
    AtRest {
        /// The time for which the set is watched at rest.
        soak: SignedDuration,
    },
    /// So long after the one before has begun, whatever is under way then.
    After(SignedDuration),
}

impl Default for Begins {
    fn default() -> Self {
        Begins::AtRest {
            soak: SignedDuration::ZERO,
        }
    }
}

/// A change in several steps, with what becomes of each.
pub struct Staged {
    /// The stages that are reached, in order: at least one.
    pub stages: Vec<StagePlan>,
    /// The stages that are not, in order.
    pub unreached: Vec<UnreachedStage>,
    /// The API server's warnings.
    pub warnings: Vec<String>,
}

/// A stage that is reached.
pub struct StagePlan {
    /// Its name; empty for none.
    pub name: String,
    /// When it begins, as it was asked for.
    pub begins: Begins,
    /// The people who have to agree before it begins; empty for nobody.
    pub approval: String,
    /// Its beginning, since that of the first.
    pub start: SignedDuration,
    /// True if the next stage begins before this one is at rest: its plan ends there.
    pub is_cut: bool,
    /// Its plan.
    pub plan: Plan,
    /// Its requirements, and where each breaks.
    pub requirements: Vec<ReportRequirement>,
    /// Its duration and its cost.
    pub summary: ReportTakes,
    /// The commands that begin it; none for a change that the API server refuses.
    pub commands: Vec<String>,
    /// The way back to what was there before the first stage, from the end of this one.
    pub back: Result<WayBack, NoWayBack>,
}

/// A stage that is not reached.
#[derive(Debug, Clone)]
pub struct UnreachedStage {
    /// Its name; empty for none.
    pub name: String,
    /// When it would begin, as it was asked for.
    pub begins: Begins,
    /// The people who would have to agree before it begins; empty for nobody.
    pub approval: String,
    /// The result of the last stage that is reached, which keeps it from beginning.
    pub after: PlanResult,
}

/// A stage that cannot be planned.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("stage {number}: {reason}")]
pub struct StageError {
    /// Its number, from 1 on.
    pub number: usize,
    /// The reason.
    pub reason: PlanError,
}

/// Gives a set, with its status, the objects that its controller may meet.
type Around<'a> = dyn Fn(Arc<Set>, Arc<Status>) -> Snapshot + 'a;

impl Staged {
    /// Plans one stage after the other. A stage that does not complete is the last one that is reached, unless the next
    /// does not wait for that.
    ///
    /// # Errors
    /// When there is no stage, or the change of one cannot be made or planned; one that the API server refuses has a
    /// plan that says so.
    pub fn of(
        stored: Option<&Snapshot>,
        stages: &[Stage<'_>],
        around: &Around<'_>,
        conditions: &Conditions,
    ) -> Result<Staged, StageError> {
        let mut out = Staged {
            stages: Vec::new(),
            unreached: Vec::new(),
            warnings: Vec::new(),
        };
        let mut here = Here {
            stored: stored.cloned(),
            known: None,
            conditions: conditions.clone(),
        };
        for (at, stage) in stages.iter().enumerate() {
            let number = at + 1;
            let wrong = |reason| StageError { number, reason };
            let next = stages.get(number);
            here.conditions.has_sequel = next.is_some();
            here.conditions.manifest.clone_from(&stage.manifest);
            let around_here = |set: Arc<Set>, status: Arc<Status>| here.around(around, set, status);
            let change = (stage.change)(here.stored.as_ref(), &here.conditions).map_err(wrong)?;
            let planned = Plan::of_change(
                here.stored.as_ref(),
                &change,
                &around_here,
                &here.conditions,
            )
            .map_err(wrong)?;
            out.warnings.extend(planned.warnings);
            let commands = match stage.commands.is_empty() {
                // A command that the API server refuses helps nobody.
                _ if matches!(planned.plan.outcome, Outcome::Rejected(_)) => Vec::new(),
                true => explain::change_commands(&change, &planned.plan, here.stored.as_ref()),
                false => stage.commands.clone(),
            };
            let (plan, is_cut, goes_on) = ended(planned.plan, next);
            let start = here.conditions.now.duration_since(conditions.now);
            let requirements = checked(&plan, &stage.requirements, is_cut);
            let end = here.after(&plan, None);
            let around_end = |set: Arc<Set>, status: Arc<Status>| end.around(around, set, status);
            let back = back::way_back(stored, &plan, &around_end);
            out.stages.push(StagePlan {
                name: stage.name.clone(),
                begins: stage.begins,
                approval: stage.approval.clone(),
                start,
                is_cut,
                requirements,
                summary: ReportTakes::of(&plan),
                commands,
                back,
                plan,
            });
            let Some(last) = out.stages.last() else {
                break;
            };
            if !goes_on {
                let after = last.plan.outcome.result();
                let rest = stages.get(number..).unwrap_or_default();
                out.unreached = rest
                    .iter()
                    .map(|stage| UnreachedStage {
                        name: stage.name.clone(),
                        begins: stage.begins,
                        approval: stage.approval.clone(),
                        after,
                    })
                    .collect();
                break;
            }
            here = here.after(&last.plan, next.map(|next| next.begins));
        }
        match out.stages.is_empty() {
            true => Err(StageError {
                number: 1,
                reason: PlanError::NoSet,
            }),
            false => Ok(out),
        }
    }

    /// The last stage that is reached.
    #[must_use]
    pub fn last(&self) -> Option<&StagePlan> {
        self.stages.last()
    }
}

/// The plan of a stage up to the beginning of the next; whether that is before rest; and whether there is a next.
fn ended(plan: Plan, next: Option<&Stage<'_>>) -> (Plan, bool, bool) {
    if let Outcome::Rejected(_) = plan.outcome {
        return (plan, false, false);
    }
    match next.map(|next| next.begins) {
        Some(Begins::After(after)) => {
            let moment = plan.conditions.now.checked_add(after);
            let is_cut = !plan.completes() || plan.duration() > after;
            match moment {
                Ok(moment) if is_cut => (plan.until(moment), true, true),
                Ok(_) => (plan, false, true),
                // A moment beyond the end of the calendar never comes.
                Err(_) => (plan, false, false),
            }
        }
        Some(Begins::AtRest { .. }) => {
            let completes = plan.completes();
            (plan, false, completes)
        }
        None => (plan, false, true),
    }
}

/// Holds the plan of a stage against its requirements. Of one that is cut, what comes later does not count.
fn checked(plan: &Plan, requirements: &[Requirement], is_cut: bool) -> Vec<ReportRequirement> {
    let mut checked = requirement::check(plan, requirements);
    if is_cut {
        let end = plan.duration().as_secs();
        for one in &mut checked {
            one.broken_at = one.broken_at.take().filter(|broken| broken.at <= end);
            one.holds = one.broken_at.is_none();
        }
    }
    checked
}

/// The world as it is when a stage begins.
struct Here {
    /// The set with what is around it; none where there is no set.
    stored: Option<Snapshot>,
    /// The objects that the stages so far have come across.
    known: Option<Known>,
    conditions: Conditions,
}

struct Known {
    at_first: Snapshot,
    now: Snapshot,
}

impl Here {
    /// The world at the end of a plan, where another stage begins.
    fn after(&self, plan: &Plan, begins: Option<Begins>) -> Here {
        let end: &World = &plan.progression.world;
        let now = end.snapshot().clone();
        let mut at_first = match &self.known {
            Some(known) => known.at_first.clone(),
            None => plan.stored().into_owned(),
        };
        // A change may have brought objects into view that were out of it before.
        extend(&mut at_first, &plan.stored());
        let mut conditions = self.conditions.at(end.now());
        conditions.now = match begins {
            Some(Begins::After(after)) => plan.conditions.now.checked_add(after),
            Some(Begins::AtRest { soak }) => end.now().checked_add(soak),
            None => Ok(end.now()),
        }
        .unwrap_or(end.now());
        conditions.under_way = Some(Arc::new(end.under_way()));
        for assumption in conditions.assumptions.values_mut() {
            // That has happened by now.
            assumption.fails_now = false;
        }
        Here {
            stored: (!end.set_is_gone()).then(|| now.clone()),
            known: Some(Known { at_first, now }),
            conditions,
        }
    }

    /// The objects around a set: those that the stages so far have not come across, and what has become of the others.
    fn around(&self, around: &Around<'_>, set: Arc<Set>, status: Arc<Status>) -> Snapshot {
        let mut there = around(set, status);
        let Some(Known { at_first, now }) = &self.known else {
            return there;
        };
        there
            .pods
            .retain(|name, _| !at_first.pods.contains_key(name));
        there
            .claims
            .retain(|name, _| !at_first.claims.contains_key(name));
        there
            .revisions
            .retain(|name, _| !at_first.revisions.contains_key(name));
        extend(&mut there, now);
        there
    }
}

/// Adds the objects of another snapshot, but for the set.
fn extend(snapshot: &mut Snapshot, other: &Snapshot) {
    snapshot.pods.extend(other.pods.clone());
    snapshot.claims.extend(other.claims.clone());
    snapshot.revisions.extend(other.revisions.clone());
}
