//! Descriptions of drained, cordoned and lost nodes.

use jiff::SignedDuration;

use super::{
    NodesOfSet, ReportHomeless, ReportMaintenance, ReportNodes, ReportSwitchovers, Verdict,
};
use crate::answer::full_name;
use crate::duration::spell;
use crate::words::{count, list};
use sts_controller::simulate::{BudgetClosure, WaitsFor};

/// Maximum number of listed names.
const SHOWN: usize = 4;

/// Describes why a drain cannot evict a pod.
#[must_use]
pub fn waits_for(waits: &WaitsFor) -> String {
    match waits {
        WaitsFor::Budget(budget, count) => format!(
            "PodDisruptionBudget {budget} allows no disruption (needs {} healthy of {}, has {})",
            count.desired, count.expected, count.current
        ),
        WaitsFor::ClosedBudget(budget, BudgetClosure::SyncFailed(message)) => {
            format!("PodDisruptionBudget {budget} allows no disruption (SyncFailed: {message})")
        }
        WaitsFor::ClosedBudget(budget, BudgetClosure::Disrupted(_)) => format!(
            "PodDisruptionBudget {budget} allows no disruption (another eviction is under way)"
        ),
        WaitsFor::ClosedBudget(budget, BudgetClosure::Status) => format!(
            "PodDisruptionBudget {budget} allows no disruption (its status says disruptionsAllowed: 0)"
        ),
        WaitsFor::SeveralBudgets(names) => format!(
            "more than one PodDisruptionBudget covers it ({}), which the eviction API does not support",
            names.join(", ")
        ),
        WaitsFor::Termination => "it never finishes terminating".to_owned(),
    }
}

/// Describes the outcome for nodes and sets in one sentence.
#[must_use]
pub fn nodes_headline(answer: &ReportNodes) -> String {
    let mut parts = Vec::new();
    if !answer.drain.is_empty() {
        parts.push(drain(answer));
    }
    if !answer.lose.is_empty() {
        let down: usize = answer.sets.iter().map(|set| set.most_down).sum();
        let down = match (down, answer.lost_pods.len()) {
            (0, 0) => "no pod of a set goes down".to_owned(),
            (down, 0) => format!("at most {} down", count(down, "pod")),
            (down, others) => format!(
                "at most {} down ({others} of other owners)",
                count(down + others, "pod")
            ),
        };
        parts.push(format!("Loss of {}: {down}", list(&answer.lose, SHOWN)));
    }
    if !answer.cordon.is_empty() {
        parts.push(format!(
            "cordon of {}: no new pods",
            list(&answer.cordon, SHOWN)
        ));
    }
    parts.extend(forced(answer));
    let homeless = homeless(answer);
    let mut text = parts.join("; ");
    match homeless.as_slice() {
        [] => {}
        [pod] => text.push_str(&format!("; {pod} does not come back")),
        several => text.push_str(&format!(
            "; {} do not come back ({})",
            count(several.len(), "pod"),
            list(several, SHOWN)
        )),
    }
    let uncertain = pods(answer, |set| &set.uncertain);
    let delayed = pods(answer, |set| &set.delayed);
    if !delayed.is_empty() {
        text.push_str(&format!(
            "; {} not back until another pod has terminated",
            list(&delayed, SHOWN)
        ));
    }
    if !uncertain.is_empty() {
        text.push_str(&format!("; {} may not come back", list(&uncertain, SHOWN)));
    }
    let preempting = pods(answer, |set| &set.preempting);
    if !preempting.is_empty() {
        let back = list(&preempting, SHOWN);
        text.push_str(&format!("; {back}: back only by preempting other pods"));
    }
    let leaving = pods(answer, |set| &set.leaving_data);
    if !leaving.is_empty() {
        let names = list(&leaving, SHOWN);
        text.push_str(&format!("; data left on the node (hostPath): {names}"));
    }
    let lost = without_quorum(answer);
    if !lost.is_empty() {
        text.push_str(&format!("; quorum lost: {}", list(&lost, SHOWN)));
    }
    text
}

