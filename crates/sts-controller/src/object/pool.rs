//! Deduplication of strings and lists that many objects share.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::labels::Labels;
use super::meta::{Meta, OwnerReference};
use super::packed::Packed;

/// Values seen so far: strings, owner references, labels, and the latest object's text.
#[derive(Debug, Default)]
pub struct Pool {
    texts: BTreeSet<Arc<str>>,
    owners: BTreeSet<Arc<[OwnerReference]>>,
    labels: BTreeSet<Arc<Labels>>,
    /// The text of an object, which the next ones may resemble.
    before: Option<Arc<str>>,
}

impl Pool {
    /// Replaces an object's metadata by shared copies.
    pub fn share(&mut self, meta: &mut Meta) {
        self.text(&mut meta.namespace);
        match self.labels.get(&meta.labels) {
            Some(known) => meta.labels = Arc::clone(known),
            None => {
                let labels = meta.labels.iter().map(|(key, value)| {
                    let (mut key, mut value) = (Arc::clone(key), Arc::clone(value));
                    self.text(&mut key);
                    self.text(&mut value);
                    (key, value)
                });
                meta.labels = Arc::new(labels.collect());
                self.labels.insert(Arc::clone(&meta.labels));
            }
        }
        match self.owners.get(&meta.owner_references) {
            Some(known) => meta.owner_references = Arc::clone(known),
            None => {
                self.owners.insert(Arc::clone(&meta.owner_references));
            }
        }
    }

    /// Compresses an object against an earlier one.
    pub fn pack(&mut self, object: &mut Packed) {
        object.compress(&mut self.before);
    }

    /// Replaces a string by its shared copy.
    pub fn text(&mut self, text: &mut Arc<str>) {
        match self.texts.get(text) {
            Some(known) => *text = Arc::clone(known),
            None => {
                self.texts.insert(Arc::clone(text));
            }
        }
    }
}
