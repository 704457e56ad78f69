//! Planning: from objects to plans and an exit code.

#[cfg(not(target_family = "wasm"))]
mod asked;
mod each_node;
mod exit_code;
mod input_set;
#[cfg_attr(target_family = "wasm", path = "no_interrupt.rs")]
mod interrupt;
mod plans;
mod progress_line;
mod search;
mod set_rules;
#[cfg(not(target_family = "wasm"))]
mod staged;
#[cfg(not(target_family = "wasm"))]
mod unasked;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::Context;
use crate::cli::exit::Exit;
use crate::input::files::files_of;
use crate::input::read::{InputRequest, read};
use crate::input::resolve::NotFound;
use crate::output;
use crate::output::atomic;
use crate::output::atomic::FileVisibility;
use crate::output::digest::set_digest;
use crate::output::files::Outputs;
use crate::output::{Format, Style, escape};
use crate::request::PlanRequest;
use exit_code::PlansExit;
use plans::{Notes, Plans};
pub(super) use set_rules::SetRules;
#[cfg(not(target_family = "wasm"))]
pub(super) use staged::stages_to_save;
use sts_plan::fleet::{FailedGate, Fleet, OtherGates, ReportList, ignored_findings};
use sts_plan::report::MadeBy;

/// Plans the requested sets, and prints and saves the plans.
///
/// # Errors
/// When the input cannot be read, nothing can be planned, or the output cannot be written.
pub fn run(request: &PlanRequest, context: &mut Context<'_>) -> Result<Exit> {
    let output = &request.output;
    if let Some(policy) = &request.gates.found_policy {
        let policy = policy.to_string_lossy();
        writeln!(context.stderr, "policy: {}", escape(&policy))?;
    }
    #[cfg(not(target_family = "wasm"))]
    asked::check(request)?;
    let inputs = inputs(request);
    context.terminal.refuse_inputs(&inputs)?;
    let outputs = Outputs::new(
        &output.format,
        &output.files,
        output.save.as_deref(),
        &inputs,
    )?;
    let style = Style {
        show_values: output.show_values,
        ..context.terminal.style(output.display, outputs.has_colors())
    };
    let mut plans = Plans::new(request, &outputs, style.width.is_some());
    let wanted = InputRequest::of(request, (context.clock)());
    #[cfg(not(target_family = "wasm"))]
    let mut new_inputs = Vec::new();
    let read = read(&wanted, context.stdin, &mut |input| {
        #[cfg(not(target_family = "wasm"))]
        new_inputs.push(unasked::is_new(&input));
        plans.take(input)
    });
    let planned = read.and_then(|()| plans.complete());
    let (mut fleet, notes) = match planned {
        Err(error) if request.selection.ignores_not_found && error.is::<NotFound>() => {
            let mut notes = Notes::default();
            notes.not_found.push(error.to_string());
            (Fleet::default(), notes)
        }
        planned => planned.map_err(|error| with_hint(error, request))?,
    };
    let is_detailed = request.gates.detailed_exitcode;
    #[cfg(not(target_family = "wasm"))]
    asked::ask(request, &mut fleet)?;
    let gates = fleet.failed_gates(OtherGates {
        detailed_exitcode: is_detailed,
        requirements: !request.questions.requirements.is_empty(),
    });
    let failed = gates.iter().map(|gate| Exit::from(&gate.failure));
    let failed = failed.fold(Exit::Done, Exit::worse);
    let plans_exit = PlansExit::of(&fleet, is_detailed);
    let exit = plans_exit.worst.worse(failed);
    let today = request.now.unwrap_or_else(context.clock);
    let ended = set_rules::ended(request, today);
    #[cfg(not(target_family = "wasm"))]
    if let Some(note) = unasked::note(request, &new_inputs) {
        writeln!(context.stderr, "note: {}", escape(&note))?;
    }
    let verbose = output.display.verbose;
    print_notes(&fleet, &notes, &gates, &ended, verbose, context)?;
    if let Some(path) = &output.save {
        for report in &mut fleet.saved {
            report.metadata.made_by = Some(MadeBy {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                command_line: output.command_line.clone(),
            });
            set_digest(report).context("cannot save the plan")?;
        }
        save(path, &fleet.saved_list())?;
        if verbose {
            let path = path.to_string_lossy();
            writeln!(context.stderr, "saved: {}", escape(&path))?;
        }
    }
    let list = fleet.list();
    outputs.write(&list, &style, context.stdout)?;
    if exit != failed
        && let Some(reason) = plans_exit.reason(exit)
    {
        writeln!(
            context.stderr,
            "exit code {}: {}",
            exit as u8,
            escape(&reason)
        )?;
    }
    Ok(exit)
}

/// Returns the files that the run reads.
fn inputs(request: &PlanRequest) -> Vec<PathBuf> {
    let world = &request.world;
    let stages = request.stages.iter().flat_map(|stages| &stages.later);
    let applied = stages.filter_map(|stage| stage.change.apply.as_ref());
    let manifests = world.files.iter().chain(&request.change.apply);
    let manifests = manifests.chain(applied);
    let mut files = files_of(manifests.map(String::as_str), world.recursive);
    let connection = &world.connection;
    let named = [
        &request.gates.policy,
        &connection.kubeconfig,
        &connection.certificate_authority,
        &connection.client_certificate,
        &connection.client_key,
        &connection.kuberc,
    ];
    files.extend(named.into_iter().flatten().cloned());
    files
}

/// Suggests a command if the name of a missing set may mean one.
fn with_hint(error: anyhow::Error, request: &PlanRequest) -> anyhow::Error {
    match &request.hint {
        Some(hint) => anyhow::anyhow!("{error:#}; {hint}"),
        _ => error,
    }
}

/// Prints notes and the failed gates on standard error.
fn print_notes(
    fleet: &Fleet,
    notes: &Notes,
    gates: &[FailedGate],
    ended: &[String],
    verbose: bool,
    context: &mut Context<'_>,
) -> Result<()> {
    let stderr = &mut *context.stderr;
    for warning in &notes.warnings {
        writeln!(stderr, "warning: {}", escape(warning))?;
    }
    let is_empty = fleet.reports.is_empty() && fleet.errors.is_empty();
    for why in notes.not_found.iter().filter(|_| is_empty || verbose) {
        let label = if is_empty {
            "nothing to plan"
        } else {
            "ignored"
        };
        writeln!(stderr, "{label}: {}", escape(why))?;
    }
    if verbose {
        for (kind, count) in &notes.skipped {
            writeln!(stderr, "skipped: {count} of kind {}", escape(kind))?;
        }
        for line in ignored_findings(&fleet.reports) {
            writeln!(stderr, "ignored: {}", escape(&line))?;
        }
    }
    for line in ended {
        writeln!(stderr, "warning: {}", escape(line))?;
    }
    for error in &fleet.errors {
        let set = error.set();
        let message = &error.outcome.message;
        writeln!(stderr, "error: {}: {}", escape(&set), escape(message))?;
    }
    for gate in gates {
        writeln!(stderr, "failed on {}", escape(&gate.to_string()))?;
    }
    Ok(())
}

/// Saves plans as JSON with access only for the user: a plan has all changed values, including environment variables.
fn save(path: &Path, plans: &ReportList<'_>) -> Result<()> {
    let mut text = Vec::new();
    output::render(Format::Json, plans, &Style::default(), &mut text)?;
    atomic::write_file(path, &text, FileVisibility::User)
        .with_context(|| format!("cannot save the plan to {}", path.display()))
}
