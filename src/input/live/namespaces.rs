//! Reads all namespaces of a cluster, a few at a time.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::Result;

use super::{all_of, read_cluster, take_in};
use crate::input::Loaded;
use crate::input::cluster::{Cluster, Progress, ReadOptions, ReadResult, Resource, Scope, Sweep};
use crate::input::dump::Read;
use crate::input::originals::Originals;
use crate::input::read::{Input, InputRequest};
use crate::input::resolve::NotFound;
use sts_plan::plan::{Conditions, Source};

/// Number of sets that are read and planned together with all namespaces: enough to keep all cores busy, and few
/// enough to fit in memory with the objects around them.
const BATCH: usize = 250;
/// Note on objects that are not read for many namespaces.
pub(super) const NOT_OF_MANY: &str =
    "events and volumes are not read with -A: plan a single set to include them";
/// Number of objects that fill a batch, regardless of the number of sets.
const BATCH_OBJECTS: usize = 5_000;

/// Reads the sets of all namespaces, a few namespaces at a time: with lists of the whole cluster or, if these are
/// forbidden or would mostly return other namespaces, one namespace at a time.
pub(super) fn read_all_namespaces(
    wanted: &InputRequest<'_>,
    cluster: &Cluster,
    conditions: &Conditions,
    mut source: Source,
    applied: &Loaded,
    progress: &Progress,
    take: &mut dyn FnMut(Input) -> Result<()>,
) -> Result<()> {
    let selector = wanted.selection.selector.clone();
    let namespaces = with_sets(cluster, selector.as_deref(), progress)?;
    source.notes.push(NOT_OF_MANY.to_owned());
    let (mut of_cluster, read, of_whole) = read_cluster(
        cluster,
        all_of(wanted),
        &[Scope::Cluster],
        conditions,
        progress,
    )?;
    source.notes.extend(read.notes);
    progress.expect(namespaces.iter().map(|(_, sets)| sets.len()).sum());
    let originals = RefCell::default();
    let options = ReadOptions {
        defaulting: &conditions.behaviour.defaulting,
        progress,
        originals: wanted.world.keeps_originals.then_some(&originals),
        changes_nodes: wanted.changes_nodes,
    };
    let mut conditions = conditions.clone();
    let mut beside = None;
    if wanted.changes_nodes {
        let read = cluster.read_beside_nodes(&BTreeSet::new(), true, &options)?;
        conditions.has_all_pods = read.is_complete;
        let (more, notes, _) = take_in(read.result, Originals::default());
        source.notes.extend(notes.notes);
        beside = Some(more);
    }
    let names = namespaces.iter().map(|(namespace, _)| namespace.as_str());
    let mut sweep = cluster.sweep(names, &options)?;
    let mut left = namespaces.as_slice();
    while !left.is_empty() {
        let mut barred = Vec::new();
        let mut some = batch(left);
        let swept = sweep_batch(&mut sweep, some, &options)?;
        let result = match swept {
            Some((result, count)) => {
                some = &some[..count];
                result
            }
            None => read_batch(cluster, some, selector.as_deref(), &options, &mut barred)?,
        };
        let sets = some.iter().map(|(_, sets)| sets.len()).sum();
        let (mut loaded, read_here, mut completeness) = take_in(result, originals.take());
        completeness.not_read.extend(of_whole.not_read.clone());
        let unread = [Resource::EVENTS, Resource::VOLUMES];
        let unread = unread.map(|resource| resource.plural.to_owned());
        completeness.not_read.extend(unread);
        completeness.complete &= barred.is_empty();
        // Cluster-scoped objects come with the first namespaces.
        loaded
            .originals
            .extend(std::mem::take(&mut of_cluster.originals));
        for (namespace, error) in &barred {
            let sets = some.iter().find(|(name, _)| name == namespace);
            let sets = sets.into_iter().flat_map(|(_, sets)| sets);
            let sets = sets.map(|name| ((namespace.clone(), name.clone()), error.clone()));
            loaded.unplannable.extend(sets);
        }
        loaded.inventory.overlay(&of_cluster.inventory);
        if let Some(beside) = &beside {
            loaded.inventory.add_missing(&beside.inventory);
        }
        loaded.inventory.overlay(&applied.inventory);
        let mut versions = read.versions.clone();
        versions.extend(read_here.versions);
        let mut notes = source.notes.clone();
        notes.extend(read_here.notes);
        // A set may have been deleted in the meantime, and with it its whole namespace.
        if loaded.inventory.sets().next().is_some() || !loaded.unplannable.is_empty() {
            take(Input {
                conditions: conditions.clone(),
                loaded,
                applied: Loaded::default(),
                read: Read::whole(Arc::new(Source { versions, notes })),
                completeness,
            })?;
        }
        progress.planned(sets);
        left = &left[some.len()..];
    }
    Ok(())
}

