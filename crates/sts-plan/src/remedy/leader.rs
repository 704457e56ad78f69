//! Order of the failing pods of a set: a pod that does not reach another failing one comes after it.

use std::sync::Arc;

use super::Diagnosis;
use crate::catalogue::decisive_line;
use crate::cause::{Cause, Symptom};
use crate::plan::Plan;
use crate::words::has_word;

/// Words of a process that does not reach another one.
const UNREACHED: [&str; 10] = [
    "refused",
    "timed out",
    "timeout",
    "unreachable",
    "no route to host",
    "no such host",
    "not known",
    "could not connect",
    "cannot connect",
    "failed to connect",
];

/// Marks the pods that report that they do not reach another failing pod of the set, and puts them after the others. A
/// pod that is missed by one that it misses itself leads nobody.
pub(super) fn mark(plan: &Plan, out: &mut [Diagnosis<'_>]) {
    let causes: Vec<&Cause> = out.iter().filter_map(|it| it.cause.as_ref()).collect();
    let leaders: Vec<(Arc<str>, Arc<str>)> = causes
        .iter()
        .filter_map(|cause| {
            let words = unreached(cause)?;
            let is_leader = |other: &&&Cause| {
                other.pod != cause.pod
                    && other.key() != cause.key()
                    && names(plan, &words, &other.pod)
                    && unreached(other).is_none()
            };
            let leader = causes.iter().find(is_leader)?;
            Some((Arc::clone(&cause.pod), Arc::clone(&leader.pod)))
        })
        .collect();
    for cause in out.iter_mut().filter_map(|it| it.cause.as_mut()) {
        let of_pod = leaders.iter().find(|(pod, _)| *pod == cause.pod);
        cause.leader = of_pod.map(|(_, leader)| Arc::clone(leader));
    }
    out.sort_by_key(|it| {
        it.cause
            .as_ref()
            .is_some_and(|cause| cause.leader.is_some())
    });
}

/// Returns the words with which a process says that it does not reach another one.
fn unreached(cause: &Cause) -> Option<String> {
    let failure = cause.facts.failure.as_ref();
    let words = match (cause.symptom, failure) {
        (Symptom::CrashLoop | Symptom::InitContainer, Some(failure)) => {
            decisive_line(&failure.last_words, cause.entry())
        }
        _ => return None,
    };
    let lower = words.to_ascii_lowercase();
    UNREACHED
        .iter()
        .any(|it| lower.contains(it))
        .then_some(words)
}

/// Reports whether words have the name of a pod, as in its DNS name, or its address.
fn names(plan: &Plan, words: &str, pod: &str) -> bool {
    let address = plan.observed().pod(pod).and_then(|pod| {
        let object = pod.given()?;
        object["status"]["podIP"].as_str().map(str::to_owned)
    });
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let has = |name: &str| has_word(words, name, is_part);
    has(pod) || address.is_some_and(|address| has(&address))
}
