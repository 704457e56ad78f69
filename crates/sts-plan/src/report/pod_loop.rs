//! Pods that do not stay up, with what ends them.

use serde::{Deserialize, Serialize};

use crate::analysis::Analysis;
use crate::cause::{Cause, PodLoop};
use crate::command::{kubectl, named};
use crate::duration;
use crate::explain;
use crate::plan::{Outcome, Plan};

/// Pod that does not stay up: a component restarts, evicts, deletes or replaces it again and again.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportLoop {
    /// Pod name.
    pub pod: String,
    /// Catalogue id of what ends it, or else its kind.
    pub cause: String,
    /// Loop and its reason, in one sentence.
    pub message: String,
    /// True if the headline states it; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_headline: bool,
    /// Number of restarts, evictions, creations or changes.
    pub count: i64,
    /// Start, RFC 3339; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Time of the last one, RFC 3339.
    pub last: String,
    /// Required change, in the words of the catalogue; absent when unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fix: String,
    /// Place that shows more, in the words of the catalogue; absent when unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub look: String,
    /// Commands that show more.
    pub commands: Vec<String>,
    /// Cautions to read before acting; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cautions: Vec<String>,
    /// Evidence from the objects, one fact per item; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
}

/// Returns the loops of an analysis. The headline of a plan that is blocked states its obstacle.
pub(super) fn loops(analysis: &Analysis<'_>) -> Vec<ReportLoop> {
    let plan = analysis.plan;
    let is_blocked = !matches!(plan.outcome, Outcome::Complete);
    let found = analysis.loops.iter().enumerate();
    let found = found.map(|(at, found)| ReportLoop {
        in_headline: at == 0 && !is_blocked,
        ..of_loop(plan, found)
    });
    found.collect()
}

fn of_loop(plan: &Plan, found: &PodLoop) -> ReportLoop {
    let cause = &found.cause;
    let commands = commands(plan, cause);
    let look = cause.entry().filter(|_| cause.is_specific());
    let look = look
        .map(|entry| cause.named(&entry.look))
        .unwrap_or_default();
    let is_shown = commands.iter().any(|command| command.contains(&look));
    ReportLoop {
        pod: cause.pod.to_string(),
        cause: cause.name().to_owned(),
        message: explain::cause(cause).whole(),
        in_headline: false,
        count: found.count,
        since: cause.since.map(|since| since.to_string()),
        last: found.last.to_string(),
        fix: explain::fix(cause).unwrap_or_default(),
        look: if is_shown { String::new() } else { look },
        commands,
        cautions: explain::cautions(plan, cause, false),
        evidence: evidence(plan, found),
    }
}

/// Returns the commands that show what ends a pod.
fn commands(plan: &Plan, cause: &Cause) -> Vec<String> {
    let declared = cause.look();
    if !declared.is_empty() {
        return declared;
    }
    let pod = named(&cause.pod);
    match cause.facts.failure.as_ref() {
        Some(failure) => vec![
            kubectl(&plan.snapshot, &format!("describe pod {pod}")),
            kubectl(
                &plan.snapshot,
                &format!("logs {pod} -c {} --previous", named(&failure.container)),
            ),
        ],
        None => {
            let set = named(&plan.snapshot.set.meta.name);
            vec![kubectl(&plan.snapshot, &format!("describe sts {set}"))]
        }
    }
}

/// Returns the numbers of a loop, and the component's words.
fn evidence(plan: &Plan, found: &PodLoop) -> Vec<String> {
    let cause = &found.cause;
    let ago = duration::age(plan.conditions.now.duration_since(found.last));
    let mut facts = vec![
        format!("cause: {}", cause.name()),
        format!("last {ago} ago"),
    ];
    let words = match cause.facts.failure.as_ref() {
        Some(failure) if cause.message().trim().is_empty() => failure.last_words.trim(),
        _ => cause.message().trim(),
    };
    facts.extend(words.lines().next_back().map(str::to_owned));
    facts
}
