//! Nodes that a scheduler's message rules out for another reason than their free capacity.

use std::sync::Arc;

use super::scheduler::{about_nodes, has_taint, reasons_of, with_report};
use super::{Catalogue, CauseEntry, CauseTrait, Place, Rank};
use sts_controller::object::{Node, RelatedObjects};

/// The nodes that more free capacity does not bring into play.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherNodes {
    /// The reasons for which the pod can never use some of them: `2 node(s) didn't match pod topology spread constraints`.
    pub constraints: String,
    /// Those that are out of use for now, such as a node that is shut down, each with what it reports.
    pub away: Vec<String>,
    /// The cure of what the first of them reports; empty if it is not recognized.
    pub cure: String,
    /// The nodes of which the cause is true, or their number; empty if it is true of all.
    pub left: String,
    /// The first of these nodes that has nothing of the missing resource, while another node has; empty without one.
    pub drained: String,
    /// The request that is larger than each of these nodes, even empty; empty if one is large enough.
    pub too_large: String,
}

impl Catalogue {
    /// Reads the reasons of a scheduler's message that are not about free capacity.
    pub(crate) fn other_nodes(self, message: &str, related: &RelatedObjects) -> OtherNodes {
        let Some((_, reasons)) = about_nodes(message).split_once(" nodes are available: ") else {
            return OtherNodes::default();
        };
        let mut constraints = Vec::new();
        let mut away: Vec<&Arc<Node>> = Vec::new();
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
            cure: away.first().map_or("", |node| self.cure(node)).to_owned(),
            away: away.into_iter().map(|node| with_report(node)).collect(),
            ..OtherNodes::default()
        }
    }

    /// Returns the cure of what a node reports that is not ready; empty if it is not recognized or needs names.
    fn cure(self, node: &Node) -> &'static str {
        let ready = node.ready.as_ref().filter(|_| node.is_down());
        let found = ready.and_then(|it| self.classify(Place::Node, &it.reason, &it.message));
        let known = found.filter(|it| it.entry.rank == Rank::Specific);
        let cure = known.map_or("", |it| &*it.entry.helps);
        if cure.contains('{') { "" } else { cure }
    }

    /// Returns the number of nodes of which a cause is true, and that of all, if a scheduler's message has other reasons for
    /// other nodes. A node has one reason, except for lack of room.
    pub(crate) fn share(self, message: &str, cause: &CauseEntry) -> Option<(u32, u32)> {
        let (count, reasons) = about_nodes(message).split_once(" nodes are available: ")?;
        let all: u32 = count.rsplit_once('/')?.1.parse().ok()?;
        let is_of_cause = |reason: &str| {
            let found = self.classify(Place::Scheduler, "Unschedulable", reason);
            found.is_some_and(|found| found.entry.id == cause.id)
        };
        let (of_cause, others): (Vec<_>, Vec<_>) =
            reasons_of(reasons.trim_end_matches('.')).partition(|(_, reason)| is_of_cause(reason));
        let others: u32 = others.iter().map(|(number, _)| number).sum();
        let left = all.checked_sub(others)?;
        let most = of_cause.iter().map(|(number, _)| *number).max()?;
        (others > 0 && left >= most).then_some((left, all))
    }
}

/// Returns the nodes with the taint of a cause.
fn tainted<'r>(
    related: &'r RelatedObjects,
    entry: &CauseEntry,
) -> impl Iterator<Item = &'r Arc<Node>> {
    related.nodes().filter(move |node| has_taint(node, entry))
}
