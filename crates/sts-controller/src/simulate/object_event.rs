//! Events of objects that actors other than the controller and the kubelet cause.

/// An actor in a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
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
    #[strum(serialize = "eviction-api")]
    Eviction,
    /// The node lifecycle controller, including taint eviction, which was part of it until 1.28.
    NodeLifecycle,
}

/// An event of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
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
