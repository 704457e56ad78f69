//! `--next`: prints only the command that is safe to run now.

use anyhow::{Result, bail};

use super::Context;
use super::one_set::one_set;
use super::plan::SetRules;
use crate::cli::exit::Exit;
use crate::input::read::read_parts;
use crate::input::resolve;
use crate::output::escape;
use crate::request::NextRequest;
use sts_controller::object::Strategy;
use sts_plan::analysis::{NotChecked, analyze};
use sts_plan::next::{Held, Next, next, next_command, next_text};
use sts_plan::what_if::Questions;

/// Prints the next command on standard output, and the pod or the reason to wait on standard error.
///
/// # Errors
/// When the input cannot be read, there is not exactly one set, or it cannot be planned.
pub fn run(request: &NextRequest, context: &mut Context<'_>) -> Result<Exit> {
    let parts = read_parts(&request.plan, (context.clock)(), context.stdin)?;
    let (target, input) = one_set("--next", &request.plan, &parts)?;
    let rules = SetRules::of(&request.plan, &target);
    let mut warnings = Vec::new();
    let plan = resolve::plan(
        &target,
        &request.plan.change,
        &input.loaded,
        &rules.conditions(&input.conditions),
        &mut warnings,
    )?;
    let plan = plan.of(input.read.of(target.namespace()));
    let requirements = rules.questions(&request.plan.questions).requirements;
    let analysis = analyze(&plan, &Questions::default());
    let next = next(&analysis, &request.order, &requirements);
    if request.order.last.is_some() && !matches!(plan.snapshot.set.strategy, Strategy::OnDelete(_))
    {
        writeln!(
            context.stderr,
            "warning: --order does not apply: under {} the controller chooses the pods, from the highest ordinal down",
            escape(plan.snapshot.set.strategy.name())
        )?;
    }
    if analysis.input.not_checked.contains(&NotChecked::Budgets) {
        writeln!(
            context.stderr,
            "warning: no PodDisruptionBudgets in the input, so they are not considered"
        )?;
    }
    writeln!(context.stderr, "{}", escape(&next_text(&analysis, &next)))?;
    Ok(match &next {
        Next::Run(found) => {
            let Some(command) = next_command(&analysis, found) else {
                bail!("no single command for the next step");
            };
            writeln!(context.stdout, "{}{}", escape(&command), request.flags)?;
            Exit::Done
        }
        Next::Done => Exit::Done,
        Next::Wait(_) => Exit::Work,
        Next::Held(Held::Requirement(..)) => Exit::Finding,
        Next::Held(Held::Incomplete) => Exit::Error,
        Next::Held(_) => Exit::Blocked,
    })
}
