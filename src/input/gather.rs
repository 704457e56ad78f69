//! Everything that a plan is made of, from wherever it comes: files, standard input, or a cluster.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

use anyhow::{Result, bail};
use jiff::Timestamp;

use crate::input;
use crate::input::{Loaded, Reader};
use crate::request::{ApplyMode, Assumptions, Controller, PlanRequest, World};
use sts_controller::version::{Behaviour, Gates, Version};
use sts_plan::plan::{Conditions, Source, VersionSource};

pub use super::live::gather_to_watch;

/// The namespace of objects that name none, where no kubeconfig names another.
const NAMESPACE: &str = "default";

/// What was gathered.
pub struct Gathered {
    /// The controller, the clock and the kubelet.
    pub conditions: Conditions,
    /// The objects that are there.
    pub loaded: Loaded,
    /// What is about to be applied.
    pub applied: Loaded,
    /// What reading a cluster came to.
    pub source: Arc<Source>,
}

/// Reads what a request names, and hands it on: at once, or a part after the other where it is much. With `-f` no
/// kubeconfig is read and no connection is opened.
pub fn gather(
    request: &PlanRequest,
    now: Timestamp,
    stdin: &mut dyn Read,
    take: &mut dyn FnMut(Gathered) -> Result<()>,
) -> Result<()> {
    let (world, change) = (&request.world, &request.change);
    let from_stdin = world.files.iter().chain(&change.apply);
    if from_stdin.filter(|path| *path == "-").count() > 1 {
        bail!("standard input can be read only once: give '-' to -f or to --apply, not to both");
    }
    if world.is_live() {
        return super::live::gather(request, now, stdin, take);
    }
    if change.apply_mode == Some(ApplyMode::Server) {
        bail!(
            "--apply-mode=server asks a live cluster, and with -f there is none: leave one of the two out"
        );
    }
    let asked = request.controller.version;
    let version = match asked {
        Some(version) => (version, VersionSource::Flag),
        None => (Version::NEWEST, VersionSource::Default),
    };
    let conditions = conditions(
        &request.controller,
        &request.assumptions,
        now,
        version,
        BTreeMap::new(),
    )?;
    let namespace = world.namespace.as_deref().unwrap_or(NAMESPACE);
    let mut loaded = read_input(world, namespace, &conditions, stdin)?;
    let applied = read_applied(
        change.apply.as_deref(),
        world,
        namespace,
        &conditions,
        stdin,
    )?;
    loaded.inventory.overlay(&applied.inventory);
    take(Gathered {
        conditions,
        loaded,
        applied,
        source: Arc::default(),
    })
}

/// Reads the objects that are there of certain sets, by namespace and name, some of which may not be there.
pub fn gather_sets(
    world: &World,
    now: Timestamp,
    sets: &[(&str, &str)],
    stdin: &mut dyn Read,
) -> Result<Loaded> {
    if world.is_live() {
        return super::live::read_sets(world, now, sets);
    }
    let version = (Version::NEWEST, VersionSource::Default);
    let (controller, assumptions) = (Controller::default(), Assumptions::default());
    let conditions = conditions(&controller, &assumptions, now, version, BTreeMap::new())?;
    let namespace = world.namespace.as_deref().unwrap_or(NAMESPACE);
    read_input(world, namespace, &conditions, stdin)
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
        assumptions: assumptions.by_pod.clone(),
    })
}

/// What is about to be applied; nothing if no file is named.
pub(super) fn read_applied(
    apply: Option<&str>,
    world: &World,
    namespace: &str,
    conditions: &Conditions,
    stdin: &mut dyn Read,
) -> Result<Loaded> {
    let Some(path) = apply else {
        return Ok(Loaded::default());
    };
    let reading = input::files::read_paths(&[path.to_owned()], world.recursive, stdin)?;
    let reader = Reader {
        namespace,
        api: &conditions.behaviour.defaulting,
        all_new: true,
    };
    let applied = input::load(reading, &reader)?;
    // A chart that renders nothing must not pass a gate.
    if applied.manifests.is_empty() && applied.unplannable.is_empty() {
        let from = if path == "-" { "standard input" } else { path };
        bail!("there is no StatefulSet in what is applied ({from})");
    }
    Ok(applied)
}

/// What -f names.
fn read_input(
    world: &World,
    namespace: &str,
    conditions: &Conditions,
    stdin: &mut dyn Read,
) -> Result<Loaded> {
    let reading = input::files::read_paths(&world.files, world.recursive, stdin)?;
    let reader = Reader {
        namespace,
        api: &conditions.behaviour.defaulting,
        all_new: false,
    };
    Ok(input::load(reading, &reader)?)
}