/// Returns the namespaces that have sets.
///
/// # Errors
/// When they cannot be listed, or there are none.
fn with_sets(
    cluster: &Cluster,
    selector: Option<&str>,
    progress: &Progress,
) -> Result<Vec<Namespace>> {
    let namespaces = cluster.namespaces(selector, progress)?;
    if namespaces.is_empty() {
        let none = match selector {
            Some(selector) => format!("no StatefulSet in the cluster matches -l {selector}"),
            None => "no StatefulSet in the cluster".to_owned(),
        };
        return Err(NotFound(none).into());
    }
    Ok(namespaces)
}

/// Returns the scopes of all namespaces that have sets, and of the objects around them.
pub(super) fn every_namespace(
    cluster: &Cluster,
    selector: Option<&str>,
    progress: &Progress,
) -> Result<Vec<Scope>> {
    let namespaces = with_sets(cluster, selector, progress)?.into_iter();
    let scopes = namespaces.map(|(namespace, _)| Scope::Every {
        namespace,
        selector: selector.map(str::to_owned),
        one_of_many: true,
    });
    Ok(scopes.chain([Scope::Cluster]).collect())
}

/// A namespace with sets, and their names.
type Namespace = (String, Vec<String>);

/// Returns the objects of the next namespaces from lists of the whole cluster, and the number of namespaces: enough
/// for a batch. `None` if these and all later ones have to be read one by one.
fn sweep_batch(
    sweep: &mut Option<Sweep<'_>>,
    namespaces: &[Namespace],
    options: &ReadOptions<'_>,
) -> Result<Option<(ReadResult, usize)>> {
    let Some(lists) = sweep else {
        return Ok(None);
    };
    let (mut result, mut count) = (ReadResult::default(), 0);
    for (namespace, _) in namespaces {
        if result.objects.len() > BATCH_OBJECTS {
            break;
        }
        let Some(one) = lists.next(namespace, options)? else {
            *sweep = None;
            break;
        };
        result.extend(one);
        count += 1;
    }
    Ok((count > 0).then_some((result, count)))
}

/// Reads namespaces one by one, some concurrently. Adds namespaces without permission to `barred`, each with the
/// error.
fn read_batch(
    cluster: &Cluster,
    namespaces: &[Namespace],
    selector: Option<&str>,
    options: &ReadOptions<'_>,
    barred: &mut Vec<(String, String)>,
) -> Result<ReadResult> {
    let scopes: Vec<Scope> = namespaces
        .iter()
        .map(|(namespace, _)| Scope::Every {
            namespace: namespace.clone(),
            selector: selector.map(str::to_owned),
            one_of_many: true,
        })
        .collect();
    let mut result = ReadResult::default();
    cluster.read_each(&scopes, options, |scope, one| {
        match (one, scope.namespace()) {
            (Ok(one), _) => result.extend(one),
            (Err(error), Some(namespace)) => {
                barred.push((namespace.to_owned(), error.to_string()));
            }
            (Err(error), None) => return Err(error),
        }
        Ok(())
    })?;
    Ok(result)
}

/// Returns the first namespaces that make a batch, at least one.
fn batch(left: &[Namespace]) -> &[Namespace] {
    let (mut taken, mut sets) = (0, 0);
    for (_, names) in left {
        let more = names.len();
        if taken > 0 && sets + more > BATCH {
            break;
        }
        taken += 1;
        sets += more;
    }
    &left[..taken]
}
