//! Events of objects that actors other than the controller and the kubelet cause.

/// An actor in a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter)]
pub enum Actor {
    /// The StatefulSet controller.
    Controller,
    /// The kubelet of a pod.
    Kubelet,
    /// The passage of time.
    Clock,
    /// The user.
    User,
    /// The API server itself.
    ApiServer,
    /// The garbage collector.
    GarbageCollector,
    /// The eviction API, on behalf of a user who drains a node.
    Eviction,
    /// The node lifecycle controller, including taint eviction, which was part of it until 1.28.
    NodeLifecycle,
}

impl Actor {
    /// Returns the actor's name in the output.
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
    /// The set is deleted by a user.
    SetDeleted,
    /// The set is gone.
    SetRemoved,
    /// A set of that name exists again.
    SetCreated,
    /// A pod begins to terminate, or is removed at once if none of its containers run.
    PodDeleted,
    /// A pod becomes not ready, since its node does not respond.
    PodNotReady,
    /// A pod loses its reference to the set, and stays.
    PodOrphaned,
    /// A claim is deleted, but stays while a pod uses it.
    ClaimDeleted,
    /// A claim loses its reference to the set, and stays.
    ClaimOrphaned,
    /// A claim requests more storage.
    ClaimResizing,
    /// A claim and its file system have reached the requested size.
    ClaimResized,
    /// A revision is removed.
    RevisionRemoved,
    /// A revision loses its reference to the set, and stays.
    RevisionOrphaned,
}

impl ObjectEvent {
    /// Returns the event's name in the output.
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
