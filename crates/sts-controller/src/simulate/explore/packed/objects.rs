//! The objects of a pod state: normalized ones, and ones derived for another place.

use std::sync::Arc;

use super::PackError;
use super::model::Model;
use super::scratch::{PackResult, Scratch};
use super::tables::{PlaceObjects, PodState};
use crate::controller::is_identity_label;
use crate::object::{Claim, OwnerReference, Ready, Volume};
use crate::simulate::world::World;

impl Scratch<'_> {
    /// Normalizes objects before they are stored. Planned pods get a uid that is unique in the search. Available pods
    /// become available exactly at the time of all states.
    pub(super) fn normalized(
        &self,
        model: &Model<'_>,
        place: usize,
        pod_state: u8,
        mut objects: PlaceObjects,
    ) -> PlaceObjects {
        let becomes_available = self.tables.pod_states[usize::from(pod_state)].becomes_available;
        if let Some(pod) = &mut objects.pod {
            let given = World::is_planned(&pod.meta.uid);
            if given {
                let uid = World::planned_uid(&format!("{place}-{pod_state}"));
                let old = std::mem::replace(&mut Arc::make_mut(pod).meta.uid, Arc::clone(&uid));
                for claim in objects.claims.iter_mut().flatten() {
                    update_owners(claim, &old, |owner| owner.uid = Arc::clone(&uid));
                }
            }
            let latest = model.now.checked_sub(model.min_ready).unwrap_or(model.now);
            if let Some(ready) = pod.ready
                && ready.since.is_some_and(|since| since > latest)
                && !becomes_available
                && model.layout.ranked
            {
                Arc::make_mut(pod).ready = Some(Ready {
                    since: Some(latest),
                    ..ready
                });
            }
        }
        objects
    }

    /// Derives the objects of a pod state at a place where it has not been met from those where it was.
    pub(super) fn derive(
        &mut self,
        model: &Model<'_>,
        place: usize,
        pod_state: u8,
    ) -> PackResult<()> {
        if self.tables.objects(place, pod_state).is_some() {
            return Ok(());
        }
        let PodState {
            first_place,
            event,
            key,
            ..
        } = self.tables.pod_states[usize::from(pod_state)];
        let (there, here) = (&model.places[first_place], &model.places[place]);
        let mut objects = match self.tables.objects(first_place, pod_state) {
            Some(objects) => objects.clone(),
            None => return Err(PackError::Unpackable),
        };
        if let Some(pod) = &mut objects.pod {
            let pod = Arc::make_mut(pod);
            let old = std::mem::replace(&mut pod.meta.name, Arc::clone(&here.pod));
            let ordinal = there.ordinal.to_string();
            for (key, value) in Arc::make_mut(&mut pod.meta.labels).iter_mut() {
                if is_identity_label(key) && *value == old {
                    *value = Arc::clone(&here.pod);
                } else if is_identity_label(key) && **value == *ordinal {
                    *value = Arc::from(here.ordinal.to_string());
                }
            }
            let renamed = |volume: &Volume| {
                let claim = volume.claim.as_deref().unwrap_or_default();
                match claim.strip_suffix(&*old) {
                    Some(stem) => Volume {
                        name: Arc::clone(&volume.name),
                        claim: Some(Arc::from(format!("{stem}{}", here.pod))),
                    },
                    None => volume.clone(),
                }
            };
            pod.volumes = pod.volumes.iter().map(renamed).collect();
            let uid = World::planned_uid(&format!("{place}-{pod_state}"));
            let old_uid = std::mem::replace(&mut pod.meta.uid, Arc::clone(&uid));
            for claim in objects.claims.iter_mut().flatten() {
                update_owners(claim, &old_uid, |owner| owner.uid = Arc::clone(&uid));
            }
        }
        for (claim, name) in objects.claims.iter_mut().zip(&here.claims) {
            if let Some(claim) = claim {
                Arc::make_mut(claim).meta.name = Arc::clone(name);
                let owners = claim.meta.owner_references.iter();
                let renamed = owners.map(|owner| match owner.name == there.pod {
                    true => OwnerReference {
                        name: Arc::clone(&here.pod),
                        ..owner.clone()
                    },
                    false => owner.clone(),
                });
                let renamed = renamed.collect();
                Arc::make_mut(claim).meta.owner_references = renamed;
            }
        }
        // The key verifies the result: some pods have assumptions of their own.
        if self.key(&objects, event) != key {
            return Err(match model.groups {
                Some(_) => PackError::NotInterchangeable,
                None => PackError::Unpackable,
            });
        }
        self.tables.set_objects(place, pod_state, objects);
        Ok(())
    }
}

/// Changes the references of a claim to an owner.
fn update_owners(
    claim: &mut Arc<Claim>,
    uid: &Arc<str>,
    mut change: impl FnMut(&mut OwnerReference),
) {
    let owners = &claim.meta.owner_references;
    if !owners.iter().any(|owner| owner.uid == *uid) {
        return;
    }
    let mut owners = owners.to_vec();
    for owner in owners.iter_mut().filter(|owner| owner.uid == *uid) {
        change(owner);
    }
    Arc::make_mut(claim).meta.owner_references = owners.into();
}
