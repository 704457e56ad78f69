//! Constants of a search: the places of pods, and the layout of a state.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::pod_groups::PodGroups;
use crate::controller::{ordinal_of, pod_name};
use crate::simulate::explore::{Property, moves};
use crate::simulate::world::World;
use crate::version::Behaviour;

/// Maximum number of pods of a set whose states are packed.
const MAX_PLACES: usize = 4_096;

/// Constants of one search.
pub(super) struct Model<'m> {
    pub(super) behaviour: &'m Behaviour,
    pub(super) property: &'m dyn Property,
    /// By ordinal, then by name.
    pub(super) places: Vec<Place>,
    pub(super) by_pod: BTreeMap<Arc<str>, usize>,
    pub(super) by_claim: BTreeMap<Arc<str>, usize>,
    pub(super) min_ready: SignedDuration,
    /// The simulated time of every state.
    pub(super) now: Timestamp,
    pub(super) layout: Layout,
    /// Groups of interchangeable pods, if there are any.
    pub(super) groups: Option<PodGroups>,
    /// True if states that differ only by a permutation within the groups are merged.
    pub(super) merges: bool,
}

/// A place for a pod, with the names of the pod and its claims.
pub(super) struct Place {
    pub(super) pod: Arc<str>,
    pub(super) ordinal: i64,
    pub(super) claims: Vec<Arc<str>>,
}

/// Layout of a state: the pod state at each place; the rank of each pod that becomes available, from 1, if ranks are
/// used; the number of the other objects; the remaining faults.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) places: usize,
    pub(super) ranked: bool,
}

impl Layout {
    /// Returns the size in bytes of the part of a state that the controller sees: all but the faults.
    pub(super) fn len(self) -> usize {
        self.others_at() + 2
    }

    /// Returns the size of a state in bytes.
    pub(super) fn stride(self) -> usize {
        self.len() + 1
    }

    fn others_at(self) -> usize {
        self.places * (1 + usize::from(self.ranked))
    }

    pub(super) fn others(self, state: &[u8]) -> u16 {
        let at = self.others_at();
        u16::from_le_bytes([state[at], state[at + 1]])
    }

    pub(super) fn set_others(self, state: &mut [u8], others: u16) {
        let at = self.others_at();
        state[at..at + 2].copy_from_slice(&others.to_le_bytes());
    }

    pub(super) fn set_rank(self, state: &mut [u8], place: usize, rank: u8) {
        if self.ranked {
            state[self.places + place] = rank;
        }
    }

    pub(super) fn rank(self, state: &[u8], place: usize) -> u8 {
        if self.ranked {
            state[self.places + place]
        } else {
            0
        }
    }
}

impl<'m> Model<'m> {
    /// Returns the model of a settled world. Returns `None` if its states do not pack, since more than pods and their
    /// own claims may change.
    pub(super) fn new(
        world: &World,
        behaviour: &'m Behaviour,
        property: &'m dyn Property,
        [groups, merges]: [bool; 2],
    ) -> Option<Self> {
        if world.is_being_cleaned_up() {
            return None;
        }
        let snapshot = world.snapshot();
        let set = &snapshot.set;
        let slots = behaviour.ordinals(set);
        if usize::try_from(slots.end - slots.start).ok()? + snapshot.pods.len() > MAX_PLACES {
            return None;
        }
        let mut names: Vec<Arc<str>> = snapshot.pods.keys().map(Arc::clone).collect();
        names.extend(slots.map(|ordinal| Arc::from(pod_name(set, ordinal))));
        names.sort_by_key(moves::sort_key);
        names.dedup();
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
        let places: Vec<Place> = names.iter().map(place).collect();
        let mut by_claim = BTreeMap::new();
        for (number, place) in places.iter().enumerate() {
            for claim in &place.claims {
                if by_claim.insert(Arc::clone(claim), number).is_some() {
                    // Two pods of one ordinal share their claims.
                    return None;
                }
            }
        }
        let owned_elsewhere = snapshot.claims.values().any(|claim| {
            let owners = claim.meta.owner_references.iter();
            let mut pods = owners.filter(|owner| &*owner.kind == "Pod");
            let place = by_claim.get(&claim.meta.name).map(|place| &places[*place]);
            pods.any(|owner| place.is_none_or(|place| place.pod != owner.name))
        });
        if owned_elsewhere {
            return None;
        }
        let min_ready = world.min_ready();
        Some(Model {
            behaviour,
            property,
            by_pod: names.into_iter().zip(0..).collect(),
            by_claim,
            min_ready,
            now: world.now(),
            layout: Layout {
                places: places.len(),
                // Ranks are bytes.
                ranked: match min_ready > SignedDuration::ZERO {
                    true if places.len() > 250 => return None,
                    ranked => ranked,
                },
            },
            merges,
            groups: match groups {
                true => PodGroups::new(world, behaviour, &places),
                false => None,
            },
            places,
        })
    }
}
