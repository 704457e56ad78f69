//! Free capacity of an assumed empty node.

use std::sync::Arc;

use serde_json::json;

use super::Input;
use super::nodes::Demand;
use super::volumes::reaches;
use crate::conditions::Conditions;
use crate::requests::{self, Amounts, add};
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{Node, Pod, Snapshot};

/// Node that only runs the pods placed on it here.
pub(crate) struct EmptyNode {
    node: Arc<Node>,
    allocatable: Amounts,
    taken: Amounts,
    pods: usize,
}

impl EmptyNode {
    /// Creates the capacity of an empty node.
    pub(crate) fn of(node: &Arc<Node>) -> Self {
        EmptyNode {
            node: Arc::clone(node),
            allocatable: requests::allocatable(node),
            taken: Amounts::new(),
            pods: 0,
        }
    }

    /// Places a pod if the node accepts it by selector, affinity, taints, volumes, requests and pod count.
    /// Returns the node's name.
    pub(crate) fn take(
        &mut self,
        snapshot: &Snapshot,
        conditions: &Conditions,
        pod: &Pod,
    ) -> Option<Arc<str>> {
        let object = pod.given()?;
        let spec = &object["spec"];
        let demand = Demand::of(&json!({ "spec": spec }))?;
        let view = Input {
            snapshot,
            related: &conditions.related,
            conditions,
            wanted: Vec::new(),
        };
        let volumes = spec["volumes"].as_array().into_iter().flatten();
        let claims =
            volumes.filter_map(|volume| volume["persistentVolumeClaim"]["claimName"].as_str());
        let reaches = reaches(&view, &pod.meta.name, claims);
        if demand.unfit(&self.node, &reaches).is_some() {
            return None;
        }
        let mut taken = self.taken.clone();
        add(&mut taken, &requests::of_spec(spec));
        let has_room = taken.iter().all(|(resource, asked)| {
            // A node without reported capacity may have any.
            let has = self.allocatable.get(resource);
            has.is_none_or(|has| asked <= has)
        });
        let most = self.allocatable.get("pods");
        let one_more = Quantity::parse(&(self.pods + 1).to_string()).ok()?;
        if !has_room || most.is_some_and(|most| one_more > *most) {
            return None;
        }
        (self.taken, self.pods) = (taken, self.pods + 1);
        Some(Arc::clone(&self.node.meta.name))
    }
}
