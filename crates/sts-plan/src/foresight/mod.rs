//! Obstacles that will stop a rollout, read before it begins: contract section 5, "Foreseen".
//!
//! A pod that is to be created is held against the nodes, classes, volumes and events of the input. What they show of
//! it is told to the simulation, so that such a pod never becomes ready there; an assumption about the pod takes the
//! place of all that. Kinds of objects of which the input has none say nothing.

mod claims;
mod config;
mod nodes;
mod places;
mod requests;
mod room;
mod room_left;
mod volumes;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::conditions::{Conditions, InputKind};
use sts_controller::controller::{Sync, pod_name};
use sts_controller::object::{Pod, RelatedObjects, Snapshot};
use sts_controller::simulate;

pub use claims::ClaimTrouble;
pub(crate) use claims::{claim_trouble, granted_class, granted_templates};
pub(crate) use config::{missing_for, missing_object, needs};
pub use nodes::{NodeMismatch, UnfitNodes};
pub use places::Exclusion;
pub(crate) use room::Room;
pub(crate) use volumes::{Reach, reaches};
pub use words::told;

/// Maximum number of pods of a set to look at: no plan gets further.
const MOST_PODS: usize = 100_000;

/// The reason that a pod that is to be created will not get ready.
#[derive(Debug, Clone, PartialEq)]
pub enum Foreseen {
    /// A claim of its gets no volume.
    Claim {
        /// The claim.
        claim: Arc<str>,
        /// The reason that it gets none.
        trouble: ClaimTrouble,
    },
    /// No node takes it: whatever else runs there, or where something is done to nodes, beside what runs there.
    NoNode(UnfitNodes),
    /// The pods of the set exclude each other, and there are more of them than places.
    TooFewPlaces {
        /// By what they exclude each other.
        by: Exclusion,
        /// Maximum number of pods that find a place.
        places: usize,
        /// Number of nodes that could take the pod if it were alone.
        nodes: usize,
    },
    /// A Secret or ConfigMap that it needs is missing, as a pod with the same template shows.
    MissingConfig {
        /// Such as `Secret app-credentials`.
        object: String,
        /// The pod that shows it.
        shown_by: Arc<str>,
    },
}

impl Foreseen {
    /// Converts it to what the simulation has to know of it.
    fn in_simulation(&self) -> simulate::Foreseen {
        match self {
            Foreseen::MissingConfig { .. } => simulate::Foreseen::NotStarted,
            _ => simulate::Foreseen::Unplaced,
        }
    }
}

/// The foreseen troubles of a set's pods, by name and revision.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Foresight {
    pods: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Foreseen>>,
}

/// The part of the input that the pods to come are held against.
pub(crate) struct Input<'v> {
    pub(crate) snapshot: &'v Snapshot,
    pub(crate) related: &'v RelatedObjects,
    pub(crate) conditions: &'v Conditions,
    /// The pods that the set wants, by ordinal.
    pub(crate) wanted: Vec<Arc<str>>,
}

/// A template that pods to come are made from.
pub(crate) struct PodTemplateView<'v> {
    pub(crate) revision: &'v Arc<str>,
    pub(crate) template: Arc<Value>,
    /// True if all pods to come ask for the same, whatever template they are made from.
    pub(crate) asks_like_others: bool,
}

