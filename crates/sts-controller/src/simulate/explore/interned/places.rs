//! Places for the pods of a set. A state has one pod state for each place.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::SignedDuration;

use crate::controller::{ordinal_of, pod_name};
use crate::simulate::explore::moves;
use crate::simulate::world::World;
use crate::version::Behaviour;

/// Maximum number of pods of a set.
const MAX_PLACES: usize = 4_096;
/// Maximum number of pods of a set with `minReadySeconds`.
const MAX_RANKS: usize = 250;

/// Places for the pods of a set.
pub(super) struct Places {
    /// By ordinal, then by name.
    pub(super) all: Vec<Place>,
    /// Places by the names of pods and claims.
    by_name: BTreeMap<Arc<str>, usize>,
}

/// A place for a pod, with the names of the pod and its claims.
pub(super) struct Place {
    pub(super) pod: Arc<str>,
    pub(super) ordinal: i64,
    pub(super) claims: Vec<Arc<str>>,
}

impl Places {
    /// Returns the places of a settled world; `None` if more than pods and their own claims may change.
    pub(super) fn new(world: &World, behaviour: &Behaviour) -> Option<Self> {
        if world.is_being_cleaned_up() {
            return None;
        }
        let snapshot = world.snapshot();
        let set = &snapshot.set;
        let slots = behaviour.ordinals(set);
        if usize::try_from(slots.end - slots.start).ok()? + snapshot.pods.len() > MAX_PLACES {
            return None;
        }
        let mut pods: Vec<Arc<str>> = snapshot.pods.keys().map(Arc::clone).collect();
        pods.extend(slots.map(|ordinal| Arc::from(pod_name(set, ordinal))));
        pods.sort_by_key(moves::sort_key);
        pods.dedup();
        let templates = set.claim_templates.iter();
        let stems: Vec<String> = templates
            .map(|template| format!("{}-{}", template.name, set.meta.name))
            .collect();
        let place = |pod: &Arc<str>| {
            let ordinal = ordinal_of(pod);
            let claims = stems
                .iter()
                .filter(|_| ordinal >= 0)
                .map(|stem| Arc::from(format!("{stem}-{ordinal}")));
            Place {
                pod: Arc::clone(pod),
                ordinal,
                claims: claims.collect(),
            }
        };
        let all: Vec<Place> = pods.iter().map(place).collect();
        if world.min_ready() > SignedDuration::ZERO && all.len() > MAX_RANKS {
            return None;
        }
        let mut by_name = BTreeMap::new();
        for (number, place) in all.iter().enumerate() {
            for name in place.claims.iter().chain([&place.pod]) {
                if by_name.insert(Arc::clone(name), number).is_some() {
                    // Two pods of one ordinal share their claims.
                    return None;
                }
            }
        }
        let owned_elsewhere = snapshot.claims.values().any(|claim| {
            let owners = claim.meta.owner_references.iter();
            let mut pods = owners.filter(|owner| &*owner.kind == "Pod");
            let place = by_name.get(&claim.meta.name).map(|place| &all[*place]);
            pods.any(|owner| place.is_none_or(|place| place.pod != owner.name))
        });
        (!owned_elsewhere).then_some(Places { all, by_name })
    }

    /// Returns the place of the pod or claim of that name.
    pub(super) fn place_of(&self, name: &Arc<str>) -> Option<usize> {
        self.by_name.get(name).copied()
    }
}
