//! Reading from a live cluster.

mod namespaces;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use anyhow::{Result, bail};
use jiff::Timestamp;

use crate::input::Loaded;
use crate::input::access::access;
use crate::input::applied::{Place, read_applied};
use crate::input::cluster::{
    Cluster, ClusterError, Demand, Progress, Proposal, ReadOptions, ReadResult, Scope,
};
use crate::input::dump::{Completeness, Read};
use crate::input::originals::Originals;
use crate::input::read::{Input, InputRequest, conditions};
use crate::input::resolve;
use crate::input::resolve::NotFound;
use crate::request::{
    ApplyMode, Assumptions, Controller, PlanRequest, Selection, ServerSide, World,
};
use sts_controller::apiserver::apply;
use sts_controller::object::RelatedKind;
use sts_controller::version::{Gate, Stage, Version};
use sts_plan::plan::{Conditions, Source, VersionSource};

use namespaces::{NOT_OF_MANY, every_namespace, read_all_namespaces};

/// Reads the stored objects and the manifests to apply, and submits these to the server in a dry run. With all
/// namespaces, a few are read at a time.
pub(super) fn read(
    wanted: &InputRequest<'_>,
    stdin: &mut dyn io::Read,
    take: &mut dyn FnMut(Input) -> Result<()>,
) -> Result<()> {
    let world = wanted.world;
    let now = wanted.now.unwrap_or(wanted.current);
    if world.recursive {
        bail!("--recursive requires a directory: name one with -f");
    }
    let (cluster, conditions, mut source) =
        connect(world, wanted.controller, wanted.assumptions, now)?;
    let conditions = Conditions {
        manifest: wanted.change.manifest(),
        ..conditions
    };
    let progress = progress(world);
    let apply = wanted.change.apply.as_deref();
    let mut applied = read_applied(
        apply,
        world,
        Place::In(cluster.namespace()),
        &conditions,
        stdin,
    )?;
    if wanted.selection.all_namespaces && applied.manifests.is_empty() {
        return read_all_namespaces(
            wanted,
            &cluster,
            &conditions,
            source,
            &applied,
            &progress,
            take,
        );
    }
    let scopes = scopes(wanted.selection, &cluster, &applied)?;
    let (mut loaded, read, completeness) =
        read_cluster(&cluster, all_of(wanted), &scopes, &conditions, &progress)?;
    let mut conditions = conditions;
    if wanted.changes_nodes {
        let known: BTreeSet<&str> = scopes.iter().filter_map(Scope::namespace).collect();
        let options = ReadOptions {
            defaulting: &conditions.behaviour.defaulting,
            progress: &progress,
            originals: None,
            changes_nodes: true,
        };
        let beside = cluster.read_beside_nodes(&known, false, &options)?;
        conditions.has_all_pods = beside.is_complete;
        let (more, notes, _) = take_in(beside.result, Originals::default());
        loaded.inventory.add_missing(&more.inventory);
        source.notes.extend(notes.notes);
    }
    if loaded.inventory.sets().next().is_none()
        && loaded.unplannable.is_empty()
        && applied.manifests.is_empty()
        && wanted.selection.names.is_empty()
        && let Some(elsewhere) = elsewhere(&cluster, &progress)
    {
        let none = format!(
            "no StatefulSet in namespace {:?}, but in {elsewhere}: choose one with -n, or all with -A",
            cluster.namespace()
        );
        return Err(NotFound(none).into());
    }
    loaded.inventory.overlay(&applied.inventory);
    source.versions = read.versions;
    source.notes.extend(read.notes);
    if !applied.manifests.is_empty() {
        source
            .notes
            .push(submit(wanted, &cluster, &loaded, &mut applied)?);
    }
    take(Input {
        conditions,
        loaded,
        applied,
        read: Read::whole(Arc::new(source)),
        completeness,
    })
}

/// Describes the namespaces that have sets; `None` if there are none or they cannot be listed.
fn elsewhere(cluster: &Cluster, progress: &Progress) -> Option<String> {
    let namespaces = cluster.namespaces(None, progress).ok()?;
    let names: BTreeSet<&str> = namespaces.iter().map(|(name, _)| name.as_str()).collect();
    (!names.is_empty()).then(|| resolve::in_words(&names))
}

/// Reads the selected sets to watch, and keeps the connection.
pub fn read_to_watch(request: &PlanRequest, now: Timestamp) -> Result<(Cluster, Input)> {
    let (cluster, conditions, mut source) = connect(
        &request.world,
        &request.controller,
        &request.assumptions,
        now,
    )?;
    let applied = Loaded::default();
    let progress = Progress::new(false);
    let scopes = match request.selection.all_namespaces {
        true => {
            source.notes.push(NOT_OF_MANY.to_owned());
            let selector = request.selection.selector.as_deref();
            every_namespace(&cluster, selector, &progress)?
        }
        false => scopes(&request.selection, &cluster, &applied)?,
    };
    let (loaded, read, completeness) = read_cluster(
        &cluster,
        reading(&request.world),
        &scopes,
        &conditions,
        &progress,
    )?;
    source.versions = read.versions;
    source.notes.extend(read.notes);
    let input = Input {
        conditions,
        loaded,
        applied,
        read: Read::whole(Arc::new(source)),
        completeness,
    };
    Ok((cluster, input))
}

