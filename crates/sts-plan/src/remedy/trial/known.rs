//! Knowledge about the pods that a trial creates. Every trial gets its world here, so that no remedy escapes it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::action::{RemedyAction, RemedyEntry};
use crate::foresight::{CORDONED, Foreseen, Foresight, refused};
use crate::plan::{Conditions, Obstacle, Plan};
use sts_controller::object::{Node, Pod, Related, RelatedObjects};
use sts_controller::simulate::World;

/// Knowledge of the input about the world of a trial.
pub(super) struct Known<'a> {
    conditions: Cow<'a, Conditions>,
    /// True if nothing is foreseen, because an action provides nodes or repairs what was foreseen: see the premise.
    is_clear: bool,
    /// True if the template is new, and the user changes what the scheduler reads.
    changes_scheduling: bool,
    /// Pods that an action lets the API server admit.
    admitted: BTreeSet<Arc<str>>,
}

impl<'a> Known<'a> {
    pub(super) fn of(
        plan: &'a Plan,
        obstacle: &Obstacle,
        actions: &[RemedyAction],
        entries: &[RemedyEntry],
    ) -> Self {
        let assumed = || entries.iter().filter_map(|entry| entry.assumed.as_ref());
        let stuck = obstacle.pod();
        let is_unplaced = |pod: &Arc<Pod>| {
            let trouble = pod.trouble.as_ref();
            let found = plan.foresight.of_pod(&pod.meta.name, &pod.revision);
            trouble.is_some_and(|trouble| trouble.is_unplaced())
                || (pod.node.is_none() && found.is_some())
        };
        let is_unplaced = stuck.is_some_and(is_unplaced);
        Known {
            conditions: uncordoned(plan, entries),
            is_clear: assumed().any(|it| it.resolves_foreseen()),
            changes_scheduling: is_unplaced && actions.contains(&RemedyAction::NewTemplate),
            admitted: assumed()
                .filter_map(|it| it.admitted_pod().cloned())
                .collect(),
        }
    }

    /// Tells the world what is known of the pods that it creates from now on, if these are removed later. Returns what is
    /// foreseen of them.
    pub(super) fn tell(&self, world: &mut World, removed: &BTreeSet<Arc<str>>) -> Foresight {
        let conditions = &*self.conditions;
        let mut without = Cow::Borrowed(world.snapshot());
        for pod in removed {
            without.to_mut().pods.remove(pod);
        }
        let mut refused = refused(&without, conditions, &conditions.grants);
        for pod in &self.admitted {
            refused.admit(pod);
        }
        world.forbid(refused);
        if self.is_clear {
            return Foresight::default();
        }
        let next = world.next_sync(&conditions.behaviour);
        let mut foresight = Foresight::of(world.snapshot(), &next, conditions);
        if self.changes_scheduling {
            foresight.forget(&next.status.update_revision, Foreseen::is_of_template);
        }
        world.foresee(foresight.in_simulation());
        foresight
    }
}

/// Returns the conditions of a plan in which these nodes accept pods again.
fn uncordoned<'a>(plan: &'a Plan, entries: &[RemedyEntry]) -> Cow<'a, Conditions> {
    let nodes = entries.iter().filter_map(|entry| {
        let name = entry.uncordoned.as_ref()?;
        plan.related.node(name)
    });
    let nodes: Vec<&Arc<Node>> = nodes.collect();
    if nodes.is_empty() {
        return Cow::Borrowed(&plan.conditions);
    }
    let mut related = RelatedObjects::clone(&plan.related);
    for node in nodes {
        let mut node = Node::clone(node);
        node.unschedulable = false;
        node.taints.retain(|taint| &*taint.key != CORDONED);
        related.insert(Related::Node(node));
    }
    Cow::Owned(Conditions {
        related: Arc::new(related),
        ..plan.conditions.clone()
    })
}
