//! A change in several stages: each begins where the previous one ended, in one simulated world with one clock.

mod back;
mod growth;
mod report;
mod sentence;

use std::sync::Arc;

use jiff::SignedDuration;
use thiserror::Error;

use crate::change::{Change, PlanError};
use crate::conditions::Conditions;
use crate::explain;
use crate::plan::{Outcome, Plan, PlanResult};
use crate::requirement;
use crate::requirement::{ReportRequirement, Requirement};
use sts_controller::object::{Set, Snapshot, Status};
use sts_controller::simulate::World;

pub(crate) use back::creatable;
pub use back::{NoWayBack, WayBack, WayBackEnd};
pub use growth::growth_stages;
pub use report::ReportTakes;
pub use sentence::{check_claims_command, check_commands, set_gone_commands, stages_summary};

/// Maximum number of stages.
pub const MAX_STAGES: usize = 100;

/// A function that returns the change of a stage from the set and the conditions at its beginning.
pub type StageChange<'c> =
    dyn Fn(Option<&Snapshot>, &Conditions) -> Result<Change<'c>, PlanError> + 'c;

/// One stage of a change.
pub struct Stage<'c> {
    /// Name; empty for none.
    pub name: String,
    /// Start condition; ignored for the first stage.
    pub begins: Begins,
    /// Approvers; empty for none.
    pub approval: String,
    /// Requirements until the next stage, in addition to those of all stages.
    pub requirements: Vec<Requirement>,
    /// Change of the stage.
    pub change: Box<StageChange<'c>>,
    /// Manifest file in printed commands.
    pub manifest: Option<Arc<str>>,
    /// Commands instead of those of its change; empty to use those.
    pub commands: Vec<String>,
}

/// The start condition of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begins {
    /// After the previous stage has settled, and a soak time.
    AtRest {
        /// Time to wait after the set has settled.
        soak: SignedDuration,
    },
    /// This long after the start of the previous stage, whether or not it has settled.
    After(SignedDuration),
}

impl Default for Begins {
    fn default() -> Self {
        Begins::AtRest {
            soak: SignedDuration::ZERO,
        }
    }
}

/// The plan of a change in several stages.
pub struct Staged {
    /// Reached stages, in order; at least one.
    pub stages: Vec<StagePlan>,
    /// Stages that are not reached, in order.
    pub unreached: Vec<UnreachedStage>,
    /// Warnings of the API server.
    pub warnings: Vec<String>,
}

/// A reached stage.
pub struct StagePlan {
    /// Name; empty for none.
    pub name: String,
    /// Requested start condition.
    pub begins: Begins,
    /// Approvers; empty for none.
    pub approval: String,
    /// Start, relative to the first stage.
    pub start: SignedDuration,
    /// True if the next stage begins before this one has settled; its plan ends there.
    pub is_cut: bool,
    /// Plan of the stage.
    pub plan: Plan,
    /// Requirements, each with its violation.
    pub requirements: Vec<ReportRequirement>,
    /// Duration and cost.
    pub summary: ReportTakes,
    /// Commands of the stage; empty for a refused change.
    pub commands: Vec<String>,
    /// Rollback from the end of this stage to the state before the first stage.
    pub back: Result<WayBack, NoWayBack>,
}

/// A stage that is not reached.
#[derive(Debug, Clone)]
pub struct UnreachedStage {
    /// Name; empty for none.
    pub name: String,
    /// Requested start condition.
    pub begins: Begins,
    /// Approvers; empty for none.
    pub approval: String,
    /// Result of the last reached stage.
    pub after: PlanResult,
}

/// A stage that cannot be planned.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("stage {number}: {reason}")]
pub struct StageError {
    /// Number, from 1.
    pub number: usize,
    /// Reason.
    pub reason: PlanError,
}

/// A function that returns the objects around a set and its status.
type Around<'a> = dyn Fn(Arc<Set>, Arc<Status>) -> Snapshot + 'a;