/// Reads sets that may not exist.
pub(super) fn read_sets(world: &World, now: Timestamp, sets: &[(&str, &str)]) -> Result<Loaded> {
    let (controller, assumptions) = (Controller::default(), Assumptions::default());
    let (cluster, conditions, _) = connect(world, &controller, &assumptions, now)?;
    let progress = progress(world);
    let scopes = by_namespace(sets);
    let (loaded, ..) = read_cluster(&cluster, reading(world), &scopes, &conditions, &progress)?;
    Ok(loaded)
}

/// Returns the progress line, if the terminal supports one.
fn progress(world: &World) -> Progress {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    Progress::new(world.shows_progress && !dumb)
}

/// Connects to the cluster. Returns its controller, and notes on what could not be read.
fn connect(
    world: &World,
    controller: &Controller,
    assumptions: &Assumptions,
    now: Timestamp,
) -> Result<(Cluster, Conditions, Source)> {
    let cluster = Cluster::connect(&access(world))?;
    let mut source = Source::default();
    let requested = controller.version;
    let (version, reported) = match requested {
        Some(version) => (version, None),
        None => match cluster.controller()? {
            (Some(version), gates) => (version, gates),
            (None, _) => {
                let unread = "not allowed to get /version, so the version of the cluster is unknown (--kubernetes-version)";
                source.notes.push(unread.to_owned());
                let version = (Version::NEWEST, VersionSource::Default);
                let conditions =
                    conditions(controller, assumptions, now, version, BTreeMap::new())?;
                return Ok((cluster, conditions, source));
            }
        },
    };
    let version_source = match requested {
        Some(_) => VersionSource::Flag,
        None => VersionSource::Server {
            reports_gates: reported.is_some(),
        },
    };
    let set = gates_set(version, &reported.unwrap_or_default());
    let version = (version, version_source);
    let conditions = conditions(controller, assumptions, now, version, set)?;
    Ok((cluster, conditions, source))
}

/// Returns the reported gates that differ from the defaults of the version.
fn gates_set(version: Version, reported: &BTreeMap<String, bool>) -> BTreeMap<String, bool> {
    let version = version.or_newest();
    Gate::ALL
        .into_iter()
        .filter_map(|gate| {
            let (stage, default) = gate.at(version)?;
            let on = *reported.get(gate.name())?;
            (on != default && stage != Stage::Ga).then(|| (gate.name().to_owned(), on))
        })
        .collect()
}

