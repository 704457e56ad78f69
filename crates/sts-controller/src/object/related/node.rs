//! Nodes.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use super::quota::{Quantities, quantities};
use crate::object::Meta;
use crate::object::field::{FieldError, Fields};

/// Label with a node's zone.
const ZONE: &str = "topology.kubernetes.io/zone";
/// The zone label before 1.17.
const DEPRECATED_ZONE: &str = "failure-domain.beta.kubernetes.io/zone";
/// Taint that marks a node as permanently down.
const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

/// A node, with the fields that affect its pods.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Metadata.
    pub meta: Meta,
    /// Condition `Ready`, if present.
    pub ready: Option<NodeReady>,
    /// Types of the other conditions that are `True`, such as `ReadonlyFilesystem`: faults of the node.
    pub faults: Vec<Arc<str>>,
    /// Types of the other conditions that are `False`, such as `DiskPressure`: what the node is known not to have.
    pub settled: Vec<Arc<str>>,
    /// `spec.unschedulable`: true if the node is cordoned.
    pub unschedulable: bool,
    /// `spec.taints`.
    pub taints: Vec<Taint>,
    /// `status.allocatable`: allocatable quantity of each resource; empty if absent.
    pub allocatable: Quantities,
    /// `status.capacity`: total quantity of each resource; empty if absent.
    pub capacity: Quantities,
    /// The first address of type `InternalIP` in `status.addresses`; empty if absent.
    pub address: Arc<str>,
}

/// A node's condition `Ready`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeReady {
    /// `True`, `False` or `Unknown`.
    pub status: Arc<str>,
    /// Time of the last transition.
    pub since: Option<Timestamp>,
    /// Reason, such as `NodeStatusUnknown`.
    pub reason: Arc<str>,
    /// Message, such as `Kubelet stopped posting node status.`
    pub message: Arc<str>,
}

/// A taint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taint {
    /// Key.
    pub key: Arc<str>,
    /// Value.
    pub value: Arc<str>,
    /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    pub effect: Arc<str>,
    /// `timeAdded`, which `kubectl taint` does not set.
    pub added: Option<Timestamp>,
}

/// Returns the address by which other machines of the cluster's network see a node.
fn internal_address(status: &Fields<'_>) -> Result<Arc<str>, FieldError> {
    let addresses = status.list("addresses", |item, _| {
        Ok((item.shared_text("type")?, item.shared_text("address")?))
    })?;
    let mut internal = addresses
        .into_iter()
        .filter(|(kind, _)| &**kind == "InternalIP");
    Ok(internal.next().map_or_else(|| Arc::from(""), |(_, it)| it))
}

impl Node {
    pub(super) fn from_json(object: &Value) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        let spec = fields.object("spec")?;
        let status = fields.object("status")?;
        let conditions = status.list("conditions", |item, _| {
            Ok((
                item.shared_text("type")?,
                NodeReady {
                    status: item.shared_text("status")?,
                    since: item.time("lastTransitionTime")?,
                    reason: item.shared_text("reason")?,
                    message: item.message("message")?,
                },
            ))
        })?;
        let is_ready = |(of, _): &(Arc<str>, NodeReady)| &**of == "Ready";
        let others_that_are = |status: &str| {
            let others = conditions.iter().filter(|it| !is_ready(it));
            let those = others.filter(|(_, it)| &*it.status == status);
            those.map(|(of, _)| Arc::clone(of)).collect()
        };
        Ok(Node {
            meta: Meta::read(&fields)?,
            settled: others_that_are("False"),
            faults: others_that_are("True"),
            ready: conditions
                .into_iter()
                .find(is_ready)
                .map(|(_, ready)| ready),
            unschedulable: spec.boolean("unschedulable")?.unwrap_or(false),
            taints: spec.list("taints", |item, _| {
                Ok(Taint {
                    key: item.shared_text("key")?,
                    value: item.shared_text("value")?,
                    effect: item.shared_text("effect")?,
                    added: item.time("timeAdded")?,
                })
            })?,
            allocatable: quantities(status.get("allocatable")),
            capacity: quantities(status.get("capacity")),
            address: internal_address(&status)?,
        })
    }

    /// Reports whether the kubelet does not respond, or reports the node as not ready.
    #[must_use]
    pub fn is_down(&self) -> bool {
        let ready = self.ready.as_ref();
        ready.is_some_and(|ready| &*ready.status != "True")
    }

    /// Reports whether the kubelet stopped posting its status: the condition `Ready` is `Unknown`. A kubelet that reports
    /// `False` still responds.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        let ready = self.ready.as_ref();
        ready.is_some_and(|ready| &*ready.status == "Unknown")
    }

    /// Reports whether the node has the out-of-service taint, so that its pods can be removed without its kubelet.
    #[must_use]
    pub fn is_out_of_service(&self) -> bool {
        self.taints
            .iter()
            .any(|taint| &*taint.key == OUT_OF_SERVICE)
    }

    /// Returns the zone in its labels.
    #[must_use]
    pub fn zone(&self) -> Option<&Arc<str>> {
        let labels = &self.meta.labels;
        labels.get(ZONE).or_else(|| labels.get(DEPRECATED_ZONE))
    }
}
