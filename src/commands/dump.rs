//! `dump [NAME]...`: everything that a plan uses, as one List. Planned with `-f`, it gives what the cluster gave.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};

use anyhow::{Context as _, Result};

use super::Context;
use crate::cli::exit::Exit;
use crate::input::dump::{Completeness, Dump, Read};
use crate::input::files::files_of;
use crate::input::originals::Originals;
use crate::input::read::{Input, InputRequest, read};
use crate::input::resolve;
use crate::output;
use crate::output::escape;
use crate::request::{Assumptions, Change, Controller, DumpRequest};
use sts_plan::plan::Conditions;

/// Writes everything that the plans of the sets would use.
///
/// # Errors
/// When the input cannot be read, a set that is named is not there, or the output cannot be written.
pub fn run(request: &DumpRequest, context: &mut Context<'_>) -> Result<Exit> {
    let wanted = InputRequest {
        world: &request.world,
        selection: &request.selection,
        change: &Change::default(),
        controller: &Controller::default(),
        assumptions: &Assumptions::default(),
        now: request.now,
        current: (context.clock)(),
    };
    let world = &request.world;
    let inputs = files_of(world.files.iter().map(String::as_str), world.recursive);
    context.terminal.refuse_inputs(&inputs)?;
    let mut gathering = Gathering::default();
    read(&wanted, context.stdin, &mut |input| {
        gathering.take(request, input)
    })?;
    for warning in &gathering.warnings {
        writeln!(context.stderr, "warning: {}", escape(warning))?;
    }
    let conditions = gathering
        .conditions
        .as_ref()
        .context("there is no StatefulSet to dump")?;
    let dump = Dump {
        completeness: gathering.completeness,
        now: conditions.now,
        sets: gathering.sets,
        version: (conditions.behaviour.version, conditions.version_source),
        gates: gates_set(conditions),
        read: gathering.read,
    };
    let mut out = io::BufWriter::new(&mut *context.stdout);
    let objects = gathering.originals.values();
    output::render_list(request.format, &dump.annotations(), objects, &mut out)
        .and_then(|()| out.flush())
        .context("cannot write the dump")?;
    Ok(Exit::Done)
}

/// The input gathered so far.
#[derive(Default)]
struct Gathering {
    originals: Originals,
    sets: BTreeSet<(String, String)>,
    read: Read,
    completeness: Completeness,
    conditions: Option<Conditions>,
    warnings: Vec<String>,
}

impl Gathering {
    fn take(&mut self, request: &DumpRequest, input: Input) -> Result<()> {
        let Input {
            conditions,
            mut loaded,
            applied,
            read,
            completeness,
        } = input;
        let selected = resolve::select(&request.world, &request.selection, &loaded, &applied)?;
        for missing in selected.missing {
            // Of all namespaces, those that may be read are worth having.
            if !request.selection.all_namespaces {
                return Err(missing.error);
            }
            let (set, error) = (missing.name, missing.error);
            self.warnings.push(format!(
                "{}/{set} is left out: {error:#}",
                missing.namespace
            ));
        }
        let targets = selected.targets.iter();
        let sets: BTreeSet<(String, String)> = targets
            .map(|target| (target.namespace().to_owned(), target.name().to_owned()))
            .collect();
        for (namespace, _) in &sets {
            let source = read.of(namespace);
            self.read
                .insert(std::iter::once(namespace.as_str()), source);
        }
        self.sets.extend(sets);
        self.warnings.extend(std::mem::take(&mut loaded.warnings));
        self.originals.extend(loaded.originals);
        let first = self.conditions.is_none();
        self.completeness.complete = completeness.complete && (first || self.completeness.complete);
        self.completeness.not_read.extend(completeness.not_read);
        self.conditions = Some(conditions);
        Ok(())
    }
}

/// The gates that are otherwise than their version has them.
fn gates_set(conditions: &Conditions) -> BTreeMap<String, bool> {
    let set = conditions.gates.overridden();
    set.map(|(gate, on)| (gate.name().to_owned(), on)).collect()
}