/// Submits the manifests to the server in a dry run, unless they are merged locally. Returns a note on that.
fn submit(
    wanted: &InputRequest<'_>,
    cluster: &Cluster,
    loaded: &Loaded,
    applied: &mut Loaded,
) -> Result<String> {
    let change = wanted.change;
    if change.apply_mode == Some(ApplyMode::Local) {
        let note =
            "the manifest is merged and validated locally, without admission (--apply-mode=server)";
        return Ok(note.to_owned());
    }
    // A dry run cannot show the state after a deletion.
    if change.delete.is_some() {
        let note =
            "the manifest is applied after the deletion and validated locally, without admission";
        return Ok(note.to_owned());
    }
    for manifest in &mut applied.manifests {
        if !wanted.selection.has_name(&manifest.name) {
            continue;
        }
        let stored = loaded
            .inventory
            .snapshot(&manifest.namespace, &manifest.name);
        let stored = stored.map(|snapshot| snapshot.set.object.open());
        let stored = stored.as_deref();
        let mut object = manifest.value().clone();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.insert("namespace".to_owned(), manifest.namespace.clone().into());
        }
        let server_side = change.server_side.as_ref();
        // Planning reports a manifest that cannot be merged, with its location.
        let applied_set = match server_side {
            Some(_) => object,
            None => match apply::apply(stored, &object) {
                Ok(applied_set) => applied_set,
                Err(_) => continue,
            },
        };
        let answered = cluster.dry_run(Proposal {
            namespace: &manifest.namespace,
            name: &manifest.name,
            stored,
            wanted: &applied_set,
            server_side: server_side.map(ServerSide::options),
            field_validation: change.validate.name(),
        });
        let answered = match answered {
            Ok(answered) => answered,
            // The error may concern only this set.
            Err(
                error @ (ClusterError::Forbidden { .. }
                | ClusterError::NoDryRun { .. }
                | ClusterError::Refused { .. }),
            ) => {
                let set = (manifest.namespace.clone(), manifest.name.clone());
                applied.unplannable.insert(set, error.to_string());
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let warnings = answered.warnings.iter();
        applied
            .warnings
            .extend(warnings.map(|warning| format!("{}: {warning}", manifest.name)));
        manifest.verdict = Some(answered.verdict);
    }
    Ok("the manifest was admitted by a server-side dry run (--apply-mode)".to_owned())
}

/// The parts of a request that decide what is read around the sets.
#[derive(Clone, Copy)]
struct Reading {
    keeps_originals: bool,
    changes_nodes: bool,
}

/// Returns a reading of the sets and what their controllers read.
fn reading(world: &World) -> Reading {
    Reading {
        keeps_originals: world.keeps_originals,
        changes_nodes: false,
    }
}

/// Returns a reading of all that a request needs.
fn all_of(wanted: &InputRequest<'_>) -> Reading {
    Reading {
        changes_nodes: wanted.changes_nodes,
        ..reading(wanted.world)
    }
}

fn read_cluster(
    cluster: &Cluster,
    reading: Reading,
    scopes: &[Scope],
    conditions: &Conditions,
    progress: &Progress,
) -> Result<(Loaded, Source, Completeness)> {
    let originals = RefCell::default();
    let options = ReadOptions {
        defaulting: &conditions.behaviour.defaulting,
        progress,
        originals: reading.keeps_originals.then_some(&originals),
        changes_nodes: reading.changes_nodes,
    };
    let mut result = cluster.read_all(scopes, &options)?;
    let mut demand = Demand::of(&result.objects, conditions.now, reading.keeps_originals);
    if reading.changes_nodes {
        for kind in [
            RelatedKind::Quota,
            RelatedKind::LimitRange,
            RelatedKind::CsiNode,
        ] {
            demand.ask_for(kind);
        }
    }
    for scope in scopes {
        result.extend(cluster.read_demanded(&demand, scope, &options)?);
    }
    Ok(take_in(result, originals.into_inner()))
}

/// Converts the result of reading for the planner.
fn take_in(result: ReadResult, mut originals: Originals) -> (Loaded, Source, Completeness) {
    originals.keep_only(result.objects.iter().map(|object| {
        let meta = object.meta();
        (
            object.kind(),
            meta.namespace.to_string(),
            meta.name.to_string(),
        )
    }));
    let not_read = result.unread.iter();
    let completeness = Completeness {
        complete: true,
        not_read: not_read
            .map(|unread| unread.resource)
            .chain(result.passed_over)
            .map(str::to_owned)
            .collect(),
    };
    let unread = result.unread.iter();
    let unread = unread.map(|unread| {
        format!(
            "{}, so it is uncertain {}",
            unread.problem, unread.uncertain
        )
    });
    let source = Source {
        notes: unread.collect(),
        versions: result.versions,
    };
    let mut loaded = Loaded {
        originals,
        ..Loaded::default()
    };
    for object in result.objects {
        loaded.inventory.insert(object);
    }
    let absent = result.absent.into_iter();
    loaded.unplannable = absent
        .map(|(set, error)| (set, error.to_string()))
        .collect::<BTreeMap<_, _>>();
    (loaded, source, completeness)
}

/// Returns the scopes to read: the named sets, those to be applied, or all.
fn scopes(selection: &Selection, cluster: &Cluster, applied: &Loaded) -> Result<Vec<Scope>> {
    let names = selection.names.clone();
    if !names.is_empty() && !selection.has_pattern() {
        // A set that is applied for the first time is not stored yet.
        let is_applied = |name: &String| {
            applied
                .manifests
                .iter()
                .any(|manifest| manifest.name == *name)
        };
        return Ok(vec![Scope::Names {
            namespace: cluster.namespace().to_owned(),
            must_exist: !selection.ignores_not_found && !names.iter().any(is_applied),
            names,
        }]);
    }
    if !applied.manifests.is_empty() && names.is_empty() {
        let sets = applied.manifests.iter();
        let sets: Vec<_> = sets
            .map(|manifest| (manifest.namespace.as_str(), manifest.name.as_str()))
            .collect();
        return Ok(by_namespace(&sets));
    }
    Ok(vec![Scope::Every {
        namespace: cluster.namespace().to_owned(),
        selector: selection.selector.clone(),
        one_of_many: false,
    }])
}

/// Groups sets that may not exist by namespace.
fn by_namespace(sets: &[(&str, &str)]) -> Vec<Scope> {
    let namespaces: BTreeSet<&str> = sets.iter().map(|(namespace, _)| *namespace).collect();
    let scope = |namespace: &str| {
        let names: BTreeSet<&str> = sets
            .iter()
            .filter(|(of, _)| *of == namespace)
            .map(|(_, name)| *name)
            .collect();
        Scope::Names {
            namespace: namespace.to_owned(),
            names: names.into_iter().map(str::to_owned).collect(),
            must_exist: false,
        }
    };
    namespaces.into_iter().map(scope).collect()
}
