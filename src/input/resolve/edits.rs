//! Changes of single fields by flags.

use std::sync::Arc;

use anyhow::{Context, Result};

use crate::request::Change;
use sts_controller::apiserver::apply::{Edit, revision_to_restore};
use sts_controller::controller::list_revisions;
use sts_controller::object::Snapshot;
use sts_plan::plan::Conditions;

/// Returns the requested changes of single fields, in the order of the contract.
pub(super) fn edits(
    change: &Change,
    stored: Option<&Snapshot>,
    conditions: &Conditions,
) -> Result<Vec<Edit>> {
    let mut edits = Vec::new();
    if let Some(number) = change.to_revision {
        let snapshot = stored.context("--to-revision requires a stored set with a history")?;
        let revisions: Vec<_> = list_revisions(snapshot, &conditions.behaviour)
            .into_iter()
            .map(Arc::clone)
            .collect();
        let revision = revision_to_restore(&revisions, number)
            .with_context(|| format!("--to-revision {number}"))?;
        edits.push(Edit::to_revision(revision));
    }
    // The percentage comes last, since another flag may change the replicas.
    let is_share = |edit: &&Edit| matches!(edit, Edit::PartitionShare(_));
    let (shares, others): (Vec<&Edit>, Vec<&Edit>) = change.edits.iter().partition(is_share);
    edits.extend(others.into_iter().cloned());
    if change.restart {
        edits.push(Edit::restart(&conditions.now.to_string()));
    }
    edits.extend(shares.into_iter().cloned());
    Ok(edits)
}
