//! Reads all input of a plan from files, standard input or a cluster.

use std::collections::BTreeMap;
use std::io;

use anyhow::{Result, anyhow, bail};
use jiff::Timestamp;

use crate::input;
use crate::input::applied::{Place, read_applied};
use crate::input::dump::{Completeness, Read};
use crate::input::originals::Originals;
use crate::input::resolve::NotFound;
use crate::input::{Loaded, Reader};
use crate::request::{ApplyMode, Assumptions, Change, Controller, PlanRequest, Selection, World};
use kubectl_manifest::{Part, Reading};
use sts_controller::simulate::Allowance;
use sts_controller::version::{Behaviour, Gates, Version};
use sts_plan::plan::{Conditions, InputKind, NowSource, VersionSource};

#[cfg(not(target_family = "wasm"))]
pub use super::live::read_to_watch;

/// Default namespace without a kubeconfig.
const NAMESPACE: &str = "default";

/// Input selection.
#[derive(Debug, Clone, Copy)]
pub struct InputRequest<'r> {
    /// Source of objects.
    pub world: &'r World,
    /// Selection of sets.
    pub selection: &'r Selection,
    /// Change to plan.
    pub change: &'r Change,
    /// Simulated controller.
    pub controller: &'r Controller,
    /// Assumptions about the simulated world.
    pub assumptions: &'r Assumptions,
    /// True if nodes are changed: pods of other owners and quotas matter too.
    pub changes_nodes: bool,
    /// Requested time.
    pub now: Option<Timestamp>,
    /// The current time.
    pub current: Timestamp,
}

impl<'r> InputRequest<'r> {
    /// Returns the input selection of a plan request.
    pub fn of(request: &'r PlanRequest, current: Timestamp) -> Self {
        InputRequest {
            world: &request.world,
            selection: &request.selection,
            change: &request.change,
            controller: &request.controller,
            assumptions: &request.assumptions,
            changes_nodes: request.fleet.nodes.acts(),
            now: request.now,
            current,
        }
    }
}

/// Input that was read.
pub struct Input {
    /// Controller, clock and kubelet.
    pub conditions: Conditions,
    /// Stored objects.
    pub loaded: Loaded,
    /// Objects to apply.
    pub applied: Loaded,
    /// Result of reading a cluster.
    pub read: Read,
    /// Completeness of the objects.
    pub completeness: Completeness,
}

/// Reads the whole input, in its parts.
pub fn read_parts(
    request: &PlanRequest,
    now: Timestamp,
    stdin: &mut dyn io::Read,
) -> Result<Vec<Input>> {
    let mut parts = Vec::new();
    read(&InputRequest::of(request, now), stdin, &mut |input| {
        parts.push(input);
        Ok(())
    })?;
    Ok(parts)
}

