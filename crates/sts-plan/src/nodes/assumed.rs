//! Assumptions about nodes, in sentences.

use std::collections::BTreeSet;

use super::{Course, NodeActions, lost};
use crate::conditions::Conditions;
use crate::duration::spell;
use crate::words::{list, plural};
use sts_controller::simulate::Kubelet;

/// Maximum number of listed names.
const SHOWN: usize = 4;

/// Describes the assumptions about nodes: those about the drained nodes by name, and the others.
#[must_use]
pub fn assumed(actions: &NodeActions, conditions: &Conditions) -> Vec<String> {
    let mut sentences = of_named(actions);
    sentences.extend(assumed_of_any(actions, conditions));
    sentences
}

/// Describes how the drained nodes are drained.
fn of_named(actions: &NodeActions) -> Vec<String> {
    if actions.drain.is_empty() {
        return Vec::new();
    }
    let places = match actions.returns {
        Some(_) => "",
        None => {
            ". The plan does not predict which node runs an evicted pod, only whether any node can (if none can: --assume \
             POD=never-ready; with one more node: --assume nodes+1=NODE)"
        }
    };
    vec![format!(
        "the drain of {} works like kubectl drain 1.23 or newer with the flags that the pods need{places}",
        actions.drain.join(", ")
    )]
}

/// Describes the assumptions that are the same for whichever node is drained.
#[must_use]
pub(crate) fn assumed_of_any(actions: &NodeActions, conditions: &Conditions) -> Vec<String> {
    let mut sentences = Vec::new();
    if !actions.drain.is_empty() {
        let usual = Kubelet::default();
        sentences.push(format!(
            "pods of other owners that are evicted are gone after {} and ready again {} after they are created, if a node fits; \
             those that are not ready stay so",
            spell(conditions.gone_after.unwrap_or(usual.gone_after)),
            spell(conditions.ready_after.unwrap_or(usual.ready_after)),
        ));
    }
    if let Some(returns) = actions.returns {
        let turns = match returns.at_once {
            1 => "one node at a time".to_owned(),
            count => format!("{count} nodes at a time"),
        };
        sentences.push(format!(
            "{turns}: uncordoned {} after the drain; the next begins once no pod changes and all are ready that were ready at \
             the beginning. A moved pod is assumed on the node with the fewest pods of its owner, then the most free CPU and \
             memory; the scheduler may choose another, so that pods move more or less often",
            spell(returns.after)
        ));
    }
    if let Some(after) = actions.budgets_ignored_after {
        sentences.push(format!(
            "pods that are left {} after the drain of their node begins are deleted whatever their budgets (--assume \
             budgets=ignored-after)",
            spell(after)
        ));
    }
    if !actions.lose.is_empty() {
        let grace = conditions.behaviour.version.node_monitor_grace_period();
        let are = match actions.lose.len() {
            1 => "is",
            _ => "are",
        };
        sentences.push(format!(
            "{} {are} lost now; the controller manager notices after {} (--node-monitor-grace-period), and the kubelet does \
             not terminate pods",
            actions.lose.join(", "),
            spell(grace)
        ));
        let lost = &conditions.outage.lost;
        sentences.extend(lost::Taints::of(lost, &conditions.related).sentences());
    }
    if actions.acts() && !conditions.has_all_pods {
        let pods = &conditions.outage.pods;
        let namespaces: BTreeSet<&str> = pods.iter().map(|pod| &*pod.meta.namespace).collect();
        let namespaces: Vec<&str> = namespaces.into_iter().collect();
        sentences.push(format!(
            "only the {} in the input are known ({}): other pods would leave less room, and a drain evicts them too",
            plural(pods.len(), "pod", "pods"),
            list(&namespaces, SHOWN)
        ));
    }
    for (count, like) in &actions.more {
        sentences.push(format!(
            "{count} additional empty nodes like {like} (--assume)"
        ));
    }
    sentences
}

impl Course {
    /// Describes the assumptions of the drain: races between pods, and budgets without a status.
    #[must_use]
    pub fn assumed(&self, conditions: &Conditions) -> Vec<String> {
        let Some(drained) = &self.drained else {
            return Vec::new();
        };
        let races = drained.contests.iter().map(|contest| {
            format!(
                "{} is evicted before {}: PodDisruptionBudget {} allows one of them at a time, and either may come first",
                contest.first, contest.second, contest.budget
            )
        });
        let mut namespaces: Vec<_> = drained
            .evictions
            .iter()
            .map(|step| &step.namespace)
            .collect();
        namespaces.extend(drained.stranded.iter().map(|one| &one.namespace));
        namespaces.sort();
        namespaces.dedup();
        let budgets = namespaces
            .into_iter()
            .flat_map(|namespace| conditions.related.budgets(namespace));
        let uncounted = budgets
            .filter(|budget| budget.expected_pods.is_none())
            .map(|budget| {
                format!(
                    "PodDisruptionBudget {} has no status: it is counted as the disruption controller would, from the pods that \
                     were read",
                    budget.meta.name
                )
            });
        let before = self.is_before_controllers.then(|| {
            "the first evictions come before the first deletions of the rollout: either may, and this is the worse order"
                .to_owned()
        });
        races.chain(uncounted).chain(before).collect()
    }
}
