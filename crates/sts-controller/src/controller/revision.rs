//! Revisions of a set, and their comparison: docs/semantics.md 3.5 and 3.6.

use std::sync::Arc;

use serde_json::Value;

use super::identity::{LazyBuilder, controller_reference, template_labels};
use crate::apiserver::apply::template_with_revision;
use crate::apiserver::defaults::default_spec_template;
use crate::encode;
use crate::object::{Labels, Meta, Revision, Set, Snapshot};
use crate::version::{Behaviour, RevisionEquality};

/// Label with the hash that a revision was first given.
pub(super) const HASH_LABEL: &str = "controller.kubernetes.io/hash";

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
    pub(super) bytes: Arc<str>,
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
    pub(super) fn revision(
        &self,
        set: &Set,
        name: Arc<str>,
        labels: Arc<Labels>,
        number: i64,
    ) -> Revision {
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

/// Returns the revision that the controller stores for a set's template, under the name that the status gives it.
#[must_use]
pub fn of_template(set: &Set, name: &Arc<str>, number: i64, behaviour: &Behaviour) -> Revision {
    let labels = Arc::new(template_labels(&set.template));
    let proposal = Proposal::new(set, behaviour);
    let mut revision = proposal.revision(set, Arc::clone(name), labels, number);
    revision.meta.namespace = Arc::clone(&set.meta.namespace);
    revision
}

pub(super) fn bytes_of<'r>(revision: &'r Revision, behaviour: &Behaviour) -> &'r Arc<str> {
    revision.bytes(|data| encode::json(data, behaviour.short_escapes))
}

/// `EqualRevision` of two stored revisions.
pub(super) fn equal_revisions(a: &Revision, b: &Revision, behaviour: &Behaviour) -> bool {
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
pub(super) fn numeric(label: &str) -> Option<i32> {
    label.parse().ok()
}
