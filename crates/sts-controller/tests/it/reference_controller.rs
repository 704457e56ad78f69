//! A second, plain implementation of the controller. It looks at every pod in every sync, one by one, keeps nothing,
//! and skips nothing.
//!
//! Its result is the requests without their bodies (names, revisions, owners and refusals), the events and the status.

mod claims;
mod compare;
mod history;
mod pass;
mod pods;
mod recreate;
mod update;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use sts_controller::controller::{is_member, list_revisions, ordinal_of};
use sts_controller::object::{
    OwnerReference, Phase, Pod, Retention, Revision, Set, Snapshot, Status, Strategy,
};
use sts_controller::version::{
    Behaviour, ClaimOwners, Completion, FinishedPods, OwnedBy, PassStyle, Recreate, StatusOnError,
    UpdateWaitsFor,
};

/// Requests and events of a sync.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SyncResult {
    pub writes: Vec<String>,
    /// Types and reasons.
    pub events: Vec<String>,
    pub status: Option<Value>,
    pub failed: bool,
    /// True if the controller manager has crashed. The result ends there.
    pub panicked: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Failure {
    NotFound,
    AlreadyExists,
    Invalid,
    /// An error that no API server returns.
    Other,
    Panic,
}

type Result<T> = std::result::Result<T, Failure>;

/// A pod in its slot: stored, or in memory only.
#[derive(Debug, Clone)]
struct Seat {
    name: String,
    revision: String,
    stored: Option<Arc<Pod>>,
}

impl Seat {
    fn of(pod: &Arc<Pod>) -> Self {
        Seat {
            name: pod.meta.name.to_string(),
            revision: pod.revision.to_string(),
            stored: Some(Arc::clone(pod)),
        }
    }

    fn phase(&self) -> Phase {
        self.stored.as_ref().map_or(Phase::Unset, |pod| pod.phase)
    }

    fn created(&self) -> bool {
        self.phase() != Phase::Unset
    }

    fn terminating(&self) -> bool {
        self.stored
            .as_ref()
            .is_some_and(|pod| pod.meta.deleted.is_some())
    }

    fn ready(&self) -> bool {
        let ready = self.stored.as_ref().and_then(|pod| pod.ready);
        ready.is_some_and(|ready| ready.is_true)
    }

    fn running_and_ready(&self) -> bool {
        self.phase() == Phase::Running && self.ready()
    }

    fn uid(&self) -> &str {
        self.stored.as_ref().map_or("", |pod| &*pod.meta.uid)
    }
}

struct Cached {
    terminating: bool,
    owners: Vec<OwnerReference>,
}

#[derive(Default)]
struct Counters {
    replicas: i64,
    ready: i64,
    available: i64,
    current: i64,
    updated: i64,
}

struct Sync<'s> {
    snapshot: &'s Snapshot,
    set: &'s Set,
    behaviour: &'s Behaviour,
    now: Timestamp,
    result: SyncResult,
    /// The pods at the server, and those that this sync has created.
    stored: BTreeSet<String>,
    made: BTreeSet<String>,
    cache: BTreeMap<String, Cached>,
    server_claims: BTreeSet<String>,
    current: String,
    update: String,
    slots: Vec<Seat>,
    condemned: Vec<Seat>,
    first_unhealthy: Option<String>,
    counters: Counters,
    /// Number that the update subtracted from the counter while the status was written from inside the pass.
    lost: i64,
    /// `status.conditions`.
    conditions: Option<Value>,
}

/// Returns the requests and events of one sync of this controller.
pub fn sync(snapshot: &Snapshot, now: Timestamp, behaviour: &Behaviour) -> SyncResult {
    let cache = snapshot.claims.iter().map(|(name, claim)| {
        let cached = Cached {
            terminating: claim.meta.deleted.is_some(),
            owners: claim.meta.owner_references.to_vec(),
        };
        (name.to_string(), cached)
    });
    let mut sync = Sync {
        snapshot,
        set: &snapshot.set,
        behaviour,
        now,
        result: SyncResult::default(),
        stored: snapshot.pods.keys().map(ToString::to_string).collect(),
        made: BTreeSet::new(),
        cache: cache.collect(),
        server_claims: snapshot.claims.keys().map(ToString::to_string).collect(),
        current: String::new(),
        update: String::new(),
        slots: Vec::new(),
        condemned: Vec::new(),
        first_unhealthy: None,
        counters: Counters::default(),
        lost: 0,
        conditions: None,
    };
    let result = sync.run();
    sync.result.failed = result.is_err();
    sync.result.panicked = result == Err(Failure::Panic);
    sync.result
}

