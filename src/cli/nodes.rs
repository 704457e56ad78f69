//! Actions on nodes: what happens to the sets whose pods are there.

use clap::Args;

use sts_plan::nodes::NodeActions;

/// Actions on nodes.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Nodes")]
pub struct Nodes {
    /// Drain nodes, as kubectl drain does; node-7,node-8
    ///
    /// All are cordoned first, then drained one after the other: evictions with PodDisruptionBudgets, tried again every
    /// 5s, together with whatever rollout goes on. Where the pods come back is not known, only whether any node takes
    /// them; --assume nodes+2=NODE adds two nodes like NODE.
    #[arg(long, value_name = "NODE", value_delimiter = ',')]
    pub drain: Vec<String>,

    /// Cordon nodes, as kubectl cordon does: they take no more pods
    #[arg(long, value_name = "NODE", value_delimiter = ',')]
    pub cordon: Vec<String>,

    /// Nodes stop answering now: NODE, or zone=ZONE for all of a zone
    ///
    /// Their pods are not ready once the grace period is over (40s, from 1.32 on 50s), deleted when they tolerate it no
    /// longer (5m), and then terminating until the node comes back, is deleted, or is tainted as out of service.
    #[arg(long, value_name = "NODE|zone=ZONE", value_delimiter = ',')]
    pub lose: Vec<String>,
}

impl Nodes {
    /// Returns the actions, with the nodes that are assumed besides.
    pub(super) fn actions(self, more: Vec<(usize, String)>) -> NodeActions {
        NodeActions {
            cordon: self.cordon,
            drain: self.drain,
            lose: self.lose,
            more,
        }
    }
}
