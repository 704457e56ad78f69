//! The API server's responses to the requests of one sync.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::kubelet::Forbidden;
use super::verdict::PodVerdicts;
use crate::apiserver::validation::status_refusal;
use crate::controller::{ApiServer, Body, Refusal, RefusalReason, Resource, Verb, Write};
use crate::object::{Claim, OwnerReference, Pod, Revision, Snapshot, Status};
use crate::version::Behaviour;

/// A server that holds the objects of a snapshot, and tracks the changes of one sync.
pub struct FakeApiServer<'s> {
    snapshot: &'s Snapshot,
    /// Pods and claims whose creation is forbidden.
    forbidden: Option<&'s Forbidden>,
    /// The version whose rules validate new pods.
    validates_pods: Option<&'s Behaviour>,
    /// Validation results so far.
    pub(super) verdicts: PodVerdicts,
    /// The version whose rules validate statuses.
    validates_statuses: Option<&'s Behaviour>,
    /// True if the controller's cache shows a claim to the sync that wrote it.
    shows_written_claims: bool,
    created_pods: BTreeMap<Arc<str>, Arc<Pod>>,
    removed_pods: BTreeSet<Arc<str>>,
    created_claims: BTreeSet<Arc<str>>,
    created_revisions: BTreeMap<Arc<str>, Arc<Revision>>,
    removed_revisions: BTreeSet<Arc<str>>,
}

impl<'s> FakeApiServer<'s> {
    /// Returns a server with these objects, which validates nothing.
    #[must_use]
    pub fn new(snapshot: &'s Snapshot) -> Self {
        FakeApiServer {
            snapshot,
            forbidden: None,
            validates_pods: None,
            verdicts: PodVerdicts::default(),
            validates_statuses: None,
            shows_written_claims: false,
            created_pods: BTreeMap::new(),
            removed_pods: BTreeSet::new(),
            created_claims: BTreeSet::new(),
            created_revisions: BTreeMap::new(),
            removed_revisions: BTreeSet::new(),
        }
    }

    /// Returns the server with the creation of these pods and claims forbidden.
    #[must_use]
    pub fn forbidding(self, forbidden: &'s Forbidden) -> Self {
        FakeApiServer {
            forbidden: Some(forbidden),
            ..self
        }
    }

    /// Returns the server with validation of new pods by that version's rules.
    #[must_use]
    pub fn validating_pods(self, by: &'s Behaviour) -> Self {
        FakeApiServer {
            validates_pods: Some(by),
            ..self
        }
    }

    /// Returns the server with earlier validation results.
    pub(super) fn remembering(self, verdicts: PodVerdicts) -> Self {
        FakeApiServer { verdicts, ..self }
    }

    /// Returns the server with validation of statuses by that version's rules. The servers of the recordings validate
    /// none.
    #[must_use]
    pub fn validating_statuses(self, by: &'s Behaviour) -> Self {
        FakeApiServer {
            validates_statuses: Some(by),
            ..self
        }
    }

    /// Returns the server in front of a cache that shows a sync the claims it has written.
    #[must_use]
    pub fn showing_written_claims(self) -> Self {
        FakeApiServer {
            shows_written_claims: true,
            ..self
        }
    }

    /// Returns the refusal of an invalid new pod. A stored pod without a phase, which the controller treats as new, was
    /// validated when it was created.
    fn invalid_pod(&mut self, pod: &Pod) -> Option<Refusal> {
        pod.template()?;
        let words = self.verdicts.refusal(pod, self.validates_pods?)?;
        Some(Refusal::Invalid(words.to_string()))
    }

    /// Returns the refusal of an invalid new status.
    fn invalid_status(&self, status: &Status) -> Option<Refusal> {
        let rules = &self.validates_statuses?.validation;
        let Snapshot {
            set, status: old, ..
        } = self.snapshot;
        status_refusal(&set.meta.name, old, status, rules).map(Refusal::Invalid)
    }

    fn pod(&self, name: &str) -> Option<&Arc<Pod>> {
        self.created_pods.get(name).or_else(|| {
            self.snapshot
                .pods
                .get(name)
                .filter(|_| !self.removed_pods.contains(name))
        })
    }

    fn submit_pod(&mut self, write: &Write) -> Result<(), Refusal> {
        let name = &write.name;
        if let (Verb::Create, Body::Pod(pod)) = (write.verb, &write.body)
            && let Some(refusal) = self.invalid_pod(pod)
        {
            return Err(refusal);
        }
        let stored = self.pod(name).map(Arc::clone);
        let refuse = |refusal: fn(&'static str, Arc<str>) -> Refusal| {
            Err(refusal(Resource::Pods.name(), Arc::clone(name)))
        };
        match (write.verb, stored, &write.body) {
            (Verb::Create, Some(_), _) => refuse(already_exists),
            (Verb::Create, None, Body::Pod(pod)) => {
                if let Some(words) = self.forbidden.and_then(|it| it.pods.get(name)) {
                    return Err(Refusal::Forbidden(Arc::clone(words)));
                }
                self.created_pods.insert(Arc::clone(name), Arc::clone(pod));
                Ok(())
            }
            (Verb::Create, None, _) => Ok(()),
            (_, None, _) => refuse(not_found),
            (Verb::Update, Some(stored), Body::Pod(pod))
                if !self.created_pods.contains_key(name) && is_forbidden_update(&stored, pod) =>
            {
                Err(Refusal::Invalid(format!(
                    "Pod {:?} is invalid: spec: Forbidden: pod updates may not change fields other \
                     than `spec.containers[*].image`, `spec.initContainers[*].image`, \
                     `spec.activeDeadlineSeconds`, `spec.tolerations` (only additions to existing \
                     tolerations) or `spec.terminationGracePeriodSeconds`",
                    &**name
                )))
            }
            (Verb::Delete, Some(stored), _) => {
                // A pod that this sync created has no node yet, so it is removed at once as well.
                if !stored.has_finalizers
                    && self.created_pods.remove(name).is_none()
                    && is_removed_at_once(&stored)
                {
                    self.removed_pods.insert(Arc::clone(name));
                }
                Ok(())
            }
            (Verb::Update | Verb::Patch, Some(_), _) => Ok(()),
        }
    }

