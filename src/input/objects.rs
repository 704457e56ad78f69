//! Conversion of manifests to objects, with shared parts and detection of duplicates.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use thiserror::Error;

use super::dump::{Dump, DumpError};
use super::entry::{Entry, StoredEntry, entry};
use super::inventory::{Inventory, Object, Shared};
use super::kind::Kind;
use super::locations::Locations;
use super::originals::Originals;
use super::set_manifest::SetManifest;
use super::times::InputTimes;
use crate::cores::on_all_cores;
use kubectl_manifest::{Location, Reading, excerpt};
use sts_controller::version::Defaulting;

/// Number of objects that are read before common parts are shared and sets are packed: an unpacked set takes ten
/// times the memory.
const AT_ONCE: usize = 200;
/// Minimum number of objects that are worth starting a thread.
const WORTH_A_THREAD: usize = 50;

/// Reader of manifests.
#[derive(Debug, Clone)]
pub struct Reader<'r> {
    /// Namespace of objects that name none.
    pub namespace: &'r str,
    /// Defaults of the API server.
    pub defaulting: &'r Defaulting,
    /// True if every set is a manifest to apply, even one from a cluster.
    pub all_new: bool,
}

/// Loaded objects.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Objects to plan with.
    pub inventory: Inventory,
    /// Sets that were never stored: the API server decides what becomes of them.
    pub manifests: Vec<SetManifest>,
    /// The location of each object.
    pub locations: Arc<Locations>,
    /// Sets that cannot be planned, by namespace and name, with the reason: they were requested but do not exist, or
    /// objects around them cannot be read.
    pub unplannable: BTreeMap<(String, String), String>,
    /// Warnings about values that were dropped or not read as written, with their locations.
    pub warnings: Vec<String>,
    /// Number of skipped objects, by kind.
    pub skipped: BTreeMap<String, usize>,
    /// Facts that a dump records about itself.
    pub dump: Option<Dump>,
    /// Neighbors of the sets of a dump, by namespace and name: planned only if named.
    pub beside: BTreeSet<(String, String)>,
    /// Objects in their original form, for a dump.
    pub originals: Originals,
    /// Times in the objects of files.
    pub times: InputTimes,
}

/// Error in the input.
#[derive(Debug, Error)]
pub enum LoadError {
    /// A field is invalid.
    #[error("{location}: {what} {problem}")]
    Object {
        /// The location of the field.
        location: Location,
        /// Kind and name.
        what: String,
        /// The problem, and what to do.
        problem: String,
    },
    /// A dump has an invalid annotation.
    #[error(transparent)]
    Dump(#[from] DumpError),
    /// Two objects have the same kind and name.
    #[error("{second}: duplicate {what}, first defined in {first}: remove one of them")]
    Duplicate {
        /// Kind and name.
        what: String,
        /// The location of the first one.
        first: Location,
        /// The location of the second one.
        second: Location,
    },
}

/// Converts manifests to objects.
///
/// # Errors
/// When an object is invalid or a duplicate.
pub fn load(reading: Reading, reader: &Reader<'_>) -> Result<Loaded, LoadError> {
    let mut loaded = Loaded {
        warnings: reading.warnings.iter().map(ToString::to_string).collect(),
        ..Loaded::default()
    };
    let dumped = dump_among(&reading)?.map(|(file, dump)| {
        loaded.dump = Some(dump);
        file
    });
    let mut locations = Locations::default();
    let mut shared = Shared::default();
    let mut counts = Vec::new();
    let default = Arc::from(reader.namespace);
    let mut manifests = reading.manifests.into_iter();
    while manifests.len() > 0 {
        let some = manifests.by_ref().take(AT_ONCE);
        let entries = on_all_cores(some, WORTH_A_THREAD, |manifest| {
            let location = manifest.location.clone();
            (location, entry(manifest, reader, &default))
        });
        for (location, entry) in entries {
            // A duplicate before this error is reported first.
            let entry = entry.map_err(|error| repeated(&mut locations).err().unwrap_or(error))?;
            let (kind, namespace, name) = match entry {
                Entry::Other(kind) => {
                    *loaded.skipped.entry(kind).or_default() += 1;
                    continue;
                }
                Entry::Beside(object) => {
                    *loaded.skipped.entry(object.kind.to_string()).or_default() += 1;
                    loaded.inventory.insert_bystander(*object);
                    continue;
                }
                Entry::New(set) => {
                    let (namespace, name) = (Arc::from(&*set.namespace), Arc::from(&*set.name));
                    loaded.manifests.push(*set);
                    (Kind::Set, namespace, name)
                }
                Entry::Stored(StoredEntry {
                    kind,
                    mut object,
                    times,
                    warnings,
                }) => {
                    loaded.warnings.extend(warnings);
                    loaded.times.take(times);
                    if let Object::Set(set) = &object {
                        counts.extend(set.available());
                    }
                    object.share(&mut shared);
                    let meta = object.meta();
                    let namespace = match kind.is_namespaced() {
                        true => Arc::clone(&meta.namespace),
                        false => Arc::from(""),
                    };
                    let name = Arc::clone(&meta.name);
                    loaded.inventory.insert(object);
                    (kind, namespace, name)
                }
            };
            if kind == Kind::Set
                && let (Some(dump), true) = (&loaded.dump, dumped.as_ref() == Some(&location.file))
            {
                let set = (namespace.to_string(), name.to_string());
                if !dump.sets.contains(&set) {
                    loaded.beside.insert(set);
                }
            }
            locations.push(namespace, kind.name(), name, &location);
        }
    }
    repeated(&mut locations)?;
    for available in &counts {
        let from = loaded.inventory.holds_from(available);
        loaded.times.count(from);
    }
    // Objects of a cluster have no location in a file.
    if let Some(dumped) = &dumped {
        locations.leave_out(dumped);
    }
    loaded.locations = Arc::new(locations);
    Ok(loaded)
}

/// Sorts the locations, and returns an error for a duplicate.
fn repeated(locations: &mut Locations) -> Result<(), LoadError> {
    match locations.sort() {
        None => Ok(()),
        Some(repeated) => Err(LoadError::Duplicate {
            what: format!("{} {}", repeated.kind, excerpt(repeated.name)),
            first: repeated.first,
            second: repeated.second,
        }),
    }
}

/// Returns the first dump among the files, with its file.
///
/// # Errors
/// When the annotations of a dump are invalid.
pub fn dump_among(reading: &Reading) -> Result<Option<(Arc<str>, Dump)>, DumpError> {
    for list in &reading.lists {
        if let Some(dump) = Dump::of(list)? {
            return Ok(Some((Arc::clone(&list.file), dump)));
        }
    }
    Ok(None)
}
