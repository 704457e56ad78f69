//! Reading everything that a plan is made of: from files, standard input, or a cluster.

use std::collections::BTreeMap;
use std::io;

use anyhow::{Result, bail};
use jiff::Timestamp;

use crate::input;
use crate::input::applied::{Place, read_applied};
use crate::input::dump::{Completeness, Read};
use crate::input::originals::Originals;
use crate::input::{Loaded, Reader};
use crate::request::{ApplyMode, Assumptions, Change, Controller, PlanRequest, Selection, World};
use kubectl_manifest::{Part, Reading};
use sts_controller::version::{Behaviour, Gates, Version};
use sts_plan::plan::{Conditions, InputKind, VersionSource};

#[cfg(not(target_family = "wasm"))]
pub use super::live::read_to_watch;

/// The namespace of objects that name none, where no kubeconfig names another.
const NAMESPACE: &str = "default";

/// The input to read.
#[derive(Debug, Clone, Copy)]
pub struct InputRequest<'r> {
    /// The source of the objects.
    pub world: &'r World,
    /// The selection of sets.
    pub selection: &'r Selection,
    /// The change to be applied.
    pub change: &'r Change,
    /// The controller whose behavior is predicted.
    pub controller: &'r Controller,
    /// The other assumptions about the world.
    pub assumptions: &'r Assumptions,
    /// The moment that was asked for.
    pub now: Option<Timestamp>,
    /// The current time.
    pub current: Timestamp,
}

impl<'r> InputRequest<'r> {
    /// Returns the input of the plan that a request asks for.
    #[must_use]
    pub fn of(request: &'r PlanRequest, current: Timestamp) -> Self {
        InputRequest {
            world: &request.world,
            selection: &request.selection,
            change: &request.change,
            controller: &request.controller,
            assumptions: &request.assumptions,
            now: request.now,
            current,
        }
    }
}

/// The input that was read.
pub struct Input {
    /// The controller, the clock and the kubelet.
    pub conditions: Conditions,
    /// The objects that are there.
    pub loaded: Loaded,
    /// The objects to be applied.
    pub applied: Loaded,
    /// The result of reading a cluster.
    pub read: Read,
    /// The part of the world that the objects show.
    pub completeness: Completeness,
}

/// Reads what is wanted, and hands it on: at once, or a part after the other where it is much. With `-f` no kubeconfig
/// is read and no connection is opened. A dump brings its own version, gates and moment; flags take their place.
pub fn read(
    wanted: &InputRequest<'_>,
    stdin: &mut dyn io::Read,
    take: &mut dyn FnMut(Input) -> Result<()>,
) -> Result<()> {
    let (world, change) = (wanted.world, wanted.change);
    let of_files = world.files.iter().filter(|path| *path == "-").count();
    if of_files > 1 {
        bail!("standard input can be read only once: give -f - once");
    }
    if of_files == 1 && change.apply.as_deref() == Some("-") {
        bail!("standard input can be read only once: give '-' to -f or to --apply, not to both");
    }
    if world.is_live() {
        return super::live::read(wanted, stdin, take);
    }
    if change.apply_mode == Some(ApplyMode::Server) {
        bail!(
            "--apply-mode=server asks a live cluster, and with {} there is none: leave one of the two out",
            if world.demo.is_some() { "a demo" } else { "-f" }
        );
    }
    let reading = input::files::read_world(world, stdin)?;
    let dump = input::dump_among(&reading)?.map(|(_, dump)| dump);
    let told = dump.as_ref();
    let (version, gates) = match (wanted.controller.version, told) {
        (Some(version), _) => ((version, VersionSource::Flag), BTreeMap::new()),
        (None, Some(dump)) => (dump.version, dump.gates.clone()),
        (None, None) => ((Version::NEWEST, VersionSource::Default), BTreeMap::new()),
    };
    let now = wanted.now.or(told.map(|dump| dump.now));
    let conditions = Conditions {
        input: match told.is_some_and(|dump| dump.completeness.complete) {
            true => InputKind::Complete,
            false => InputKind::Files,
        },
        manifest: change.manifest(),
        ..conditions(
            wanted.controller,
            wanted.assumptions,
            now.unwrap_or(wanted.current),
            version,
            gates,
        )?
    };
    let namespace = world.namespace.as_deref().unwrap_or(NAMESPACE);
    let originals = originals(&reading, wanted)?;
    let mut loaded = load(reading, namespace, &conditions)?;
    loaded.originals = originals;
    let applied = read_applied(
        change.apply.as_deref(),
        world,
        Place::Among(namespace, &loaded),
        &conditions,
        stdin,
    )?;
    loaded.inventory.overlay(&applied.inventory);
    let (read, completeness) = dump
        .map(|dump| (dump.read, dump.completeness))
        .unwrap_or_default();
    take(Input {
        conditions,
        loaded,
        applied,
        read,
        completeness,
    })
}

