//! `dump [NAME]...`: everything a plan reads, as one List. With `-f`, it gives the same plan as the cluster.

use std::collections::BTreeSet;
use std::io::{self, Write as _};

use anyhow::{Context as _, Result};

use super::Context;
use super::gathering::Gathering;
use crate::cli::exit::Exit;
use crate::input::files::files_of;
use crate::input::read::{Input, InputRequest, read};
use crate::input::resolve;
use crate::input::resolve::Target;
use crate::output::escape;
use crate::request::{Assumptions, Change, Controller, DumpRequest};

/// Writes everything that the plans of the sets would read.
///
/// # Errors
/// When the input cannot be read, a named set does not exist, or the output cannot be written.
pub fn run(request: &DumpRequest, context: &mut Context<'_>) -> Result<Exit> {
    let wanted = InputRequest {
        world: &request.world,
        selection: &request.selection,
        change: &Change::default(),
        controller: &Controller::default(),
        assumptions: &Assumptions::default(),
        changes_nodes: false,
        now: request.now,
        current: (context.clock)(),
    };
    let world = &request.world;
    let inputs = files_of(world.files.iter().map(String::as_str), world.recursive);
    context.terminal.refuse_inputs(&inputs)?;
    let mut gathering = Gathering::default();
    let mut warnings = Vec::new();
    read(&wanted, context.stdin, &mut |mut input| {
        let sets = sets(request, &input, &mut warnings)?;
        warnings.append(&mut input.loaded.warnings);
        gathering.take(sets, &mut input);
        Ok(())
    })?;
    for warning in &warnings {
        writeln!(context.stderr, "warning: {}", escape(warning))?;
    }
    let mut out = io::BufWriter::new(&mut *context.stdout);
    gathering
        .write(request.format, &mut out)
        .context("no StatefulSet to dump")?
        .and_then(|()| out.flush())
        .context("cannot write the dump")?;
    Ok(Exit::Done)
}

/// Returns the requested sets, by namespace and name.
fn sets(
    request: &DumpRequest,
    input: &Input,
    warnings: &mut Vec<String>,
) -> Result<BTreeSet<(String, String)>> {
    let (loaded, applied) = (&input.loaded, &input.applied);
    let selected = resolve::select(&request.world, &request.selection, loaded, applied)?;
    for missing in selected.missing {
        // With all namespaces, skip those without permission.
        if !request.selection.all_namespaces {
            return Err(missing.error);
        }
        let (set, error) = (missing.name, missing.error);
        warnings.push(format!("skipping {}/{set}: {error:#}", missing.namespace));
    }
    Ok(selected.targets.iter().map(Target::id).collect())
}
