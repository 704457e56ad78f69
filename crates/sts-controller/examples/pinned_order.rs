//! Pins the order of a rollout, as a test of an operator would: a new image reaches the highest ordinal first.

use serde_json::json;
use sts_controller::apiserver::apply::{Edit, create};
use sts_controller::controller::{Resource, Verb};
use sts_controller::object::Snapshot;
use sts_controller::simulate::{Action, Kubelet, World, run};
use sts_controller::version::{Behaviour, Gates, Version};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let version: Version = "1.36".parse()?;
    let behaviour = Behaviour::new(version, &Gates::defaults(version));
    let web = json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "replicas": 3, "serviceName": "web", "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "main", "image": "app:1"}]},
            },
        },
    });
    let fresh = Snapshot::from_objects([create(&web, &[], &behaviour)?.set])?;
    let now = "2026-01-01T00:00:00Z".parse()?;
    let mut world = run(World::new(fresh, now, Kubelet::default()), &behaviour).world;

    let (container, image) = (None, "app:2".to_owned());
    let edit = Edit::Image { container, image };
    world.perform(&Action::EditSet(edit), &behaviour)?;
    let steps = run(world, &behaviour).steps;
    let writes = steps.iter().flat_map(|step| step.writes());
    let deleted = writes.filter(|it| (it.verb, it.resource) == (Verb::Delete, Resource::Pods));
    let order: Vec<&str> = deleted.map(|write| &*write.name).collect();
    assert_eq!(order, ["web-2", "web-1", "web-0"]);
    Ok(())
}
