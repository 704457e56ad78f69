//! Changes of single fields by flags.

use std::sync::Arc;

use anyhow::{Context, Result};

use crate::request::{Change, Partition};
use sts_controller::apiserver::apply::{Edit, template_of_revision};
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
        let template = template_of_revision(&revisions, number)
            .with_context(|| format!("--to-revision {number}"))?;
        edits.push(Edit::ToRevision((*template).clone()));
    }
    edits.extend(change.replicas.map(Edit::replicas));
    // The type comes first: the partition belongs to its block.
    edits.extend(change.update_strategy.map(Edit::update_strategy));
    if let Some(Partition::Pods(pods)) = change.partition {
        edits.push(Edit::partition(pods));
    }
    edits.extend(change.max_unavailable.as_deref().map(Edit::max_unavailable));
    edits.extend(change.min_ready_seconds.map(Edit::min_ready_seconds));
    edits.extend(change.image.iter().map(|(container, image)| Edit::Image {
        container: container.clone(),
        image: image.clone(),
    }));
    if change.restart {
        edits.push(Edit::restart(&conditions.now.to_string()));
    }
    edits.extend(change.set.iter().map(|(path, value)| Edit::Set {
        path: path.clone(),
        value: value.clone(),
    }));
    // The percentage comes last, since another flag may change the replicas.
    if let Some(Partition::Share(percent)) = change.partition {
        edits.push(Edit::PartitionShare(percent));
    }
    Ok(edits)
}