/// Reads the input and passes it on, at once or in parts if it is large. With `-f`, no kubeconfig is read and no
/// connection is opened. A dump has its own version, gates and time, which flags override.
pub fn read(
    wanted: &InputRequest<'_>,
    stdin: &mut dyn io::Read,
    take: &mut dyn FnMut(Input) -> Result<()>,
) -> Result<()> {
    let (world, change) = (wanted.world, wanted.change);
    let of_files = world.files.iter().filter(|path| *path == "-").count();
    if of_files > 1 {
        bail!("standard input can be read only once: use -f - once");
    }
    if of_files == 1 && change.apply.as_deref() == Some("-") {
        bail!("standard input can be read only once: use '-' for -f or --apply, not for both");
    }
    if world.is_live() {
        return super::live::read(wanted, stdin, take);
    }
    if change.apply_mode == Some(ApplyMode::Server) {
        bail!(
            "--apply-mode=server requires a live cluster and cannot be combined with {}: omit one of them",
            if world.demo.is_some() { "a demo" } else { "-f" }
        );
    }
    let reading = input::files::read_world(world, stdin)?;
    let dump = input::dump_among(&reading)?.map(|(_, dump)| dump);
    let told = dump.as_ref();
    let (version, gates) = match (wanted.controller.version, told) {
        (Some(version), _) => ((version, VersionSource::Flag), BTreeMap::new()),
        (None, Some(dump)) => (dump.version, dump.gates.clone()),
        (None, None) => {
            let version = super::version_shown::oldest(&reading);
            let newest = (Version::NEWEST, VersionSource::Default);
            (version.unwrap_or(newest), BTreeMap::new())
        }
    };
    let mut conditions = Conditions {
        input: match told.is_some_and(|dump| dump.completeness.complete) {
            true => InputKind::Complete,
            false => InputKind::Files,
        },
        manifest: change.manifest(),
        ..conditions(
            wanted.controller,
            wanted.assumptions,
            wanted.current,
            version,
            gates,
        )?
    };
    let namespace = world.namespace.as_deref().unwrap_or(NAMESPACE);
    let originals = originals(&reading, wanted)?;
    let mut loaded = load(reading, namespace, &conditions)?;
    loaded.originals = originals;
    (conditions.now, conditions.now_source) = moment(&loaded, wanted.now, wanted.current);
    let applied = read_applied(
        change.apply.as_deref(),
        world,
        Place::Among(namespace, &loaded),
        &conditions,
        stdin,
    )?;
    loaded.inventory.overlay(&applied.inventory);
    if loaded.manifests.is_empty() && applied.manifests.is_empty() {
        loaded.inventory.add_sets_of_pods();
    }
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

/// Returns the time of the objects of files, and its source: the flag, the dump, the newest time in objects that are
/// refreshed, or the clock.
pub fn moment(
    loaded: &Loaded,
    flag: Option<Timestamp>,
    clock: Timestamp,
) -> (Timestamp, NowSource) {
    let dumped = loaded.dump.as_ref().map(|dump| dump.now);
    let known = [
        (flag, NowSource::Flag),
        (dumped, NowSource::Cluster),
        (loaded.times.read_at(), NowSource::Input),
    ];
    let mut known = known
        .into_iter()
        .filter_map(|(at, source)| Some((at?, source)));
    known.next().unwrap_or((clock, NowSource::Clock))
}

/// Reads the manifest of a later stage, once the stored objects are known. It is not sent to a server, which does not
/// have the set in its later state.
///
/// # Errors
/// When the file cannot be read, or its namespace is ambiguous.
pub fn read_later(path: &str, world: &World, input: &Input) -> Result<Loaded> {
    let namespace = world.namespace.as_deref().unwrap_or(NAMESPACE);
    let later = read_applied(
        Some(path),
        world,
        Place::Among(namespace, &input.loaded),
        &input.conditions,
        &mut io::empty(),
    );
    // The sets to plan exist: a stage without one is a mistake.
    later.map_err(|error| match error.downcast::<NotFound>() {
        Ok(none) => anyhow!("{none}"),
        Err(error) => error,
    })
}

/// Reads certain sets, by namespace and name. Some of them may not exist.
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

/// Returns the objects of files in their original form.
fn originals(reading: &Reading, wanted: &InputRequest<'_>) -> Result<Originals> {
    let mut originals = Originals::default();
    if !wanted.world.keeps_originals {
        return Ok(originals);
    }
    for manifest in &reading.manifests {
        originals.insert(manifest.part(Part::Whole).into_owned());
    }
    if let (Some(namespace), false) = (&wanted.world.namespace, wanted.selection.all_namespaces) {
        originals.keep_namespace(namespace);
    }
    let names = &wanted.selection.names;
    if !names.is_empty() && !wanted.selection.has_pattern() {
        originals.keep_about(names);
    }
    Ok(originals)
}

/// Returns the requested controller, clock and kubelet. Gates of the request override others.
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
        now_source: NowSource::Cluster,
        behaviour,
        gates,
        version_source: source,
        ready_after: assumptions.ready_after,
        gone_after: assumptions.gone_after,
        assumptions: assumptions.by_pod.clone(),
        grants: assumptions.grants.as_slice().into(),
        related: std::sync::Arc::default(),
        catalogue: assumptions.catalogue,
        manifest: None,
        input: InputKind::Complete,
        has_all_pods: false,
        as_recorded: false,
        outage: std::sync::Arc::default(),
        under_way: None,
        has_sequel: false,
        observed: None,
        allowance: Allowance::default(),
        working: assumptions.working.clone(),
    })
}

/// Loads the stored objects.
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