/// Describes the pods that are deleted although their evictions are refused, and what that leaves of their sets.
fn forced(answer: &ReportNodes) -> Option<String> {
    let of_sets = answer.sets.iter().flat_map(|set| {
        let forced = set.evictions.iter().filter(|step| step.forced);
        forced.map(|step| full_name(&set.namespace, &step.pod))
    });
    let of_others = answer.other_pods.iter().filter(|pod| pod.forced);
    let of_others = of_others.map(|pod| full_name(&pod.namespace, &pod.pod));
    let names: Vec<String> = of_sets.chain(of_others).collect();
    if names.is_empty() {
        return None;
    }
    let sets = answer.sets.iter();
    let sets = sets.filter(|set| set.evictions.iter().any(|step| step.forced));
    let left = sets.map(|set| {
        let name = full_name(&set.namespace, &set.name);
        format!("{name} has {} of {} ready", set.lowest_ready, set.replicas)
    });
    let left: Vec<String> = left.collect();
    let left = match left.is_empty() {
        true => String::new(),
        false => format!("; at worst {}", list(&left, SHOWN)),
    };
    let all = count(names.len(), "pod");
    let names = list(&names, SHOWN);
    Some(format!("{all} deleted despite a budget ({names}){left}"))
}

/// Describes the pods that have to become ready so that the drain completes, in a clause.
pub(super) fn hope(rests_on: &[String]) -> Option<String> {
    match rests_on {
        [] => None,
        [pod] => Some(format!(
            "if {pod}, which is not ready now, becomes ready after its move"
        )),
        pods => Some(format!(
            "if {}, which are not ready now, become ready after their moves",
            list(pods, SHOWN)
        )),
    }
}

/// Returns the names of some pods of each set.
pub(super) fn pods(
    answer: &ReportNodes,
    of: impl Fn(&NodesOfSet) -> &[ReportHomeless],
) -> Vec<String> {
    let names = answer.sets.iter().flat_map(|set| {
        let pods = of(set).iter();
        pods.map(|one| full_name(&set.namespace, &one.pod))
    });
    names.collect()
}

/// Returns the names of the pods that do not come back, of sets and of other owners.
pub(super) fn homeless(answer: &ReportNodes) -> Vec<String> {
    let mut names = pods(answer, |set| &set.homeless);
    let others = answer.other_pods.iter();
    let others = others.filter(|pod| pod.at.is_some() && !pod.comes_back);
    names.extend(others.map(|pod| full_name(&pod.namespace, &pod.pod)));
    let lost = answer.lost_pods.iter().filter(|pod| !pod.comes_back);
    names.extend(lost.map(|pod| full_name(&pod.namespace, &pod.pod)));
    names
}

/// Returns the names of the sets that lose their quorum.
pub(super) fn without_quorum(answer: &ReportNodes) -> Vec<String> {
    let lost = answer.sets.iter().filter(|set| set.loses_quorum);
    lost.map(|set| full_name(&set.namespace, &set.name))
        .collect()
}

/// Returns the number of pods that a drain evicts.
pub(super) fn evicted(answer: &ReportNodes) -> usize {
    let of_sets = answer.sets.iter().map(|set| set.evictions.len());
    let of_others = answer.other_pods.iter().filter(|pod| pod.at.is_some());
    of_sets.sum::<usize>() + of_others.count()
}

