//! A node of another architecture that runs the image of a failing container.

use std::sync::Arc;

use crate::catalogue::{CauseTrait, Recognized};
use crate::cause::template::containers;
use crate::plan::Plan;
use sts_controller::object::Pod;

/// The label of a node with its architecture.
const ARCHITECTURE: &str = "kubernetes.io/arch";

/// A node of another architecture, on which another pod of the set runs the image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningNode {
    /// Architecture, such as `amd64`.
    pub architecture: Arc<str>,
    /// Name.
    pub node: Arc<str>,
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
        let architecture = |node: &str| {
            let labels = &plan.related.node(node)?.meta.labels;
            labels.get(ARCHITECTURE).cloned()
        };
        let own = architecture(pod.node()?)?;
        let mut running = plan.observed().owned().filter(|other| other.is_ready());
        running.find_map(|other| {
            let node = other.node()?;
            let architecture = architecture(node).filter(|it| *it != own)?;
            runs(other, image).then(|| RunningNode {
                architecture,
                node: node.into(),
            })
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
