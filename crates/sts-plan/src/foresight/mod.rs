//! Obstacles foreseen before a rollout begins: contract section 5, "Foreseen".
//!
//! Future pods are checked against the nodes, classes, volumes and events of the input. In the simulation, a pod
//! with a foreseen problem never becomes ready. An assumption about the pod overrides this. Kinds of objects
//! missing from the input are not checked.

mod admission;
mod claims;
mod config;
mod creations;
mod empty_node;
mod filters;
mod free_capacity;
mod landing;
mod limit_range;
mod neighbors;
mod nodes;
mod others;
mod places;
mod preemption;
mod quota;
mod quota_shares;
mod relief;
mod rivals;
mod volume_limits;
mod volumes;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::conditions::{Conditions, InputKind};
use crate::requests;
use sts_controller::controller::{Sync, pod_name};
use sts_controller::object::{Pod, RelatedObjects, Snapshot};
use sts_controller::simulate;

pub(crate) use admission::refused;
pub use claims::ClaimTrouble;
pub(crate) use claims::{claim_trouble, earlier_volume, granted_class, granted_templates};
pub(crate) use config::{missing_for, missing_object, needs};
pub(crate) use empty_node::EmptyNode;
pub use filters::{SCHEDULER_FILTERS, SchedulerFilter};
pub(crate) use landing::{Excluded, excluded, landing};
pub(crate) use limit_range::with_defaults;
pub(crate) use nodes::{CORDONED, Demand, taint_text};
pub use nodes::{NodeMismatch, UnfitNodes};
pub(crate) use others::finds_node;
pub use places::Exclusion;
pub(crate) use preemption::preempted;
pub(crate) use quota::others_refused_by_quota;
pub use relief::Relief;
pub(crate) use relief::{admitted_after, exceeded_quota};
pub(crate) use rivals::{depends_on_unread, may_be_displaced, tolerates_cordon};
pub(crate) use volumes::{Reach, reaches};
pub use words::describe;
pub(crate) use words::no_volume;

/// Maximum number of pods to examine, which no plan exceeds.
const MOST_PODS: usize = 100_000;

/// Reason why a future pod will not become ready.
#[derive(Debug, Clone, PartialEq)]
pub enum Foreseen {
    /// A claim gets no volume.
    Claim {
        /// Name of the claim.
        claim: Arc<str>,
        /// Reason.
        trouble: ClaimTrouble,
    },
    /// No node accepts it, regardless of other pods. If nodes are changed, other pods count as well.
    NoNode(UnfitNodes),
    /// The pods of the set exclude each other, and there are too few places for them.
    TooFewPlaces {
        /// Exclusion rule.
        by: Exclusion,
        /// Maximum number of pods that can be placed.
        places: usize,
        /// Number of nodes that could take the pod if it were alone.
        nodes: usize,
    },
    /// A required Secret or ConfigMap is missing, according to a pod with the same template.
    MissingConfig {
        /// Object, such as `Secret app-credentials`.
        object: String,
        /// Pod that reports it.
        shown_by: Arc<str>,
    },
}

impl Foreseen {
    /// Reports whether another template may avoid it.
    pub(crate) fn is_of_template(&self) -> bool {
        match self {
            Foreseen::Claim { .. } => false,
            Foreseen::NoNode(nodes) => nodes.is_of_template(),
            Foreseen::TooFewPlaces { .. } | Foreseen::MissingConfig { .. } => true,
        }
    }

    /// Converts the reason to the simulation's type.
    fn in_simulation(&self) -> simulate::Foreseen {
        match self {
            Foreseen::MissingConfig { .. } => simulate::Foreseen::NotStarted,
            _ => simulate::Foreseen::Unplaced,
        }
    }
}

/// Foreseen problems of a set's pods, by name and revision.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Foresight {
    pods: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Foreseen>>,
}

/// Input that future pods are checked against.
pub(crate) struct Input<'v> {
    pub(crate) snapshot: &'v Snapshot,
    pub(crate) related: &'v RelatedObjects,
    pub(crate) conditions: &'v Conditions,
    /// Desired pods, by ordinal.
    pub(crate) wanted: Vec<Arc<str>>,
}

/// Template of future pods.
pub(crate) struct PodTemplateView<'v> {
    pub(crate) revision: &'v Arc<str>,
    pub(crate) template: Arc<Value>,
    /// True if all templates of future pods have the same requests.
    pub(crate) asks_like_others: bool,
}