impl Foresight {
    /// Foresees the troubles of the pods that the controller may create, on either of its revisions, from the objects
    /// around the set.
    #[must_use]
    pub(crate) fn of(snapshot: &Snapshot, next: &Sync, conditions: &Conditions) -> Self {
        let mut foresight = Foresight::default();
        let related = &conditions.related;
        if !Foresight::has_sources(related) || snapshot.set.meta.is_terminating() {
            return foresight;
        }
        let (current, update) = (&next.status.current_revision, &next.status.update_revision);
        let ordinals = conditions.behaviour.ordinals(&snapshot.set);
        let view = Input {
            snapshot,
            related,
            conditions,
            wanted: ordinals
                .take(MOST_PODS)
                .map(|ordinal| Arc::from(pod_name(&snapshot.set, ordinal)))
                .collect(),
        };
        if view.wanted.iter().all(|name| view.stays(name, update)) {
            return foresight;
        }
        let revisions: BTreeSet<&Arc<str>> = [current, update].into_iter().collect();
        let templates = revisions.into_iter().filter_map(|revision| {
            let stored = snapshot.revisions.get(revision);
            let stored = stored.and_then(|revision| revision.template());
            match stored {
                Some(template) => Some((revision, Arc::clone(template))),
                None if revision == update => Some((revision, Arc::clone(&snapshot.set.template))),
                None => None,
            }
        });
        let templates: Vec<(&Arc<str>, Arc<Value>)> = templates.collect();
        let mut requests = templates
            .iter()
            .map(|(_, template)| requests::of_spec(&template["spec"]));
        let first = requests.next();
        let asks_like_others = requests.all(|other| Some(&other) == first.as_ref());
        for (revision, template) in templates {
            let pods = PodTemplateView {
                revision,
                template,
                asks_like_others,
            };
            // The first that is noted of a pod is what is told of it.
            claims::foresee(&view, &mut foresight, &pods);
            nodes::foresee(&view, &mut foresight, &pods);
            places::foresee(&view, &mut foresight, &pods);
            room_left::foresee(&view, &mut foresight, &pods);
            config::foresee(&view, &mut foresight, &pods);
        }
        foresight
    }

    /// Reports whether anything may be foreseen of the input at all.
    pub(crate) fn has_sources(related: &RelatedObjects) -> bool {
        related.has_nodes() || related.has_storage_classes() || related.has_events()
    }

    fn note(&mut self, pod: &Arc<str>, revision: &Arc<str>, found: impl FnOnce() -> Foreseen) {
        let of_pod = self.pods.entry(Arc::clone(pod)).or_default();
        if !of_pod.contains_key(revision) {
            of_pod.insert(Arc::clone(revision), found());
        }
    }

    /// Returns the trouble foreseen for a pod of that name on that revision.
    #[must_use]
    pub fn of_pod(&self, name: &str, revision: &str) -> Option<&Foreseen> {
        self.pods.get(name)?.get(revision)
    }

    /// Converts it to what the simulation has to know.
    pub(crate) fn in_simulation(
        &self,
    ) -> BTreeMap<Arc<str>, BTreeMap<Arc<str>, simulate::Foreseen>> {
        let pods = self.pods.iter();
        pods.map(|(name, of_pod)| {
            let of_pod = of_pod.iter();
            let told = of_pod.map(|(revision, why)| (Arc::clone(revision), why.in_simulation()));
            (Arc::clone(name), told.collect())
        })
        .collect()
    }
}

impl Input<'_> {
    /// Reports whether the input tells which nodes there are: in files, a pod that runs on another one shows that it
    /// does not.
    fn knows_nodes(&self) -> bool {
        let mut pods = self.snapshot.pods.values();
        let known = |pod: &Arc<Pod>| {
            let node = pod.node.as_ref();
            !pod.is_ready() || node.is_none_or(|node| self.related.node(node).is_some())
        };
        self.related.has_nodes()
            && (self.conditions.input == InputKind::Complete || pods.all(known))
    }

    /// The pod of that name, where it is there to stay for now.
    fn there(&self, name: &str) -> Option<&Arc<Pod>> {
        let pod = self.snapshot.pods.get(name)?;
        let leaves = self.conditions.outage.moves(pod);
        (!pod.is_terminating() && !leaves).then_some(pod)
    }

    /// Reports whether the pod of that name exists, is well and is on the wanted revision, so that nothing happens to
    /// it.
    fn stays(&self, name: &str, update: &str) -> bool {
        self.there(name)
            .is_some_and(|pod| pod.is_running_and_ready() && *pod.revision == *update)
    }

    /// The wanted pods in the order in which their controller comes to them: those that are missing from the first to
    /// the last, then the others from the last to the first.
    fn in_order(&self) -> impl Iterator<Item = &Arc<str>> {
        let missing = self.wanted.iter().filter(|name| self.there(name).is_none());
        let others = self.wanted.iter().rev();
        missing.chain(others.filter(|name| self.there(name).is_some()))
    }
}
