//! The trouble of another pod in a few words.

use crate::catalogue::{about_nodes, decisive_line, failed_container};
use crate::cause::Symptom;
use crate::words::without_middle;
use sts_controller::object::Pod;

/// Maximum number of characters of the last words of another pod's process.
const LONGEST_WORDS: usize = 200;
/// Maximum number of characters of their start, if they are cut.
const LONGEST_START: usize = 70;

/// Returns the reason of a pod's failing container and the last words of its process: `CrashLoopBackOff: no space left`.
pub(super) fn trouble(pod: &Pod) -> Option<String> {
    let Some((symptom, failure)) = failed_container(pod) else {
        return unscheduled(pod);
    };
    let has_crashed = failure.reason == "CrashLoopBackOff";
    let lacks_memory = matches!(
        symptom,
        Symptom::OutOfMemory | Symptom::PodOutOfMemory | Symptom::NodeOutOfMemory
    );
    let words = match failure.exit_code {
        _ if lacks_memory => match &failure.memory_limit {
            Some(limit) => format!("OOMKilled at its limit of {limit}"),
            None => "OOMKilled".to_owned(),
        },
        _ if has_crashed && !failure.last_words.is_empty() => {
            decisive_line(&failure.last_words, None)
        }
        Some(code) if has_crashed => format!("exit {code}"),
        _ => failure.message,
    };
    let words = without_middle(&words, LONGEST_WORDS, LONGEST_START);
    Some(match words.is_empty() {
        true => failure.reason,
        false => format!("{}: {words}", failure.reason),
    })
}

/// Returns why the scheduler has no node for a pod: `Pending: 0/6 nodes are available: 6 Insufficient memory`.
fn unscheduled(pod: &Pod) -> Option<String> {
    let condition = pod.condition("PodScheduled")?;
    let is_refused = condition.status == "False" && condition.reason == "Unschedulable";
    let words = about_nodes(&condition.message).trim_end_matches('.');
    let words = without_middle(words, LONGEST_WORDS, LONGEST_START);
    (is_refused && !words.is_empty()).then(|| format!("Pending: {words}"))
}
