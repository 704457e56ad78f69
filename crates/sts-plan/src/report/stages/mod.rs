//! Stages of a multi-stage change, each with commands, checks, cost and rollback.

mod blocks;
mod merged;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::change::{Change, report_change};
use super::{Report, ReportRequirement};
use crate::explain;
use crate::grow::PendingGrowth;
use crate::plan::{Outcome, Plan, PlanResult};
use crate::stages::{
    Begins, NoWayBack, ReportTakes, StagePlan, Staged, UnreachedStage, WayBack, WayBackEnd,
};
use sts_controller::object::Claim;
use sts_controller::simulate::Action;

/// Stage of a multi-stage change.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportStage {
    /// Stage number, from 1.
    pub number: usize,
    /// Stage name; absent without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// `now`, `at-rest` (once the previous stage settles) or `after` (a delay since the previous stage began).
    pub begins: StageBegins,
    /// That delay in seconds, or the observation time after settling; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_seconds: Option<i64>,
    /// Required approvers; absent when no approval is required.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub approval: String,
    /// Result of the earlier stage that prevents this one; absent when this stage is reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreached_after: Option<PlanResult>,
    /// Course of the stage; absent when it is not reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub course: Option<Box<ReportStageCourse>>,
}

/// Start condition of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StageBegins {
    /// Immediately, for the first stage.
    Now,
    /// Once the previous stage settles, optionally after a delay.
    AtRest,
    /// A delay after the previous stage began.
    After,
}

string_schema!(StageBegins);

/// Course of a stage.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportStageCourse {
    /// Start: whole seconds since the start of the first stage.
    pub at: i64,
    /// Changes of the stage.
    pub change: Vec<Change>,
    /// Commands that start the stage; absent when no action is needed or the API server rejects the change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// Index of its first step in `steps`.
    pub first_step: usize,
    /// Number of steps.
    pub steps: usize,
    /// Duration and cost.
    #[serde(flatten)]
    pub takes: ReportTakes,
    /// True if the next stage begins before this one settles; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// First obstacle, in one sentence; absent when the stage completes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub blocked: String,
    /// Claims that request more storage than before the first stage, which no rollback undoes; absent when
    /// empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grown_claims: Vec<String>,
    /// Requirements of this stage; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<ReportRequirement>,
    /// Checks before the next stage.
    pub check: ReportStageCheck,
    /// Rollback from the end of this stage to the current set; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back: Option<ReportWayBack>,
    /// Reason why there is no rollback: `unchanged`, `not-stored` or `refused`; absent when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_way_back: Option<NoWayBack>,
    /// Plan of this stage alone, as `verify` reads it; absent unless the plan is saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Box<Report>>,
}

/// State to check before the next stage.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportStageCheck {
    /// Commands that show the state; absent when the set no longer exists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// `spec.replicas` at the end; 0 when the set no longer exists.
    pub replicas: i32,
    /// Number of ready pods at the end.
    pub ready: usize,
    /// Number of pods on the update revision at the end.
    pub updated: usize,
    /// Update revision; empty when the set no longer exists.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub update_revision: String,
    /// Claims being resized, and their progress at the end; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ReportClaimGrowth>,
}

/// Claim being resized.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportClaimGrowth {
    /// Claim name.
    pub name: String,
    /// Requested storage.
    pub storage: String,
    /// Pending resize: `volume`, or `file-system` once the volume is resized; absent when both are done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<PendingGrowth>,
}

/// Rollback from the end of a stage.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportWayBack {
    /// Commands, in order.
    pub commands: Vec<String>,
    /// Duration and cost.
    #[serde(flatten)]
    pub takes: ReportTakes,
    /// Pods that must be deleted manually; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deleted_pods: Vec<String>,
    /// Number of pods that remain on another revision after the rollback; absent when 0.
    #[serde(default, skip_serializing_if = "crate::absent::is_default")]
    pub staying_pods: usize,
    /// Command that saves the copy of the set used by `commands`, to run before the first stage; absent when
    /// not needed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub copy: String,
    /// True if the rollback keeps the stages' `spec.updateStrategy`; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_strategy: bool,
}

impl ReportStage {
    pub(super) fn all(staged: &Staged) -> Vec<ReportStage> {
        let mut first_step = 0;
        let mut grown: BTreeSet<Arc<str>> = BTreeSet::new();
        let mut out: Vec<ReportStage> = Vec::new();
        for (at, stage) in staged.stages.iter().enumerate() {
            let (begins, after_seconds) = match (at, stage.begins) {
                (0, _) => (StageBegins::Now, None),
                (_, begins) => beginning(begins),
            };
            grown.extend(resized_claims(&stage.plan));
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

fn resized_claims(plan: &Plan) -> impl Iterator<Item = Arc<str>> {
    plan.actions.iter().filter_map(|action| match action {
        Action::GrowClaim(growth) => Some(Arc::clone(&growth.claim)),
        _ => None,
    })
}

fn course(stage: &StagePlan, first_step: usize, grown: &BTreeSet<Arc<str>>) -> ReportStageCourse {
    let plan = &stage.plan;
    let blocked = match &plan.outcome {
        Outcome::Blocked(obstacles) if !stage.is_cut => obstacles.first().map(|obstacle| {
            let end = plan.predicted().objects();
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
            commands: crate::stages::set_gone_commands(plan),
            ..ReportStageCheck::default()
        };
    }
    let end = world.snapshot();
    let claims = grown.iter().filter_map(|name| end.claims.get(name));
    let claims: Vec<ReportClaimGrowth> = claims.map(|claim| claim_growth(claim)).collect();
    let mut commands = crate::stages::check_commands(end);
    commands.extend(crate::stages::check_claims_command(grown, end));
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
