//! PersistentVolumes.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::node::Node;
use crate::object::field::{FieldError, Fields};
use crate::object::selector::{Requirement, Selector};
use crate::object::{Labels, Meta};

/// A PersistentVolume, as far as it tells where its pod may run.
#[derive(Debug, Clone, PartialEq)]
pub struct PersistentVolume {
    /// Its metadata.
    pub meta: Meta,
    /// The namespace and name of the claim that it is bound to.
    pub claim: Option<(Arc<str>, Arc<str>)>,
    /// True if `claim` has a uid too: a volume that only names a claim waits for it.
    pub is_bound: bool,
    /// `spec.capacity.storage`; empty when absent.
    pub capacity: Arc<str>,
    /// `spec.storageClassName`; empty when absent.
    pub storage_class: Arc<str>,
    /// True if its data is deleted with its claim: `spec.persistentVolumeReclaimPolicy` is `Delete`.
    pub is_deleted_with_claim: bool,
    /// `spec.nodeAffinity.required`: a node has to satisfy one of these terms; none at all admits every node.
    pub terms: Vec<Term>,
}

/// One term of a node affinity. All of its requirements have to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// On labels.
    expressions: Vec<Requirement>,
    /// On fields, of which there is but the name.
    fields: Vec<Requirement>,
}

impl PersistentVolume {
    pub(super) fn from_json(object: &Value) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        let spec = fields.object("spec")?;
        let claim = spec.object("claimRef")?;
        let affinity = spec.object("nodeAffinity")?;
        let required = affinity.object("required")?;
        Ok(PersistentVolume {
            meta: Meta::read(&fields)?,
            claim: if claim.present() {
                Some((claim.shared_text("namespace")?, claim.shared_text("name")?))
            } else {
                None
            },
            is_bound: !claim.text("uid")?.is_empty(),
            capacity: spec.object("capacity")?.shared_text("storage")?,
            storage_class: spec.shared_text("storageClassName")?,
            is_deleted_with_claim: spec.text("persistentVolumeReclaimPolicy")? == "Delete",
            terms: Term::read_all(&required)?,
        })
    }

    /// Reports whether a pod with this volume may run on the node.
    #[must_use]
    pub fn admits(&self, node: &Node) -> bool {
        self.terms.is_empty() || self.terms.iter().any(|term| term.admits(node))
    }

    /// The zones that its node affinity names, where that is how it is bound; empty when it may be anywhere.
    #[must_use]
    pub fn zones(&self) -> BTreeSet<&str> {
        let expressions = self.terms.iter().flat_map(|term| &term.expressions);
        expressions
            .filter(|requirement| {
                requirement.operator == "In" && requirement.key.ends_with("/zone")
            })
            .flat_map(|requirement| requirement.values.iter().map(String::as_str))
            .collect()
    }
}

impl Term {
    /// Reads the terms of a node selector, such as a pod's `requiredDuringSchedulingIgnoredDuringExecution`.
    ///
    /// # Errors
    /// When a field has a value of another type than the API gives it.
    pub fn all_from_json(selector: &Value) -> Result<Vec<Self>, FieldError> {
        Term::read_all(&Fields::root(selector)?)
    }

    fn read_all(selector: &Fields<'_>) -> Result<Vec<Self>, FieldError> {
        selector.list("nodeSelectorTerms", |term, _| {
            Ok(Term {
                expressions: term.list("matchExpressions", |item, _| Requirement::read(item))?,
                fields: term.list("matchFields", |item, _| Requirement::read(item))?,
            })
        })
    }

    /// Reports whether a node satisfies the term.
    #[must_use]
    pub fn admits(&self, node: &Node) -> bool {
        let name = [(Arc::from("metadata.name"), Arc::clone(&node.meta.name))];
        holds(&self.expressions, &node.meta.labels) && holds(&self.fields, &Labels::from(name))
    }
}

/// Reports whether the labels satisfy all requirements. Numbers are not compared: `Gt` and `Lt` count as satisfied.
fn holds(requirements: &[Requirement], labels: &Labels) -> bool {
    let selector = Selector {
        match_labels: Labels::new(),
        match_expressions: requirements
            .iter()
            .filter(|requirement| !matches!(&*requirement.operator, "Gt" | "Lt"))
            .cloned()
            .collect(),
    };
    selector.matches(labels)
}
