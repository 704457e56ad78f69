//! Object that a cause is about.

use std::fmt;

use super::{CauseKind, WaitsIn};
use crate::foresight::Foreseen;

/// The object that a cause is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CauseSubject<'c> {
    /// A container of the pod.
    Container(&'c str),
    /// An image.
    Image(&'c str),
    /// A node.
    Node(&'c str),
    /// A scheduler.
    Scheduler(&'c str),
    /// A quota.
    Quota(&'c str),
    /// The finalizers of the pod.
    Finalizers(&'c [String]),
    /// The zones that the pod's volumes are bound to.
    Zones(&'c [String]),
    /// Another object, such as `ConfigMap web`.
    Object(&'c str),
    /// The pod alone.
    Pod,
}

impl fmt::Display for CauseSubject<'_> {
    /// Writes the subject as a key: `node/n-1`. The pod has none.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CauseSubject::Container(name) => write!(out, "container/{name}"),
            CauseSubject::Image(image) => write!(out, "image/{image}"),
            CauseSubject::Node(name) => write!(out, "node/{name}"),
            CauseSubject::Scheduler(name) => write!(out, "scheduler/{name}"),
            CauseSubject::Quota(name) => write!(out, "resourcequota/{name}"),
            CauseSubject::Finalizers(names) | CauseSubject::Zones(names) => {
                write!(out, "{}", names.join(","))
            }
            CauseSubject::Object(name) => write!(out, "{name}"),
            CauseSubject::Pod => Ok(()),
        }
    }
}

impl CauseKind {
    /// Returns the object that the cause is about.
    #[must_use]
    pub fn subject(&self) -> CauseSubject<'_> {
        match self {
            CauseKind::CrashLoop(failure)
            | CauseKind::OutOfMemory(failure)
            | CauseKind::ContainerConfig(failure) => CauseSubject::Container(&failure.container),
            CauseKind::ImagePull(failure) => CauseSubject::Image(&failure.image),
            CauseKind::NodeLost { node, .. }
            | CauseKind::NodeNotReady { node, .. }
            | CauseKind::NotTakenUp {
                node: Some(node), ..
            } => CauseSubject::Node(node),
            CauseKind::NotTakenUp {
                node: None,
                scheduler,
            } => CauseSubject::Scheduler(scheduler),
            CauseKind::Quota { name, .. } => CauseSubject::Quota(name),
            CauseKind::Finalizers(names) => CauseSubject::Finalizers(names),
            CauseKind::Unschedulable { zones, .. } => CauseSubject::Zones(zones),
            CauseKind::Foreseen(Foreseen::MissingConfig { object, .. }) => {
                CauseSubject::Object(object)
            }
            CauseKind::Volume { .. }
            | CauseKind::Terminating
            | CauseKind::Refused { .. }
            | CauseKind::DeletionRefused { .. }
            | CauseKind::Rejected { .. }
            | CauseKind::ClaimDeleted { .. }
            | CauseKind::Starting { .. }
            | CauseKind::Foreseen(_)
            | CauseKind::NotReady { .. } => CauseSubject::Pod,
        }
    }

    /// Returns the container at fault, if there is one.
    #[must_use]
    pub fn container(&self) -> Option<&str> {
        match self {
            CauseKind::ImagePull(failure) => Some(&failure.container),
            CauseKind::NotReady { containers } => containers.first().map(String::as_str),
            CauseKind::Starting { waits_in } => Some(match waits_in {
                WaitsIn::InitContainer(name) | WaitsIn::Container { name, .. } => name,
            }),
            kind => match kind.subject() {
                CauseSubject::Container(name) => Some(name),
                _ => None,
            },
        }
    }
}
