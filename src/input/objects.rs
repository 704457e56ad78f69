//! From manifests to objects: all of them, what they have alike, and which comes twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use thiserror::Error;

use super::dump::{Dump, DumpError};
use super::entry::{Entry, entry};
use super::inventory::{Inventory, Shared};
use super::kind::Kind;
use super::locations::Locations;
use super::originals::Originals;
use super::set_manifest::SetManifest;
use crate::cores::on_all_cores;
use kubectl_manifest::{Location, Reading, excerpt};
use sts_controller::version::Defaulting;

/// So many objects are read before what they have alike is shared, and sets are packed: a set takes ten times the memory
/// before that.
const AT_ONCE: usize = 200;
/// A thread takes longer to start than fewer objects than this to be read.
const WORTH_A_THREAD: usize = 50;

/// The reader of manifests, with its options.
#[derive(Debug, Clone)]
pub struct Reader<'r> {
    /// The namespace of objects that name none.
    pub namespace: &'r str,
    /// The defaults that the API server fills in.
    pub defaulting: &'r Defaulting,
    /// True if every set is a manifest to be applied, even one that comes from a cluster.
    pub all_new: bool,
}

/// The result of loading.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The objects that are planned with.
    pub inventory: Inventory,
    /// Sets that were never stored: what becomes of them is for the API server to say.
    pub manifests: Vec<SetManifest>,
    /// The location of each object.
    pub locations: Arc<Locations>,
    /// Sets that cannot be planned, by namespace and name, each with why: those that were asked for and are not
    /// there, and those around which something may not be read or asked.
    pub unplannable: BTreeMap<(String, String), String>,
    /// The values that were read otherwise than they look, or dropped, in sentences with places.
    pub warnings: Vec<String>,
    /// Number of objects that were passed over, by kind.
    pub skipped: BTreeMap<String, usize>,
    /// The facts that a dump among the files records about itself.
    pub dump: Option<Dump>,
    /// Sets that a dump has as neighbours of those that it is of, by namespace and name: planned if they are named.
    pub beside: BTreeSet<(String, String)>,
    /// The objects as they came, where they are to be written out again.
    pub originals: Originals,
}

/// The reason that the input cannot be planned with.
#[derive(Debug, Error)]
pub enum LoadError {
    /// A field is wrong.
    #[error("{location}: {what} {problem}")]
    Object {
        /// The location of the field.
        location: Location,
        /// Kind and name.
        what: String,
        /// The problem, and what to do.
        problem: String,
    },
    /// A List says that it is a dump, and what it says is wrong.
    #[error(transparent)]
    Dump(#[from] DumpError),
    /// Two objects have one kind and name.
    #[error("{second}: {what} stands there already: {first}; remove one of the two")]
    Duplicate {
        /// Kind and name.
        what: String,
        /// The location of the first one.
        first: Location,
        /// The location of the second one.
        second: Location,
    },
}

/// Sorts manifests into objects.
///
/// # Errors
/// The first object that is wrong in itself, or that stands there twice.
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
    let default = Arc::from(reader.namespace);
    let mut manifests = reading.manifests.into_iter();
    while manifests.len() > 0 {
        let some = manifests.by_ref().take(AT_ONCE);
        let entries = on_all_cores(some, WORTH_A_THREAD, |manifest| {
            let location = manifest.location.clone();
            (location, entry(manifest, reader, &default))
        });
        for (location, entry) in entries {
            // An object that came twice before this error is the first error.
            let entry = entry.map_err(|error| repeated(&mut locations).err().unwrap_or(error))?;
            let (kind, namespace, name) = match entry {
                Entry::Other(kind) => {
                    *loaded.skipped.entry(kind).or_default() += 1;
                    continue;
                }
                Entry::New(set) => {
                    let (namespace, name) = (Arc::from(&*set.namespace), Arc::from(&*set.name));
                    loaded.manifests.push(*set);
                    (Kind::Set, namespace, name)
                }
                Entry::Stored(kind, mut object, warnings) => {
                    loaded.warnings.extend(warnings);
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
    // Objects of a cluster have no place in a file for their user to look up.
    if let Some(dumped) = &dumped {
        locations.leave_out(dumped);
    }
    loaded.locations = Arc::new(locations);
    Ok(loaded)
}

/// Sorts the locations: the error of an object that comes twice.
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

/// The first dump among the files, with its file.
///
/// # Errors
/// When a List says that it is a dump, and what it says is wrong.
pub fn dump_among(reading: &Reading) -> Result<Option<(Arc<str>, Dump)>, DumpError> {
    for list in &reading.lists {
        if let Some(dump) = Dump::of(list)? {
            return Ok(Some((Arc::clone(&list.file), dump)));
        }
    }
    Ok(None)
}
