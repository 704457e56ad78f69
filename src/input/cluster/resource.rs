//! The kinds that are asked of a cluster, by where the API serves them.

use std::fmt;

/// A kind of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resource {
    /// Its group; empty for the core.
    pub group: &'static str,
    /// Its version.
    pub version: &'static str,
    /// Its name in paths and in rules of access.
    pub plural: &'static str,
    /// Its name in manifests.
    pub kind: &'static str,
    /// Whether its objects are in namespaces.
    pub namespaced: bool,
}

impl Resource {
    /// StatefulSets.
    pub const SETS: Resource = Resource::in_namespaces("apps", "v1", "statefulsets", "StatefulSet");
    /// Pods.
    pub const PODS: Resource = Resource::in_namespaces("", "v1", "pods", "Pod");
    /// PersistentVolumeClaims.
    pub const CLAIMS: Resource =
        Resource::in_namespaces("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim");
    /// ControllerRevisions.
    pub const REVISIONS: Resource =
        Resource::in_namespaces("apps", "v1", "controllerrevisions", "ControllerRevision");
    /// PodDisruptionBudgets.
    pub const BUDGETS: Resource = Resource::in_namespaces(
        "policy",
        "v1",
        "poddisruptionbudgets",
        "PodDisruptionBudget",
    );
    /// PodDisruptionBudgets as servers before 1.21 have them.
    pub const OLD_BUDGETS: Resource = Resource::in_namespaces(
        "policy",
        "v1beta1",
        "poddisruptionbudgets",
        "PodDisruptionBudget",
    );
    /// Services.
    pub const SERVICES: Resource = Resource::in_namespaces("", "v1", "services", "Service");
    /// HorizontalPodAutoscalers, in the version that every server has.
    pub const AUTOSCALERS: Resource = Resource::in_namespaces(
        "autoscaling",
        "v1",
        "horizontalpodautoscalers",
        "HorizontalPodAutoscaler",
    );
    /// Events.
    pub const EVENTS: Resource = Resource::in_namespaces("", "v1", "events", "Event");
    /// Namespaces.
    pub const NAMESPACES: Resource = Resource::of_cluster("", "namespaces", "Namespace");
    /// Nodes.
    pub const NODES: Resource = Resource::of_cluster("", "nodes", "Node");
    /// PersistentVolumes.
    pub const VOLUMES: Resource = Resource::of_cluster("", "persistentvolumes", "PersistentVolume");
    /// StorageClasses.
    pub const STORAGE_CLASSES: Resource =
        Resource::of_cluster("storage.k8s.io", "storageclasses", "StorageClass");

    const fn in_namespaces(
        group: &'static str,
        version: &'static str,
        plural: &'static str,
        kind: &'static str,
    ) -> Self {
        Resource {
            group,
            version,
            plural,
            kind,
            namespaced: true,
        }
    }

    const fn of_cluster(group: &'static str, plural: &'static str, kind: &'static str) -> Self {
        Resource {
            group,
            version: "v1",
            plural,
            kind,
            namespaced: false,
        }
    }

    /// What its manifests have as `apiVersion`.
    #[must_use]
    pub fn api_version(self) -> String {
        if self.group.is_empty() {
            self.version.to_owned()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// The path of its objects in a namespace, or in all of them.
    #[must_use]
    pub fn path(self, namespace: Option<&str>) -> String {
        let root = if self.group.is_empty() { "api" } else { "apis" };
        let root = format!("/{root}/{}", self.api_version());
        match namespace {
            Some(namespace) => {
                format!("{root}/namespaces/{}/{}", encoded(namespace), self.plural)
            }
            None => format!("{root}/{}", self.plural),
        }
    }
}

/// As rules of access and kubectl name it: `statefulsets.apps`, `pods`.
impl fmt::Display for Resource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.plural)?;
        if !self.group.is_empty() {
            write!(out, ".{}", self.group)?;
        }
        Ok(())
    }
}

/// A text for one segment of a path, or the value of a query: whatever is not plain is written as %XX.
pub(super) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'~') {
            out.push(char::from(byte));
        } else if byte == b'.' && text.bytes().any(|other| other != b'.') {
            out.push('.');
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
