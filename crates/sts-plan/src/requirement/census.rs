//! How many pods of a set are how, kept up as things happen.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Quantity;
use crate::plan::owns;
use sts_controller::controller::Resource;
use sts_controller::object::Pod;
use sts_controller::simulate::{Action, Step, World};

/// What counts of one pod.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Standing {
    ready: bool,
    available: bool,
    terminating: bool,
    revision: Arc<str>,
}

/// How many of a set's pods are how.
#[derive(Debug, Default)]
pub struct Census {
    pods: BTreeMap<Arc<str>, Standing>,
    ready: i64,
    available: i64,
    terminating: i64,
    revisions: BTreeMap<Arc<str>, i64>,
}

impl Census {
    /// Counts a world's pods.
    #[must_use]
    pub fn of(world: &World) -> Self {
        let mut census = Census::default();
        for name in world.snapshot().pods.keys() {
            census.look_at(world, name);
        }
        census
    }

    /// Counts anew what these steps may have changed.
    pub fn update(&mut self, world: &World, steps: &[Step]) {
        for step in steps {
            match &step.action {
                Action::Controller(writes) => {
                    let pods = writes
                        .iter()
                        .filter(|write| write.resource == Resource::Pods);
                    for write in pods {
                        self.look_at(world, &write.name);
                    }
                }
                Action::Pod(_, name) | Action::Object(.., name) => self.look_at(world, name),
                Action::ClaimRemoved(_) => {}
            }
        }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self, quantity: Quantity, world: &World) -> i64 {
        let wanted = i64::from(world.snapshot().set.replicas);
        let many = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        match quantity {
            Quantity::Ready => self.ready,
            Quantity::Available => self.available,
            Quantity::Unavailable => (wanted - self.available).max(0),
            Quantity::Terminating => self.terminating,
            Quantity::Replicas => many(self.pods.len()),
            Quantity::Updated => {
                let update = &world.snapshot().status.update_revision;
                self.revisions.get(update).copied().unwrap_or(0)
            }
            Quantity::RevisionMix => many(self.revisions.len()),
        }
    }

    fn look_at(&mut self, world: &World, name: &Arc<str>) {
        let snapshot = world.snapshot();
        let pod = snapshot.pods.get(name).filter(|pod| owns(snapshot, pod));
        let standing = pod.map(|pod| standing(pod, world));
        let old = match &standing {
            Some(standing) => self.pods.insert(Arc::clone(name), standing.clone()),
            None => self.pods.remove(name),
        };
        for (standing, one) in [(old, -1), (standing, 1)] {
            if let Some(standing) = standing {
                self.add(&standing, one);
            }
        }
    }

    fn add(&mut self, standing: &Standing, one: i64) {
        self.ready += one * i64::from(standing.ready);
        self.available += one * i64::from(standing.available);
        self.terminating += one * i64::from(standing.terminating);
        let revision = Arc::clone(&standing.revision);
        let of_revision = self.revisions.entry(revision).or_default();
        *of_revision += one;
        if *of_revision == 0 {
            self.revisions.remove(&standing.revision);
        }
    }
}

fn standing(pod: &Pod, world: &World) -> Standing {
    let serves = pod.is_running_and_ready() && !pod.is_terminating();
    let min_ready = world.snapshot().set.min_ready_seconds;
    Standing {
        ready: serves,
        available: serves && pod.is_available(min_ready, world.now()),
        terminating: pod.is_terminating(),
        revision: Arc::clone(&pod.revision),
    }
}
