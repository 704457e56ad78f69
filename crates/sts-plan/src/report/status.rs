//! Status of a set.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Value, json};

use sts_controller::controller::has_available_replicas;
use sts_controller::object::Status;
use sts_controller::version::Behaviour;

/// Status as the API server stores it. Its JSON takes seven times the memory, so it is built on serialization.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportStatus {
    status: Arc<Status>,
    has_available_replicas: bool,
}

impl ReportStatus {
    pub(super) fn new(status: &Arc<Status>, behaviour: &Behaviour) -> Self {
        ReportStatus {
            status: Arc::clone(status),
            has_available_replicas: has_available_replicas(status, behaviour),
        }
    }

    /// Returns `updateRevision`.
    #[must_use]
    pub fn update_revision(&self) -> &str {
        &self.status.update_revision
    }

    /// Returns the status as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        self.status.to_json(self.has_available_replicas)
    }
}

impl Serialize for ReportStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ReportStatus {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(input)?;
        let has_available_replicas = value.get("availableReplicas").is_some();
        let status = Status::of_set(&json!({ "status": value })).map_err(de::Error::custom)?;
        Ok(ReportStatus {
            status: Arc::new(status),
            has_available_replicas,
        })
    }
}
