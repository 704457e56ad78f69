//! Report of a change in several stages.

use anyhow::{Result, bail};

use super::plans::{PlannedSet, Plans};
use super::set_rules::SetRules;
use crate::cli::exit::Exit;
use crate::input::read::Input;
use crate::input::resolve::{self, LaterManifests, Target};
use crate::input::source_map;
use crate::output::Needs;
use crate::request::{PlanRequest, Stages};
use sts_plan::analysis::analyze;
use sts_plan::lint::Scope;
use sts_plan::report::{PlanResult, Report};
use sts_plan::stages::Staged;
use sts_plan::what_if::Questions;

impl Plans<'_> {
    /// Plans the stages of a set in order, and combines their reports.
    pub(super) fn plan_staged(
        &self,
        target: &Target<'_>,
        input: &Input,
        needs: Needs,
        (stages, manifests): (&Stages, &LaterManifests),
    ) -> Result<PlannedSet> {
        let request = self.request;
        let rules = SetRules::of(request, target);
        let mut warnings = Vec::new();
        let staged = staged(request, target, input, (stages, manifests), &mut warnings)?;
        let Some(first) = staged.stages.first() else {
            bail!("no stage to plan");
        };
        let (noted, fail_on) = (
            self.findings.of(&first.plan, &rules.suppress()),
            rules.fail_on(),
        );
        let saves = request.output.save.is_some();
        let all =
            saves || request.output.display.verbose || !fail_on.is_empty() || noted.ignores_some();
        let questions = Questions {
            observations: needs.looks,
            findings: match all {
                true => Scope::Hypothetical,
                false => needs.findings,
            },
            ..rules.questions(&request.questions)
        };
        let lines = source_map::of_refusals(&first.plan, &input.applied, &input.loaded);
        let pods = staged.stages.iter();
        let pods = pods.map(|stage| i64::from(stage.plan.snapshot.set.replicas));
        let pods = pods.max().unwrap_or(0);
        for stage in &staged.stages {
            self.look_for_named(&stage.plan);
        }
        let mut exit = Exit::Done;
        let mut reports = Vec::new();
        let mut saved = Vec::new();
        for stage in &staged.stages {
            let analysis = analyze(&stage.plan, &questions);
            exit = exit.worse(match stage.is_cut {
                // The predicted outcome does not happen.
                true => Exit::Work,
                false => Exit::of(&analysis),
            });
            reports.push(match needs.objects {
                true => Report::from(&analysis),
                false => Report::without_objects(&analysis),
            });
            if saves {
                saved.push(Report::from(&analysis));
            }
        }
        let Some(report) = Report::of_stages(&staged, reports) else {
            bail!("no stage to plan");
        };
        let report = report.with_refusals_at(&lines);
        let saved = Report::of_stages_to_save(&staged, saved);
        let saved = saved.map(|saved| Box::new(saved.with_refusals_at(&lines)));
        if exit != Exit::Rejected && !request.gates.detailed_exitcode {
            exit = Exit::Done;
        }
        let broken = report.requirements.iter().find(|it| !it.holds);
        if broken.is_some() {
            exit = exit.worse(Exit::Finding);
        }
        let result: PlanResult = report.outcome.result;
        let reason = match exit {
            Exit::Work => Some("has work to do and completes".to_owned()),
            Exit::Blocked | Exit::Rejected => {
                Some(format!("is {result} in stage {}", staged.stages.len()))
            }
            Exit::Finding => broken.map(|broken| format!("breaks the requirement {}", broken.text)),
            Exit::Done | Exit::Error | Exit::Interrupted => None,
        };
        let set = (target.namespace(), target.name());
        Ok(PlannedSet {
            reason: reason.map(|reason| format!("{}/{} {reason}", set.0, set.1)),
            report,
            saved,
            exit,
            noted,
            fail_on,
            warnings,
            pods,
            nodes: None,
            upgrade: None,
        })
    }
}

/// Plans the stages of a set in order.
fn staged(
    request: &PlanRequest,
    target: &Target<'_>,
    input: &Input,
    stages: (&Stages, &LaterManifests),
    warnings: &mut Vec<String>,
) -> Result<Staged> {
    let conditions = SetRules::of(request, target).conditions(&input.conditions);
    let mut staged = resolve::staged(
        target,
        &request.change,
        stages,
        &input.loaded,
        &conditions,
        warnings,
    )?;
    for stage in &mut staged.stages {
        stage.plan.source = input.read.of(target.namespace()).clone();
    }
    Ok(staged)
}

/// Returns the report of all stages, with each plan in the form that `verify` reads.
///
/// # Errors
/// When a stage cannot be planned.
#[cfg(not(target_family = "wasm"))]
pub fn stages_to_save(
    request: &PlanRequest,
    target: &Target<'_>,
    input: &Input,
    warnings: &mut Vec<String>,
) -> Result<Report> {
    let manifests = LaterManifests::read(request, input)?;
    let Some(stages) = &request.stages else {
        bail!("no stage to plan");
    };
    let staged = staged(request, target, input, (stages, &manifests), warnings)?;
    let plans = staged.stages.iter().map(|stage| &stage.plan);
    let reports = plans.map(|plan| Report::from(&analyze(plan, &Questions::default())));
    match Report::of_stages_to_save(&staged, reports.collect()) {
        Some(report) => Ok(report),
        None => bail!("no stage to plan"),
    }
}
