//! Machine-readable form of a plan: docs/contract.md, "Machine output". Only these types are serialized, and every
//! output format is derived from them.

mod analysis;
mod answers;
mod assumption;
mod at_a_glance;
mod change;
mod conflict;
mod finding;
mod made_by;
mod metadata;
mod metrics;
mod next_sync;
mod operation;
mod operations;
mod outcome;
mod pod_loop;
mod pod_period;
mod read;
mod remedy;
mod saved;
mod schema;
mod sentence;
mod set;
mod set_state;
mod stages;
mod status;
mod step;
mod step_words;
mod sync_finding;
mod template_diff;
pub mod timeline;
mod unplanned;

use serde::{Deserialize, Serialize};

use crate::analysis::headline;
use crate::analysis::{Analysis, analyze};
use crate::lint;
use crate::plan::Plan;
use crate::what_if::Questions;
use sts_controller::controller::Write;
use sts_controller::object::PodManagement;

use change::report_change;
use next_sync::{bare_write, next_write};

pub use crate::analysis::{FieldDiff, TemplateDiff};
pub use crate::document_kind::{API_VERSION, ApiVersion, DocumentKind};
pub use crate::nodes::{
    DrainFlag, DrainedNode, NodesOfSet, ReportAdvice, ReportBetterOrder, ReportEachNode,
    ReportEviction, ReportHomeless, ReportLostPod, ReportMaintenance, ReportMove, ReportNodes,
    ReportOtherPod, ReportPodMove, ReportPodMoves, ReportRound, ReportServerAnswer, ReportStranded,
    ReportSwitchovers, ServerAnswer, StrandedReason,
};
pub use crate::options::{ReportHistory, ReportRevision, ReportWriter};
pub use crate::options::{ReportOption, ReportOptions};
pub use crate::remedy::ReportRemedy;
pub use crate::requirement::{BrokenAt, ReportRequirement};
pub use crate::source::{FieldPlace, ReportSource};
pub use crate::upgrade::{
    NextRollout, PatchRestart, ReportUpgrade, UpgradeCourse, UpgradeField, UpgradeOfSet,
    UpgradeRefusal, UpgradeRestart, UpgradeStop, UpgradeVerdict, UpgradeVersion,
};
pub use crate::version_diff::{ChangeKind, ChangedGate, GateState, VersionChange, VersionDiff};
pub use crate::what_if::{ChosenEvent, Counterexample, ExploredEvent, ReportExploration};
pub use crate::what_if::{FailedPod, ReportBranch, ReportBranches};
pub use crate::what_if::{ReportPartition, ReportPartitions, ReportRestingPod};
pub use analysis::{ReportAnalysis, ReportCause, ReportContext, ReportEta, ReportPace};
pub use assumption::ReportAssumption;
pub use at_a_glance::{AtAGlance, Quorum};
pub use change::Change;
pub use conflict::{ReportChoice, ReportConflict};
pub use finding::IgnoredFinding;
pub use made_by::MadeBy;
pub use metadata::{Kubernetes, Metadata};
pub use next_sync::{NextSync, NextWrite, ReportEvent, ReportHold};
pub use operation::{
    ClaimFate, Milestone, Operation, OperationClaim, OperationKind, OperationReason, OperationWait,
};
pub use outcome::{ReportOutcome, ReportPod};
pub use pod_loop::ReportLoop;
pub use pod_period::PodPeriod;
pub use read::ReadObject;
pub use remedy::{ReportObstacle, ReportReason, ReportRetry};
pub use saved::{SavedPlan, SavedPlanError};
pub use schema::PLAN_SCHEMA;
pub use set::{ReportSet, SetPod};
pub use set_state::SetState;
pub use stages::{
    ReportClaimGrowth, ReportStage, ReportStageCheck, ReportStageCourse, ReportWayBack, StageBegins,
};
pub use status::ReportStatus;
pub use step::{DeleteReason, ReportStep, ReportWrite, StepEvent};
pub(crate) use step_words::writes_words;
pub use sync_finding::SyncFinding;
pub use unplanned::{Unplanned, UnplannedOutcome, UnplannedResult, UnplannedSet};

// Field types of reports, re-exported for formats.
pub use crate::analysis::headline::HeadlineTopic;
pub use crate::grow::PendingGrowth;
pub use crate::input_check::InputCheck;
pub use crate::lint::{Finding, RuleId, Severity};
pub use crate::nodes::Verdict as NodesVerdict;
pub use crate::options::{OptionKind, OptionsSkipped};
pub use crate::plan::{NowSource, ObstacleReason, PlanResult, PodFate};
pub use crate::stages::{NoWayBack, ReportTakes};
pub use crate::upgrade::{FieldFate, RefusedRequest};
pub use crate::what_if::{Recovery, Verdict as ExplorationVerdict};
pub use sts_controller::apiserver::apply::Effect;
pub use sts_controller::apiserver::validation::Rejection;
pub use sts_controller::controller::{HoldReason, RefusalReason, Resource, Verb};
pub use sts_controller::object::Phase;
pub use sts_controller::simulate::{Actor, Fault, ObjectEvent, PodEvent};