impl Foresight {
    /// Foresees the problems of the pods that the controller may create, on either revision.
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
        let namespace = &snapshot.set.meta.namespace;
        let admitted = |template: Arc<Value>| {
            let spec = with_defaults(&template["spec"], related, namespace);
            let Some(spec) = spec else { return template };
            let mut admitted = Value::clone(&template);
            admitted["spec"] = spec;
            Arc::new(admitted)
        };
        let templates = templates.map(|(revision, template)| (revision, admitted(template)));
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
            // The first problem recorded for a pod is the one reported.
            claims::foresee(&view, &mut foresight, &pods);
            nodes::foresee(&view, &mut foresight, &pods);
            places::foresee(&view, &mut foresight, &pods);
            free_capacity::foresee(&view, &mut foresight, &pods);
            config::foresee(&view, &mut foresight, &pods);
        }
        foresight
    }

    /// Reports whether the input contains objects that allow a forecast.
    pub(crate) fn has_sources(related: &RelatedObjects) -> bool {
        related.has_nodes() || related.has_storage_classes() || related.has_events()
    }

    fn note(&mut self, pod: &Arc<str>, revision: &Arc<str>, found: impl FnOnce() -> Foreseen) {
        let of_pod = self.pods.entry(Arc::clone(pod)).or_default();
        if !of_pod.contains_key(revision) {
            of_pod.insert(Arc::clone(revision), found());
        }
    }

    /// Forgets these problems of the pods of a revision.
    pub(crate) fn forget(&mut self, revision: &str, is_forgotten: impl Fn(&Foreseen) -> bool) {
        for of_pod in self.pods.values_mut() {
            of_pod.retain(|of, found| **of != *revision || !is_forgotten(found));
        }
    }

    /// Returns the problem foreseen for a pod on a revision.
    #[must_use]
    pub fn of_pod(&self, name: &str, revision: &str) -> Option<&Foreseen> {
        self.pods.get(name)?.get(revision)
    }

    /// Converts the problems to the simulation's type.
    pub(crate) fn in_simulation(
        &self,
    ) -> BTreeMap<Arc<str>, BTreeMap<Arc<str>, simulate::Foreseen>> {
        let pods = self.pods.iter();
        pods.map(|(name, of_pod)| {
            let of_pod = of_pod.iter();
            let simulated =
                of_pod.map(|(revision, why)| (Arc::clone(revision), why.in_simulation()));
            (Arc::clone(name), simulated.collect())
        })
        .collect()
    }
}

impl Input<'_> {
    /// Reports whether the input lists the nodes. In files, a pod on an unlisted node shows that it does not.
    fn knows_nodes(&self) -> bool {
        let mut pods = self.snapshot.pods.values();
        let known = |pod: &Arc<Pod>| {
            let node = pod.node.as_ref();
            !pod.is_ready() || node.is_none_or(|node| self.related.node(node).is_some())
        };
        self.related.has_nodes()
            && (self.conditions.input == InputKind::Complete || pods.all(known))
    }

    /// Returns the pod of that name, unless it is about to go.
    fn there(&self, name: &str) -> Option<&Arc<Pod>> {
        let pod = self.snapshot.pods.get(name)?;
        let leaves = self.conditions.outage.moves(pod);
        (!pod.is_terminating() && !leaves).then_some(pod)
    }

    /// Reports whether the pod of that name exists, is healthy and on the update revision, so that it remains
    /// unchanged.
    fn stays(&self, name: &str, update: &str) -> bool {
        self.there(name)
            .is_some_and(|pod| pod.is_running_and_ready() && *pod.revision == *update)
    }

    /// Returns the desired pods in the order in which they need a place: missing pods by ascending ordinal, those that
    /// leave their nodes in their order, then the others by descending ordinal.
    fn in_order(&self) -> impl Iterator<Item = &Arc<str>> {
        let namespace = &self.snapshot.set.meta.namespace;
        let order = &self.conditions.outage.order;
        let place = |name: &Arc<str>| {
            let place = order.get(&(Arc::clone(namespace), Arc::clone(name)));
            self.snapshot.pods.get(name).and(place.copied())
        };
        let away = self.wanted.iter().filter(|name| self.there(name).is_none());
        let mut away: Vec<&Arc<str>> = away.collect();
        // Pods without a place in the order are missing already.
        away.sort_by_key(|name| place(name).map_or(0, |place| place + 1));
        let others = self.wanted.iter().rev();
        away.into_iter()
            .chain(others.filter(|name| self.there(name).is_some()))
    }
}
