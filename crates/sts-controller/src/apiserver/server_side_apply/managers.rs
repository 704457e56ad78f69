//! Managers of an object: `metadata.managedFields`, parsed and written.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::field_set::FieldSet;
use crate::apiserver::validation::FieldOwner;
use crate::encode::json as encode_json;

/// The version of all managed fields: the only one in which servers have StatefulSets.
pub(super) const API_VERSION: &str = "apps/v1";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Manager {
    pub(super) name: String,
    /// True if the fields were written by server-side apply, and not by an update.
    pub(super) applied: bool,
    pub(super) api_version: String,
    pub(super) subresource: String,
    pub(super) time: Option<String>,
    pub(super) fields: FieldSet,
}

impl Manager {
    pub(super) fn new(name: &str, applied: bool, time: Option<&str>) -> Self {
        Self {
            name: name.to_owned(),
            applied,
            api_version: API_VERSION.to_owned(),
            subresource: String::new(),
            time: time.map(str::to_owned),
            fields: FieldSet::default(),
        }
    }

    pub(super) const fn operation(&self) -> &'static str {
        if self.applied { "Apply" } else { "Update" }
    }

    /// Returns the server's key for managers, which it also sorts by.
    pub(super) fn id(&self) -> String {
        let version = if self.applied { "" } else { &self.api_version };
        let members = [
            ("manager", self.name.as_str()),
            ("operation", self.operation()),
            ("apiVersion", version),
            ("subresource", &self.subresource),
        ];
        let members: Vec<String> = members
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("\"{name}\":{}", encode_json(&value.into(), true)))
            .collect();
        format!("{{{}}}", members.join(","))
    }

    /// Returns the manager as the owner of a field.
    pub(super) fn owner(&self) -> FieldOwner {
        FieldOwner {
            manager: self.name.clone(),
            subresource: self.subresource.clone(),
            applied: self.applied,
            since: self.time.clone(),
        }
    }

    /// Describes the manager as in a conflict.
    pub(super) fn described(&self) -> String {
        let quoted = crate::apiserver::validation::go_quoted;
        let mut out = quoted(&self.name);
        if !self.subresource.is_empty() {
            out += &format!(" with subresource {}", quoted(&self.subresource));
        }
        if !self.applied {
            out += &format!(" using {}", self.api_version);
        }
        out
    }

    fn parse(entry: &Value, index: usize) -> Result<Self, String> {
        let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let applied = match text("operation").as_str() {
            "Apply" => true,
            "Update" => false,
            _ => return Err("operation must be `Apply` or `Update`".to_owned()),
        };
        let api_version = text("apiVersion");
        if api_version.is_empty() {
            return Err("apiVersion must not be empty".to_owned());
        }
        match text("fieldsType").as_str() {
            "FieldsV1" => {}
            "" => {
                return Err(format!(
                    "missing fieldsType in managed fields entry {index}"
                ));
            }
            other => {
                return Err(format!(
                    "invalid fieldsType {other:?} in managed fields entry {index}"
                ));
            }
        }
        let fields = match &entry["fieldsV1"] {
            Value::Null => FieldSet::default(),
            fields => FieldSet::parse(fields)?,
        };
        Ok(Self {
            name: text("manager"),
            applied,
            api_version,
            subresource: text("subresource"),
            time: entry["time"].as_str().map(str::to_owned),
            fields,
        })
    }

    fn to_json(&self) -> Value {
        let mut entry = Map::new();
        let mut text = |name: &str, value: &str| {
            if !value.is_empty() {
                entry.insert(name.to_owned(), value.into());
            }
        };
        text("manager", &self.name);
        text("operation", self.operation());
        text("apiVersion", &self.api_version);
        text("time", self.time.as_deref().unwrap_or_default());
        text("fieldsType", "FieldsV1");
        text("subresource", &self.subresource);
        entry.insert("fieldsV1".to_owned(), self.fields.to_json());
        Value::Object(entry)
    }
}

/// All managers of an object, by [`Manager::id`].
pub(super) type Managers = BTreeMap<String, Manager>;

/// Parses the managers of a stored object.
pub(super) fn parse(object: &Value) -> Result<Managers, String> {
    let entries = match &object["metadata"]["managedFields"] {
        Value::Array(entries) => entries.as_slice(),
        _ => &[],
    };
    let mut managers = Managers::new();
    for (index, entry) in entries.iter().enumerate() {
        let manager = Manager::parse(entry, index)?;
        managers.insert(manager.id(), manager);
    }
    Ok(managers)
}

/// Writes the managers into an object: appliers before updaters, each by time.
pub(super) fn write(object: &mut Value, managers: &Managers) {
    let mut sorted: Vec<&Manager> = managers.values().collect();
    sorted.sort_by_key(|manager| {
        (
            manager.operation(),
            manager.time.as_deref(),
            &manager.name,
            &manager.api_version,
            &manager.subresource,
        )
    });
    let entries: Vec<Value> = sorted.into_iter().map(Manager::to_json).collect();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        match entries.is_empty() {
            true => metadata.remove("managedFields"),
            false => metadata.insert("managedFields".to_owned(), entries.into()),
        };
    }
}
