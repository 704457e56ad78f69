//! Current and update revision of a set: docs/semantics.md 3.5 and 3.6.

use std::sync::Arc;

use super::cache::RevisionCache;
use super::error::SyncError;
use super::identity::{LazyBuilder, template_labels};
use super::recorder::Recorder;
use super::revision::{HASH_LABEL, Proposal, Revisions, bytes_of, equal_revisions, numeric};
use super::write::{Refusal, Verb};
use crate::encode;
use crate::object::{Revision, Set, Snapshot};
use crate::version::{Behaviour, RevisionEquality};

/// `getStatefulSetRevisions`. Revisions that were found without a write stay cached while their inputs do not change.
pub(super) fn determine(
    snapshot: &Snapshot,
    listed: &Arc<[Arc<Revision>]>,
    behaviour: &Behaviour,
    cache: &mut RevisionCache,
    out: &mut Recorder<'_>,
) -> Result<Revisions, SyncError> {
    if let Some(known) = cache.determined(&snapshot.status, listed) {
        return Ok(known);
    }
    let writes = out.writes.len();
    let revisions = recompute(snapshot, listed, behaviour, cache, out)?;
    if out.writes.len() == writes {
        cache.keep(&snapshot.status, listed, &revisions);
    }
    Ok(revisions)
}

fn recompute(
    snapshot: &Snapshot,
    listed: &[Arc<Revision>],
    behaviour: &Behaviour,
    cache: &mut RevisionCache,
    out: &mut Recorder<'_>,
) -> Result<Revisions, SyncError> {
    let set = &snapshot.set;
    let mut collision_count = snapshot.status.collision_count.unwrap_or(0);
    let next = listed.last().map_or(1, |last| last.number + 1);
    let proposal = cache.proposal(set, behaviour);
    let hash = || encode::hash(&proposal.bytes, Some(collision_count));
    let label = match behaviour.revision_equality {
        RevisionEquality::BytesAndNumericLabels => Some(hash()),
        _ => None,
    };
    let equals_proposal = |revision: &&Arc<Revision>| {
        let labels_differ = label.as_deref().and_then(numeric).is_some_and(|ours| {
            let theirs = revision.meta.labels.get(HASH_LABEL);
            theirs
                .and_then(|theirs| numeric(theirs))
                .is_some_and(|theirs| theirs != ours)
        });
        !labels_differ && bytes_of(revision, behaviour) == &proposal.bytes
    };
    let equal = listed.iter().rev().find(equals_proposal);
    let last = listed.last();
    let update = match (equal, last) {
        (Some(equal), Some(last)) if equal_revisions(last, equal, behaviour) => Arc::clone(last),
        (Some(equal), _) if equal.number == next => Arc::clone(equal),
        (Some(equal), _) => {
            let renumbered = Arc::new(equal.renumbered(next));
            out.send_revision(Verb::Update, &renumbered)
                .map_err(renumbering_error)?;
            renumbered
        }
        (None, Some(last))
            if behaviour.revision_equality == RevisionEquality::BytesOrDefaulted
                && cache.equal_semantically(last, &proposal, set, behaviour) =>
        {
            Arc::clone(last)
        }
        (None, _) => create(set, &proposal, next, &mut collision_count, behaviour, out)?,
    };
    let current = listed
        .iter()
        .find(|revision| revision.meta.name == snapshot.status.current_revision)
        .map_or_else(|| Arc::clone(&update), Arc::clone);
    let update_builder = LazyBuilder::default();
    let current_builder = if Arc::ptr_eq(&current, &update) {
        Arc::clone(&update_builder)
    } else {
        LazyBuilder::default()
    };
    Ok(Revisions {
        current_builder,
        update_builder,
        current,
        update,
        collision_count,
    })
}

/// Returns the error of a renumbering that the server refuses. After a conflict the controller retries with the empty
/// object that the client returned with the error. The client sends nothing without a name.
fn renumbering_error(refusal: Refusal) -> SyncError {
    match refusal {
        Refusal::Conflict { .. } => SyncError::new("resource name may not be empty"),
        refusal => SyncError::from(refusal),
    }
}

/// `createControllerRevision`: reuses a revision with the same name and content. If the content differs, it tries the
/// next name. The hash label stays that of the first try (quirk Q8).
fn create(
    set: &Set,
    proposal: &Proposal,
    number: i64,
    collision_count: &mut i64,
    behaviour: &Behaviour,
    out: &mut Recorder<'_>,
) -> Result<Arc<Revision>, SyncError> {
    let mut labels = template_labels(&set.template);
    let first_hash = encode::hash(&proposal.bytes, Some(*collision_count));
    labels.insert(Arc::from(HASH_LABEL), Arc::from(first_hash));
    let labels = Arc::new(labels);
    loop {
        let hash = encode::hash(&proposal.bytes, Some(*collision_count));
        let name = Arc::from(encode::revision_name(&set.meta.name, &hash));
        let revision = Arc::new(proposal.revision(set, name, Arc::clone(&labels), number));
        match out.send_revision(Verb::Create, &revision) {
            Ok(()) => return Ok(revision),
            Err(refusal @ Refusal::AlreadyExists { .. }) => {
                let existing = out.live_revision(&revision.meta.name).ok_or(refusal)?;
                if bytes_of(&existing, behaviour) == &proposal.bytes {
                    return Ok(existing);
                }
                *collision_count += 1;
            }
            Err(refusal) => return Err(refusal.into()),
        }
    }
}
