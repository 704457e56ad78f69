//! The stages of a change in several steps, each with its commands, what to check, what it takes, and the way back.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::change::{Change, report_change};
use super::{Report, ReportRequirement, name};
use crate::explain;
use crate::grow::PendingGrowth;
use crate::plan::{Outcome, Plan, PlanResult};
use crate::stages::{Begins, NoWayBack, StagePlan, Staged, UnreachedStage, WayBack, WayBackEnd};
use sts_controller::object::Claim;
use sts_controller::simulate::Action;

/// One stage.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportStage {
    /// Its number, from 1 on.
    pub number: usize,
    /// Its name; absent where it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// `now`, `at-rest` once the one before is at rest, or `after` a time since the one before began.
    #[cfg_attr(test, schemars(with = "String"))]
    pub begins: StageBegins,
    /// That time in seconds, or how long the set is watched at rest; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_seconds: Option<i64>,
    /// The people who have to agree before it begins; absent where nobody has.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub approval: String,
    /// The result of the stage that keeps it from beginning: it is not reached; absent where it is.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "name::optional"
    )]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub unreached_after: Option<PlanResult>,
    /// Its course; absent where it is not reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub course: Option<Box<ReportStageCourse>>,
}

/// When a stage begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StageBegins {
    /// At once: the first.
    Now,
    /// Once the one before is at rest, or so long after.
    AtRest,
    /// A time after the one before began.
    After,
}

/// The course of a stage.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportStageCourse {
    /// When it begins: whole seconds since the beginning of the first.
    pub at: i64,
    /// Its changes.
    pub change: Vec<Change>,
    /// The commands that begin it; absent where nothing is to be done, and for a change that the API server refuses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// The place of its first step in `steps`.
    pub first_step: usize,
    /// Number of its steps.
    pub steps: usize,
    /// Its duration and its cost.
    #[serde(flatten)]
    pub takes: ReportTakes,
    /// True if the next stage begins before it is at rest; absent where it does not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// The first thing that keeps it from completing, in a sentence; absent where nothing does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub blocked: String,
    /// The claims that ask for more storage by now than before the first stage, and go on doing so on any way back; absent
    /// when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grown_claims: Vec<String>,
    /// Its own requirements; absent when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<ReportRequirement>,
    /// The state to find before going on.
    pub check: ReportStageCheck,
    /// The way back to the set as it is now, from the end of this stage; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back: Option<ReportWayBack>,
    /// The reason that there is none: `unchanged`, `not-stored` or `refused`; absent where there is one.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "name::optional"
    )]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub no_way_back: Option<NoWayBack>,
    /// The plan of this stage alone, as `verify` reads it; in saved plans.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Box<Report>>,
}

/// The duration and the cost of a stage, or of a way back.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportTakes {
    /// `complete`, `blocked`, `livelock` or `rejected`: of a stage that is cut, what it would come to.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub result: PlanResult,
    /// Whole seconds from its beginning to its end.
    pub seconds: i64,
    /// Number of pods that are replaced.
    pub restarts: usize,
    /// Number of pods that are created and were not there; absent when there are none.
    #[serde(default, skip_serializing_if = "is_none")]
    pub created: usize,
    /// Number of pods that are deleted for good; absent when there are none.
    #[serde(default, skip_serializing_if = "is_none")]
    pub deleted: usize,
    /// The most pods that are not ready at one moment and should be.
    pub most_unavailable: usize,
    /// Lowest number of ready pods.
    pub lowest_ready: usize,
    /// `spec.replicas`.
    pub replicas: i32,
    /// True if pods go, so that less than a majority of three replicas or more is ready.
    pub loses_quorum: bool,
    /// The claims that are deleted with what they hold; absent when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_claims: Vec<String>,
}

/// The state to find before a stage is over.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportStageCheck {
    /// The commands that show it; absent where there is no set to look at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// `spec.replicas` at the end; 0 where the set is gone.
    pub replicas: i32,
    /// Number of ready pods at the end.
    pub ready: usize,
    /// Number of pods of the update revision at the end.
    pub updated: usize,
    /// The update revision; empty where the set is gone.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub update_revision: String,
    /// The claims that were told to grow, and how far they are at the end; absent when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ReportClaimGrowth>,
}

/// A claim that was told to grow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportClaimGrowth {
    /// Its name.
    pub name: String,
    /// The storage that it asks for.
    pub storage: String,
    /// The part that is still to grow: `volume`, or `file-system` where the volume has grown; absent where both have.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "name::optional"
    )]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub pending: Option<PendingGrowth>,
}

/// The way back from the end of a stage.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportWayBack {
    /// The commands.
    pub commands: Vec<String>,
    /// Its duration and its cost.
    #[serde(flatten)]
    pub takes: ReportTakes,
    /// The pods that have to be deleted by hand; absent when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deleted_pods: Vec<String>,
    /// Number of pods that have moved to another revision and do not come back from it; absent when there are none.
    #[serde(default, skip_serializing_if = "is_none")]
    pub staying_pods: usize,
    /// The command that makes the copy of the set which the others name, to be run before the first stage; absent where
    /// they name none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub copy: String,
    /// True if `spec.updateStrategy` stays as the stages leave it; absent where it does not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_strategy: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the shape that serde asks for"
)]
fn is_none(number: &usize) -> bool {
    *number == 0
}

