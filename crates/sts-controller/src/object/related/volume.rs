//! PersistentVolumes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::node::Node;
use crate::object::field::{FieldError, Fields};
use crate::object::selector::{Requirement, Selector};
use crate::object::{Labels, Meta};

/// A PersistentVolume, with the fields that affect pod placement.
#[derive(Debug, Clone, PartialEq)]
pub struct PersistentVolume {
    /// Metadata.
    pub meta: Meta,
    /// Namespace and name of the bound claim.
    pub claim: Option<(Arc<str>, Arc<str>)>,
    /// True if `claim` has a uid too. A volume that only names a claim is not bound yet.
    pub is_bound: bool,
    /// `spec.capacity.storage`; empty if absent.
    pub capacity: Arc<str>,
    /// `spec.storageClassName`; empty if absent.
    pub storage_class: Arc<str>,
    /// True if `spec.persistentVolumeReclaimPolicy` is `Delete`: its data is deleted with its claim.
    pub is_deleted_with_claim: bool,
    /// `spec.nodeAffinity.required`: a node must match one of these terms. An empty list admits every node.
    pub terms: Vec<Term>,
    /// `spec.csi.driver`, if the volume has one.
    pub driver: Option<Arc<str>>,
    /// `spec.csi.volumeHandle`, the name that the storage has for it; empty if absent.
    pub handle: Arc<str>,
    /// Zone and region labels, each with the values that a node may have. They place volumes without node affinity.
    pub places: BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
}

/// Labels that place a volume (1.36: `plugins/volumezone/volume_zone.go`).
const TOPOLOGY_LABELS: [&str; 4] = [
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
];
/// The ends of labels that name one node: `kubernetes.io/hostname`, `topology.topolvm.io/node`, `openebs.io/nodename`.
const HOST_LABELS: [&str; 3] = ["/hostname", "/node", "/nodename"];
/// Separator between the values of such a label.
const SEPARATOR: &str = "__";

/// One term of a node affinity. All its requirements must match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// On labels.
    expressions: Vec<Requirement>,
    /// On fields, of which only the name exists.
    fields: Vec<Requirement>,
}

impl PersistentVolume {
    pub(super) fn from_json(object: &Value) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        let spec = fields.object("spec")?;
        let claim = spec.object("claimRef")?;
        let affinity = spec.object("nodeAffinity")?;
        let required = affinity.object("required")?;
        let meta = Meta::read(&fields)?;
        let labels = TOPOLOGY_LABELS.into_iter().filter_map(|key| {
            let values = meta.labels.get(key)?.split(SEPARATOR);
            Some((Arc::from(key), values.map(Arc::from).collect()))
        });
        Ok(PersistentVolume {
            places: labels.collect(),
            meta,
            claim: if claim.present() {
                Some((claim.shared_text("namespace")?, claim.shared_text("name")?))
            } else {
                None
            },
            driver: {
                let csi = spec.object("csi")?;
                csi.present()
                    .then(|| csi.shared_text("driver"))
                    .transpose()?
            },
            handle: spec.object("csi")?.shared_text("volumeHandle")?,
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
        let of_terms = self.terms.is_empty() || self.terms.iter().any(|term| term.admits(node));
        // A node without these labels may be anywhere.
        let labels = &node.meta.labels;
        let is_placed = TOPOLOGY_LABELS.iter().any(|key| labels.contains_key(key));
        let mut places = self.places.iter();
        of_terms
            && (!is_placed
                || places
                    .all(|(key, values)| labels.get(key).is_some_and(|it| values.contains(it))))
    }

    /// Returns the nodes that a volume is local to, by the labels that name one node; empty if it is not local.
    #[must_use]
    pub fn hosts(&self) -> BTreeSet<&str> {
        let names_node = |it: &Requirement| {
            it.operator == "In" && HOST_LABELS.iter().any(|end| it.key.ends_with(end))
        };
        let mut terms = self.terms.iter();
        if !terms.all(|term| term.expressions.iter().any(names_node)) {
            return BTreeSet::new();
        }
        let expressions = self.terms.iter().flat_map(|term| &term.expressions);
        let named = expressions.filter(|it| names_node(it));
        named
            .flat_map(|requirement| requirement.values.iter().map(String::as_str))
            .collect()
    }

    /// Returns the labels of the node affinity that name a zone.
    #[must_use]
    pub fn zone_keys(&self) -> BTreeSet<&str> {
        let expressions = self.terms.iter().flat_map(|term| &term.expressions);
        let keys = expressions.map(|requirement| requirement.key.as_str());
        keys.filter(|key| key.ends_with("/zone")).collect()
    }

    /// Returns the zones in the node affinity or the labels; empty if the volume may be anywhere.
    #[must_use]
    pub fn zones(&self) -> BTreeSet<&str> {
        let expressions = self.terms.iter().flat_map(|term| &term.expressions);
        let of_terms = expressions
            .filter(|requirement| {
                requirement.operator == "In" && requirement.key.ends_with("/zone")
            })
            .flat_map(|requirement| requirement.values.iter().map(String::as_str));
        let of_labels = self.places.iter().filter(|(key, _)| key.ends_with("/zone"));
        of_terms
            .chain(of_labels.flat_map(|(_, values)| values.iter().map(|zone| &**zone)))
            .collect()
    }
}

impl Term {
    /// Reads the terms of a node selector, such as a pod's `requiredDuringSchedulingIgnoredDuringExecution`.
    ///
    /// # Errors
    /// When a field has a value of the wrong type.
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

    /// Reports whether a node matches the term.
    #[must_use]
    pub fn admits(&self, node: &Node) -> bool {
        let name = [(Arc::from("metadata.name"), Arc::clone(&node.meta.name))];
        holds(&self.expressions, &node.meta.labels) && holds(&self.fields, &Labels::from(name))
    }
}

/// Reports whether a label is a number beyond that of a requirement with the operator `Gt` or `Lt`.
fn is_beyond(requirement: &Requirement, labels: &Labels) -> bool {
    let number = |text: &str| text.parse::<i64>().ok();
    let label = labels.get(requirement.key.as_str());
    let label = label.and_then(|label| number(label));
    let [bound] = requirement.values.as_slice() else {
        return false;
    };
    match (label, number(bound), &*requirement.operator) {
        (Some(label), Some(bound), "Gt") => label > bound,
        (Some(label), Some(bound), "Lt") => label < bound,
        _ => false,
    }
}

/// Reports whether the labels match all requirements.
fn holds(requirements: &[Requirement], labels: &Labels) -> bool {
    let is_number = |requirement: &&Requirement| matches!(&*requirement.operator, "Gt" | "Lt");
    let (numbers, others): (Vec<&Requirement>, Vec<&Requirement>) =
        requirements.iter().partition(is_number);
    let selector = Selector {
        match_labels: Labels::new(),
        match_expressions: others.into_iter().cloned().collect(),
    };
    numbers
        .iter()
        .all(|requirement| is_beyond(requirement, labels))
        && selector.matches(labels)
}
