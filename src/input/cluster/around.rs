//! Objects around the sets.

use std::collections::{BTreeMap, BTreeSet};

use super::list::{Listed, Query};
use super::read::{Absent, ReadResult, Unread};
use crate::input::Object;
use sts_controller::object::{Meta, Related};

/// Objects around the sets.
#[derive(Default)]
pub(super) struct Around {
    pub(super) objects: Vec<Object>,
    pub(super) versions: BTreeMap<String, String>,
    pub(super) unread: BTreeSet<Unread>,
}

impl Around {
    pub(super) fn take(&mut self, query: Query<'_>, listed: Listed<Object>) {
        self.note(query, listed.version);
        self.objects.extend(listed.items);
    }

    pub(super) fn note(&mut self, query: Query<'_>, version: String) {
        if !version.is_empty() {
            self.versions.insert(query.resource.to_string(), version);
        }
    }

    /// Removes sets that were already read.
    pub(super) fn leave_out(&mut self, sets: &[Object]) {
        let names: BTreeSet<&str> = sets.iter().map(|set| &*set.meta().name).collect();
        self.objects.retain(|object| {
            !matches!(object, Object::Set(_)) || !names.contains(&*object.meta().name)
        });
    }

    /// Removes objects that have nothing to do with the sets of these names. `sets` are those that exist.
    pub(super) fn pass_over(&mut self, names: &[String], sets: &[Object]) {
        self.leave_out(sets);
        self.objects.retain(|object| match object {
            Object::Pod(_) | Object::Revision(_) | Object::Claim(_) => {
                names.iter().any(|name| may_meet(name, sets, object.meta()))
            }
            Object::Related(related) => match &**related {
                Related::Event(event) => {
                    names.iter().any(|name| event.name.contains(name.as_str()))
                }
                _ => true,
            },
            Object::Set(_) => true,
        });
    }

    pub(super) fn with(self, sets: Vec<Object>) -> ReadResult {
        let mut objects = self.objects;
        objects.splice(0..0, sets);
        ReadResult {
            objects,
            versions: self.versions,
            unread: self.unread,
            passed_over: BTreeSet::new(),
            absent: Absent::new(),
        }
    }
}

/// Reports whether the controller of the set with this name may read an object: one of these sets owns it, it has no
/// owner, or the set would use its name. A set that does not exist yet is not among these, and finds what is stored.
fn may_meet(name: &str, sets: &[Object], object: &Meta) -> bool {
    let Some(owner) = object.controller() else {
        return true;
    };
    sets.iter().any(|set| owner.uid == set.meta().uid) || object.name.contains(name)
}
