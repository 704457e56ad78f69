//! Questions about all sets of a run.

use crate::nodes::NodeActions;
use sts_controller::version::Version;

/// Questions about all sets of a run, which share nodes and a control plane.
#[derive(Debug, Clone, Default)]
pub struct FleetQuestions {
    /// Actions on nodes. A drain of each node by itself is not part of the run: [`nodes_answer`](super::nodes_answer).
    pub nodes: NodeActions,
    /// Versions that the control plane is upgraded to, in order; empty for none.
    pub upgrade_to: Vec<Version>,
}
