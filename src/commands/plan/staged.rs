//! A change in several stages, for `verify`.

use anyhow::{Result, bail};

use super::input_set::staged;
use super::set_rules::SetRules;
use crate::input::read::Input;
use crate::input::resolve::{LaterManifests, Target};
use crate::request::PlanRequest;
use sts_plan::analysis::analyze;
use sts_plan::report::Report;
use sts_plan::what_if::Questions;

/// Returns the report of all stages, with each plan in the form that `verify` reads.
///
/// # Errors
/// When a stage cannot be planned.
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
    let conditions = SetRules::of(request, target).conditions(&input.conditions);
    let stages = (stages, &manifests);
    let staged = staged(request, target, input, stages, &conditions, warnings)?;
    let plans = staged.stages.iter().map(|stage| &stage.plan);
    let reports = plans.map(|plan| Report::from(&analyze(plan, &Questions::default())));
    match Report::of_stages_to_save(&staged, reports.collect()) {
        Some(report) => Ok(report),
        None => bail!("no stage to plan"),
    }
}
