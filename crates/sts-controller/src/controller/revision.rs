//! Current and update revision of a set: docs/semantics.md 3.5 and 3.6.

use std::sync::Arc;

use serde_json::Value;

use super::cache::RevisionCache;
use super::error::SyncError;
use super::identity::{LazyBuilder, controller_reference, template_labels};
use super::recorder::Recorder;
use super::write::{Refusal, Verb};
use crate::apiserver::apply::template_with_revision;
use crate::apiserver::defaults::default_spec_template;
use crate::encode;
use crate::object::{Labels, Meta, Revision, Set, Snapshot};
use crate::version::{Behaviour, RevisionEquality};

/// Label with the hash that a revision was first given.
const HASH_LABEL: &str = "controller.kubernetes.io/hash";

#[derive(Debug, Clone)]
pub(super) struct Revisions {
    /// The revision that `status.currentRevision` names.
    pub(super) current: Arc<Revision>,
    /// The revision of the set's template.
    pub(super) update: Arc<Revision>,
    pub(super) current_builder: LazyBuilder,
    pub(super) update_builder: LazyBuilder,
    /// Number of name collisions so far.
    pub(super) collision_count: i64,
}

/// The revision for a template, before it has a name.
#[derive(Debug, Clone)]
pub(super) struct Proposal {
    pub(super) template: Arc<Value>,
    data: Arc<Value>,
    bytes: Arc<str>,
}

impl Proposal {
    pub(super) fn new(set: &Set, behaviour: &Behaviour) -> Self {
        let data = encode::revision_data(&set.template, behaviour.null_creation_timestamp);
        let bytes = Arc::from(encode::json(&data, behaviour.short_escapes));
        Proposal {
            template: Arc::clone(&set.template),
            data: Arc::new(data),
            bytes,
        }
    }

    /// Returns the revision of a set with this name and these labels.
    fn revision(&self, set: &Set, name: Arc<str>, labels: Arc<Labels>, number: i64) -> Revision {
        let meta = Meta {
            name,
            labels,
            owner_references: Arc::new([controller_reference(set)]),
            ..Meta::default()
        };
        Revision::new(
            meta,
            number,
            Arc::clone(&self.data),
            set.annotations.clone(),
        )
        .with_known(Arc::clone(&self.bytes), Arc::clone(&self.template))
    }
}

/// `setMatchesLatestExistingRevision`: reports whether the set stays as it is if the latest revision is applied to it and
/// defaults are filled in.
pub(super) fn equal_revision_semantically(
    latest: &Revision,
    proposal: &Proposal,
    set: &Set,
    behaviour: &Behaviour,
) -> bool {
    let Ok(template) = template_with_revision(&set.template, latest) else {
        return false;
    };
    let template = default_spec_template(&template, &behaviour.defaulting);
    let data = encode::revision_data(&template, behaviour.null_creation_timestamp);
    *encode::json(&data, behaviour.short_escapes) == *proposal.bytes
}

/// `ListRevisions`: returns the set's revisions and orphans with matching labels, oldest first.
#[must_use]
pub fn list<'s>(snapshot: &'s Snapshot, behaviour: &Behaviour) -> Vec<&'s Arc<Revision>> {
    let set = &snapshot.set;
    let Some(selector) = &set.selector else {
        return Vec::new();
    };
    let mut listed: Vec<&Arc<Revision>> = snapshot
        .revisions
        .values()
        .filter(|revision| {
            let ours = revision
                .meta
                .controller()
                .is_none_or(|owner| behaviour.revisions_owned_by.is_set(owner, set));
            ours && selector.matches(&revision.meta.labels)
        })
        .collect();
    listed.sort_by(|a, b| {
        let key = |revision: &Revision| (revision.number, revision.meta.created);
        key(a)
            .cmp(&key(b))
            .then_with(|| a.meta.name.cmp(&b.meta.name))
    });
    listed
}

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

/// Returns the revision that the controller stores for a set's template, under the name that the status gives it.
#[must_use]
pub fn of_template(set: &Set, name: &Arc<str>, number: i64, behaviour: &Behaviour) -> Revision {
    let labels = Arc::new(template_labels(&set.template));
    let proposal = Proposal::new(set, behaviour);
    let mut revision = proposal.revision(set, Arc::clone(name), labels, number);
    revision.meta.namespace = Arc::clone(&set.meta.namespace);
    revision
}

fn bytes_of<'r>(revision: &'r Revision, behaviour: &Behaviour) -> &'r Arc<str> {
    revision.bytes(|data| encode::json(data, behaviour.short_escapes))
}

/// `EqualRevision` of two stored revisions.
fn equal_revisions(a: &Revision, b: &Revision, behaviour: &Behaviour) -> bool {
    if behaviour.revision_equality == RevisionEquality::BytesAndNumericLabels {
        let label = |revision: &Revision| {
            revision
                .meta
                .labels
                .get(HASH_LABEL)
                .and_then(|label| numeric(label))
        };
        if let (Some(a), Some(b)) = (label(a), label(b))
            && a != b
        {
            return false;
        }
    }
    bytes_of(a, behaviour) == bytes_of(b, behaviour)
}

/// Parses a hash label that happens to be a decimal number of 32 bits.
fn numeric(label: &str) -> Option<i32> {
    label.parse().ok()
}
