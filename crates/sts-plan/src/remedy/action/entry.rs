//! Everything about one action of a remedy.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::catalogue::Catalogue;
use crate::cause::Cause;
use crate::command::{kubectl, named};
use crate::plan::{Obstacle, Plan, refusal_depends_on_template};
use jiff::SignedDuration;
use sts_controller::object::{Pod, Snapshot};
use sts_controller::simulate::{Action, Kubelet};

/// Everything about one action of a remedy.
#[derive(Debug, Clone, Default)]
pub(crate) struct RemedyEntry {
    pub(crate) effect: RemedyEffect,
    /// Request to the API server; `None` if it does not concern the set or its dependents.
    pub(crate) request: Option<Action>,
    /// Effect outside the simulation.
    pub(crate) assumed: Option<Assumed>,
    /// Node whose other unready pods are removed as well.
    pub(crate) emptied_node: Option<Arc<str>>,
    /// Time until the pods of that node are removed.
    pub(crate) emptied_after: SignedDuration,
    /// Time that the removed pods wait longer for their volumes, by name.
    pub(crate) detached_after: BTreeMap<Arc<str>, SignedDuration>,
    /// Node that accepts pods again.
    pub(crate) uncordoned: Option<Arc<str>>,
    pub(crate) commands: Vec<String>,
    /// Condition under which the action is right, or the step to do first.
    pub(crate) condition: Option<String>,
    pub(crate) risk: Option<String>,
}

/// The reach of an action.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum RemedyEffect {
    /// Its commands only show the problem.
    Looks,
    /// It changes the pod template and nothing else.
    ChangesTemplate,
    #[default]
    Changes,
}

/// An effect outside the simulation.
#[derive(Debug, Clone)]
pub(crate) enum Assumed {
    /// The reason that the pod is not ready, or does not terminate, is fixed.
    PodFixed(Arc<str>),
    /// The API server admits the pod.
    PodAdmitted(Arc<str>),
    /// The pod has the object that it lacked: it is admitted and becomes ready, and so do these others that lack it.
    ObjectProvided(Arc<str>, Vec<Arc<str>>),
    /// Nodes fit again: nothing foreseen is left.
    NodesAdded,
    /// The API server admits the pods of another template.
    AnotherTemplate,
}

impl Assumed {
    /// Returns the pod that becomes ready on its own revision, if any.
    pub(crate) fn fixed_pod(&self) -> Option<&Arc<str>> {
        match self {
            Assumed::PodFixed(pod) | Assumed::ObjectProvided(pod, _) => Some(pod),
            Assumed::PodAdmitted(_) | Assumed::NodesAdded | Assumed::AnotherTemplate => None,
        }
    }

    /// Returns the pod that the API server admits from now on, if any.
    pub(crate) fn admitted_pod(&self) -> Option<&Arc<str>> {
        match self {
            Assumed::PodAdmitted(pod) | Assumed::ObjectProvided(pod, _) => Some(pod),
            Assumed::PodFixed(_) | Assumed::NodesAdded | Assumed::AnotherTemplate => None,
        }
    }

    /// Reports whether it resolves what is foreseen of pods, so that nothing of that is left.
    pub(crate) fn resolves_foreseen(&self) -> bool {
        match self {
            // The other pods that are foreseen to fail have the same problem.
            Assumed::NodesAdded | Assumed::ObjectProvided(..) | Assumed::PodFixed(_) => true,
            Assumed::PodAdmitted(_) | Assumed::AnotherTemplate => false,
        }
    }

    pub(crate) fn apply(&self, catalogue: Catalogue, kubelet: &mut Kubelet) {
        if let Some(pod) = self.admitted_pod() {
            kubelet.forbidden.admit(pod);
        }
        let others = match self {
            Assumed::ObjectProvided(_, others) => others.as_slice(),
            _ => &[],
        };
        for pod in self.fixed_pod().into_iter().chain(others) {
            let assumed = kubelet.assumptions.entry(pod.to_string()).or_default();
            assumed.broken_on = None;
            // The kubelet finishes a termination.
            assumed.stays = None;
        }
        if let Assumed::AnotherTemplate = self {
            // A new template changes no claim.
            kubelet
                .forbidden
                .pods
                .retain(|_, words| !refusal_depends_on_template(catalogue, words));
        }
    }
}

/// The plan and the objects that an action is about, and the causes of the obstacles of the plan, if they are determined.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) plan: &'a Plan,
    pub(super) snapshot: &'a Snapshot,
    pub(super) causes: &'a [Option<Cause>],
}

impl<'a> Scene<'a> {
    /// Returns the objects at the end of the plan.
    pub(super) fn end(self) -> &'a Snapshot {
        self.plan.predicted().objects()
    }

    /// Returns the set's name as an argument.
    pub(super) fn set(self) -> &'a str {
        named(&self.snapshot.set.meta.name)
    }

    /// Returns a kubectl command with the set's namespace.
    pub(super) fn kubectl(self, command: &str) -> String {
        kubectl(self.snapshot, command)
    }

    /// Returns the causes of a pod.
    pub(super) fn causes_of(self, pod: &str) -> impl Iterator<Item = &'a Cause> {
        let obstacles = self.plan.outcome.obstacles().iter().zip(self.causes);
        let of_pod = obstacles.filter(|(it, _)| is_of_pod(it, pod));
        of_pod.filter_map(|(_, cause)| cause.as_ref())
    }
}

fn is_of_pod(obstacle: &Obstacle, pod: &str) -> bool {
    obstacle.pod().is_some_and(|it| *it.meta.name == *pod)
}

pub(super) fn is_unplaced(pod: &Pod) -> bool {
    let trouble = pod.trouble.as_ref();
    trouble.is_some_and(|trouble| trouble.is_unplaced())
}
