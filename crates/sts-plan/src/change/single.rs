//! Plan of a single change, for library users with a snapshot.

use std::sync::Arc;

use serde_json::Value;

use sts_controller::apiserver::apply::Edit;
use sts_controller::object::{Set, Snapshot, Status};

use super::{Change, ChangePlan, Manifest, ManifestRequest, PlanError};
use crate::plan::{Conditions, Plan};

impl Plan {
    /// Plans a change of single fields.
    ///
    /// # Errors
    /// See [`Plan::of_change`].
    pub fn of_edits(
        stored: &Snapshot,
        edits: Vec<Edit>,
        conditions: &Conditions,
    ) -> Result<ChangePlan, PlanError> {
        let change = Change {
            edits,
            ..Change::default()
        };
        of_single(stored, &change, conditions)
    }

    /// Plans the `kubectl apply` of a manifest.
    ///
    /// # Errors
    /// See [`Plan::of_change`].
    pub fn of_manifest(
        stored: &Snapshot,
        manifest: &Value,
        conditions: &Conditions,
    ) -> Result<ChangePlan, PlanError> {
        let change = Change {
            manifest: Some(Manifest {
                value: manifest,
                request: ManifestRequest::Apply,
                verdict: None,
            }),
            ..Change::default()
        };
        of_single(stored, &change, conditions)
    }
}

fn of_single(
    stored: &Snapshot,
    change: &Change<'_>,
    conditions: &Conditions,
) -> Result<ChangePlan, PlanError> {
    let around = |set: Arc<Set>, status: Arc<Status>| Snapshot {
        set,
        status,
        ..stored.clone()
    };
    Plan::of_change(Some(stored), change, &around, conditions)
}
