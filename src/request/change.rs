//! Change to plan: docs/contract.md, "The change".

use std::sync::Arc;

use sts_controller::apiserver::apply::Edit;
use sts_controller::apiserver::server_side_apply::Options;
use sts_controller::simulate::Cascade;
use sts_plan::change::FieldValidation;

/// Change to plan.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// Manifest to apply; `-` is standard input.
    pub apply: Option<String>,
    /// Side that merges and validates the manifest.
    pub apply_mode: Option<ApplyMode>,
    /// Field manager, for server-side apply.
    pub server_side: Option<ServerSide>,
    /// Handling of unknown fields.
    pub validate: FieldValidation,
    /// Changes of single fields, in the order of the contract.
    pub edits: Vec<Edit>,
    /// Restart of the rollout.
    pub restart: bool,
    /// Revision to roll back to.
    pub to_revision: Option<i64>,
    pub delete_pod: Vec<String>,
    pub delete_claim: Vec<String>,
    /// Cascade of the set's deletion; `None` if the set is not deleted.
    pub delete: Option<Cascade>,
}

impl Change {
    /// Returns the file of the manifest, unless it is standard input.
    pub fn manifest(&self) -> Option<Arc<str>> {
        let file = self.apply.as_deref().filter(|file| *file != "-");
        file.map(Arc::from)
    }
}

/// Server-side apply.
#[derive(Debug, Clone)]
pub struct ServerSide {
    /// Name of the field manager.
    pub manager: String,
    /// True to take over fields of other managers.
    pub force: bool,
}

impl ServerSide {
    /// Returns the options of the apply.
    pub fn options(&self) -> Options<'_> {
        Options {
            manager: &self.manager,
            force: self.force,
            time: None,
        }
    }
}

/// Side that merges and validates the manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplyMode {
    /// The live server, in a dry run.
    Server,
    /// This program.
    Local,
}
