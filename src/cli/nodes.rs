//! Flags for actions on nodes.

use clap::Args;

use sts_plan::nodes::{EACH, NodeActions};

/// Actions on nodes.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Nodes")]
pub struct Nodes {
    /// Drain nodes, as kubectl drain does: NODE, zone=ZONE, LABEL=VALUE, or each
    ///
    /// each drains every node by itself and shows a table: which can go, and what holds the others.
    ///
    /// All nodes are cordoned first, then drained one after the other. Evictions honor PodDisruptionBudgets and are
    /// retried every 5s, while the current rollout continues. The plan cannot know which node a pod moves to, only
    /// whether any node fits; --assume nodes+2=NODE adds two nodes like NODE.
    #[arg(
        long,
        value_name = "NODE|zone=ZONE|LABEL=VALUE|each",
        value_delimiter = ','
    )]
    pub drain: Vec<String>,

    /// Cordon nodes, as kubectl cordon does
    #[arg(long, value_name = "NODE", value_delimiter = ',')]
    pub cordon: Vec<String>,

    /// Lose contact with nodes now: NODE, or zone=ZONE for a whole zone
    ///
    /// Their pods become not ready after the grace period (40s; 50s from 1.32). They are deleted when their toleration
    /// expires (5m), and stay terminating until the node returns, is deleted, or is tainted as out of service.
    #[arg(long, value_name = "NODE|zone=ZONE", value_delimiter = ',')]
    pub lose: Vec<String>,
}

impl Nodes {
    /// Returns the contradiction between `--drain each` and other actions on nodes, if there is one.
    pub(super) fn contradiction(&self, has_more: bool) -> Option<String> {
        let is_each = self.drain.iter().any(|word| word == EACH);
        let others =
            self.drain.len() > 1 || !self.cordon.is_empty() || !self.lose.is_empty() || has_more;
        (is_each && others).then(|| {
            "--drain each drains every node by itself: omit other nodes, --cordon, --lose and --assume nodes+N".to_owned()
        })
    }

    /// Returns the actions, together with the assumed nodes.
    pub(super) fn actions(self, more: Vec<(usize, String)>) -> NodeActions {
        NodeActions {
            cordon: self.cordon,
            drain: self.drain,
            lose: self.lose,
            more,
        }
    }
}
