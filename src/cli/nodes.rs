//! Flags for actions on nodes.

use clap::Args;
use jiff::SignedDuration;

use super::kubectl_words::flag_refusal;
use super::questions::Questions;
use kubectl_config::parse_duration;
use sts_plan::nodes::{EACH, NodeActions, NodeReturn};
use sts_plan::options::Order;

/// Actions on nodes.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Nodes")]
pub struct Nodes {
    /// Drain nodes, or each by itself, as kubectl does
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

    /// Bring drained nodes back, in turns
    ///
    /// The rolling reboot, one node after the other, or two at a time with 10m,at-once=2: each node of --drain is
    /// uncordoned this long after it is drained, and the next one begins when all sets are at rest. --drain each takes
    /// all nodes. The answer has the time, the moves of each pod, and a better order of the nodes if there is one; -o
    /// markdown has the runbook. Not with --lose.
    #[arg(long, value_name = "DURATION[,at-once=N]", value_parser = parse_return)]
    pub return_after: Option<NodeReturn>,

    /// Ask the server for each eviction of --drain
    ///
    /// Shows where its answer differs. Sends evictions with dryRun=All, as kubectl drain --dry-run=server does: they
    /// evict nothing, but need the right to evict (kubectl sts-plan rbac).
    #[arg(long, value_name = "server", num_args = 0..=1, require_equals = true, default_missing_value = "client")]
    pub dry_run: Option<String>,

    /// Cordon nodes, as kubectl cordon does
    #[arg(long, value_name = "NODE", value_delimiter = ',')]
    pub cordon: Vec<String>,

    /// Lose contact with nodes or a zone now
    ///
    /// Their pods become not ready after the grace period (40s; 50s from 1.32). They are deleted when their toleration
    /// expires (5m), and stay terminating until the node returns, is deleted, or is tainted as out of service.
    #[arg(long, value_name = "NODE|zone=ZONE", value_delimiter = ',')]
    pub lose: Vec<String>,
}

impl Nodes {
    /// Returns the contradiction between actions on nodes, or with other questions, if there is one.
    pub(super) fn contradiction(&self, has_more: bool, questions: &Questions) -> Option<String> {
        let is_each = self.return_after.is_none() && self.drain.iter().any(|word| word == EACH);
        let has_others = !self.cordon.is_empty() || !self.lose.is_empty();
        if let Some(how) = &self.dry_run {
            if self.drain.is_empty() || how != "server" {
                return flag_refusal("--dry-run");
            }
            if is_each {
                return Some(
                    "--dry-run=server asks for the evictions of some nodes: name them with --drain"
                        .to_owned(),
                );
            }
        }
        if self.return_after.is_some() && !self.lose.is_empty() {
            return Some("--return-after brings back drained nodes: omit --lose".to_owned());
        }
        if questions.explore && (has_others || !self.drain.is_empty()) {
            return Some(
                "--explore does not explore what happens to nodes: omit it, or --drain, --cordon and --lose".to_owned(),
            );
        }
        if is_each && (self.drain.len() > 1 || has_others || has_more) {
            return Some(
                "--drain each drains every node by itself: omit other nodes, --cordon, --lose and --assume nodes+N".to_owned(),
            );
        }
        (is_each && !questions.require.is_empty()).then(|| {
            "--drain each does not try requirements: omit --require (and --policy, if it has some) and use --fail-on quorum or \
             --fail-on downtime, or name the nodes"
                .to_owned()
        })
    }

    /// Returns the actions, together with the assumed nodes.
    pub(super) fn actions(
        self,
        more: Vec<(usize, String)>,
        budgets_ignored_after: Option<SignedDuration>,
        order: Option<Order>,
    ) -> NodeActions {
        let drains = !self.drain.is_empty();
        NodeActions {
            cordon: self.cordon,
            drain: self.drain,
            lose: self.lose,
            more,
            returns: self.return_after,
            asks_server: self.dry_run.is_some(),
            order: order.unwrap_or_default(),
            // A policy may have the assumption without a drain.
            budgets_ignored_after: budgets_ignored_after.filter(|_| drains),
        }
    }
}

/// Parses `10m` or `10m,at-once=2`.
fn parse_return(text: &str) -> Result<NodeReturn, String> {
    let (after, at_once) = match text.split_once(',') {
        None => (text, 1),
        Some((after, more)) => {
            let count = more.strip_prefix("at-once=");
            let count = count.and_then(|count| count.parse().ok());
            let count = count.filter(|count| *count > 0);
            let count = count.ok_or_else(|| {
                format!("expected a number of nodes, as in 10m,at-once=2: {more:?}")
            })?;
            (after, count)
        }
    };
    Ok(NodeReturn {
        after: parse_duration(after)?,
        at_once,
    })
}