/// Reads what a later stage of a change applies, once it is known what is there. Nothing is asked of a server: it does not
/// have the set as it is by then.
///
/// # Errors
/// When the file cannot be read, or its namespace is uncertain.
pub fn read_later(path: &str, world: &World, input: &Input) -> Result<Loaded> {
    let namespace = world.namespace.as_deref().unwrap_or(NAMESPACE);
    read_applied(
        Some(path),
        world,
        Place::Among(namespace, &input.loaded),
        &input.conditions,
        &mut io::empty(),
    )
}

/// Reads the objects that are there of certain sets, by namespace and name, some of which may not be there.
pub fn read_sets(
    world: &World,
    now: Timestamp,
    sets: &[(&str, &str)],
    stdin: &mut dyn io::Read,
) -> Result<Loaded> {
    if world.is_live() {
        return super::live::read_sets(world, now, sets);
    }
    let version = (Version::NEWEST, VersionSource::Default);
    let (controller, assumptions) = (Controller::default(), Assumptions::default());
    let conditions = conditions(&controller, &assumptions, now, version, BTreeMap::new())?;
    let namespace = world.namespace.as_deref().unwrap_or(NAMESPACE);
    let reading = input::files::read_world(world, stdin)?;
    Ok(load(reading, namespace, &conditions)?)
}

/// The objects of files as they stand there, where they are to be written out again.
fn originals(reading: &Reading, wanted: &InputRequest<'_>) -> Result<Originals> {
    let mut originals = Originals::default();
    if !wanted.world.keeps_originals {
        return Ok(originals);
    }
    for manifest in &reading.manifests {
        originals.insert(manifest.part(Part::Whole));
    }
    if let (Some(namespace), false) = (&wanted.world.namespace, wanted.selection.all_namespaces) {
        originals.keep_namespace(namespace);
    }
    let names = &wanted.selection.names;
    if !names.is_empty() {
        originals.keep_about(names);
    }
    Ok(originals)
}

/// The controller, the clock and the kubelet that were asked for. Gates of the request count over those that are
/// known otherwise.
pub(super) fn conditions(
    controller: &Controller,
    assumptions: &Assumptions,
    now: Timestamp,
    (asked, source): (Version, VersionSource),
    mut gates: BTreeMap<String, bool>,
) -> Result<Conditions> {
    gates.extend(controller.gates.clone());
    let gates = Gates::new(asked.or_newest(), &gates)?;
    let behaviour = Behaviour::new(asked, &gates);
    Ok(Conditions {
        now,
        behaviour,
        gates,
        version_source: source,
        ready_after: assumptions.ready_after,
        gone_after: assumptions.gone_after,
        lessons: assumptions.lessons.clone(),
        assumptions: assumptions.by_pod.clone(),
        grants: assumptions.grants.as_slice().into(),
        related: std::sync::Arc::default(),
        manifest: None,
        input: InputKind::Complete,
        as_recorded: false,
        outage: std::sync::Arc::default(),
        under_way: None,
        has_sequel: false,
    })
}

/// The objects that are there.
fn load(
    reading: Reading,
    namespace: &str,
    conditions: &Conditions,
) -> Result<Loaded, input::LoadError> {
    let reader = Reader {
        namespace,
        defaulting: &conditions.behaviour.defaulting,
        all_new: false,
    };
    input::load(reading, &reader)
}
