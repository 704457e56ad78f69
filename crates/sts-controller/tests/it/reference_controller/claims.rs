//! The claims of a pod, and their owners.

use super::*;

impl Sync<'_> {
    pub(super) fn claim_names(&self, pod: &Seat) -> Vec<String> {
        let ordinal = ordinal_of(&pod.name);
        let templates = self.set.claim_templates.iter();
        let name = |template: &str| format!("{template}-{}-{ordinal}", self.set.meta.name);
        templates.map(|template| name(&template.name)).collect()
    }

    pub(super) fn make_claims(&mut self, pod: &Seat) -> Result<()> {
        let mut result = Ok(());
        for name in self.claim_names(pod) {
            match self.cache.get(&name) {
                Some(claim) if claim.terminating && self.behaviour.terminating_claim_blocks => {
                    result = Err(Failure::Other);
                }
                Some(_) => {}
                None => {
                    let taken = !self.server_claims.insert(name.clone());
                    let refused = taken.then_some(Failure::AlreadyExists);
                    match self.write(format!("create persistentvolumeclaims {name}"), refused) {
                        Ok(()) => self.event(false, "SuccessfulCreate"),
                        refused => result = refused,
                    }
                }
            }
        }
        result
    }

    /// Returns whether the set and the pod should own the claims of the pod.
    fn wanted(&self, pod: &Seat) -> [bool; 2] {
        let Some(policy) = self.set.retention else {
            return [false; 2];
        };
        let ordinal = ordinal_of(&pod.name);
        let range = self.behaviour.ordinals(self.set);
        let below = self.behaviour.scaled_down_is_two_sided && ordinal < range.start;
        let away = ordinal >= range.end || below;
        match (policy.when_deleted, policy.when_scaled) {
            (Retention::Delete, Retention::Retain) => [true, false],
            (Retention::Retain, Retention::Delete) => [false, away],
            (Retention::Delete, Retention::Delete) => [!away, away],
            _ => [false; 2],
        }
    }

    fn is_stale(&self, owners: &[OwnerReference], pod: &Seat) -> bool {
        let first = |named: &dyn Fn(&OwnerReference) -> bool, uid: &str| {
            let owner = owners.iter().find(|owner| named(owner));
            owner.is_some_and(|owner| *owner.uid != *uid)
        };
        first(&|owner| self.names_set(owner), &self.set.meta.uid)
            || first(&|owner| names_pod(owner, pod), pod.uid())
    }

    fn names_set(&self, owner: &OwnerReference) -> bool {
        owner.names("apps/v1", "StatefulSet", &self.set.meta.name)
    }

    fn has_foreign_controller(&self, owners: &[OwnerReference], pod: &Seat) -> bool {
        let policy = self.set.retention;
        let retains = policy.is_none_or(|policy| {
            [policy.when_deleted, policy.when_scaled] == [Retention::Retain; 2]
        });
        !retains
            && owners.iter().any(|owner| {
                if self.names_set(owner) {
                    owner.uid != self.set.meta.uid
                } else if names_pod(owner, pod) {
                    *owner.uid != *pod.uid()
                } else {
                    owner.controller == Some(true)
                }
            })
    }

    fn is_right(&self, style: ClaimOwners, owners: &[OwnerReference], pod: &Seat) -> bool {
        let has = |uid: &str| owners.iter().any(|owner| *owner.uid == *uid);
        let held = [has(&self.set.meta.uid), has(pod.uid())];
        if style == ClaimOwners::Controlling {
            if self.is_stale(owners, pod) {
                return true;
            }
            if self.has_foreign_controller(owners, pod) {
                return held == [false; 2];
            }
            let plain = |owner: &OwnerReference| owner.controller != Some(true);
            let ours =
                |owner: &OwnerReference| owner.uid == self.set.meta.uid || *owner.uid == *pod.uid();
            if owners.iter().any(|owner| ours(owner) && plain(owner)) {
                return false;
            }
        }
        held == self.wanted(pod)
    }

    fn panics_without_policy(&self) -> bool {
        self.behaviour.missing_retention_panics && self.set.retention.is_none()
    }

    pub(super) fn claims_match(&self, pod: &Seat) -> bool {
        let Some(style) = self.behaviour.claim_owners else {
            return true;
        };
        let names = self.claim_names(pod);
        let mut claims = names.iter().filter_map(|name| self.cache.get(name));
        claims
            .all(|claim| !self.panics_without_policy() && self.is_right(style, &claim.owners, pod))
    }

    pub(super) fn own_claims(&mut self, pod: &Seat) -> Result<()> {
        let Some(style) = self.behaviour.claim_owners else {
            return Ok(());
        };
        for name in self.claim_names(pod) {
            let Some(claim) = self.cache.get(&name) else {
                continue;
            };
            if self.panics_without_policy() {
                return Err(Failure::Panic);
            }
            let owners = claim.owners.clone();
            let controlling = style == ClaimOwners::Controlling;
            let foreign = controlling && self.has_foreign_controller(&owners, pod);
            if foreign {
                self.event(true, "ConflictingController");
            }
            if self.is_right(style, &owners, pod) {
                continue;
            }
            let owners = self.new_owners(style, owners, foreign, pod);
            let shown: Vec<String> = owners
                .iter()
                .map(|owner| format!("{} {}", owner.uid, owner.controller.unwrap_or(false)))
                .collect();
            let nobody = owners.contains(&OwnerReference::default());
            if self.behaviour.edits_cached_claims
                && let Some(cached) = self.cache.get_mut(&name)
            {
                cached.owners = owners;
            }
            self.write(
                format!("update persistentvolumeclaims {name} {shown:?}"),
                nobody.then_some(Failure::Invalid),
            )?;
        }
        Ok(())
    }

    fn new_owners(
        &self,
        style: ClaimOwners,
        owners: Vec<OwnerReference>,
        foreign: bool,
        pod: &Seat,
    ) -> Vec<OwnerReference> {
        let controller = (style == ClaimOwners::Controlling).then_some(true);
        let reference = |api: &str, kind: &str, name: &str, uid: &str| OwnerReference {
            api_version: api.into(),
            kind: kind.into(),
            name: name.into(),
            uid: uid.into(),
            controller,
            block_owner_deletion: controller,
        };
        let set = &self.set.meta;
        let candidates = [
            reference("apps/v1", "StatefulSet", &set.name, &set.uid),
            reference("v1", "Pod", &pod.name, pod.uid()),
        ];
        let wanted = self.wanted(pod);
        let mut new = owners;
        match style {
            ClaimOwners::Controlling => {
                new.retain(|owner| !self.names_set(owner) && !names_pod(owner, pod));
            }
            ClaimOwners::Plain => {
                for (owner, _) in candidates.iter().zip(wanted).filter(|(_, wanted)| !wanted) {
                    // There is room for one reference less: a second one leaves an empty one behind.
                    if let Some(first) = new.iter().position(|one| one.uid == owner.uid) {
                        new.remove(first);
                    }
                    for other in new.iter_mut().filter(|one| one.uid == owner.uid) {
                        *other = OwnerReference::default();
                    }
                }
            }
        }
        for (owner, wanted) in candidates.into_iter().zip(wanted) {
            if wanted && !foreign && new.iter().all(|one| one.uid != owner.uid) {
                new.push(owner);
            }
        }
        new
    }

    pub(super) fn has_stale_claim(&self, pod: &Seat) -> Result<bool> {
        let Some(style) = self.behaviour.claim_owners else {
            return Ok(false);
        };
        if self.panics_without_policy() {
            return Err(Failure::Panic);
        }
        let policy = self.set.retention;
        if policy.is_none_or(|policy| policy.when_scaled == Retention::Retain) {
            return Ok(false);
        }
        let names = self.claim_names(pod);
        let mut claims = names.iter().filter_map(|name| self.cache.get(name));
        Ok(claims.any(|claim| match style {
            ClaimOwners::Controlling => {
                let first = claim.owners.iter().find(|owner| names_pod(owner, pod));
                first.is_some_and(|owner| *owner.uid != *pod.uid())
            }
            ClaimOwners::Plain => claim
                .owners
                .iter()
                .any(|owner| *owner.name == *pod.name && *owner.uid != *pod.uid()),
        }))
    }
}

fn names_pod(owner: &OwnerReference, pod: &Seat) -> bool {
    owner.names("v1", "Pod", &pod.name)
}
