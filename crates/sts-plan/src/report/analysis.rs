//! The state of a set and its cause, for machines: contract section 6, `analysis` and `input`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{ReportRemedy, name};
use crate::analysis::{Analysis, Verdict};
use crate::cause::{Blame, Blames, Cause, CauseKind, context};
use crate::explain;
use crate::plan::{Eta, Outcome};

/// The state of a set and its cause.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportAnalysis {
    /// The state of the set.
    pub verdict: Verdict,
    /// State and age of a blocked plan, such as `BLOCKED 38m`; absent where the plan is not blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Since when it is stuck or waits, RFC 3339; absent where nothing says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The cause of that state; absent where no object tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Box<ReportCause>>,
    /// The range of time that the plan may take; absent where it does not complete, and where there is none to tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eta: Option<ReportEta>,
    /// The causes around the set that no pod shows: owners that set it again, a controller that does not act; absent
    /// when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<ReportContext>,
    /// The whole in one line.
    pub headline: String,
    /// Remedies, the best first, each tried in the simulation; empty when nothing has to be done.
    pub remedies: Vec<ReportRemedy>,
    /// Cautions to read before anything is done; absent when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cautions: Vec<String>,
}

/// A cause around a set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportContext {
    /// The id of the catalogue, such as `owned-by-operator`.
    pub id: Cow<'static, str>,
    /// The thing that shows it, such as `Elasticsearch logs`.
    pub shown_by: String,
}

/// The range of time that a plan may take, by the fastest and the slowest pods of the set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportEta {
    /// At least so many seconds.
    pub min_seconds: i64,
    /// At most so many seconds, as far as the set's pods show.
    pub max_seconds: i64,
    /// The pace of this rollout so far; absent where it has replaced too few pods to tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pace: Option<ReportPace>,
    /// The range with what it comes from.
    pub message: String,
}

/// The pace of a rollout that is under way.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportPace {
    /// Number of pods that are ready on the update revision.
    pub done: usize,
    /// Number of pods that the rollout is to replace.
    pub of: usize,
    /// Seconds from one pod being ready to the next.
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

/// The cause of a set being stuck.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportCause {
    /// The kind of the cause, such as `crash-loop`.
    pub kind: Cow<'static, str>,
    /// The id of the catalogue, such as `image-not-found`; absent where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Cow<'static, str>>,
    /// Whom the catalogue blames, such as `registry`; absent where the catalogue has no such cause.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "name::optional"
    )]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub blames: Option<Blames>,
    /// The pod.
    pub pod: String,
    /// Description of the cause, in one clause.
    pub message: String,
    /// The description without the pod's name, where other sets can have the same cause, such as a node; absent
    /// elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<String>,
    /// The blame: whether the pod's template is at fault, as its siblings show.
    pub blame: Blame,
    /// The container; absent where it is not about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// The exit code of the container's last end; absent where it has come to none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// Number of restarts of the container; absent where it is not about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restarts: Option<i64>,
    /// The node; absent where it is not about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
}

impl From<&Cause> for ReportCause {
    fn from(cause: &Cause) -> Self {
        let failure = match &cause.kind {
            CauseKind::CrashLoop(failure)
            | CauseKind::OutOfMemory(failure)
            | CauseKind::ImagePull(failure)
            | CauseKind::ContainerConfig(failure) => Some(failure),
            _ => None,
        };
        ReportCause {
            kind: cause.kind.name().into(),
            id: cause.id().map(Cow::from),
            blames: cause.recognized.as_ref().map(|found| found.entry.blames),
            pod: cause.pod.to_string(),
            message: explain::cause(cause),
            shared: explain::shared_cause(cause),
            blame: cause.blame,
            container: failure.map(|failure| failure.container.clone()),
            exit_code: failure.and_then(|failure| failure.exit_code),
            restarts: failure.map(|failure| failure.restarts),
            node: match &cause.kind {
                CauseKind::NodeLost { node, .. } => Some(node.to_string()),
                _ => None,
            },
        }
    }
}

/// Converts the analysis of a plan, with the remedies of its first obstacle and its headline.
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
            Outcome::Blocked(_) => Some(explain::stuck_state(analysis)),
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
                id: found.entry.id.into(),
                shown_by: found.shown_by,
            })
            .collect(),
        headline: headline.to_owned(),
        remedies: remedies.iter().filter(fixes).cloned().collect(),
        cautions: obstacle.map_or_else(Vec::new, |obstacle| obstacle.cautions.clone()),
    }
}