/// Plan of one set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// `sts-plan/v1`.
    pub api_version: ApiVersion,
    /// `Plan`.
    #[cfg_attr(test, schemars(extend("const" = "Plan")))]
    pub kind: DocumentKind,
    /// Identity of the planned set.
    pub metadata: Metadata,
    /// Set in its initial state.
    pub set: ReportSet,
    /// Objects read in addition to the set.
    pub read: Vec<ReadObject>,
    /// Version and feature gates of the simulated controller.
    pub kubernetes: Kubernetes,
    /// Start of the plan, RFC 3339.
    pub now: String,
    /// Source of that time: `flag`, `cluster` (read directly or by a dump), `input` (the newest time in files) or `clock`.
    #[serde(default)]
    pub now_source: NowSource,
    /// Changed fields and their effects.
    pub change: Vec<Change>,
    /// Template differences of outdated pods; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub template_diff: Vec<TemplateDiff>,
    /// Next sync.
    pub next: NextSync,
    /// Steps, in order.
    pub steps: Vec<ReportStep>,
    /// The steps grouped into operations on pods, by start time.
    pub operations: Vec<Operation>,
    /// Observations of each sync, for graphical formats; empty unless [`Questions::observations`] is set.
    #[serde(skip)]
    pub sync_findings: Vec<SyncFinding>,
    /// Outcome.
    pub outcome: ReportOutcome,
    /// State of the set among others, the most urgent first: `stuck`, `livelock`, `rejected`, `incomplete`,
    /// `loses-data`, `waiting`, `progressing`, `waiting-for-you` or `up-to-date`.
    pub state: SetState,
    /// Verdict on the set, its cause and its remedies.
    pub analysis: ReportAnalysis,
    /// Completeness of the input.
    pub input: InputCheck,
    /// Requirements and their results; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<ReportRequirement>,
    /// Result of exploring every order of events; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exploration: Option<Box<ReportExploration>>,
    /// Course of the rollout if pods fail; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branches: Option<ReportBranches>,
    /// Course of the rollout if a pod of the steps fails, which a terminal shows next to the steps if it has room; absent
    /// unless [`Questions::step_branches`] is set.
    #[serde(skip)]
    pub step_branches: Option<ReportBranches>,
    /// Effect of draining, cordoning or losing nodes; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Box<ReportNodes>>,
    /// Effect of a control plane upgrade; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upgrade: Option<Box<ReportUpgrade>>,
    /// Stages of a multi-stage change; absent for a single step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<ReportStage>,
    /// Outcome for every partition; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partitions: Option<ReportPartitions>,
    /// Options available now, each simulated; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Box<ReportOptions>>,
    /// Revision history and the last writer of the template; absent unless options were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<Box<ReportHistory>>,
    /// Findings on the plan.
    pub findings: Vec<Finding>,
    /// Ignored findings with their reasons; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<IgnoredFinding>,
    /// Assumptions, in sentences.
    pub assumptions: Vec<String>,
    /// Assumptions as data.
    #[serde(default)]
    pub assumed: Vec<ReportAssumption>,
    /// Standard assumptions in a few words each, for a terminal.
    #[serde(skip)]
    pub assumed_briefly: Vec<String>,
    /// Assumptions specific to this plan, in sentences.
    #[serde(skip)]
    pub assumed_here: Vec<String>,
    /// One-line summary.
    pub summary: String,
    /// Summary without requirements, exploration and findings.
    #[serde(skip)]
    course: String,
    /// One-line summary for a text that begins with the headline, which it does not repeat.
    #[serde(skip)]
    pub closing: String,
    /// That summary without requirements, exploration and findings.
    #[serde(skip)]
    closing_course: String,
}

impl From<&Analysis<'_>> for Report {
    fn from(analysis: &Analysis<'_>) -> Self {
        Report::build(analysis, next_write)
    }
}

