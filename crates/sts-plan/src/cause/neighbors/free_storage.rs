//! Free storage that CSI drivers report, beside the size of a new claim.

use serde_json::Value;

use super::MOST;
use crate::plan::Plan;
use crate::words::list;
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{Bystander, Pod};

/// The kind by which drivers report free storage to the scheduler.
const CAPACITY: &str = "CSIStorageCapacity";

/// Compares the first claim without a volume with the free storage of its class: `data-db-2 asks for 900Gi, and class lvm has
/// at most 640Gi in one place (n-2: 640Gi, n-1: 96Gi)`; `None` if the input does not have it, or it would fit.
pub(super) fn told(plan: &Plan, pod: &Pod) -> Option<String> {
    let unbound = plan.snapshot.unbound_claims(pod).into_iter();
    let mut told = unbound.filter_map(|claim| {
        let given = claim.given()?;
        let spec = &given["spec"];
        let class = spec["storageClassName"].as_str()?;
        let asked = spec["resources"]["requests"]["storage"].as_str()?;
        let size = Quantity::parse(asked).ok()?;
        let mut free: Vec<(Quantity, String)> = plan
            .related
            .all_bystanders()
            .filter(|it| *it.kind == *CAPACITY && it.beside["storageClassName"] == class)
            .filter_map(|it| largest(it))
            .collect();
        free.sort_by(|(one, at), (other, place)| other.cmp(one).then_with(|| at.cmp(place)));
        let (most, _) = free.first().filter(|(most, _)| *most < size)?;
        let most = most.canonical();
        let places: Vec<&String> = free.iter().map(|(_, place)| place).collect();
        let name = &claim.meta.name;
        Some(format!(
            "{name} asks for {asked}, and class {class} has at most {most} in one place ({})",
            list(&places, MOST)
        ))
    });
    told.next()
}

/// Returns the largest volume that still fits in a place, with the place: `n-2: 640Gi`.
fn largest(object: &Bystander) -> Option<(Quantity, String)> {
    let amount = |name: &str| Quantity::parse(object.beside[name].as_str()?).ok();
    let capacity = amount("capacity");
    let size = amount("maximumVolumeSize").or(capacity)?;
    let labels = object.beside["nodeTopology"]["matchLabels"].as_object();
    let mut values = labels.into_iter().flat_map(|it| it.values());
    let place = values.find_map(Value::as_str)?;
    let told = format!("{place}: {}", size.canonical());
    Some((size, told))
}
