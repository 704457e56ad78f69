//! Nodes that a scheduler's message rules out for another reason than their free capacity.

use std::sync::Arc;

use super::scheduler::{has_taint, reasons_of};
use super::{Catalogue, CauseEntry, CauseTrait, Place};
use sts_controller::object::RelatedObjects;

/// The nodes that more free capacity does not bring into play.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherNodes {
    /// The reasons for which the pod can never use some of them: `2 node(s) didn't match pod topology spread constraints`.
    pub constraints: String,
    /// Those that are out of use for now, such as a node that is shut down.
    pub away: Vec<Arc<str>>,
}

impl Catalogue {
    /// Reads the reasons of a scheduler's message that are not about free capacity.
    pub(crate) fn other_nodes(self, message: &str, related: &RelatedObjects) -> OtherNodes {
        let nodes = message.split(" preemption: ").next().unwrap_or(message);
        let Some((_, reasons)) = nodes.split_once(" nodes are available: ") else {
            return OtherNodes::default();
        };
        let mut constraints = Vec::new();
        let mut away = Vec::new();
        for (_, reason) in reasons_of(reasons.trim_end_matches('.')) {
            let Some(found) = self.classify(Place::Scheduler, "Unschedulable", reason) else {
                continue;
            };
            let has = |it| found.entry.has(it);
            if has(CauseTrait::WordsAreTaints) {
                away.extend(tainted(related, found.entry));
            } else if has(CauseTrait::ExcludesNode) && !has(CauseTrait::NamesNoTaint) {
                constraints.push(reason);
            }
        }
        OtherNodes {
            constraints: constraints.join(", "),
            away,
        }
    }
}

/// Returns the names of the nodes with the taint of a cause.
fn tainted(related: &RelatedObjects, entry: &CauseEntry) -> Vec<Arc<str>> {
    let nodes = related.nodes().filter(|node| has_taint(node, entry));
    nodes.map(|node| Arc::clone(&node.meta.name)).collect()
}
