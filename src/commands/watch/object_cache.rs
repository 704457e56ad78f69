//! The objects as they are, kept up to date by the events of the watches.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::Value;

use super::watcher::{Change, KINDS};
use crate::input;
use crate::input::{Inventory, Reader};
use kubectl_manifest::{Manifest, Reading};

/// The objects of one kind.
#[derive(Debug, Default)]
struct KindCache {
    objects: BTreeMap<String, Value>,
    /// True if another list, which replaces the objects, has been requested.
    listing: bool,
    /// True if a list was ever complete, or is known never to come.
    filled: bool,
}

/// The set that is watched, and whatever its controller may meet.
#[derive(Debug, Default)]
pub(super) struct ObjectCache {
    kinds: [KindCache; KINDS.len()],
}

impl ObjectCache {
    /// Takes in a change. False when no object is another one.
    pub(super) fn take(&mut self, kind: usize, change: Change) -> bool {
        let kind_cache = &mut self.kinds[kind];
        match change {
            Change::Listing => {
                kind_cache.listing = true;
                false
            }
            Change::Listed(objects) => {
                let named = objects.into_iter().map(|object| (name(&object), object));
                let new = KindCache {
                    objects: named.collect(),
                    listing: false,
                    filled: true,
                };
                let changed = !kind_cache.filled || new.objects != kind_cache.objects;
                *kind_cache = new;
                changed
            }
            Change::Applied(object) => {
                kind_cache.objects.insert(name(&object), object);
                true
            }
            Change::Deleted(object) => kind_cache.objects.remove(&name(&object)).is_some(),
            Change::Forbidden(_) | Change::Unauthorized | Change::Trouble(..) => false,
        }
    }

    /// Gives up on a kind that may not be listed.
    pub(super) fn do_without(&mut self, kind: usize) {
        self.kinds[kind] = KindCache {
            filled: true,
            ..KindCache::default()
        };
    }

    /// Reports whether every kind was seen completely.
    pub(super) fn is_filled(&self) -> bool {
        self.kinds.iter().all(|kind_cache| kind_cache.filled)
    }

    /// Reports whether a list is being repeated, so that the objects of its kind may be old.
    pub(super) fn is_refilled(&self) -> bool {
        self.kinds.iter().any(|kind_cache| kind_cache.listing)
    }

    /// Everything that there is, as the planner reads it.
    ///
    /// # Errors
    /// When an object is not what the API gives it to be.
    pub(super) fn inventory(&self, reader: &Reader<'_>) -> Result<Inventory> {
        let objects = self.kinds.iter().flat_map(|kind_cache| &kind_cache.objects);
        let manifests = objects.map(|(name, object)| {
            let place = format!("the cluster's {}/{name}", reader.namespace);
            Manifest::received(object.clone(), &place)
        });
        let reading = Reading {
            manifests: manifests.collect(),
            ..Reading::default()
        };
        Ok(input::load(reading, reader)?.inventory)
    }
}

pub(super) fn name(object: &Value) -> String {
    let name = object["metadata"]["name"].as_str();
    name.unwrap_or_default().to_owned()
}
