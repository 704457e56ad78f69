//! Kinds that are read from a cluster, and their API paths.

use std::fmt;

use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding,
    ValidatingWebhookConfiguration,
};
use k8s_openapi::api::apps::v1::{ControllerRevision, StatefulSet};
use k8s_openapi::api::autoscaling::v1::HorizontalPodAutoscaler;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{
    Event, LimitRange, Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod,
    ResourceQuota, Service,
};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::api::storage::v1::{CSINode, StorageClass, VolumeAttachment};
use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// A kind of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resource {
    /// Group; empty for the core.
    pub group: &'static str,
    pub version: &'static str,
    /// Name in paths and RBAC rules.
    pub plural: &'static str,
    /// Name in manifests.
    pub kind: &'static str,
    /// True for namespaced kinds.
    pub namespaced: bool,
}

impl Resource {
    pub const SETS: Resource = Resource::in_namespaces::<StatefulSet>();
    pub const PODS: Resource = Resource::in_namespaces::<Pod>();
    pub const CLAIMS: Resource = Resource::in_namespaces::<PersistentVolumeClaim>();
    pub const REVISIONS: Resource = Resource::in_namespaces::<ControllerRevision>();
    pub const BUDGETS: Resource = Resource::in_namespaces::<PodDisruptionBudget>();
    /// PodDisruptionBudgets of servers before 1.21.
    pub const OLD_BUDGETS: Resource = Resource {
        version: "v1beta1",
        ..Resource::BUDGETS
    };
    pub const SERVICES: Resource = Resource::in_namespaces::<Service>();
    /// HorizontalPodAutoscalers, in the version that all servers have.
    pub const AUTOSCALERS: Resource = Resource::in_namespaces::<HorizontalPodAutoscaler>();
    pub const EVENTS: Resource = Resource::in_namespaces::<Event>();
    pub const NAMESPACES: Resource = Resource::of_cluster::<Namespace>();
    pub const NODES: Resource = Resource::of_cluster::<Node>();
    pub const VOLUMES: Resource = Resource::of_cluster::<PersistentVolume>();
    pub const STORAGE_CLASSES: Resource = Resource::of_cluster::<StorageClass>();

    pub const QUOTAS: Resource = Resource::in_namespaces::<ResourceQuota>();
    pub const LIMIT_RANGES: Resource = Resource::in_namespaces::<LimitRange>();
    pub const LEASES: Resource = Resource::in_namespaces::<Lease>();
    pub const CSI_NODES: Resource = Resource::of_cluster::<CSINode>();
    pub const ATTACHMENTS: Resource = Resource::of_cluster::<VolumeAttachment>();
    /// ValidatingWebhookConfigurations.
    pub const VALIDATING_WEBHOOKS: Resource =
        Resource::of_cluster::<ValidatingWebhookConfiguration>();
    pub const MUTATING_WEBHOOKS: Resource = Resource::of_cluster::<MutatingWebhookConfiguration>();
    pub const POLICIES: Resource = Resource::of_cluster::<ValidatingAdmissionPolicy>();
    /// ValidatingAdmissionPolicyBindings.
    pub const POLICY_BINDINGS: Resource =
        Resource::of_cluster::<ValidatingAdmissionPolicyBinding>();

    /// Reports whether servers of supported versions may lack the kind.
    pub fn is_new(self) -> bool {
        [Resource::POLICIES, Resource::POLICY_BINDINGS].contains(&self)
    }

    const fn in_namespaces<K: k8s_openapi::Resource<Scope = NamespaceResourceScope>>() -> Self {
        Resource::of::<K>(true)
    }

    const fn of_cluster<K: k8s_openapi::Resource<Scope = ClusterResourceScope>>() -> Self {
        Resource::of::<K>(false)
    }

    const fn of<K: k8s_openapi::Resource>(namespaced: bool) -> Self {
        Resource {
            group: K::GROUP,
            version: K::VERSION,
            plural: K::URL_PATH_SEGMENT,
            kind: K::KIND,
            namespaced,
        }
    }

    /// Returns the `apiVersion` of manifests.
    pub fn api_version(self) -> String {
        if self.group.is_empty() {
            self.version.to_owned()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// Returns the path of the objects in a namespace, or in all namespaces.
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

/// The name in RBAC rules and in kubectl: `statefulsets.apps`, `pods`.
impl fmt::Display for Resource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.plural)?;
        if !self.group.is_empty() {
            write!(out, ".{}", self.group)?;
        }
        Ok(())
    }
}

/// Characters that are not escaped in a path segment or query value.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Escapes a string as a path segment or query value. A segment of only dots would lead to another path.
pub(super) fn encoded(text: &str) -> String {
    if text.bytes().all(|byte| byte == b'.') {
        return text.replace('.', "%2E");
    }
    utf8_percent_encode(text, PLAIN).to_string()
}