impl ReportStage {
    /// The stages of a change, those that are not reached included.
    pub(super) fn all(staged: &Staged) -> Vec<ReportStage> {
        let mut first_step = 0;
        let mut grown: BTreeSet<Arc<str>> = BTreeSet::new();
        let mut out: Vec<ReportStage> = Vec::new();
        for (at, stage) in staged.stages.iter().enumerate() {
            let (begins, after_seconds) = match (at, stage.begins) {
                (0, _) => (StageBegins::Now, None),
                (_, begins) => beginning(begins),
            };
            grown.extend(told_to_grow(&stage.plan));
            out.push(ReportStage {
                number: at + 1,
                name: stage.name.clone(),
                begins,
                after_seconds,
                approval: stage.approval.clone(),
                unreached_after: None,
                course: Some(Box::new(course(stage, first_step, &grown))),
            });
            first_step += stage.plan.progression.steps.len();
        }
        out.extend(staged.unreached.iter().zip(out.len() + 1..).map(unreached));
        out
    }
}

fn beginning(begins: Begins) -> (StageBegins, Option<i64>) {
    match begins {
        Begins::AtRest { soak } => {
            let soak = Some(soak.as_secs()).filter(|soak| *soak > 0);
            (StageBegins::AtRest, soak)
        }
        Begins::After(after) => (StageBegins::After, Some(after.as_secs())),
    }
}

fn unreached((stage, number): (&UnreachedStage, usize)) -> ReportStage {
    let (begins, after_seconds) = beginning(stage.begins);
    ReportStage {
        number,
        name: stage.name.clone(),
        begins,
        after_seconds,
        approval: stage.approval.clone(),
        unreached_after: Some(stage.after),
        course: None,
    }
}

/// The claims that the actions of a plan tell to grow.
fn told_to_grow(plan: &Plan) -> impl Iterator<Item = Arc<str>> {
    plan.actions.iter().filter_map(|action| match action {
        Action::GrowClaim(growth) => Some(Arc::clone(&growth.claim)),
        _ => None,
    })
}

fn course(stage: &StagePlan, first_step: usize, grown: &BTreeSet<Arc<str>>) -> ReportStageCourse {
    let plan = &stage.plan;
    let blocked = match &plan.outcome {
        Outcome::Blocked(obstacles) if !stage.is_cut => obstacles.first().map(|obstacle| {
            let end = plan.progression.world.snapshot();
            explain::obstacle(obstacle, end, plan.conditions.now)
        }),
        Outcome::Rejected(refused) => refused.first().map(explain::refusal),
        _ => None,
    };
    ReportStageCourse {
        at: stage.start.as_secs(),
        change: plan.change.iter().map(report_change).collect(),
        commands: stage.commands.clone(),
        first_step,
        steps: plan.progression.steps.len(),
        takes: stage.summary.clone(),
        cut: stage.is_cut,
        blocked: blocked.unwrap_or_default(),
        grown_claims: grown.iter().map(ToString::to_string).collect(),
        requirements: stage.requirements.clone(),
        check: check(plan, grown),
        back: stage.back.as_ref().ok().map(way_back),
        no_way_back: stage.back.as_ref().err().copied(),
        plan: None,
    }
}

fn check(plan: &Plan, grown: &BTreeSet<Arc<str>>) -> ReportStageCheck {
    let world = &plan.progression.world;
    if world.set_is_gone() {
        return ReportStageCheck {
            commands: explain::set_gone_commands(plan),
            replicas: 0,
            ready: 0,
            updated: 0,
            update_revision: String::new(),
            claims: Vec::new(),
        };
    }
    let end = world.snapshot();
    let claims = grown.iter().filter_map(|name| end.claims.get(name));
    let claims: Vec<ReportClaimGrowth> = claims.map(|claim| claim_growth(claim)).collect();
    let mut commands = explain::check_commands(end);
    commands.extend(explain::check_claims_command(grown, end));
    let revision = &plan.last.status.update_revision;
    let stay = || plan.final_pods().filter(|pod| !pod.is_terminating());
    let ready = stay().filter(|pod| pod.is_running_and_ready());
    let updated = stay().filter(|pod| pod.revision == *revision);
    ReportStageCheck {
        commands,
        replicas: end.set.replicas,
        ready: ready.count(),
        updated: updated.count(),
        update_revision: revision.to_string(),
        claims,
    }
}

fn claim_growth(claim: &Claim) -> ReportClaimGrowth {
    ReportClaimGrowth {
        name: claim.meta.name.to_string(),
        storage: claim.storage.as_deref().unwrap_or_default().to_owned(),
        pending: PendingGrowth::of(claim),
    }
}

fn way_back(back: &WayBack) -> ReportWayBack {
    ReportWayBack {
        commands: back.commands.clone(),
        takes: ReportTakes {
            result: match back.end {
                WayBackEnd::Back => PlanResult::Complete,
                WayBackEnd::Stops(result) => result,
            },
            ..back.summary.clone()
        },
        deleted_pods: back.deleted_pods.clone(),
        staying_pods: back.staying_pods,
        copy: back
            .copy
            .as_ref()
            .map(|(_, command)| command.clone())
            .unwrap_or_default(),
        keeps_strategy: back.keeps_strategy,
    }
}
