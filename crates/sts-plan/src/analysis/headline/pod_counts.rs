//! Pod counts in headlines.

use std::collections::BTreeSet;

use crate::analysis::Analysis;
use crate::cause::Cause;
use crate::plan::{Plan, owns, pods_of};
use crate::words::plural;

/// Counts of the causes of several pods; empty for one.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// `; 7 of 40 pods: 3 crash-loop (ing-3, ing-17, ing-29), ...`.
    pub(super) text: String,
    /// `; 7 of 40 pods are stuck, for 4 causes`.
    pub(super) brief: String,
}

/// Counts the causes of several pods.
pub(super) fn counted(analysis: &Analysis<'_>) -> Counts {
    const NAMED: usize = 3;
    const CAUSES: usize = 6;
    let causes: Vec<&Cause> = analysis
        .diagnoses
        .iter()
        .filter_map(|diagnosis| diagnosis.cause.as_ref())
        .filter(|cause| cause.foretold.is_none())
        .collect();
    if causes.len() < 2 {
        return Counts::default();
    }
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for cause in &causes {
        let id = cause.name();
        match groups.iter_mut().find(|(other, _)| *other == id) {
            Some((_, pods)) => pods.push(&cause.pod),
            None => groups.push((id, vec![&*cause.pod])),
        }
    }
    let more = groups.len().saturating_sub(CAUSES);
    let counts: Vec<String> = groups
        .iter()
        .take(CAUSES)
        .map(|(id, pods)| {
            let named: Vec<&str> = pods.iter().take(NAMED).copied().collect();
            let rest = match pods.len().saturating_sub(NAMED) {
                0 => String::new(),
                rest => format!(" and {rest} more"),
            };
            format!("{} {id} ({}{rest})", pods.len(), named.join(", "))
        })
        .collect();
    let more = match more {
        0 => String::new(),
        more => format!(" and {}", plural(more, "more cause", "more causes")),
    };
    let replicas = usize::try_from(analysis.plan.snapshot.set.replicas).unwrap_or(0);
    let pods = format!("; {} of {}", causes.len(), plural(replicas, "pod", "pods"));
    Counts {
        brief: match groups.len() {
            1 => format!("{pods} are stuck"),
            causes => format!("{pods} are stuck, for {causes} causes"),
        },
        text: format!("{pods}: {}{more}", counts.join(", ")),
    }
}

/// Counts the other pods that stay outdated when the plan ends, although the spec does not ask for that.
pub(super) fn outdated(plan: &Plan, pod: &str) -> usize {
    let end = plan.predicted().objects();
    let holds = plan.last.holds.iter().filter(|hold| hold.is_intended());
    let intended: BTreeSet<&str> = holds
        .filter_map(|hold| hold.pod().map(|pod| &*pod.meta.name))
        .collect();
    let update = &plan.last.status.update_revision;
    let pods = pods_of(end).filter(|pod| owns(end, pod));
    pods.filter(|other| {
        let name = &*other.meta.name;
        name != pod && other.revision != *update && !intended.contains(name)
    })
    .count()
}
