//! Stage reports merged into one report with a single timeline.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::ReportStage;
use crate::plan::PlanResult;
use crate::report::operations::{number, operations};
use crate::report::{Operation, PodFate, Report, ReportRequirement, ReportStep};
use crate::stages::Staged;

/// Prefix of UIDs assigned by the simulation.
const PLANNED: &str = "planned-";

impl Report {
    /// Merges the reports of the stages, in order. The initial state and the next sync come from the first
    /// stage, the outcome from the last stage that is reached.
    ///
    /// Returns `None` without reports.
    #[must_use]
    pub fn of_stages(staged: &Staged, reports: Vec<Report>) -> Option<Report> {
        let operations = grouped_operations(staged, &reports);
        let mut reports = reports.into_iter();
        let mut whole = reports.next()?;
        whole.stages = ReportStage::all(staged);
        whole.analysis.eta = None;
        let rest = reports.zip(staged.stages.iter().skip(1)).zip(2_usize..);
        for ((stage, planned), number) in rest {
            whole.append(stage, planned.start.as_secs(), number);
        }
        whole.operations = operations;
        let courses = whole.stages.iter().filter_map(|it| it.course.as_deref());
        let first_steps: Vec<usize> = courses.map(|course| course.first_step).collect();
        number(&mut whole.operations, &first_steps);
        let own = own_requirements(&whole.stages);
        whole.requirements.extend(own);
        whole.course = crate::stages::stages_summary(staged);
        whole.closing_course.clone_from(&whole.course);
        whole.conclude();
        Some(whole)
    }

    /// Merges the reports and keeps the plan of each stage, for a saved plan.
    #[must_use]
    pub fn of_stages_to_save(staged: &Staged, reports: Vec<Report>) -> Option<Report> {
        let alone = reports.clone();
        let mut whole = Report::of_stages(staged, reports)?;
        let courses = whole.stages.iter_mut().filter_map(|it| it.course.as_mut());
        for (at, (course, mut report)) in courses.zip(alone).enumerate() {
            if at > 0 {
                report.forget_simulated();
            }
            course.plan = Some(Box::new(report));
        }
        Some(whole)
    }

    /// Removes uids and resourceVersions: other objects may exist by the time that a stage begins.
    fn forget_simulated(&mut self) {
        self.metadata.resource_version.clear();
        for object in &mut self.read {
            object.resource_version = Arc::from("");
            if object.uid.starts_with(PLANNED) {
                object.uid = Arc::from("");
            }
        }
    }

    /// Appends the report of a later stage, which begins `start` seconds after the first.
    fn append(&mut self, stage: Report, start: i64, number: usize) {
        let before = self.steps.len();
        self.steps.extend(shifted(stage.steps, start));
        let findings = stage.sync_findings.into_iter();
        self.sync_findings.extend(findings.map(|mut it| {
            it.steps += before;
            it
        }));
        for pod in &mut self.set.pods {
            // A later stage may change a pod that an earlier one leaves unchanged.
            let later = stage.set.pods.iter().find(|later| later.name == pod.name);
            if let Some(later) = later.filter(|_| is_left_alone(pod.fate)) {
                pod.fate = later.fate;
            }
        }
        let syncs = self.outcome.syncs;
        self.outcome = stage.outcome;
        self.outcome.at += start;
        self.outcome.syncs += syncs;
        if self.outcome.result != PlanResult::Complete {
            self.analysis = stage.analysis;
            self.analysis.eta = None;
        }
        for (requirement, later) in self.requirements.iter_mut().zip(stage.requirements) {
            if requirement.holds {
                *requirement = later_requirement(later, start, before);
            }
        }
        let known: BTreeSet<(String, String)> = self
            .findings
            .iter()
            .map(|it| (it.id.to_string(), it.object.clone()))
            .collect();
        let new = stage.findings.into_iter();
        let new = new.filter(|it| !known.contains(&(it.id.to_string(), it.object.clone())));
        self.findings.extend(new.map(|mut it| {
            it.message = format!("in stage {number}: {}", it.message);
            it
        }));
        self.findings.sort_by_key(|finding| finding.id);
        let news = |known: &[String], new: Vec<String>| -> Vec<String> {
            new.into_iter().filter(|it| !known.contains(it)).collect()
        };
        let particular = news(&self.assumed_here, stage.assumed_here);
        let known = self.assumed.len();
        let new = stage.assumed.into_iter();
        let new: Vec<_> = new
            .filter(|it| !self.assumed[..known].contains(it))
            .collect();
        self.assumed.extend(new);
        self.assumptions.extend(particular.iter().cloned());
        self.assumed_here.extend(particular);
    }
}

/// Reports whether a pod with this fate remains unchanged during a stage.
fn is_left_alone(fate: PodFate) -> bool {
    matches!(
        fate,
        PodFate::Kept
            | PodFate::HeldByPartition
            | PodFate::OnDelete
            | PodFate::Outdated
            | PodFate::Surplus
            | PodFate::Foreign
    )
}

fn shifted(steps: Vec<ReportStep>, start: i64) -> impl Iterator<Item = ReportStep> {
    steps.into_iter().map(move |mut step| {
        step.at += start;
        step
    })
}

fn later_requirement(
    mut requirement: ReportRequirement,
    start: i64,
    steps: usize,
) -> ReportRequirement {
    if let Some(broken) = &mut requirement.broken_at {
        broken.at += start;
        broken.step = broken.step.map(|step| step + steps);
    }
    requirement
}

/// Returns the stages' own requirements, labeled with the stage number.
fn own_requirements(stages: &[ReportStage]) -> Vec<ReportRequirement> {
    let mut all = Vec::new();
    for stage in stages {
        let Some(course) = stage.course.as_deref() else {
            continue;
        };
        all.extend(course.requirements.iter().map(|requirement| {
            let of_stage = later_requirement(requirement.clone(), course.at, course.first_step);
            ReportRequirement {
                text: format!("{} in stage {}", requirement.text, stage.number),
                ..of_stage
            }
        }));
    }
    all
}

/// Returns the operations of all stages. If a stage begins before its predecessor settles, an operation may span
/// both.
fn grouped_operations(staged: &Staged, reports: &[Report]) -> Vec<Operation> {
    let mut all = Vec::new();
    let mut before = 0;
    let mut group: Vec<ReportStep> = Vec::new();
    let mut first: Option<&Report> = None;
    let mut began = 0;
    for (report, stage) in reports.iter().zip(&staged.stages) {
        let start = stage.start.as_secs();
        if first.is_none() {
            began = start;
        }
        let of = *first.get_or_insert(report);
        group.extend(shifted(report.steps.clone(), start - began));
        if stage.is_cut {
            continue;
        }
        let found = operations(&of.set, &group, &report.outcome);
        all.extend(found.into_iter().map(|mut operation| {
            operation.at += began;
            operation.step = operation.step.map(|step| step + before);
            operation
        }));
        before += group.len();
        group.clear();
        first = None;
    }
    all
}
