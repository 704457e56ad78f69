//! Nodes of another architecture that run the image of a failing container.

use std::sync::Arc;

use crate::catalogue::{CauseTrait, Recognized};
use crate::cause::template::containers;
use crate::plan::Plan;
use sts_controller::object::{Node, Pod};

/// The label of a node with its architecture.
const ARCHITECTURE: &str = "kubernetes.io/arch";

/// An architecture on which another pod of the set runs the image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningNode {
    /// Architecture, such as `amd64`.
    pub architecture: Arc<str>,
    /// Name of a node of it that the volumes of the pod reach, if there is one.
    pub node: Option<Arc<str>>,
}

impl RunningNode {
    /// Finds the first one, for an image that has no variant for the node of a pod.
    pub(super) fn of(
        plan: &Plan,
        pod: &Pod,
        recognized: Option<&Recognized>,
        image: &str,
    ) -> Option<Self> {
        recognized.filter(|it| it.entry.has(CauseTrait::OfPlatform))?;
        let architecture = |node: &Node| node.meta.labels.get(ARCHITECTURE).cloned();
        let own = architecture(plan.related.node(pod.node()?)?)?;
        let mut running = plan.observed().owned().filter(|other| other.is_ready());
        let found = running.find_map(|other| {
            let of_node = architecture(plan.related.node(other.node()?)?);
            of_node.filter(|it| *it != own && runs(other, image))
        })?;
        let reaches = plan.reaches(pod);
        let mut nodes = plan.related.nodes();
        let node = nodes.find(|node| {
            architecture(node).as_ref() == Some(&found)
                && !node.is_down()
                && !node.unschedulable
                && reaches.iter().all(|it| it.admits(node))
        });
        Some(RunningNode {
            architecture: found,
            node: node.map(|node| Arc::clone(&node.meta.name)),
        })
    }
}

/// Reports whether a container of a pod has this image.
fn runs(pod: &Pod, image: &str) -> bool {
    let Some(given) = pod.given() else {
        return false;
    };
    containers(&given["spec"]).any(|container| container["image"] == image)
}
