//! The pods of a cluster with their nodes during a maintenance.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::conditions::Outage;
use crate::plan::Plan;
use crate::residents::Resident;
use sts_controller::object::Pod;
use sts_controller::simulate::{Drainee, OtherPods};

/// Namespace and name of a pod.
pub(in crate::nodes) type PodName = (Arc<str>, Arc<str>);

/// Pods with their current nodes, each with its fields as read.
pub(super) struct Roster {
    pods: BTreeMap<PodName, Arc<Resident>>,
}

/// A ready pod on no node.
pub(super) struct Newcomer {
    pub(super) name: PodName,
    pub(super) owner: Owner,
}

/// The owner of a pod.
#[derive(Clone, Copy)]
pub(super) enum Owner {
    /// A set, by its index.
    Set(usize),
    /// Another owner; the index is that of the pod.
    Other(usize),
}

/// Returns the namespace and name of a pod.
pub(super) fn name_of(pod: &Pod) -> PodName {
    (Arc::clone(&pod.meta.namespace), Arc::clone(&pod.meta.name))
}

impl Roster {
    pub(super) fn of(plans: &[Plan]) -> Self {
        let read = plans.first().map(|plan| &plan.conditions.outage.pods);
        let pods = read.into_iter().flat_map(|pods| pods.iter());
        Roster {
            pods: pods
                .map(|pod| (name_of(pod), Arc::new(Resident::of(pod))))
                .collect(),
        }
    }

    /// Returns an outage of no node among these pods.
    pub(super) fn outage(&self) -> Outage {
        Outage::among_residents(self.pods.values().cloned())
    }

    /// Returns the number of pods.
    pub(super) fn len(&self) -> u64 {
        u64::try_from(self.pods.len()).unwrap_or(u64::MAX)
    }

    pub(super) fn get(&self, name: &PodName) -> Option<&Arc<Pod>> {
        Some(&self.pods.get(name)?.pod)
    }

    /// Reports whether a pod of a namespace and with this name is on one of these nodes.
    pub(super) fn is_on(&self, name: &PodName, nodes: &[Arc<str>]) -> bool {
        let node = self.get(name).and_then(|pod| pod.node.as_ref());
        node.is_some_and(|node| nodes.contains(node))
    }

    /// Takes over the nodes of the simulated pods. Pods that are gone leave.
    pub(super) fn follow(&mut self, drainees: &[Drainee<'_>], others: &OtherPods) {
        let of_sets = drainees
            .iter()
            .flat_map(|drainee| drainee.world.snapshot().pods.values());
        let of_others = others.present().map(|(_, other)| &other.pod);
        let now: BTreeMap<PodName, &Arc<Pod>> = of_sets
            .chain(of_others)
            .map(|pod| (name_of(pod), pod))
            .collect();
        self.pods.retain(|name, _| now.contains_key(name));
        for (name, resident) in &mut self.pods {
            let Some(now) = now.get(name) else { continue };
            let pod = &resident.pod;
            let has_changed = pod.node != now.node || pod.is_terminating() != now.is_terminating();
            if has_changed {
                *resident = Arc::new(resident.changed(|pod| {
                    pod.node.clone_from(&now.node);
                    pod.meta.deleted = now.meta.deleted;
                }));
            }
        }
    }

    /// Returns the ready pods that are on no node: those of the sets, then the others.
    pub(super) fn waiting(&self, drainees: &[Drainee<'_>], others: &OtherPods) -> Vec<Newcomer> {
        let is_waiting = |pod: &Pod| pod.node.is_none() && pod.is_ready();
        let of_sets = drainees.iter().enumerate().flat_map(|(set, drainee)| {
            let pods = drainee.world.snapshot().pods.values();
            let pods = pods.filter(|pod| is_waiting(pod));
            pods.map(move |pod| Newcomer {
                name: name_of(pod),
                owner: Owner::Set(set),
            })
        });
        let of_others = others.present().filter(|(_, other)| is_waiting(&other.pod));
        let of_others = of_others.map(|(at, other)| Newcomer {
            name: name_of(&other.pod),
            owner: Owner::Other(at),
        });
        of_sets.chain(of_others).collect()
    }

    pub(super) fn bind(&mut self, name: &PodName, node: &Arc<str>) {
        if let Some(resident) = self.pods.get_mut(name) {
            *resident = Arc::new(resident.changed(|pod| pod.node = Some(Arc::clone(node))));
        }
    }
}
