//! The manifest of a set under another version: what its API server refuses, drops or begins to know.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Stand;
use super::rollout::Rollout;
use crate::report::{UpgradeCourse, UpgradeField, UpgradeRefusal};
use sts_controller::apiserver::apply::{self, LAST_APPLIED, Outcome};
use sts_controller::apiserver::validation::Refused;
use sts_controller::object::Set;

/// A request that a server refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter)]
pub enum RefusedRequest {
    /// A change of the template of the stored set.
    Update,
    /// The creation of the set from its manifest: after a deletion, or in another cluster.
    Create,
}

impl RefusedRequest {
    /// The request's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RefusedRequest::Update => "update",
            RefusedRequest::Create => "create",
        }
    }
}

/// The treatment of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter)]
pub enum FieldFate {
    /// The server fills it in.
    FilledIn,
    /// The server no longer fills it in.
    LeftOut,
    /// The server knows it, and keeps it when the manifest is applied.
    Kept,
    /// The server drops it when the set is created from its manifest.
    Dropped,
}

impl FieldFate {
    /// Its name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FieldFate::FilledIn => "filled-in",
            FieldFate::LeftOut => "left-out",
            FieldFate::Kept => "kept",
            FieldFate::Dropped => "dropped",
        }
    }
}

/// The answers of one server to a set.
pub(super) struct Answers {
    created: Option<Outcome>,
    updated: Vec<Refused>,
    /// The course of the next rollout, where one is allowed and can be planned.
    pub(super) rollout: Option<UpgradeCourse>,
    spec: Value,
}

impl Answers {
    pub(super) fn of(stand: &Stand, manifest: &Value) -> Self {
        let set = &stand.snapshot.set;
        let (updated, rollout) = match super::rollout::restart(stand) {
            Rollout::Runs(course) => (Vec::new(), Some(course)),
            Rollout::Refused(refused) => (refused, None),
            Rollout::Unknown => (Vec::new(), None),
        };
        Answers {
            created: apply::create(manifest, &[], &stand.conditions.behaviour).ok(),
            updated,
            rollout,
            spec: set.object.open()["spec"].clone(),
        }
    }

    /// The refusals of this server that the other one does not have.
    pub(super) fn refusals_beyond(&self, other: &Answers) -> Vec<UpgradeRefusal> {
        let creation = |answers: &Answers| match &answers.created {
            Some(outcome) => outcome.refused.clone(),
            None => Vec::new(),
        };
        let mut refusals = beyond(RefusedRequest::Update, &self.updated, &other.updated);
        let created = beyond(RefusedRequest::Create, &creation(self), &creation(other));
        // A user who may not change the template need not be told that the set could not be created either.
        let is_new =
            |refusal: &UpgradeRefusal| !refusals.iter().any(|known| known.field == refusal.field);
        let created: Vec<UpgradeRefusal> = created.into_iter().filter(is_new).collect();
        refusals.extend(created);
        refusals
    }

    /// The fields that this server treats in another way than the one before.
    pub(super) fn fields_beyond(&self, before: &Answers) -> Vec<UpgradeField> {
        let mut changes: BTreeMap<String, FieldFate> = BTreeMap::new();
        let (old, new) = (leaves(&before.spec), leaves(&self.spec));
        for path in new.keys().filter(|path| !old.contains_key(*path)) {
            changes.insert(path.clone(), FieldFate::FilledIn);
        }
        for path in old.keys().filter(|path| !new.contains_key(*path)) {
            changes.insert(path.clone(), FieldFate::LeftOut);
        }
        if let (Some(before), Some(now)) = (&before.created, &self.created) {
            let (gone_before, gone_now) = (not_stored(before), not_stored(now));
            for field in gone_now.iter().filter(|field| !gone_before.contains(field)) {
                changes.insert(field.clone(), FieldFate::Dropped);
            }
            for field in gone_before.iter().filter(|field| !gone_now.contains(field)) {
                changes.insert(field.clone(), FieldFate::Kept);
            }
        }
        let changes = changes.into_iter();
        changes
            .map(|(field, change)| UpgradeField { field, change })
            .collect()
    }
}

/// The fields of a manifest that a server does not store: it does not know them, or their gate is off.
fn not_stored(outcome: &Outcome) -> Vec<String> {
    let unknown = outcome.unknown.iter().map(|field| field.path.clone());
    let dropped = outcome.dropped.iter().map(|field| field.path.clone());
    unknown.chain(dropped).collect()
}

fn beyond(request: RefusedRequest, now: &[Refused], before: &[Refused]) -> Vec<UpgradeRefusal> {
    // The words of a refusal change from version to version; the field and the kind of error do not.
    let is_new = |refused: &&Refused| {
        !before
            .iter()
            .any(|known| known.path == refused.path && known.kind == refused.kind)
    };
    let refusals = now.iter().filter(is_new).map(|refused| UpgradeRefusal {
        request,
        field: refused.path.clone(),
        message: refused.message.clone(),
    });
    refusals.collect()
}

/// The manifest that a set is created from again: what `kubectl apply` has last applied, else the set without what the
/// server added.
pub(super) fn of_stored(set: &Set) -> Value {
    let object = set.object.open();
    let annotations = &object["metadata"]["annotations"];
    let applied = annotations[LAST_APPLIED].as_str();
    let applied = applied.and_then(|text| serde_json::from_str::<Value>(text).ok());
    if let Some(applied) = applied.filter(Value::is_object) {
        return applied;
    }
    let mut metadata = Map::new();
    for member in ["name", "namespace", "labels", "annotations"] {
        if let Some(value) = object["metadata"].get(member) {
            metadata.insert(member.to_owned(), value.clone());
        }
    }
    let mut manifest = Map::new();
    for member in ["apiVersion", "kind", "spec"] {
        if let Some(value) = object.get(member) {
            manifest.insert(member.to_owned(), value.clone());
        }
    }
    manifest.insert("metadata".to_owned(), Value::Object(metadata));
    Value::Object(manifest)
}

/// The values of a specification by path, but for the null timestamps that older servers write.
fn leaves(spec: &Value) -> BTreeMap<String, &Value> {
    let mut found = BTreeMap::new();
    walk(spec, "spec".to_owned(), &mut found);
    found
}

fn walk<'v>(value: &'v Value, path: String, found: &mut BTreeMap<String, &'v Value>) {
    match value {
        Value::Null => {}
        Value::Object(members) if !members.is_empty() => {
            for (name, value) in members {
                walk(value, format!("{path}.{name}"), found);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (at, item) in items.iter().enumerate() {
                walk(item, format!("{path}[{at}]"), found);
            }
        }
        _ => {
            found.insert(path, value);
        }
    }
}
