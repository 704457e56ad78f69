//! Facts of a maintenance.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Maintenance, Round, Scene, Switchovers};
use crate::command::{in_namespace, named};
use crate::duration::spell;
use crate::nodes::{NodeActions, kubectl};
use crate::words::list;
use sts_controller::simulate::Budget;

/// Maximum number of listed names.
const SHOWN: usize = 4;

/// Nodes that are drained in turn and come back.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportMaintenance {
    /// Time from the end of a drain until its nodes are uncordoned: whole seconds.
    pub return_after: i64,
    /// Number of nodes that are away at once.
    pub at_once: usize,
    /// Turns that begin, in order.
    pub rounds: Vec<ReportRound>,
    /// Number of evictions.
    pub moves: usize,
    /// Evicted pods, each with its moves, by namespace and name.
    pub pods: Vec<ReportPodMoves>,
    /// Evictions of primaries; absent unless they are named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switchovers: Option<ReportSwitchovers>,
    /// Reason that the next nodes do not begin, in a clause; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// Number of nodes that were not tried, because the budget was spent or the user interrupted the simulation; absent
    /// if zero.
    #[serde(default, skip_serializing_if = "crate::absent::is_default")]
    pub untried: usize,
    /// True if the user interrupted the simulation; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// Best other order of the nodes; absent if none is better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub better_order: Option<ReportBetterOrder>,
}

/// Turn of nodes that are away at the same time.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportRound {
    /// Nodes.
    pub nodes: Vec<String>,
    /// Start: whole seconds since the start of the maintenance.
    pub at: i64,
    /// End of the drain; absent if it never ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drained_at: Option<i64>,
    /// Time at which the nodes are uncordoned; absent if they never are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned_at: Option<i64>,
    /// Time from which all sets are at rest; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_rest_at: Option<i64>,
    /// Number of evictions.
    pub evictions: usize,
    /// Commands of the turn, in order.
    pub commands: Vec<String>,
    /// Commands that fail until the next turn can begin.
    pub check_commands: Vec<String>,
    /// Commands that end the maintenance of these nodes early.
    pub back_commands: Vec<String>,
}

/// Moves of a pod.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportPodMoves {
    /// Namespace of the pod.
    pub namespace: String,
    /// Pod name.
    pub pod: String,
    /// Moves, in order.
    pub moves: Vec<ReportPodMove>,
}

/// Move of a pod.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportPodMove {
    /// Node that the pod leaves.
    pub from: String,
    /// Node that is assumed to run it afterwards; absent if none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// Number of evictions that make another pod the primary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportSwitchovers {
    /// Evictions of the labeled pods.
    pub least: usize,
    /// Later evictions of pods of the same sets included, since any of them may be the primary then.
    pub most: usize,
}

impl From<Switchovers> for ReportSwitchovers {
    fn from(switchovers: Switchovers) -> Self {
        ReportSwitchovers {
            least: switchovers.least,
            most: switchovers.most,
        }
    }
}

/// Order of nodes that is better than the requested one.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportBetterOrder {
    /// Nodes, in order.
    pub nodes: Vec<String>,
    /// Number of evictions.
    pub moves: usize,
    /// Time until all nodes are back and all sets are at rest: whole seconds.
    pub seconds: i64,
    /// True if the maintenance completes in this order.
    pub completes: bool,
    /// Evictions of primaries; absent unless they are named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switchovers: Option<ReportSwitchovers>,
}

