//! Facts of a cause for its texts: those of the case, and those that need the plan or more words.

use jiff::SignedDuration;

use super::last_words::last_words;
use super::related_to_cause::{devices, still_attached};
use super::{uncapitalized, with_message};
use crate::catalogue::{Fact, about_nodes, if_known, with_names};
use crate::cause::{Cause, CauseTrait};
use crate::command::named;
use crate::down_nodes::OUT_OF_SERVICE;
use crate::duration::{span, spell};
use crate::foresight::{Foreseen, NodeMismatch};
use crate::members::surplus;
use crate::plan::{Plan, Retry};
use crate::words::list;
use sts_controller::simulate::{Actor, ObjectEvent, Step, StepAction};

/// Maximum number of surplus pods to name.
const MOST_SURPLUS: usize = 5;

/// A cause, with the plan in which it stands if its text needs it.
#[derive(Clone, Copy)]
pub(super) struct Teller<'c> {
    pub(super) cause: &'c Cause,
    pub(super) plan: Option<&'c Plan>,
}

impl Teller<'_> {
    /// Puts the facts of the case into a text.
    pub(super) fn told(self, text: &str) -> String {
        with_names(text, &|key| self.fact(key.parse().ok()?))
    }

    /// Puts the facts of the case into a text; `None` if one is unknown.
    pub(super) fn told_if_known(self, text: &str) -> Option<String> {
        if_known(text, &|key| self.fact(key.parse().ok()?))
    }

    /// Returns the facts of which there can be several.
    pub(super) fn each(self, fact: Fact) -> Vec<String> {
        match (fact, self.plan) {
            (Fact::Devices, Some(plan)) => devices(plan, self.cause),
            (Fact::Attachments, Some(plan)) => still_attached(plan, self.cause),
            (Fact::ForgottenTaints, _) => forgotten_taints(self.cause),
            (fact, _) => self.fact(fact).into_iter().collect(),
        }
    }

    /// Returns a fact of the case; `None` if it is unknown or does not hold.
    pub(super) fn fact(self, fact: Fact) -> Option<String> {
        let cause = self.cause;
        let facts = &cause.facts;
        match fact {
            Fact::Title => title(cause),
            Fact::LastWords => {
                let failure = facts.failure.as_ref()?;
                Some(last_words(cause.entry(), failure))
            }
            Fact::Unplaced => Some(without_preemption(&facts.message).to_owned()),
            Fact::Placing => {
                let scheduler = without_preemption(&facts.message);
                let other = without_preemption(cause.message());
                Some(match scheduler.contains(other) {
                    true => scheduler.to_owned(),
                    false => format!("{scheduler}; {other}"),
                })
            }
            // Each refusal names its pod first: `pods "web-1" is forbidden: `.
            Fact::Refusal => {
                let message = facts.message.as_str();
                let reason = message.split_once(" is forbidden: ");
                let reason = reason.map_or(message, |(_, reason)| reason);
                (!reason.contains(&*cause.pod)).then(|| reason.to_owned())
            }
            Fact::Condition => Some(with_message(&facts.reason, &facts.message)),
            Fact::Step => Some(failed_step(&cause.fact(Fact::Report)?).to_owned()),
            Fact::SharedTitle => {
                let shared = cause.shared.as_ref()?;
                Some(uncapitalized(&with_names(&shared.entry.title, &|_| None)))
            }
            Fact::WorkedFor => cause.worked_for.map(span),
            Fact::Retry => Some(next_attempt(cause.retry)),
            Fact::TimedRetry => cause.retry.map(|retry| next_attempt(Some(retry))),
            Fact::Previous => self.plan?.fallback().map(|_| String::new()),
            Fact::EvictedIn => evicted_in(self.plan?, &cause.pod).map(spell),
            Fact::Deleted => {
                let is_deleted = is_deleted_on_request(self.plan?, &cause.pod);
                is_deleted.then(String::new)
            }
            Fact::SilentNode => silent_node(self.plan?, &cause.pod),
            Fact::UnseenNode => {
                let plan = self.plan?;
                let pod = plan.observed().pod(&cause.pod)?;
                plan.unseen_node(pod).map(str::to_owned)
            }
            Fact::Surplus => {
                let plan = self.plan?;
                let unwanted = surplus(plan.predicted().objects(), &plan.conditions.behaviour);
                let names = unwanted.iter().map(|pod| pod.meta.name.to_string());
                let names: Vec<String> = names.collect();
                (!names.is_empty()).then(|| list(&names, MOST_SURPLUS))
            }
            fact => cause.fact(fact),
        }
    }
}

