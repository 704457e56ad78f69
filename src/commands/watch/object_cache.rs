//! The objects as they are, kept up to date by the events of the watches.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::Value;

use super::watcher::{Change, KINDS, may_meet};
use crate::input;
use crate::input::{Inventory, Reader};
use kubectl_manifest::{Manifest, Reading};

/// The place of the sets among the kinds.
pub(super) const SETS: usize = 0;

/// An object's namespace and name.
pub(super) type ObjectKey = (String, String);

/// The objects of one kind.
#[derive(Debug, Default)]
struct KindCache {
    /// By namespace and name.
    objects: BTreeMap<ObjectKey, Value>,
    /// True if another list, which replaces the objects, has been requested.
    listing: bool,
    /// True if a list was ever complete, or is known never to come.
    filled: bool,
}

/// The sets that are watched, and whatever their controller may meet.
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

    /// One object.
    pub(super) fn object(&self, kind: usize, key: &ObjectKey) -> Option<&Value> {
        self.kinds[kind].objects.get(key)
    }

    /// The namespaces and names of all objects of a kind.
    pub(super) fn keys(&self, kind: usize) -> impl Iterator<Item = &ObjectKey> {
        self.kinds[kind].objects.keys()
    }

    /// The objects of a kind in a namespace.
    pub(super) fn of_namespace(
        &self,
        kind: usize,
        namespace: &str,
    ) -> impl Iterator<Item = (&ObjectKey, &Value)> {
        let objects = &self.kinds[kind].objects;
        let from = objects.range((namespace.to_owned(), String::new())..);
        from.take_while(move |((of, _), _)| of == namespace)
    }

    /// A set of the reader's namespace and what its controller may meet, as the planner reads it.
    ///
    /// # Errors
    /// When an object is not what the API gives it to be.
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