impl ReportMaintenance {
    /// Returns the facts of a maintenance, with a better order if there is one.
    pub(in crate::nodes) fn of(
        scene: &Scene<'_>,
        maintenance: &Maintenance,
        better: Option<(Vec<Arc<str>>, Maintenance)>,
    ) -> Self {
        let began = scene.began();
        let names_primaries = scene.actions.order.last.is_some();
        let switchovers = |of: &Maintenance| names_primaries.then(|| of.switchovers.into());
        let rounds = maintenance.rounds.iter();
        let pods = maintenance.moves.iter();
        let pods = pods.map(|((namespace, pod), moves)| ReportPodMoves {
            namespace: namespace.to_string(),
            pod: pod.to_string(),
            moves: moves
                .iter()
                .map(|it| ReportPodMove {
                    from: it.from.to_string(),
                    to: it.to.as_ref().map(ToString::to_string),
                })
                .collect(),
        });
        let tried: usize = maintenance.rounds.iter().map(|it| it.nodes.len()).sum();
        ReportMaintenance {
            return_after: scene.returns.after.as_secs(),
            at_once: scene.returns.at_once,
            rounds: rounds.map(|it| round(scene, it, began)).collect(),
            moves: maintenance.drained.evictions.len(),
            pods: pods.collect(),
            switchovers: switchovers(maintenance),
            untried: match maintenance.stopped {
                Some(_) => scene.actions.drain.len() - tried,
                None => 0,
            },
            interrupted: maintenance.stopped == Some(Budget::Interrupted),
            waits_for: maintenance.waits.as_ref().map(|wait| {
                let (namespace, pod) = &wait.pod;
                let nodes: Vec<&str> = wait.nodes.iter().map(|node| &**node).collect();
                let begun = match nodes.len() {
                    1 => "is not begun",
                    _ => "are not begun",
                };
                let nodes = list(&nodes, SHOWN);
                format!("{namespace}/{pod} is not ready again, so {nodes} {begun}")
            }),
            better_order: better.map(|(nodes, best)| ReportBetterOrder {
                nodes: nodes.iter().map(ToString::to_string).collect(),
                moves: best.drained.evictions.len(),
                seconds: end(&best).duration_since(began).as_secs(),
                completes: matches!(
                    best.drained.end,
                    sts_controller::simulate::DrainEnd::Done(_)
                ),
                switchovers: switchovers(&best),
            }),
        }
    }
}

fn end(maintenance: &Maintenance) -> Timestamp {
    use sts_controller::simulate::DrainEnd;
    match maintenance.drained.end {
        DrainEnd::Done(at) | DrainEnd::Hangs(at) | DrainEnd::Fails(at) | DrainEnd::Unknown(at) => {
            at
        }
    }
}

fn round(scene: &Scene<'_>, round: &Round, began: Timestamp) -> ReportRound {
    let since = |at: Timestamp| at.duration_since(began).as_secs();
    let nodes: Vec<String> = round.nodes.iter().map(ToString::to_string).collect();
    let drain = NodeActions {
        drain: nodes.clone(),
        ..NodeActions::default()
    };
    let words: Vec<&str> = nodes.iter().map(|node| named(node)).collect();
    let objects: Vec<String> = words.iter().map(|node| format!("node/{node}")).collect();
    let uncordon = format!("kubectl uncordon {}", words.join(" "));
    let commands = vec![
        kubectl::command(&drain, &round.flags),
        format!(
            "# the work on {}, about {}",
            words.join(", "),
            spell(scene.returns.after)
        ),
        format!(
            "kubectl wait --for=condition=Ready {} --timeout=1h",
            objects.join(" ")
        ),
        uncordon.clone(),
    ];
    let checks = round.sets.iter().filter_map(|at| {
        let set = &scene.plans.get(*at)?.snapshot.set;
        let wait = format!(
            "wait --for=jsonpath='{{.status.readyReplicas}}'={} sts/{} --timeout=10m",
            set.replicas,
            named(&set.meta.name)
        );
        Some(in_namespace(&set.meta.namespace, &wait))
    });
    ReportRound {
        nodes,
        at: since(round.begins),
        drained_at: round.drained.map(since),
        returned_at: round.returns.map(since),
        at_rest_at: round.rests.map(since),
        evictions: round.evictions,
        commands,
        check_commands: checks.collect(),
        back_commands: vec![uncordon],
    }
}
