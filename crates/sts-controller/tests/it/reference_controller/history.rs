//! The revisions of the set: those in use, and those to delete.

use serde_json::Value;
use sts_controller::apiserver::defaults::default_spec_template;
use sts_controller::controller::{encode_json, hash, revision_data, revision_name};
use sts_controller::version::RevisionEquality;

use super::*;

impl Sync<'_> {
    pub(super) fn truncate_history(
        &mut self,
        listed: &[&Arc<Revision>],
        pods: &[Seat],
    ) -> Result<()> {
        let is_live = |name: &str| {
            name == self.current
                || name == self.update
                || pods.iter().any(|pod| pod.revision == name)
        };
        let unused: Vec<_> = listed
            .iter()
            .filter(|revision| !is_live(&revision.meta.name))
            .collect();
        let excess = match usize::try_from(self.set.revision_history_limit) {
            Ok(limit) => unused.len().saturating_sub(limit),
            Err(_) if self.behaviour.negative_history_limit_keeps_all => 0,
            Err(_) => return Err(Failure::Panic),
        };
        for revision in &unused[..excess] {
            self.write(
                format!("delete controllerrevisions {}", revision.meta.name),
                None,
            )?;
        }
        Ok(())
    }

    /// Sets the names of the current and the update revision. Returns the collision count.
    pub(super) fn determine_revisions(&mut self, listed: &[&Arc<Revision>]) -> Result<i64> {
        let (set, behaviour, status) = (self.set, self.behaviour, &self.snapshot.status);
        let encode = |data: &Value| encode_json(data, behaviour.short_escapes);
        let bytes = encode(&revision_data(
            &set.template,
            behaviour.null_creation_timestamp,
        ));
        let mut collisions = status.collision_count.unwrap_or(0);
        let number_in = |label: Option<&str>| label.and_then(|label| label.parse::<i32>().ok());
        let by_labels = behaviour.revision_equality == RevisionEquality::BytesAndNumericLabels;
        let same = |a: (Option<&str>, &str), b: (Option<&str>, &str)| {
            let numbers = (number_in(a.0), number_in(b.0));
            let apart = matches!(numbers, (Some(a), Some(b)) if a != b);
            !(by_labels && apart) && a.1 == b.1
        };
        let label = |revision: &Revision| {
            let label = revision.meta.labels.get("controller.kubernetes.io/hash");
            label.map(ToString::to_string)
        };
        let first_hash = hash(&bytes, Some(collisions));
        let equal: Vec<_> = listed
            .iter()
            .filter(|revision| {
                same(
                    (label(revision).as_deref(), &encode(revision.data())),
                    (Some(&first_hash), &bytes),
                )
            })
            .collect();
        let last = listed.last();
        let next = last.map_or(1, |last| last.number + 1);
        self.update = match (equal.last(), last) {
            (Some(equal), Some(last))
                if same(
                    (label(last).as_deref(), &encode(last.data())),
                    (label(equal).as_deref(), &encode(equal.data())),
                ) =>
            {
                last.meta.name.to_string()
            }
            (Some(equal), _) => {
                if equal.number != next {
                    self.write(
                        format!("update controllerrevisions {}", equal.meta.name),
                        None,
                    )?;
                }
                equal.meta.name.to_string()
            }
            (None, Some(last))
                if behaviour.revision_equality == RevisionEquality::BytesOrDefaulted && {
                    let template = last.template().unwrap_or(&set.template);
                    let template = default_spec_template(template, &behaviour.defaulting);
                    encode(&revision_data(&template, behaviour.null_creation_timestamp)) == bytes
                } =>
            {
                last.meta.name.to_string()
            }
            (None, _) => loop {
                let name = revision_name(&set.meta.name, &hash(&bytes, Some(collisions)));
                let taken = self.snapshot.revisions.get(&*name);
                let refused = taken.map(|_| Failure::AlreadyExists);
                let created = self.write(format!("create controllerrevisions {name}"), refused);
                if created.is_ok() || taken.is_some_and(|taken| encode(taken.data()) == bytes) {
                    break name;
                }
                collisions += 1;
            },
        };
        let current = listed
            .iter()
            .find(|revision| revision.meta.name == status.current_revision);
        self.current = current.map_or_else(
            || self.update.clone(),
            |current| current.meta.name.to_string(),
        );
        Ok(collisions)
    }
}