/// Returns the memory of a plan that is kept, in bytes.
fn kept_bytes(plan: &Plan) -> u64 {
    const STEP: usize = 256;
    const POD: usize = 1_500;
    let pods = plan.predicted().objects().pods.len();
    let bytes = plan.progression.steps.len() * STEP + pods * POD;
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

impl Staged {
    /// Plans one stage after the other. A stage that does not complete is the last reached one, unless the next one does not
    /// wait for it.
    ///
    /// # Errors
    /// When there is no stage, or a change cannot be planned. A refused change is not an error: its plan is rejected.
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
        let mut world = StageWorld {
            stored: stored.cloned(),
            known: None,
            conditions: conditions.clone(),
        };
        for (at, stage) in stages.iter().enumerate() {
            let number = at + 1;
            let wrong = |reason| StageError { number, reason };
            let next = stages.get(number);
            world.conditions.has_sequel = next.is_some();
            world.conditions.manifest.clone_from(&stage.manifest);
            let around_here =
                |set: Arc<Set>, status: Arc<Status>| world.around(around, set, status);
            let change = (stage.change)(world.stored.as_ref(), &world.conditions).map_err(wrong)?;
            let planned = Plan::of_change(
                world.stored.as_ref(),
                &change,
                &around_here,
                &world.conditions,
            )
            .map_err(wrong)?;
            out.warnings.extend(planned.warnings);
            let commands = match stage.commands.is_empty() {
                // A refused change has no commands.
                _ if matches!(planned.plan.outcome, Outcome::Rejected(_)) => Vec::new(),
                true => explain::change_commands(&change, &planned.plan, world.stored.as_ref()),
                false => stage.commands.clone(),
            };
            let (plan, is_cut, goes_on) = ended(planned.plan, next);
            let start = world.conditions.now.duration_since(conditions.now);
            let requirements = checked(&plan, &stage.requirements, is_cut);
            let end = world.after(&plan, None);
            conditions.allowance.keep(kept_bytes(&plan));
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
            world = world.after(&last.plan, next.map(|next| next.begins));
        }
        match out.stages.is_empty() {
            true => Err(StageError {
                number: 1,
                reason: PlanError::NoSet,
            }),
            false => Ok(out),
        }
    }

    /// Returns the last reached stage.
    #[must_use]
    pub fn last(&self) -> Option<&StagePlan> {
        self.stages.last()
    }
}

/// Returns the plan of a stage up to the next one, whether it is cut before it settles, and whether the next one begins.
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
                // The moment is beyond the end of the calendar.
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

/// Checks the plan of a stage against its requirements, up to its end.
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

/// The world at the beginning of a stage.
struct StageWorld {
    /// The set with its objects, if it exists.
    stored: Option<Snapshot>,
    /// Objects that earlier stages have read.
    known: Option<ReadObjects>,
    conditions: Conditions,
}

struct ReadObjects {
    at_first: Snapshot,
    now: Snapshot,
}

impl StageWorld {
    /// Returns the world at the end of a plan.
    fn after(&self, plan: &Plan, begins: Option<Begins>) -> StageWorld {
        let end: &World = &plan.progression.world;
        let now = end.snapshot().clone();
        let mut at_first = match &self.known {
            Some(known) => known.at_first.clone(),
            None => plan.stored().into_owned(),
        };
        // A change may bring more objects into view.
        extend(&mut at_first, &plan.stored());
        let mut conditions = self.conditions.at(end.now());
        conditions.observed.clone_from(&plan.conditions.observed);
        conditions.now = match begins {
            Some(Begins::After(after)) => plan.conditions.now.checked_add(after),
            Some(Begins::AtRest { soak }) => end.now().checked_add(soak),
            None => Ok(end.now()),
        }
        .unwrap_or(end.now());
        conditions.under_way = Some(Arc::new(end.under_way()));
        for assumption in conditions.assumptions.values_mut() {
            // The failure has happened by now.
            assumption.fails_now = false;
        }
        StageWorld {
            stored: (!end.set_is_gone()).then(|| now.clone()),
            known: Some(ReadObjects { at_first, now }),
            conditions,
        }
    }

    /// Returns the objects around a set: the current state of those that earlier stages have read, and the others unchanged.
    fn around(&self, around: &Around<'_>, set: Arc<Set>, status: Arc<Status>) -> Snapshot {
        let mut snapshot = around(set, status);
        let Some(ReadObjects { at_first, now }) = &self.known else {
            return snapshot;
        };
        snapshot
            .pods
            .retain(|name, _| !at_first.pods.contains_key(name));
        snapshot
            .claims
            .retain(|name, _| !at_first.claims.contains_key(name));
        snapshot
            .revisions
            .retain(|name, _| !at_first.revisions.contains_key(name));
        extend(&mut snapshot, now);
        snapshot
    }
}

/// Adds the objects of another snapshot, except the set.
fn extend(snapshot: &mut Snapshot, other: &Snapshot) {
    snapshot.pods.extend(other.pods.clone());
    snapshot.claims.extend(other.claims.clone());
    snapshot.revisions.extend(other.revisions.clone());
}
