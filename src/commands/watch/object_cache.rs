//! The objects as they are, kept up to date by the events of the watches.

use std::collections::BTreeMap;

use anyhow::Result;
use kube::runtime::watcher::Event;
use serde_json::Value;

use super::raw_object::RawObject;
use super::watcher::KINDS;
use crate::input;
use crate::input::cluster::Resource;
use crate::input::{Inventory, Reader};
use kubectl_manifest::{Manifest, Reading};

/// The objects of one kind.
#[derive(Debug, Default)]
struct KindCache {
    objects: BTreeMap<String, Value>,
    /// The list that is being read again: it replaces the old one once it is complete.
    coming: Option<BTreeMap<String, Value>>,
    /// Whether a list was ever whole, or is known never to come.
    filled: bool,
}

/// The set that is watched, and whatever its controller may meet.
#[derive(Debug)]
pub(super) struct ObjectCache {
    set_name: String,
    set_uid: String,
    kinds: [KindCache; KINDS.len()],
}

impl ObjectCache {
    /// An empty cache for a set of that name and uid.
    pub(super) fn new(set_name: &str, set_uid: &str) -> Self {
        ObjectCache {
            set_name: set_name.to_owned(),
            set_uid: set_uid.to_owned(),
            kinds: Default::default(),
        }
    }

    /// Takes in an event of a watch. False when no object changed.
    pub(super) fn take(&mut self, kind: usize, event: Event<RawObject>) -> bool {
        let sent = match &event {
            Event::Apply(sent) | Event::InitApply(sent) => self.may_meet(kind, &sent.object),
            _ => true,
        };
        let kind_cache = &mut self.kinds[kind];
        match event {
            Event::Init => kind_cache.coming = Some(BTreeMap::new()),
            Event::InitApply(object) if sent => {
                let name = object.name().to_owned();
                let coming = kind_cache.coming.get_or_insert_default();
                coming.insert(name, with_kind(KINDS[kind], object.object));
            }
            Event::InitApply(_) => {}
            Event::InitDone => {
                let new = kind_cache.coming.take().unwrap_or_default();
                let changed = !kind_cache.filled || new != kind_cache.objects;
                kind_cache.objects = new;
                kind_cache.filled = true;
                return changed;
            }
            Event::Apply(object) if sent => {
                let name = object.name().to_owned();
                kind_cache
                    .objects
                    .insert(name, with_kind(KINDS[kind], object.object));
                return true;
            }
            // One that the set's controller met before and lets alone from now on.
            Event::Apply(object) | Event::Delete(object) => {
                return kind_cache.objects.remove(object.name()).is_some();
            }
        }
        false
    }

    /// Gives up on a kind that may not be listed.
    pub(super) fn do_without(&mut self, kind: usize) {
        self.kinds[kind] = KindCache {
            filled: true,
            ..KindCache::default()
        };
    }

    /// Whether every kind was seen whole.
    pub(super) fn is_filled(&self) -> bool {
        self.kinds.iter().all(|kind_cache| kind_cache.filled)
    }

    /// Whether a list is being repeated, so that the objects of its kind may be old.
    pub(super) fn is_refilled(&self) -> bool {
        self.kinds
            .iter()
            .any(|kind_cache| kind_cache.coming.is_some())
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

    /// Whether the set's controller may meet an object: the set owns it, it has no owner, or its name is one that the set gives.
    fn may_meet(&self, kind: usize, object: &Value) -> bool {
        if KINDS[kind] == Resource::SETS {
            return true;
        }
        let metadata = &object["metadata"];
        let mut owners = metadata["ownerReferences"].as_array().into_iter().flatten();
        let Some(owner) = owners.find(|owner| owner["controller"] == true) else {
            return true;
        };
        let name = metadata["name"].as_str().unwrap_or_default();
        owner["uid"] == self.set_uid.as_str() || name.contains(&self.set_name)
    }
}

/// Items of lists do not say what they are.
fn with_kind(resource: Resource, mut object: Value) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.insert("apiVersion".into(), resource.api_version().into());
        members.insert("kind".into(), resource.kind.into());
    }
    object
}