impl Report {
    /// Creates the report of a plan with an estimate and no what-if questions.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        let questions = Questions {
            eta: true,
            ..Questions::default()
        };
        Report::from(&analyze(plan, &questions))
    }

    /// Creates a report for formats that show no objects. It omits the objects of the next sync, which dominate
    /// the size of a report when many pods are created at once.
    #[must_use]
    pub fn without_objects(analysis: &Analysis<'_>) -> Self {
        Report::build(analysis, bare_write)
    }

    /// Adds findings that concern several sets.
    pub fn add_findings(&mut self, found: impl IntoIterator<Item = Finding>) {
        self.findings.extend(found);
        self.findings.sort_by_key(|finding| finding.id);
        self.conclude();
    }

    /// Moves suppressed findings to `ignored`.
    pub fn suppress(&mut self, silence: &lint::Suppressions) {
        let today = self.now.parse::<jiff::Timestamp>().ok();
        let today = today.map(|now| now.to_zoned(jiff::tz::TimeZone::UTC).date());
        for finding in std::mem::take(&mut self.findings) {
            match silence.excuse(finding.id, finding.severity, today) {
                Some(excuse) => self.ignored.push(IgnoredFinding::new(finding, excuse)),
                None => self.findings.push(finding),
            }
        }
        self.conclude();
    }

    /// Adds the positions of rejected fields, in the order of the refusals.
    #[must_use]
    pub fn with_refusals_at(mut self, places: &[Option<FieldPlace>]) -> Self {
        let source = |place: &Option<FieldPlace>| place.as_ref()?.source.clone();
        let found = self.findings.iter_mut();
        let refused = found.filter(|finding| finding.id == RuleId::Rejected);
        for (finding, place) in refused.zip(places) {
            finding.source = source(place);
        }
        for (obstacle, place) in self.outcome.blocked_by.iter_mut().zip(places) {
            obstacle.source = source(place);
            let words = place.iter().map(|place| format!("at {}", place.words));
            obstacle.evidence.splice(..0, words);
        }
        self
    }

    /// Adds the positions of unknown fields, in the order of the plan.
    #[must_use]
    pub fn with_unknown_at(mut self, places: &[Option<FieldPlace>]) -> Self {
        let found = self.findings.iter_mut();
        let unknown = found.filter(|finding| finding.id == RuleId::UnknownField);
        for (finding, place) in unknown.zip(places) {
            let Some(place) = place else { continue };
            finding.source = place.source.clone();
            finding.message += &format!(" (at {})", place.words);
        }
        self
    }

    /// Fills in the positions of the set, the findings and the obstacles. `place_of` takes a name such as
    /// `pod/web-0`.
    pub fn place(&mut self, place_of: impl Fn(&str) -> Option<ReportSource>) {
        self.set.source = place_of(&format!("statefulset/{}", self.metadata.name));
        for finding in &mut self.findings {
            finding.source = finding.source.take().or_else(|| place_of(&finding.object));
        }
        for obstacle in &mut self.outcome.blocked_by {
            let of_pod = |pod: &String| place_of(&format!("pod/{pod}"));
            let pod = obstacle.pod.as_ref();
            obstacle.source = obstacle.source.take().or_else(|| pod.and_then(of_pod));
        }
    }

    fn build(analysis: &Analysis<'_>, next_write: fn(&Write) -> NextWrite) -> Self {
        let (plan, what_if) = (analysis.plan, &analysis.what_if);
        let headline = headline::headline(analysis);
        let outcome = outcome::outcome(analysis, &headline.topic);
        let set = &plan.snapshot.set;
        let conditions = &plan.conditions;
        let concurrent = set.pod_management == PodManagement::Parallel;
        let report_set = ReportSet::new(analysis);
        let steps = plan.progression.steps.iter();
        let steps: Vec<ReportStep> = steps
            .map(|step| step::report_step(plan, step, concurrent))
            .collect();
        let mut operations = operations::operations(&report_set, &steps, &outcome);
        operations::number(&mut operations, &[]);
        let mut report = Report {
            api_version: ApiVersion::V1,
            kind: DocumentKind::Plan,
            metadata: Metadata {
                observed: plan.source.versions.clone(),
                ..Metadata::of(set)
            },
            set: report_set,
            read: read::objects(&plan.snapshot, &plan.assumptions),
            kubernetes: Kubernetes {
                version: conditions.behaviour.version.to_string(),
                source: conditions.version_source,
                feature_gates: conditions.gates.values().collect(),
                feature_gates_set: conditions.gates.overridden().collect(),
            },
            now: conditions.now.to_string(),
            now_source: conditions.now_source,
            change: plan.change.iter().map(report_change).collect(),
            template_diff: analysis.template.clone(),
            analysis: analysis::analysis(analysis, &headline.text, outcome.blocked_by.first()),
            next: next_sync::next_sync(plan, headline, concurrent, next_write),
            operations,
            steps,
            sync_findings: sync_finding::sync_findings(analysis),
            input: analysis.input.clone(),
            outcome,
            state: SetState::UpToDate,
            requirements: what_if.requirements.clone(),
            exploration: what_if.exploration.clone(),
            branches: what_if.branches.clone(),
            step_branches: what_if.step_branches.clone(),
            nodes: None,
            upgrade: None,
            stages: Vec::new(),
            partitions: what_if.partitions.clone(),
            options: what_if.options.clone(),
            history: what_if.history.clone(),
            findings: finding::findings(analysis),
            ignored: Vec::new(),
            assumed: assumption::assumed(plan),
            assumed_briefly: plan.assumptions.brief(),
            assumed_here: plan.assumptions.particular(),
            assumptions: plan.assumptions.sentences(),
            summary: String::new(),
            course: headline::summary(analysis),
            closing: String::new(),
            closing_course: headline::closing(analysis),
        };
        report.conclude();
        report
    }
}
