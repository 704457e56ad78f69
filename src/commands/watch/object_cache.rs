//! Cache of current objects, updated by watch events.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::Value;

use super::watcher::{Change, KINDS, may_meet};
use crate::input;
use crate::input::{Inventory, Reader};
use kubectl_manifest::{Manifest, Reading};

/// Index of the sets among the kinds.
pub(super) const SETS: usize = 0;

/// Namespace and name.
pub(super) type ObjectKey = (String, String);

/// Objects of one kind.
#[derive(Debug, Default)]
struct KindCache {
    /// By namespace and name.
    objects: BTreeMap<ObjectKey, Value>,
    /// True if another list, which replaces the objects, was requested.
    listing: bool,
    /// True if a list was ever complete, or will never arrive.
    filled: bool,
}

/// Watched sets, and the objects that their controller reads.
#[derive(Debug, Default)]
pub(super) struct ObjectCache {
    kinds: [KindCache; KINDS.len()],
}

impl ObjectCache {
    /// Applies a change. Returns false if no object differs.
    pub(super) fn take(&mut self, kind: usize, change: Change) -> bool {
        let kind_cache = &mut self.kinds[kind];
        match change {
            Change::Listing => {
                kind_cache.listing = true;
                false
            }
            Change::Listed(objects) => {
                let named = objects.into_iter().map(|object| (key(&object), object));
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
                kind_cache.objects.insert(key(&object), object);
                true
            }
            Change::Deleted(object) => kind_cache.objects.remove(&key(&object)).is_some(),
            Change::Forbidden(_) | Change::Unauthorized | Change::Trouble(..) => false,
        }
    }

    /// Gives up on a kind that cannot be listed.
    pub(super) fn do_without(&mut self, kind: usize) {
        self.kinds[kind] = KindCache {
            filled: true,
            ..KindCache::default()
        };
    }

    /// Reports whether every kind was listed completely.
    pub(super) fn is_filled(&self) -> bool {
        self.kinds.iter().all(|kind_cache| kind_cache.filled)
    }

    /// Reports whether a list is being repeated, so that objects may be outdated.
    pub(super) fn is_refilled(&self) -> bool {
        self.kinds.iter().any(|kind_cache| kind_cache.listing)
    }

    /// Returns an object.
    pub(super) fn object(&self, kind: usize, key: &ObjectKey) -> Option<&Value> {
        self.kinds[kind].objects.get(key)
    }

    /// Returns the namespaces and names of all objects of a kind.
    pub(super) fn keys(&self, kind: usize) -> impl Iterator<Item = &ObjectKey> {
        self.kinds[kind].objects.keys()
    }

    /// Returns the objects of a kind in a namespace.
    pub(super) fn of_namespace(
        &self,
        kind: usize,
        namespace: &str,
    ) -> impl Iterator<Item = (&ObjectKey, &Value)> {
        let objects = &self.kinds[kind].objects;
        let from = objects.range((namespace.to_owned(), String::new())..);
        from.take_while(move |((of, _), _)| of == namespace)
    }

    /// Returns a set and the objects that its controller reads, parsed for the planner.
    ///
    /// # Errors
    /// When an object is invalid.
    pub(super) fn inventory(
        &self,
        reader: &Reader<'_>,
        name: &str,
        uid: &str,
    ) -> Result<Inventory> {
        let namespace = reader.namespace;
        let kinds = 0..KINDS.len();
        let objects = kinds.flat_map(|kind| {
            let objects = self.of_namespace(kind, namespace);
            objects.filter(move |((_, named), object)| match kind {
                SETS => named == name,
                _ => may_meet(name, uid, object),
            })
        });
        let manifests = objects.map(|((_, named), object)| {
            let place = format!("the cluster's {namespace}/{named}");
            Manifest::received(object.clone(), &place)
        });
        let reading = Reading {
            manifests: manifests.collect(),
            ..Reading::default()
        };
        Ok(input::load(reading, reader)?.inventory)
    }
}

pub(super) fn key(object: &Value) -> ObjectKey {
    let namespace = object["metadata"]["namespace"].as_str();
    (namespace.unwrap_or_default().to_owned(), name(object))
}

pub(super) fn name(object: &Value) -> String {
    let name = object["metadata"]["name"].as_str();
    name.unwrap_or_default().to_owned()
}
