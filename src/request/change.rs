//! The change that the user is about to make: docs/contract.md, "The change".

use std::sync::Arc;

use serde_json::Value;

use sts_controller::apiserver::apply::Path;
use sts_controller::apiserver::server_side_apply::Options;
use sts_controller::simulate::Cascade;
use sts_plan::change::FieldValidation;

/// The change.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// The file to apply; `-` is standard input.
    pub apply: Option<String>,
    /// The side that merges and checks what is applied.
    pub apply_mode: Option<ApplyMode>,
    /// The manager of a server-side apply, if it is one.
    pub server_side: Option<ServerSide>,
    /// The handling of fields that the API server does not know.
    pub validate: FieldValidation,
    /// `spec.replicas`.
    pub replicas: Option<i32>,
    /// The partition of the rolling update.
    pub partition: Option<Partition>,
    /// `maxUnavailable` of the rolling update.
    pub max_unavailable: Option<String>,
    /// `spec.minReadySeconds`.
    pub min_ready_seconds: Option<i32>,
    /// The type of the update strategy, by its name in the API.
    pub update_strategy: Option<&'static str>,
    /// Images, each with the container's name where there is one.
    pub image: Vec<(Option<String>, String)>,
    /// True if the rollout is restarted.
    pub restart: bool,
    /// The revision whose template the set goes back to.
    pub to_revision: Option<i64>,
    /// Other fields.
    pub set: Vec<(Path, Value)>,
    /// Pods to delete.
    pub delete_pod: Vec<String>,
    /// The claims to delete.
    pub delete_claim: Vec<String>,
    /// The cascade of the set's deletion; `None` if the set is not deleted.
    pub delete: Option<Cascade>,
}

impl Change {
    /// The file that is applied, where it is not standard input.
    #[must_use]
    pub fn manifest(&self) -> Option<Arc<str>> {
        let file = self.apply.as_deref().filter(|file| *file != "-");
        file.map(Arc::from)
    }
}

/// The partition of a rolling update, as it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partition {
    /// A number of pods, from the lowest ordinal on, that are not updated.
    Pods(i32),
    /// A percentage of the replicas.
    Share(i32),
}

/// A server-side apply.
#[derive(Debug, Clone)]
pub struct ServerSide {
    /// The name of the manager.
    pub manager: String,
    /// Set where fields are taken from other managers.
    pub force: bool,
}

impl ServerSide {
    /// The options of the apply.
    #[must_use]
    pub fn options(&self) -> Options<'_> {
        Options {
            manager: &self.manager,
            force: self.force,
            time: None,
        }
    }
}

/// The side that merges and checks what is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplyMode {
    /// The live server, by a dry run.
    Server,
    /// This program.
    Local,
}
