//! The manifest of a set under another version: fields that the API server refuses, drops or accepts.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::rollout::Rollout;
use super::{SettledSet, UpgradeCourse, UpgradeField, UpgradeRefusal};
use sts_controller::apiserver::apply::{self, LAST_APPLIED, Outcome};
use sts_controller::apiserver::validation::Refused;
use sts_controller::object::Set;

/// A refused request.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter, strum::IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum RefusedRequest {
    /// An update of the stored set's template.
    Update,
    /// The creation of the set from its manifest, after a deletion or in another cluster.
    Create,
}

serialized!(by_name: RefusedRequest);

/// The handling of a field by the API server.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter, strum::IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum FieldFate {
    /// The server defaults it.
    FilledIn,
    /// The server no longer defaults it.
    LeftOut,
    /// The server knows it and stores it.
    Kept,
    /// The server drops it from the manifest.
    Dropped,
}

serialized!(by_name: FieldFate);

/// The responses of one API server for a set.
pub(super) struct Answers {
    created: Option<Outcome>,
    updated: Vec<Refused>,
    /// Course of the next rollout, if it is allowed and can be planned.
    pub(super) rollout: Option<UpgradeCourse>,
    spec: Value,
}

impl Answers {
    pub(super) fn of(stand: &SettledSet, manifest: &Value) -> Self {
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

    /// Returns the refusals that the other server does not have.
    pub(super) fn refusals_beyond(&self, other: &Answers) -> Vec<UpgradeRefusal> {
        let creation = |answers: &Answers| match &answers.created {
            Some(outcome) => outcome.refused.clone(),
            None => Vec::new(),
        };
        let mut refusals = beyond(RefusedRequest::Update, &self.updated, &other.updated);
        let created = beyond(RefusedRequest::Create, &creation(self), &creation(other));
        // A refused update of a field makes its refused creation redundant.
        let is_new =
            |refusal: &UpgradeRefusal| !refusals.iter().any(|known| known.field == refusal.field);
        let created: Vec<UpgradeRefusal> = created.into_iter().filter(is_new).collect();
        refusals.extend(created);
        refusals
    }

    /// Returns the fields that this server handles differently from the previous one.
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

/// Returns the fields of a manifest that a server drops: they are unknown, or their gate is off.
fn not_stored(outcome: &Outcome) -> Vec<String> {
    let unknown = outcome.unknown.iter().map(|field| field.path.clone());
    let dropped = outcome.dropped.iter().map(|field| field.path.clone());
    unknown.chain(dropped).collect()
}

fn beyond(request: RefusedRequest, now: &[Refused], before: &[Refused]) -> Vec<UpgradeRefusal> {
    // Messages differ between versions; the field and the kind of error do not.
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

/// Returns the manifest to recreate a set: the last-applied configuration, or else the set without the fields of the
/// server.
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

/// Returns the values of a spec by path, without the null timestamps of older servers.
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
