//! Plan and report of one set of a run.

use super::findings::{Findings, PlanFindings};
use super::nodes::NodeCourse;
use super::upgrade::UpgradeRun;
use super::{FailOn, FleetDriver, FleetRequest, FleetSet, PlanEnd, SetCourse};
use crate::analysis::{Analysis, analyze, analyze_driven};
use crate::lint::Scope;
use crate::plan::{Outcome, Plan};
use crate::report::{FieldPlace, NodesOfSet, Report, UpgradeOfSet};
use crate::stages::Staged;
use crate::upgrade::SetUpgrade;
use crate::what_if::Questions;

/// Results of planning one set.
pub(super) struct PlannedSet {
    pub(super) report: Report,
    pub(super) saved: Option<Box<Report>>,
    pub(super) end: PlanEnd,
    pub(super) findings: PlanFindings,
    pub(super) fail_on: Vec<FailOn>,
    pub(super) warnings: Vec<String>,
    pub(super) pods: i64,
    /// Effect of the actions on nodes, if any.
    pub(super) nodes: Option<NodesOfSet>,
    /// Effect of the upgrade, if requested.
    pub(super) upgrade: Option<UpgradeOfSet>,
}

/// Parts of a run that the plan of each set needs.
pub(super) struct SetPlanner<'p> {
    pub(super) request: FleetRequest<'p>,
    pub(super) findings: &'p Findings,
    pub(super) upgrade: Option<&'p UpgradeRun>,
    pub(super) course: Option<&'p NodeCourse>,
    pub(super) driver: &'p dyn FleetDriver,
}

impl SetPlanner<'_> {
    /// Plans the set at an index; `None` if its course has no stages.
    pub(super) fn plan<S: FleetSet>(
        &self,
        set: &S,
        at: usize,
    ) -> Result<Option<Box<PlannedSet>>, S::Error> {
        let mut warnings = Vec::new();
        let mut conditions = set.conditions();
        if let Some(outage) = self.course.and_then(|course| course.outage(at)) {
            conditions.outage = outage;
        }
        let planned = match set.plan(&conditions, &mut warnings)? {
            SetCourse::Plan(plan) => Some(self.of_plan(set, at, *plan)),
            SetCourse::Stages(staged) => self.of_stages(set, &staged),
        };
        // Boxed, since each is large and moved several times.
        Ok(planned.map(|planned| {
            Box::new(PlannedSet {
                warnings,
                ..planned
            })
        }))
    }

    fn of_plan<S: FleetSet>(&self, set: &S, at: usize, plan: Plan) -> PlannedSet {
        let sentences = self.course.map_or_else(Vec::new, NodeCourse::sentences);
        let plan = plan.with_assumptions(sentences);
        set.planned(&plan);
        let findings = self.findings.of(&plan, &set.suppressions());
        let fail_on = set.fail_on();
        let questions = self.questions(set, &findings, &fail_on);
        let analysis = match questions.explore {
            Some(_) => analyze_driven(&plan, &questions, &mut *self.driver.search()),
            None => analyze(&plan, &questions),
        };
        let upgrade = self.upgrade.map(|upgrade| {
            let own = SetUpgrade::of(&plan, &upgrade.path, set.manifest());
            (upgrade, own)
        });
        let places = FieldPlaces::of(set, &plan);
        let completed = |report: Report| {
            let mut report = places.in_report(report);
            if let Some((upgrade, own)) = &upgrade {
                report.add_findings(own.findings.clone());
                report.upgrade = Some(Box::new(upgrade.of_set(own.set.clone())));
            }
            report
        };
        let saved = self.request.saves.then(|| Report::from(&analysis));
        PlannedSet {
            report: completed(self.report(&analysis)),
            saved: saved.map(|report| Box::new(completed(report))),
            end: PlanEnd::of(analysis.plan),
            findings,
            fail_on,
            warnings: Vec::new(),
            pods: i64::from(plan.snapshot.set.replicas),
            nodes: self.course.and_then(|course| course.of_set(at, &plan)),
            upgrade: upgrade.map(|(_, own)| own.set),
        }
    }

    /// Combines the reports of the stages of a set; `None` without stages.
    fn of_stages<S: FleetSet>(&self, set: &S, staged: &Staged) -> Option<PlannedSet> {
        let first = &staged.stages.first()?.plan;
        for stage in &staged.stages {
            set.planned(&stage.plan);
        }
        let findings = self.findings.of(first, &set.suppressions());
        let fail_on = set.fail_on();
        let questions = self.questions(set, &findings, &fail_on);
        let places = FieldPlaces::of(set, first);
        let mut end = PlanEnd::NothingToDo;
        let mut reports = Vec::new();
        let mut saved = Vec::new();
        for stage in &staged.stages {
            let analysis = analyze(&stage.plan, &questions);
            end = end.max(match stage.is_cut {
                // The predicted outcome does not happen.
                true => PlanEnd::Works,
                false => PlanEnd::of(analysis.plan),
            });
            reports.push(self.report(&analysis));
            saved.extend(self.request.saves.then(|| Report::from(&analysis)));
        }
        let report = Report::of_stages(staged, reports)?;
        let saved = Report::of_stages_to_save(staged, saved);
        let pods = staged.stages.iter();
        let pods = pods.map(|stage| i64::from(stage.plan.snapshot.set.replicas));
        Some(PlannedSet {
            report: places.in_report(report),
            saved: saved.map(|saved| Box::new(places.in_report(saved))),
            end,
            findings,
            fail_on,
            warnings: Vec::new(),
            pods: pods.max().unwrap_or(0),
            nodes: None,
            upgrade: None,
        })
    }

    /// Returns the questions about a set. Facts for gates, saved plans or ignored findings are computed whatever is
    /// shown.
    fn questions<S: FleetSet>(
        &self,
        set: &S,
        findings: &PlanFindings,
        fail_on: &[FailOn],
    ) -> Questions {
        let questions = set.questions();
        let all = self.request.saves || !fail_on.is_empty() || findings.ignores_some();
        Questions {
            findings: match all {
                true => Scope::Hypothetical,
                false => questions.findings,
            },
            ..questions
        }
    }

    fn report(&self, analysis: &Analysis<'_>) -> Report {
        match self.request.objects {
            true => Report::from(analysis),
            false => Report::without_objects(analysis),
        }
    }
}

/// Locations of the fields that findings are about.
struct FieldPlaces {
    refused: Vec<Option<FieldPlace>>,
    unknown: Vec<Option<FieldPlace>>,
}

impl FieldPlaces {
    fn of<S: FleetSet>(set: &S, plan: &Plan) -> Self {
        let refused: Vec<&str> = match &plan.outcome {
            Outcome::Rejected(refused) => refused.iter().map(|it| it.path.as_str()).collect(),
            _ => Vec::new(),
        };
        let unknown: Vec<&str> = plan.unknown.iter().map(|it| it.path.as_str()).collect();
        FieldPlaces {
            refused: set.fields_at(plan, &refused),
            unknown: set.fields_at(plan, &unknown),
        }
    }

    fn in_report(&self, report: Report) -> Report {
        let report = report.with_refusals_at(&self.refused);
        report.with_unknown_at(&self.unknown)
    }
}
