//! The recorder of all writes of a sync.

use std::sync::Arc;

use super::event::Event;
use super::hold::Hold;
use super::write::{ApiServer, Body, DeleteReason, Refusal, Resource, Verb, Write};
use crate::object::{Claim, Pod, Revision};

/// All requests, events and holds of one sync, in order.
pub(super) struct Recorder<'a> {
    server: &'a mut dyn ApiServer,
    /// True if events and holds are recorded. The simulator does without them between quiescent states.
    pub(super) detailed: bool,
    pub(super) writes: Vec<Write>,
    pub(super) events: Vec<Event>,
    pub(super) holds: Vec<Hold>,
    /// Number of pods that were looked at one by one.
    pub(super) looked_at: u64,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(server: &'a mut dyn ApiServer, detailed: bool) -> Self {
        Recorder {
            server,
            detailed,
            writes: Vec::new(),
            events: Vec::new(),
            holds: Vec::new(),
            looked_at: 0,
        }
    }

    /// Sends a request and records it, with the refusal if there is one.
    pub(super) fn send(
        &mut self,
        verb: Verb,
        resource: Resource,
        name: &Arc<str>,
        body: Body,
    ) -> Result<(), Refusal> {
        self.submit(Write {
            verb,
            resource,
            name: Arc::clone(name),
            body,
            reason: None,
            claimed_by: None,
            refused: None,
        })
    }

    fn submit(&mut self, mut write: Write) -> Result<(), Refusal> {
        let answer = self.server.submit(&write);
        write.refused = answer.as_ref().err().cloned();
        self.writes.push(write);
        answer
    }

    pub(super) fn create_pod(&mut self, pod: &Arc<Pod>) -> Result<(), Refusal> {
        self.send(
            Verb::Create,
            Resource::Pods,
            &pod.meta.name,
            Body::Pod(Arc::clone(pod)),
        )
    }

    pub(super) fn update_pod(&mut self, pod: &Arc<Pod>) -> Result<(), Refusal> {
        self.send(
            Verb::Update,
            Resource::Pods,
            &pod.meta.name,
            Body::Pod(Arc::clone(pod)),
        )
    }

    pub(super) fn delete_pod(
        &mut self,
        pod: &Arc<Pod>,
        reason: DeleteReason,
    ) -> Result<(), Refusal> {
        self.submit(Write {
            verb: Verb::Delete,
            resource: Resource::Pods,
            name: Arc::clone(&pod.meta.name),
            body: Body::Pod(Arc::clone(pod)),
            reason: Some(reason),
            claimed_by: None,
            refused: None,
        })
    }

    pub(super) fn delete_revision(&mut self, revision: &Arc<Revision>) -> Result<(), Refusal> {
        self.submit(Write {
            verb: Verb::Delete,
            resource: Resource::Revisions,
            name: Arc::clone(&revision.meta.name),
            body: Body::Revision(Arc::clone(revision)),
            reason: Some(DeleteReason::HistoryLimit),
            claimed_by: None,
            refused: None,
        })
    }

    pub(super) fn create_claim(
        &mut self,
        claim: &Arc<Claim>,
        pod: &Arc<Pod>,
    ) -> Result<(), Refusal> {
        self.submit(Write {
            verb: Verb::Create,
            resource: Resource::Claims,
            name: Arc::clone(&claim.meta.name),
            body: Body::Claim(Arc::clone(claim)),
            reason: None,
            claimed_by: Some(Arc::clone(pod)),
            refused: None,
        })
    }

    pub(super) fn update_claim(&mut self, claim: &Arc<Claim>) -> Result<(), Refusal> {
        self.send(
            Verb::Update,
            Resource::Claims,
            &claim.meta.name,
            Body::Claim(Arc::clone(claim)),
        )
    }

    pub(super) fn send_revision(
        &mut self,
        verb: Verb,
        revision: &Arc<Revision>,
    ) -> Result<(), Refusal> {
        let body = Body::Revision(Arc::clone(revision));
        self.send(verb, Resource::Revisions, &revision.meta.name, body)
    }

    /// Reports whether the cache has the claims that this sync wrote.
    pub(super) fn shows_written_claims(&self) -> bool {
        self.server.shows_written_claims()
    }

    /// Returns the stored revision of that name, read past the cache.
    pub(super) fn live_revision(&self, name: &str) -> Option<Arc<Revision>> {
        self.server.revision(name)
    }

    /// Records an event. Its message is only built in detailed mode.
    pub(super) fn event(&mut self, event: impl FnOnce() -> Event) {
        if self.detailed {
            self.events.push(event());
        }
    }

    /// Records the reason that the sync stops or skips.
    pub(super) fn hold(&mut self, hold: impl FnOnce() -> Hold) {
        if self.detailed {
            self.holds.push(hold());
        }
    }
}
