//! Actions: what the API server would refuse is refused in its words, and changes nothing.

use std::sync::Arc;

use sts_controller::apiserver::apply::Edit;
use sts_controller::simulate::{Action, Kubelet, World};

use crate::scenario::{behaviour, moment, web};

#[test]
fn what_the_server_refuses_is_not_done() {
    let behaviour = behaviour("1.36.2");
    let snapshot = web(3).partition(1).snapshot(&behaviour);
    let set = Arc::clone(&snapshot.set);
    let mut world = World::new(snapshot, moment(), Kubelet::default());
    let mut refused = |action: Action| {
        let answer = world.perform(&action, &behaviour).unwrap_err();
        assert_eq!(world.snapshot().set.strategy.partition(), 1);
        assert_eq!(world.snapshot().pods.len(), 3);
        answer.to_string()
    };
    assert_eq!(
        refused(Action::EditSet(Edit::Partition(-4))),
        "The StatefulSet \"web\" is invalid: spec.updateStrategy.rollingUpdate.partition: Invalid value: -4: must be \
         greater than or equal to 0"
    );
    assert_eq!(
        refused(Action::DeletePod("web-9".into())),
        "pods \"web-9\" not found"
    );
    assert_eq!(
        refused(Action::CreateSet(Arc::clone(&set))),
        "statefulsets.apps \"web\" already exists"
    );
    // What it takes is done.
    let edit = Action::EditSet(Edit::Partition(2));
    assert!(world.perform(&edit, &behaviour).unwrap().is_empty());
    assert_eq!(world.snapshot().set.strategy.partition(), 2);
    assert_eq!(world.snapshot().set.generation, set.generation + 1);
}