fn drain(answer: &ReportNodes) -> String {
    let nodes: Vec<String> = answer.drain.iter().map(|it| it.node.clone()).collect();
    let what = match &answer.maintenance {
        Some(_) => format!("Maintenance of {}", list(&nodes, SHOWN)),
        None => format!("Drain of {}", list(&nodes, SHOWN)),
    };
    let (at, comma) = match answer.at {
        0 => ("immediately".to_owned(), ","),
        at => (
            format!("after {}", spell(SignedDuration::from_secs(at))),
            "",
        ),
    };
    let evicted = evicted(answer);
    let waits = answer
        .maintenance
        .as_ref()
        .and_then(|it| it.waits_for.clone());
    if let Some(waits) = waits {
        return format!("{what} STOPS {at}: {waits}");
    }
    let untried = answer
        .maintenance
        .as_ref()
        .map(|it| (it.untried, it.interrupted));
    if let Some((untried @ 1.., interrupted)) = untried {
        let why = match interrupted {
            true => "interrupted",
            false => "--budget",
        };
        let all = nodes.len();
        let back = match all.saturating_sub(untried) {
            0 => format!("0 of {all} nodes"),
            tried => format!("{tried} of {all} nodes are back {at}"),
        };
        return format!("{what} is not tried to the end ({why}): {back}");
    }
    let stranded = first_stranded(answer);
    let stranded = stranded.unwrap_or_else(|| "a pod of another set".to_owned());
    let with = needed_flags(answer);
    match answer.verdict {
        // Often, the pods that were read are not all pods of the node.
        Verdict::Ends => {
            let done = match (evicted, answer.removed_otherwise) {
                (0, 0) => "no pod to evict".to_owned(),
                (0, _) => "the rollout removes its pods before kubectl can evict them".to_owned(),
                (evicted, _) => match &answer.maintenance {
                    Some(maintenance) => moves(maintenance),
                    None => format!("evicts {}", count(evicted, "pod")),
                },
            };
            let of = match answer.all_pods_read {
                true => "",
                false => " for the pods that were read",
            };
            let grace = answer.longest_grace.map_or_else(String::new, |seconds| {
                let grace = spell(SignedDuration::from_secs(seconds));
                format!(" (a pod may take up to {grace} to terminate)")
            });
            let hope = hope(&answer.rests_on);
            let hope = hope.map_or_else(String::new, |hope| format!(", {hope}"));
            format!("{what} completes {at}{grace}{of}{with}{hope}: {done}")
        }
        Verdict::Hangs => format!("{what} HANGS {at}{comma} at {stranded}"),
        Verdict::Fails => format!("{what} FAILS {at}{comma} at {stranded}"),
        Verdict::Unknown => {
            format!("{what} may never complete: {at}{comma} pods are still being replaced")
        }
        Verdict::NoDrain => what,
    }
}

/// Describes the moves of a maintenance.
fn moves(maintenance: &ReportMaintenance) -> String {
    let again = maintenance.pods.iter().filter(|pod| pod.moves.len() > 1);
    let again = again.map(|pod| format!("{}/{} ({})", pod.namespace, pod.pod, pod.moves.len()));
    let again: Vec<String> = again.collect();
    let all = count(maintenance.moves, "move");
    let mut text = match again.is_empty() {
        true => all,
        false => format!("{all}; more than once: {}", list(&again, SHOWN)),
    };
    if let Some(switchovers) = maintenance.switchovers {
        text.push_str(&match switchovers {
            ReportSwitchovers { least, most } if least == most => {
                format!("; {}", count(least, "switchover"))
            }
            ReportSwitchovers { least, most } => format!("; {least} to {most} switchovers"),
        });
    }
    text
}

/// Describes the first pod that a drain does not remove.
pub(super) fn first_stranded(answer: &ReportNodes) -> Option<String> {
    let of_sets = answer.sets.iter().find_map(|set| {
        let first = set.stranded.first()?;
        let pod = full_name(&set.namespace, &first.pod);
        Some(format!("{pod}: {}", first.message))
    });
    let of_others = answer.other_pods.iter().find_map(|pod| {
        let stranded = pod.stranded.as_ref()?;
        let name = full_name(&pod.namespace, &pod.pod);
        Some(format!("{name} ({}): {}", pod.owner, stranded.message))
    });
    of_sets.or(of_others)
}

/// Names the flags without which kubectl refuses, except for the one that every drain needs.
fn needed_flags(answer: &ReportNodes) -> String {
    let needed = answer.flags.iter().filter(|flag| flag.is_needed());
    let needed: Vec<&str> = needed.map(|flag| flag.flag.as_str()).collect();
    match needed.is_empty() {
        true => String::new(),
        false => format!(" with {}", needed.join(" ")),
    }
}
