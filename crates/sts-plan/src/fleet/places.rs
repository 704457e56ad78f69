//! The sets that the drain of a node may affect.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::driver::each;
use super::{FleetDriver, FleetSet, PlanEnd, SetCourse};

/// The nodes with pods of a set, and whether its plan has anything to do without a drain.
pub struct SetPlaces {
    nodes: BTreeSet<Arc<str>>,
    is_at_rest: bool,
}

impl SetPlaces {
    /// Returns the places of each set before any drain; `None` for a set that cannot be planned.
    pub fn of<S: FleetSet>(sets: &[S], driver: &dyn FleetDriver) -> Vec<Option<Self>> {
        each(driver, sets, |_, set| {
            match set.plan(&set.conditions(), &mut Vec::new()) {
                Ok(SetCourse::Plan(plan)) => {
                    let pods = plan.snapshot.pods.values();
                    Some(SetPlaces {
                        nodes: pods.filter_map(|pod| pod.node.clone()).collect(),
                        is_at_rest: PlanEnd::of(&plan) == PlanEnd::NothingToDo,
                    })
                }
                Ok(SetCourse::Stages(_)) | Err(_) => None,
            }
        })
    }

    /// Reports whether the drain of a node may affect the set: a set at rest without a pod there stays at rest.
    #[must_use]
    pub fn is_affected(&self, node: &str) -> bool {
        !self.is_at_rest || self.nodes.contains(node)
    }
}
