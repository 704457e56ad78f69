//! Owners of the fields that a change sets, and of those that it leaves behind.

use serde_json::Value;

use super::change::place;
use super::element::PathElement;
use super::field_set::FieldSet;
use super::managers::{self, Manager};
use super::types::Type;
use super::walk::fields;
use crate::apiserver::apply::{FieldChange, LAST_APPLIED, path_parts};
use crate::apiserver::validation::FieldOwner;

/// Fields of one manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedFields {
    /// The manager.
    pub owner: FieldOwner,
    /// The fields, as in `spec.template.spec.containers[0].image`.
    pub paths: Vec<String>,
}

/// Fields of other managers that a change affects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ownership {
    /// Fields that the change sets.
    pub set: Vec<OwnedFields>,
    /// Fields that a manifest no longer has, but that stay.
    pub kept: Vec<OwnedFields>,
}

/// Client that makes a change.
#[derive(Debug, Clone, Copy)]
pub enum Client<'c> {
    /// A tool that changes single fields.
    Edits,
    /// A manifest applied on the client's side.
    Manifest(&'c Value),
    /// A manifest that this manager applies on the server's side.
    Manager(&'c str),
}

impl Ownership {
    /// Returns the owners of the fields that a client changes in a stored set. For a manifest, the manager that created
    /// the set counts as the client itself.
    #[must_use]
    pub fn of(
        client: Client<'_>,
        stored: &Value,
        result: &Value,
        changes: &[FieldChange],
        minor: u32,
    ) -> Self {
        let Ok(managers) = managers::parse(stored) else {
            return Self::default();
        };
        let is_client = |manager: &&Manager| match client {
            Client::Edits => false,
            Client::Manifest(_) => created(manager),
            Client::Manager(name) => manager.applied && manager.name == name,
        };
        let (own, others): (Vec<&Manager>, Vec<&Manager>) =
            managers.values().partition(|manager| is_client(manager));
        let set = others.into_iter().filter_map(|manager| {
            let paths = set_by(manager, stored, changes);
            owned(manager, paths)
        });
        let kept = own.into_iter().filter_map(|manager| match client {
            Client::Manifest(manifest) if manager.applied => {
                let paths = kept_of(manager, manifest, result, Type::stateful_set(minor));
                owned(manager, paths)
            }
            _ => None,
        });
        Self {
            set: set.collect(),
            kept: kept.collect(),
        }
    }
}

fn owned(manager: &Manager, paths: Vec<String>) -> Option<OwnedFields> {
    let owner = manager.owner();
    (!paths.is_empty()).then_some(OwnedFields { owner, paths })
}

/// Reports whether a manager has created the set: no one writes the selector later on.
fn created(manager: &Manager) -> bool {
    let selector = ["spec", "selector"].map(|name| PathElement::Field(name.to_owned()));
    manager.fields.has(&selector) || manager.fields.below(&selector).is_some()
}

/// Returns the changed fields that a manager owns.
fn set_by(manager: &Manager, stored: &Value, changes: &[FieldChange]) -> Vec<String> {
    let leaves = manager.fields.leaves();
    let leaves: Vec<Vec<String>> = leaves
        .iter()
        .map(|path| path_parts(&place(path, stored).0))
        .collect();
    let is_owned = |change: &&FieldChange| {
        let path = path_parts(&change.path);
        let related = |leaf: &Vec<String>| leaf.iter().zip(&path).all(|(one, two)| one == two);
        leaves.iter().any(related)
    };
    let changes = changes.iter().filter(is_owned);
    changes.map(|change| change.path.clone()).collect()
}

/// Returns the fields of a manager that a manifest lacks and the resulting set has. Each stands for the largest missing
/// part.
fn kept_of(manager: &Manager, manifest: &Value, result: &Value, kind: Type) -> Vec<String> {
    let sent = fields(manifest, kind);
    let mut paths = Vec::new();
    for leaf in manager.fields.leaves() {
        let lacking = (1..=leaf.len()).find(|&end| !sent.has_any(&leaf[..end]));
        let Some(end) = lacking else {
            continue;
        };
        let (path, value) = place(&leaf[..end], result);
        if value.is_some() && !path.contains(LAST_APPLIED) && !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

impl FieldSet {
    /// Returns the set below a field.
    fn below(&self, path: &[PathElement]) -> Option<&Self> {
        let mut set = self;
        for element in path {
            set = set.children.get(element)?;
        }
        Some(set)
    }

    /// Reports whether a field or anything below it is in the set.
    fn has_any(&self, path: &[PathElement]) -> bool {
        self.has(path) || self.below(path).is_some_and(|below| !below.is_empty())
    }

    /// Returns the fields without members below them.
    fn leaves(&self) -> Vec<super::FieldPath> {
        let mut paths = self.paths();
        paths.retain(|path| self.below(path).is_none_or(Self::is_empty));
        paths
    }
}