/// Returns the cause in the words of the catalogue, with the names of the case; `None` if it does not know the cause, or
/// if the component's words say more.
fn title(cause: &Cause) -> Option<String> {
    let entry = cause.entry().filter(|_| cause.is_specific())?;
    (!entry.has(CauseTrait::MessageTells)).then(|| uncapitalized(&cause.named(&entry.title)))
}

/// Returns the failed step of a volume, by the message of the kubelet or the controller.
fn failed_step(message: &str) -> &'static str {
    let attaches = ["AttachVolume", "Multi-Attach"];
    let grows = ["MountVolume.NodeExpandVolume", "NodeExpand", "resize"];
    if attaches.iter().any(|start| message.starts_with(start)) {
        "attach"
    } else if grows.iter().any(|word| message.contains(word)) {
        "resize"
    } else {
        "mount"
    }
}

/// Returns the scheduler's message without its part about preemption.
fn without_preemption(message: &str) -> &str {
    about_nodes(message).trim_end_matches('.')
}

/// Returns the time until a pod is evicted from its node, as the plan has it.
fn evicted_in(plan: &Plan, pod: &str) -> Option<SignedDuration> {
    let evicts = |step: &&Step| matches!(&step.action, StepAction::Object(Actor::NodeLifecycle, ObjectEvent::PodDeleted, name) if **name == *pod);
    let evicted = plan.progression.steps.iter().find(evicts)?;
    Some(evicted.at.duration_since(plan.conditions.now))
}

/// Reports whether a user or an eviction deletes a pod in the plan, so that its node stops it when it comes back.
fn is_deleted_on_request(plan: &Plan, pod: &str) -> bool {
    let deletes = |step: &Step| match &step.action {
        StepAction::Object(actor, ObjectEvent::PodDeleted, name) => {
            **name == *pod && matches!(actor, Actor::User | Actor::Eviction)
        }
        _ => false,
    };
    plan.progression.steps.iter().any(deletes)
}

/// Returns the node that has to confirm the end of a terminating pod and does not respond; `None` if it does.
fn silent_node(plan: &Plan, pod: &str) -> Option<String> {
    let node = plan.snapshot.pods.get(pod).and_then(|pod| pod.node())?;
    let node = plan.related.node(node).filter(|node| node.is_lost())?;
    Some(node.meta.name.to_string())
}

/// Names the nodes whose out-of-service taint nobody has removed, in commands.
fn forgotten_taints(cause: &Cause) -> Vec<String> {
    let Some(Foreseen::NoNode(nodes)) = &cause.facts.foreseen else {
        return Vec::new();
    };
    let groups = nodes.groups.iter().filter(
        |(why, _)| matches!(why, NodeMismatch::Taint(taint) if taint.starts_with(OUT_OF_SERVICE)),
    );
    let names = groups.flat_map(|(_, names)| names);
    names
        .map(|node| {
            format!(
                "once node {node} is in service again, remove its taint: kubectl taint nodes {} {OUT_OF_SERVICE}-",
                named(node)
            )
        })
        .collect()
}

/// Describes the controller's next retry.
fn next_attempt(retry: Option<Retry>) -> String {
    match retry {
        Some(Retry {
            expected: Some(expected),
            latest,
        }) if expected >= latest => {
            format!("the controller retries in about {}", span(expected))
        }
        Some(Retry {
            expected: Some(expected),
            latest,
        }) => format!(
            "the controller retries in about {}, within {} at the latest",
            span(expected),
            span(latest)
        ),
        Some(Retry {
            expected: None,
            latest,
        }) => format!("the controller retries within {}", span(latest)),
        None => "the controller retries automatically, at most 1000s apart".to_owned(),
    }
}
