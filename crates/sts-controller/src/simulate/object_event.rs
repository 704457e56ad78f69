//! Events of whole objects that others than the controller and the kubelet cause.

/// An actor in a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter)]
pub enum Actor {
    /// The StatefulSet controller.
    Controller,
    /// The kubelet of a pod.
    Kubelet,
    /// Time alone.
    Clock,
    /// The user.
    User,
    /// The API server itself.
    ApiServer,
    /// The garbage collector.
    GarbageCollector,
    /// The eviction API, on behalf of who drains a node.
    Eviction,
    /// The node lifecycle controller, and the taint eviction that was part of it until 1.28.
    NodeLifecycle,
}

impl Actor {
    /// Its name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Actor::Controller => "controller",
            Actor::Kubelet => "kubelet",
            Actor::Clock => "clock",
            Actor::User => "user",
            Actor::ApiServer => "api-server",
            Actor::GarbageCollector => "garbage-collector",
            Actor::Eviction => "eviction-api",
            Actor::NodeLifecycle => "node-lifecycle",
        }
    }
}

/// An event of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter)]
pub enum ObjectEvent {
    /// A user deletes the set.
    SetDeleted,
    /// The set is gone.
    SetRemoved,
    /// A set of that name is there again.
    SetCreated,
    /// A pod begins to terminate, or goes at once if nothing of it runs.
    PodDeleted,
    /// A pod is not ready any more, since its node does not answer.
    PodNotReady,
    /// A pod loses its reference to the set, and stays.
    PodOrphaned,
    /// A claim is deleted, but stays as long as a pod uses it.
    ClaimDeleted,
    /// A claim loses its reference to the set, and stays.
    ClaimOrphaned,
    /// A claim asks for more storage.
    ClaimResizing,
    /// A claim has the storage that it asks for, and so has the file system of its volume.
    ClaimResized,
    /// A revision goes.
    RevisionRemoved,
    /// A revision loses its reference to the set, and stays.
    RevisionOrphaned,
}

impl ObjectEvent {
    /// The event's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ObjectEvent::SetDeleted => "SetDeleted",
            ObjectEvent::SetRemoved => "SetRemoved",
            ObjectEvent::SetCreated => "SetCreated",
            ObjectEvent::PodDeleted => "PodDeleted",
            ObjectEvent::PodNotReady => "PodNotReady",
            ObjectEvent::PodOrphaned => "PodOrphaned",
            ObjectEvent::ClaimDeleted => "ClaimDeleted",
            ObjectEvent::ClaimOrphaned => "ClaimOrphaned",
            ObjectEvent::ClaimResizing => "ClaimResizing",
            ObjectEvent::ClaimResized => "ClaimResized",
            ObjectEvent::RevisionRemoved => "RevisionRemoved",
            ObjectEvent::RevisionOrphaned => "RevisionOrphaned",
        }
    }
}
