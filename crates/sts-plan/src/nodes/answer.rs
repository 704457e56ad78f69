//! The answer to what is done to nodes: whether the drain ends, what it takes from each set, and what does not come back.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::advice;
use super::{Advice, Course, NodeActions};
use crate::foresight;
use crate::lint::Availability;
use crate::plan::Plan;
use crate::requirement::majority;
use sts_controller::simulate::{DrainEnd, WaitsFor};

/// Maximum number of ways to release the pods of lost nodes that are told: those of one set.
const MOST_ADVICE: usize = 3;

/// The end of what is done to nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The drain ends.
    Ends,
    /// The drain waits for ever.
    Hangs,
    /// The drain ends in an error.
    Fails,
    /// The drain was not followed to its end: pods come and go for ever.
    Unknown,
    /// Nothing is drained.
    NoDrain,
}

impl Verdict {
    /// The verdict's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Ends => "ends",
            Verdict::Hangs => "hangs",
            Verdict::Fails => "fails",
            Verdict::Unknown => "unknown",
            Verdict::NoDrain => "no-drain",
        }
    }
}

/// The answer for all sets.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The actions.
    pub actions: NodeActions,
    /// The end.
    pub verdict: Verdict,
    /// Its moment, since the beginning.
    pub at: SignedDuration,
    /// The nodes that are drained, each with its moment.
    pub drained: Vec<(Arc<str>, SignedDuration)>,
    /// The advice, if the drain does not end.
    pub advice: Vec<Advice>,
    /// Each set that it concerns.
    pub sets: Vec<SetAnswer>,
}

/// The answer for one set.
#[derive(Debug, Clone)]
pub struct SetAnswer {
    /// The set's namespace.
    pub namespace: Arc<str>,
    /// The set's name.
    pub name: Arc<str>,
    /// `spec.replicas`.
    pub replicas: i32,
    /// The pods that leave, in order.
    pub leaves: Vec<Leaving>,
    /// The pods that the drain does not get rid of.
    pub stranded: Vec<StrandedPod>,
    /// The pods that are not ready at the end, each with the reason.
    pub homeless: Vec<(Arc<str>, String)>,
    /// The ways to release pods that stay on nodes that do not answer.
    pub advice: Vec<Advice>,
    /// The most pods that are not ready at one moment.
    pub most_down: usize,
    /// Lowest number of ready pods.
    pub lowest_ready: usize,
    /// True if that is less than a majority of three replicas or more.
    pub loses_quorum: bool,
}

/// A pod that leaves its node.
#[derive(Debug, Clone)]
pub struct Leaving {
    /// The pod.
    pub pod: Arc<str>,
    /// Its node.
    pub node: Arc<str>,
    /// When, since the beginning.
    pub at: SignedDuration,
    /// Number of times that a budget kept it before.
    pub refused: usize,
}

/// A pod that a drain does not get rid of.
#[derive(Debug, Clone)]
pub struct StrandedPod {
    /// The pod.
    pub pod: Arc<str>,
    /// Its node.
    pub node: Arc<str>,
    /// The reason.
    pub waits_for: WaitsFor,
}

impl Course {
    /// The answer for the set at this place, given the plan of it with what it meets.
    #[must_use]
    pub fn of_set(&self, at: usize, plan: &Plan) -> SetAnswer {
        let since = |moment: Timestamp| moment.duration_since(self.began);
        let set = &plan.snapshot.set;
        let availability = Availability::of(plan);
        let lowest_ready = availability.lowest_ready(set.replicas);
        let needed = usize::try_from(majority(i64::from(set.replicas))).unwrap_or(0);
        let drained = self.drained.iter();
        let evictions = drained.clone().flat_map(|drained| &drained.evictions);
        let leaves = evictions.filter(|step| step.set == at).map(|step| Leaving {
            pod: Arc::clone(&step.pod),
            node: Arc::clone(&step.node),
            at: since(step.at),
            refused: step.refused,
        });
        let stranded = drained.flat_map(|drained| &drained.stranded);
        let stranded = stranded.filter(|one| one.set == at).map(|one| StrandedPod {
            pod: Arc::clone(&one.pod),
            node: Arc::clone(&one.node),
            waits_for: one.waits_for.clone(),
        });
        let lost = &plan.conditions.outage.lost;
        let terminating = plan.final_pods().filter(|pod| {
            pod.is_terminating() && pod.node.as_ref().is_some_and(|node| lost.contains(node))
        });
        let mut homeless: Vec<(Arc<str>, String)> = terminating
            .map(|pod| {
                let node = pod.node.as_deref().unwrap_or_default();
                let name = &pod.meta.name;
                let why = format!("{name} is terminating for ever: {node} does not answer");
                (Arc::clone(name), why)
            })
            .collect();
        let stops = plan.foreseen_stops().into_iter();
        homeless.extend(stops.map(|(pod, why)| {
            let name = Arc::clone(&pod.meta.name);
            let told = foresight::told(&name, &why);
            (name, told)
        }));
        SetAnswer {
            namespace: Arc::clone(&set.meta.namespace),
            name: Arc::clone(&set.meta.name),
            replicas: set.replicas,
            leaves: leaves.collect(),
            stranded: stranded.collect(),
            homeless,
            advice: advice::of_lost(plan),
            most_down: availability.most_down,
            lowest_ready,
            loses_quorum: set.replicas > 2 && lowest_ready < needed,
        }
    }

    /// The answer for all sets.
    #[must_use]
    pub fn answer(&self, actions: &NodeActions, sets: Vec<SetAnswer>) -> Answer {
        let since = |moment: Timestamp| moment.duration_since(self.began);
        let (verdict, at) = match self.drained.as_ref().map(|drained| drained.end) {
            None => (Verdict::NoDrain, SignedDuration::ZERO),
            Some(DrainEnd::Done(at)) => (Verdict::Ends, since(at)),
            Some(DrainEnd::Hangs(at)) => (Verdict::Hangs, since(at)),
            Some(DrainEnd::Fails(at)) => (Verdict::Fails, since(at)),
            Some(DrainEnd::Unknown(at)) => (Verdict::Unknown, since(at)),
        };
        let drained = self.drained.iter().flat_map(|drained| &drained.nodes);
        Answer {
            actions: actions.clone(),
            verdict,
            at,
            drained: drained
                .map(|(node, at)| (Arc::clone(node), since(*at)))
                .collect(),
            advice: self
                .advice
                .iter()
                .chain(sets.iter().flat_map(|set| &set.advice).take(MOST_ADVICE))
                .cloned()
                .collect(),
            sets,
        }
    }
}
