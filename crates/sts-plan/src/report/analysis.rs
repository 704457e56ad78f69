//! State of a set and its cause: section 6 of the contract, `analysis` and `input`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::ReportRemedy;
use super::pod_loop::{ReportLoop, loops};
use crate::analysis::headline;
use crate::analysis::{Analysis, Verdict};
use crate::catalogue::Blames;
use crate::cause::{Blame, Cause, context};
use crate::explain;
use crate::plan::{Eta, Outcome};

/// The state of a set and its cause.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportAnalysis {
    /// State of the set.
    pub verdict: Verdict,
    /// State and age of a blocked plan, such as `BLOCKED 38m`; absent unless the plan is blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Start of the stuck or waiting state, RFC 3339; absent when unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Cause of that state; absent when no object shows one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Box<ReportCause>>,
    /// Estimated duration range; absent when the plan does not complete or has no estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eta: Option<ReportEta>,
    /// Causes outside the pods, such as an owner that reverts changes or an inactive controller; absent when
    /// empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<ReportContext>,
    /// Pods that do not stay up, such as those that a probe restarts or a component evicts again and again; absent when
    /// empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<ReportLoop>,
    /// One-line summary.
    pub headline: String,
    /// Remedies, the best first, each simulated; empty when no action is needed.
    pub remedies: Vec<ReportRemedy>,
    /// Cautions to read before acting; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cautions: Vec<String>,
}

/// Cause outside the pods.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportContext {
    /// Catalogue id, such as `owned-by-operator`.
    pub id: Cow<'static, str>,
    /// Object that shows the cause, such as `Elasticsearch logs`.
    pub shown_by: String,
}

/// Estimated duration range of a plan, from the fastest and the slowest pods of the set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportEta {
    /// Lower bound in seconds.
    pub min_seconds: i64,
    /// Upper bound in seconds, as far as the set's pods show.
    pub max_seconds: i64,
    /// Pace of the rollout so far; absent until enough pods are replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pace: Option<ReportPace>,
    /// The range and its basis, in words.
    pub message: String,
}

/// Pace of a rollout in progress.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportPace {
    /// Number of pods that are ready on the update revision.
    pub done: usize,
    /// Number of pods that the rollout replaces.
    pub of: usize,
    /// Seconds between one pod becoming ready and the next.
    pub seconds_per_pod: i64,
}

impl From<&Eta> for ReportEta {
    fn from(eta: &Eta) -> Self {
        ReportEta {
            min_seconds: eta.total.shortest.as_secs(),
            max_seconds: eta.total.longest.as_secs(),
            pace: eta.pace.map(|pace| ReportPace {
                done: pace.done,
                of: pace.of,
                seconds_per_pod: pace.each.as_secs(),
            }),
            message: explain::eta(eta),
        }
    }
}

/// Cause of a stuck set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportCause {
    /// Kind of the cause, such as `crash-loop`.
    pub kind: Cow<'static, str>,
    /// Catalogue id, such as `image-not-found`; absent when the catalogue has no entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Cow<'static, str>>,
    /// Responsible party in the catalogue, such as `registry`; absent when the catalogue has no entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blames: Option<Blames>,
    /// Team to ask, for a cause of `--causes`; absent without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub owner: String,
    /// Link to the team's instructions, for a cause of `--causes`; absent without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub runbook: String,
    /// Pod that shows the cause.
    pub pod: String,
    /// Cause in one clause.
    pub message: String,
    /// Cause without the pod's name, if other sets can share it, such as a node failure; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<String>,
    /// Verdict on the pod template, judged by the other pods.
    pub blame: Blame,
    /// Container; absent when the cause is not in a container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// Exit code of the container's last termination; absent when it never terminated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// Restart count of the container; absent when the cause is not in a container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restarts: Option<i64>,
    /// Node; absent when the cause is not a node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
}

impl From<&Cause> for ReportCause {
    fn from(cause: &Cause) -> Self {
        let failure = cause.facts.failure.as_ref();
        ReportCause {
            kind: cause.symptom.entry().kind.as_str().into(),
            id: cause.id().map(Cow::from),
            blames: cause.entry().map(|entry| entry.blames),
            owner: (cause.entry()).map_or_else(String::new, |entry| entry.owner.clone()),
            runbook: (cause.entry()).map_or_else(String::new, |entry| entry.runbook.clone()),
            pod: cause.pod.to_string(),
            message: explain::cause(cause).whole(),
            shared: explain::shared_cause(cause),
            blame: cause.blame,
            container: failure.map(|failure| failure.container.clone()),
            exit_code: failure.and_then(|failure| failure.exit_code),
            restarts: failure
                .map(|failure| failure.restarts)
                .filter(|restarts| *restarts >= 0),
            node: cause.facts.node.as_ref().map(ToString::to_string),
        }
    }
}

/// Converts an analysis, with its headline and the remedies of its first obstacle.
pub(super) fn analysis(
    analysis: &Analysis<'_>,
    headline: &str,
    obstacle: Option<&super::ReportObstacle>,
) -> ReportAnalysis {
    let remedies = obstacle.map_or(&[][..], |obstacle| &obstacle.remedies);
    let fixes = |remedy: &&ReportRemedy| remedy.helps && !remedy.looks;
    ReportAnalysis {
        verdict: analysis.verdict,
        state: match &analysis.plan.outcome {
            Outcome::Blocked(_) => Some(headline::stuck_state(analysis)),
            _ => None,
        },
        since: analysis.since().map(|since| since.to_string()),
        cause: analysis
            .cause()
            .map(|cause| Box::new(ReportCause::from(cause))),
        eta: analysis.eta.as_ref().map(ReportEta::from),
        context: context(analysis.plan)
            .into_iter()
            .map(|found| ReportContext {
                id: found.entry.id.as_str().into(),
                shown_by: found.shown_by,
            })
            .collect(),
        loops: loops(analysis),
        headline: headline.to_owned(),
        remedies: remedies.iter().filter(fixes).cloned().collect(),
        cautions: obstacle.map_or_else(Vec::new, |obstacle| obstacle.cautions.clone()),
    }
}