    fn submit_claim(&mut self, write: &Write) -> Result<(), Refusal> {
        let name = &write.name;
        if let (Verb::Create, Body::Claim(claim)) = (write.verb, &write.body)
            && self.validates_pods.is_some()
            && claim.meta.has_stored_version()
        {
            return Err(Refusal::Other {
                reason: RefusalReason::Unknown,
                message: Arc::from("resourceVersion should not be set on objects to be created"),
            });
        }
        let exists = self.snapshot.claims.contains_key(name) || self.created_claims.contains(name);
        match (write.verb, exists) {
            (Verb::Create, true) => Err(already_exists(Resource::Claims.name(), Arc::clone(name))),
            (Verb::Create, false) => {
                if let Some(words) = self.forbidden.and_then(|it| it.claims.get(name)) {
                    return Err(Refusal::Forbidden(Arc::clone(words)));
                }
                self.created_claims.insert(Arc::clone(name));
                Ok(())
            }
            (_, false) => Err(not_found(Resource::Claims.name(), Arc::clone(name))),
            (_, true) => match &write.body {
                Body::Claim(claim) => {
                    owner_error(claim).map_or(Ok(()), |error| Err(Refusal::Invalid(error)))
                }
                _ => Ok(()),
            },
        }
    }

    fn submit_revision(&mut self, write: &Write) -> Result<(), Refusal> {
        let name = &write.name;
        match (write.verb, self.revision(name), &write.body) {
            (Verb::Create, Some(_), _) => {
                Err(already_exists(Resource::Revisions.name(), Arc::clone(name)))
            }
            (Verb::Create, None, Body::Revision(revision)) => {
                self.created_revisions
                    .insert(Arc::clone(name), Arc::clone(revision));
                Ok(())
            }
            (Verb::Create, None, _) => Ok(()),
            (_, None, _) => Err(not_found(Resource::Revisions.name(), Arc::clone(name))),
            (Verb::Delete, Some(_), _) => {
                self.removed_revisions.insert(Arc::clone(name));
                Ok(())
            }
            (_, Some(_), _) => Ok(()),
        }
    }
}

impl ApiServer for FakeApiServer<'_> {
    fn submit(&mut self, write: &Write) -> Result<(), Refusal> {
        match write.resource {
            Resource::Pods => self.submit_pod(write),
            Resource::Claims => self.submit_claim(write),
            Resource::Revisions => self.submit_revision(write),
            Resource::Status => match &write.body {
                Body::Status(status, _) => self.invalid_status(status).map_or(Ok(()), Err),
                _ => Ok(()),
            },
        }
    }

    fn revision(&self, name: &str) -> Option<Arc<Revision>> {
        let stored = || {
            self.snapshot
                .revisions
                .get(name)
                .filter(|_| !self.removed_revisions.contains(name))
        };
        self.created_revisions
            .get(name)
            .or_else(stored)
            .map(Arc::clone)
    }

    fn shows_written_claims(&self) -> bool {
        self.shows_written_claims
    }
}

fn already_exists(resource: &'static str, name: Arc<str>) -> Refusal {
    Refusal::AlreadyExists { resource, name }
}

fn not_found(resource: &'static str, name: Arc<str>) -> Refusal {
    Refusal::NotFound { resource, name }
}

/// Reports whether a deleted pod is removed at once: it has no node or has finished, and no finalizers.
pub(super) fn is_removed_at_once(pod: &Pod) -> bool {
    !pod.has_finalizers && (!pod.scheduled || pod.phase.has_ended())
}

/// Returns an error if one of a claim's owners is empty.
fn owner_error(claim: &Claim) -> Option<String> {
    let owners = &claim.meta.owner_references;
    let empty = OwnerReference::default();
    let at = owners.iter().position(|owner| *owner == empty)?;
    Some(format!(
        "PersistentVolumeClaim {:?} is invalid: metadata.ownerReferences[{at}].uid: Invalid value: \"\": must \
         not be empty",
        &*claim.meta.name
    ))
}

/// Reports whether an update would change an immutable field: the volumes or the uid.
fn is_forbidden_update(stored: &Pod, sent: &Pod) -> bool {
    stored.volumes != sent.volumes || stored.meta.uid != sent.meta.uid
}
