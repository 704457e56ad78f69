//! A set of the input, as a run plans it.

use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::search::Search;
use super::set_rules::SetRules;
use crate::cores::on_all_cores;
use crate::input::LoadError;
use crate::input::read::Input;
use crate::input::resolve;
use crate::input::resolve::{LaterManifests, Target, UnmatchedPods};
use crate::input::source_map;
use crate::output::Needs;
use crate::request::{PlanRequest, Stages};
use sts_controller::simulate::{Allowance, Driver};
use sts_plan::fleet::{FailOn, FleetDriver, FleetSet, SetCourse, SetName};
use sts_plan::lint::{Scope, Suppressions};
use sts_plan::plan::{Conditions, Plan};
use sts_plan::report::FieldPlace;
use sts_plan::stages::Staged;
use sts_plan::what_if::Questions;

/// A set of the input, with the parts of the request that concern it.
pub(super) struct InputSet<'p, 'a> {
    pub(super) request: &'p PlanRequest,
    pub(super) input: &'p Input,
    pub(super) manifests: &'p LaterManifests,
    pub(super) target: &'p Target<'p>,
    pub(super) rules: SetRules<'p>,
    pub(super) needs: Needs,
    pub(super) missing: &'p Mutex<UnmatchedPods<'a>>,
    /// Work that each question about the set may do.
    pub(super) allowance: Allowance,
}

impl FleetSet for InputSet<'_, '_> {
    type Error = anyhow::Error;

    fn name(&self) -> SetName {
        SetName {
            namespace: self.target.namespace().to_owned(),
            name: self.target.name().to_owned(),
        }
    }

    fn replicas(&self) -> i64 {
        self.target
            .replicas(&self.request.change, &self.input.loaded)
    }

    fn conditions(&self) -> Conditions {
        Conditions {
            allowance: self.allowance.clone(),
            ..self.rules.conditions(&self.input.conditions)
        }
    }

    fn plan(
        &self,
        conditions: &Conditions,
        warnings: &mut Vec<String>,
    ) -> anyhow::Result<SetCourse> {
        if let Some(stages) = &self.request.stages {
            let stages = (stages, self.manifests);
            let (request, input) = (self.request, self.input);
            let _question = conditions.allowance.question();
            let staged = staged(request, self.target, input, stages, conditions, warnings)?;
            return Ok(SetCourse::Stages(staged));
        }
        let (change, loaded) = (&self.request.change, &self.input.loaded);
        let plan = resolve::plan(self.target, change, loaded, conditions, warnings)?;
        let source = self.input.read.of(self.target.namespace());
        Ok(SetCourse::Plan(Box::new(plan.of(source))))
    }

    /// A manifest that cannot be read makes the whole input invalid.
    fn is_fatal(error: &anyhow::Error) -> bool {
        error.is::<LoadError>()
    }

    /// Looks for the pods that flags name.
    fn planned(&self, plan: &Plan) {
        let missing = self.missing.lock();
        missing
            .unwrap_or_else(PoisonError::into_inner)
            .find_in(plan);
    }

    fn fields_at(&self, plan: &Plan, paths: &[&str]) -> Vec<Option<FieldPlace>> {
        source_map::of_fields(plan, paths, &self.input.applied, &self.input.loaded)
    }

    fn manifest(&self) -> Option<&Value> {
        self.target.manifest()
    }

    fn questions(&self) -> Questions {
        let output = &self.request.output;
        Questions {
            step_branches: self.needs.step_branches,
            observations: self.needs.looks,
            eta: output.save.is_some() || self.needs.eta,
            // Ignored findings are listed.
            findings: match output.display.verbose {
                true => Scope::Hypothetical,
                false => self.needs.findings,
            },
            ..self.rules.questions(&self.request.questions)
        }
    }

    fn suppressions(&self) -> Suppressions {
        self.rules.suppress()
    }

    fn fail_on(&self) -> Vec<FailOn> {
        self.rules.fail_on()
    }
}

/// Plans the stages of a set in order.
pub(super) fn staged(
    request: &PlanRequest,
    target: &Target<'_>,
    input: &Input,
    stages: (&Stages, &LaterManifests),
    conditions: &Conditions,
    warnings: &mut Vec<String>,
) -> anyhow::Result<Staged> {
    let mut staged = resolve::staged(
        target,
        &request.change,
        stages,
        &input.loaded,
        conditions,
        warnings,
    )?;
    for stage in &mut staged.stages {
        stage.plan.source = input.read.of(target.namespace()).clone();
    }
    Ok(staged)
}

/// Plans sets on all cores. Searches have a progress line on a terminal.
pub(super) struct AllCores {
    pub(super) shows_progress: bool,
}

impl FleetDriver for AllCores {
    fn run_all<'j>(&self, jobs: Vec<Box<dyn FnOnce() + Send + 'j>>) {
        on_all_cores(jobs.into_iter(), 1, |job| job());
    }

    fn search(&self) -> Box<dyn Driver> {
        Box::new(Search::new(self.shows_progress))
    }
}
