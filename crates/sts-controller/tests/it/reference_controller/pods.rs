//! Operations on one pod.

use sts_controller::object::Volume;

use super::*;

impl Sync<'_> {
    pub(super) fn create(&mut self, pod: &Seat) -> Result<()> {
        let claims = self.make_claims(pod);
        claims.or_else(|failure| self.report("Create", Err(failure)))?;
        let taken = self.stored.contains(&pod.name);
        let line = format!("create pods {} {}", pod.name, pod.revision);
        self.write(line, taken.then_some(Failure::AlreadyExists))?;
        self.stored.insert(pod.name.clone());
        self.made.insert(pod.name.clone());
        let owned = self.own_claims(pod);
        owned.or_else(|failure| self.report("Update", Err(failure)))?;
        self.report("Create", Ok(()))
    }

    pub(super) fn delete(&mut self, pod: &Seat) -> Result<()> {
        let line = format!("delete pods {} {}", pod.name, pod.revision);
        let refused = (!self.stored.contains(&pod.name)).then_some(Failure::NotFound);
        let deleted = self.write(line, refused);
        if deleted.is_ok() {
            // The current owner of the name is deleted, even if another pod was meant.
            let there = self.snapshot.pods.get(&*pod.name);
            let runs = there.is_some_and(|there| {
                there.scheduled && !matches!(there.phase, Phase::Failed | Phase::Succeeded)
            });
            if self.made.remove(&pod.name) || !runs {
                self.stored.remove(&pod.name);
            }
        }
        let tolerated = deleted.is_err() && self.behaviour.delete_tolerates_not_found;
        self.report("Delete", if tolerated { Ok(()) } else { deleted })
    }

    pub(super) fn repair(&mut self, pod: &Seat) -> Result<()> {
        let ordinal = ordinal_of(&pod.name);
        let right = format!("{}-{ordinal}", self.set.meta.name);
        let stored = pod.stored.as_ref();
        let labelled = stored.is_none_or(|pod| {
            let label = pod.meta.labels.get("statefulset.kubernetes.io/pod-name");
            label.is_some_and(|label| *label == pod.meta.name)
        });
        let mut dirty = pod.name != right || !labelled;
        let pod = Seat {
            name: right,
            ..pod.clone()
        };
        let claims = self.claim_names(&pod);
        let templates = self.set.claim_templates.iter().zip(&claims);
        let has_volumes = stored.is_none_or(|stored| {
            templates.clone().all(|(template, claim)| {
                let named = |volume: &&Volume| volume.name == template.name;
                let volume = stored.volumes.iter().rev().find(named);
                volume.is_some_and(|volume| volume.claim.as_deref() == Some(&**claim))
            })
        });
        if !has_volumes {
            dirty = true;
            let made = self.make_claims(&pod);
            made.or_else(|failure| self.report("Update", Err(failure)))?;
        }
        if !self.claims_match(&pod) {
            dirty = true;
            let owned = self.own_claims(&pod);
            owned.or_else(|failure| self.report("Update", Err(failure)))?;
        }
        if !dirty {
            return Ok(());
        }
        let refused = match self.snapshot.pods.get(&*pod.name) {
            _ if self.made.contains(&pod.name) => None,
            _ if !self.stored.contains(&pod.name) => Some(Failure::NotFound),
            Some(there) if !has_volumes || *there.meta.uid != *pod.uid() => Some(Failure::Invalid),
            _ => None,
        };
        let updated = self.write(format!("update pods {}", pod.name), refused);
        self.report("Update", updated)
    }
}
