//! `--drain each`: every node drained alone, in one table.

use std::collections::BTreeSet;

use super::sentence::{evicted, first_stranded, homeless, without_quorum};
use super::{ReportEachNode, ReportNodes, Verdict};
use crate::answer::full_name;
use crate::words::list;

/// Maximum number of listed names.
const SHOWN: usize = 4;

impl ReportEachNode {
    /// Returns the row of a node from the answer to its drain.
    #[must_use]
    pub fn of(node: &str, answer: &ReportNodes) -> Self {
        ReportEachNode {
            node: node.to_owned(),
            verdict: answer.verdict,
            at: answer.at,
            evicted: evicted(answer),
            held_by: first_stranded(answer),
            homeless: homeless(answer),
            rests_on: answer.rests_on.clone(),
            flags: answer
                .flags
                .iter()
                .filter(|it| it.is_needed())
                .cloned()
                .collect(),
            effects: effects(answer),
            loses_quorum: without_quorum(answer),
            down: down(answer),
            command: answer.command.clone(),
        }
    }

    /// Reports whether the drain does not complete.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.verdict != Verdict::Ends
    }
}

/// Returns the sets that have no ready pod for some time.
fn down(answer: &ReportNodes) -> Vec<String> {
    let sets = answer.sets.iter();
    let down = sets.filter(|set| set.replicas > 0 && set.lowest_ready == 0);
    down.map(|set| full_name(&set.namespace, &set.name))
        .collect()
}

/// Returns what happens to pods of sets that come back.
fn effects(answer: &ReportNodes) -> Vec<String> {
    let of_sets = answer.sets.iter().flat_map(|set| {
        let pods = set.preempting.iter().chain(&set.leaving_data);
        pods.chain(&set.uncertain).chain(&set.delayed)
    });
    of_sets.map(|pod| pod.message.clone()).collect()
}

impl ReportNodes {
    /// Returns the answer for nodes that are drained one by one, each alone, with the number of nodes left out and what
    /// was assumed.
    #[must_use]
    pub fn of_each(
        rows: Vec<ReportEachNode>,
        left_out: usize,
        assumed: Vec<String>,
        all_pods_read: bool,
    ) -> Self {
        let of = match all_pods_read {
            true => "",
            false => ", for the pods that were read",
        };
        let held: Vec<String> = rows
            .iter()
            .filter(|row| row.is_held())
            .map(|row| row.node.clone())
            .collect();
        let harmed: Vec<String> = rows
            .iter()
            .filter(|row| !row.is_held())
            .filter(|row| !row.homeless.is_empty() || !row.loses_quorum.is_empty())
            .map(|row| row.node.clone())
            .collect();
        let mut summary = format!(
            "{} of {} nodes can be drained alone{of}",
            rows.len() - held.len(),
            rows.len()
        );
        let open = || rows.iter().filter(|row| !row.is_held());
        let flagged: Vec<&str> = open()
            .filter(|row| !row.flags.is_empty())
            .map(|row| row.node.as_str())
            .collect();
        if !flagged.is_empty() {
            let flags = open().flat_map(|row| &row.flags);
            let flags: BTreeSet<&str> = flags.map(|flag| flag.flag.as_str()).collect();
            let flags: Vec<&str> = flags.into_iter().collect();
            summary.push_str(&format!(
                "; only with {}: {}",
                flags.join(" or "),
                list(&flagged, SHOWN)
            ));
        }
        let hoped: Vec<&str> = open()
            .filter(|row| !row.rests_on.is_empty())
            .map(|row| row.node.as_str())
            .collect();
        if !hoped.is_empty() {
            summary.push_str(&format!(
                "; only if pods that are not ready now become ready: {}",
                list(&hoped, SHOWN)
            ));
        }
        if !held.is_empty() {
            summary.push_str(&format!("; not: {}", list(&held, SHOWN)));
        }
        if !harmed.is_empty() {
            summary.push_str(&format!(
                "; pods do not come back or a quorum is lost: {}",
                list(&harmed, SHOWN)
            ));
        }
        if left_out > 0 {
            summary.push_str(&format!("; {left_out} more nodes were not tried"));
        }
        let verdict = |wanted: Verdict| rows.iter().any(|row| row.verdict == wanted);
        let worst = [Verdict::Fails, Verdict::Hangs, Verdict::Unknown];
        let worst = worst.into_iter().find(|worst| verdict(*worst));
        // A node that was not tried may be held.
        let untried = (left_out > 0).then_some(Verdict::Unknown);
        ReportNodes {
            verdict: worst.or(untried).unwrap_or(Verdict::Ends),
            at: rows.iter().map(|row| row.at).max().unwrap_or(0),
            summary,
            each: rows,
            assumed,
            all_pods_read,
            ..ReportNodes::default()
        }
    }
}
