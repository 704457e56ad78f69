//! The last manager of a set's template.

use jiff::Timestamp;
use serde_json::Value;

use sts_controller::object::time;

/// The field manager that owns fields of the template and wrote last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TemplateWriter {
    /// Name of the manager, such as `kubectl-rollout`.
    pub(crate) manager: String,
    /// Operation, `Apply` or `Update`.
    pub(crate) operation: String,
    /// Time of the write.
    pub(crate) at: Timestamp,
}

impl TemplateWriter {
    /// Reads the newest `managedFields` entry of a set that owns a field of the template.
    pub(crate) fn of(object: &Value) -> Option<Self> {
        let entries = object["metadata"]["managedFields"].as_array()?.iter();
        let of_template = entries.filter(|entry| {
            let spec = &entry["fieldsV1"]["f:spec"];
            entry["subresource"].as_str().is_none_or(str::is_empty)
                && spec.get("f:template").is_some()
        });
        let written = of_template.filter_map(|entry| {
            let text = |key: &str| Some(entry[key].as_str()?.to_owned());
            Some(TemplateWriter {
                manager: text("manager")?,
                operation: text("operation")?,
                at: time(entry["time"].as_str()?)?,
            })
        });
        written.max_by_key(|writer| writer.at)
    }
}