impl Sync<'_> {
    fn write(&mut self, what: String, refused: Option<Failure>) -> Result<()> {
        self.result.writes.push(match refused {
            None => what,
            Some(failure) => format!("{what} {failure:?}"),
        });
        refused.map_or(Ok(()), Err)
    }

    fn event(&mut self, warning: bool, reason: &str) {
        let kind = if warning { "Warning" } else { "Normal" };
        self.result.events.push(format!("{kind} {reason}"));
    }

    /// Records the event about the result of an operation on a pod.
    fn report(&mut self, done: &str, result: Result<()>) -> Result<()> {
        match result {
            Ok(()) => self.event(false, &format!("Successful{done}")),
            Err(_) => self.event(true, &format!("Failed{done}")),
        }
        result
    }

    fn run(&mut self) -> Result<()> {
        let (set, behaviour) = (self.set, self.behaviour);
        let listed = list_revisions(self.snapshot, behaviour);
        let orphans: Vec<_> = listed
            .iter()
            .filter(|revision| revision.meta.controller().is_none())
            .collect();
        if !orphans.is_empty() && set.is_terminating() {
            return Err(Failure::Other);
        }
        for orphan in orphans {
            self.write(
                format!("patch controllerrevisions {}", orphan.meta.name),
                None,
            )?;
        }
        let mut pods: Vec<Seat> = Vec::new();
        for pod in self.snapshot.pods.values() {
            let selector = set.selector.as_ref();
            let matches = selector.is_some_and(|selector| selector.matches(&pod.meta.labels))
                && is_member(set, &pod.meta.name);
            match pod.meta.controller() {
                Some(owner) if !is_set(owner, set, behaviour.owned_by) => {}
                Some(_) if matches => pods.push(Seat::of(pod)),
                Some(_) if set.is_terminating() => {}
                Some(_) => self.write(format!("patch pods {}", pod.meta.name), None)?,
                None if set.is_terminating() || pod.meta.deleted.is_some() || !matches => {}
                None => {
                    self.write(format!("patch pods {}", pod.meta.name), None)?;
                    pods.push(Seat::of(pod));
                }
            }
        }
        let updated = self.perform_update(&listed, &pods);
        if updated == Err(Failure::Panic) {
            return updated;
        }
        let truncated = self.truncate_history(&listed, &pods);
        match (updated, truncated) {
            (_, Err(Failure::Panic)) => Err(Failure::Panic),
            (Ok(()), other) => other,
            (error, _) => error,
        }
    }

    fn perform_update(&mut self, listed: &[&Arc<Revision>], pods: &[Seat]) -> Result<()> {
        let collisions = self.determine_revisions(listed)?;
        if matches!(self.set.strategy, Strategy::Recreate(_))
            && self.behaviour.recreate == Recreate::Refused
        {
            self.event(true, "UnknownStrategy");
            return Err(Failure::Other);
        }
        if self.behaviour.keeps_conditions {
            let stored = self.snapshot.status.conditions.as_deref();
            self.conditions = stored.cloned();
        }
        let result = self.pass(pods);
        if self.behaviour.status_on_error == StatusOnError::WrittenInside {
            self.counters.current += self.lost;
        }
        // Deferred work inside the pass is done even after an error.
        match (result, self.behaviour.status_on_error) {
            (Err(_), StatusOnError::NotWritten)
            | (Err(Failure::Panic), StatusOnError::WrittenAfter) => return result,
            _ => {}
        }
        let written = self.write_status(collisions);
        result.and(written)
    }

    fn write_status(&mut self, collisions: i64) -> Result<()> {
        let (set, behaviour, stored) = (self.set, self.behaviour, &self.snapshot.status);
        let counters = &self.counters;
        let mut status = Status {
            observed_generation: set.generation,
            replicas: counters.replicas,
            ready_replicas: counters.ready,
            current_replicas: counters.current,
            updated_replicas: counters.updated,
            available_replicas: if behaviour.available_replicas {
                counters.available
            } else {
                0
            },
            current_revision: Arc::from(&*self.current),
            update_revision: Arc::from(&*self.update),
            collision_count: Some(collisions),
            conditions: None,
        };
        let wanted = match behaviour.completion {
            Completion::AgainstStatus => status.replicas,
            Completion::AgainstSpec | Completion::WhateverStrategy => i64::from(set.replicas),
        };
        let any = behaviour.completion == Completion::WhateverStrategy;
        if (any || matches!(set.strategy, Strategy::RollingUpdate(_)))
            && [
                status.updated_replicas,
                status.ready_replicas,
                status.replicas,
            ] == [wanted; 3]
        {
            if self.recreates() && status.current_revision != status.update_revision {
                self.progress(
                    "False",
                    "RecreateCompleted",
                    "All pods recreated successfully",
                );
            }
            status.current_replicas = status.updated_replicas;
            status.current_revision = Arc::clone(&status.update_revision);
        }
        status.conditions = self.conditions.clone().map(Arc::new);
        if behaviour.max_unavailable_is_measured {
            self.max_unavailable()?;
        }
        let counts = |status: &Status| {
            [
                status.replicas,
                status.ready_replicas,
                status.current_replicas,
                status.updated_replicas,
                if behaviour.available_replicas {
                    status.available_replicas
                } else {
                    0
                },
            ]
        };
        if status.observed_generation > stored.observed_generation
            || counts(&status) != counts(stored)
            || status.current_revision != stored.current_revision
            || status.update_revision != stored.update_revision
        {
            self.result.status = Some(status.to_json(true));
            self.write(
                format!("update statefulsets/status {}", set.meta.name),
                None,
            )?;
        }
        Ok(())
    }
}

fn is_set(owner: &OwnerReference, set: &Set, by: OwnedBy) -> bool {
    owner.uid == set.meta.uid
        && (by == OwnedBy::Uid || (&*owner.kind == "StatefulSet" && owner.name == set.meta.name))
}
