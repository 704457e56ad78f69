//! Resource requests of a pod, summed as in the scheduler.

use std::collections::BTreeMap;

use serde_json::Value;

use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::Node;

pub(crate) type Amounts = BTreeMap<String, Quantity>;

/// Returns the allocatable resources of a node; empty if unknown.
pub(crate) fn allocatable(node: &Node) -> Amounts {
    let allocatable = node.allocatable.iter().filter_map(|(resource, amount)| {
        let amount = Quantity::parse(amount).ok()?;
        Some((resource.to_string(), amount))
    });
    allocatable.collect()
}

/// Returns the requests of a pod: the sum of containers and sidecars, or the peak of an init container with its
/// preceding sidecars if larger, plus the overhead of the RuntimeClass.
pub(crate) fn of_spec(spec: &Value) -> Amounts {
    let mut total = sum(spec, of_container);
    // Pod-level requests override those of the containers.
    total.extend(amounts(&spec["resources"]["requests"]));
    add(&mut total, &amounts(&spec["overhead"]));
    total.retain(|_, amount| !amount.is_zero() && !amount.is_negative());
    total
}

/// Returns the limits of a pod, summed like its requests.
pub(crate) fn limits_of_spec(spec: &Value) -> Amounts {
    let mut total = sum(spec, |container| amounts(&container["resources"]["limits"]));
    total.extend(amounts(&spec["resources"]["limits"]));
    total
}

/// Sums an amount over the containers of a pod.
fn sum(spec: &Value, of_container: impl Fn(&Value) -> Amounts) -> Amounts {
    let list = |name: &str| spec[name].as_array().into_iter().flatten();
    let mut total = Amounts::new();
    let (mut sidecars, mut most_at_first) = (Amounts::new(), Amounts::new());
    for container in list("initContainers") {
        let asked = of_container(container);
        if container["restartPolicy"] == "Always" {
            add(&mut sidecars, &asked);
            raise(&mut most_at_first, &sidecars);
        } else {
            let mut together = sidecars.clone();
            add(&mut together, &asked);
            raise(&mut most_at_first, &together);
        }
    }
    for container in list("containers") {
        add(&mut total, &of_container(container));
    }
    add(&mut total, &sidecars);
    raise(&mut total, &most_at_first);
    total
}

/// Returns the requests of a container, which default to its limits.
fn of_container(container: &Value) -> Amounts {
    let resources = &container["resources"];
    let mut asked = amounts(&resources["limits"]);
    asked.extend(amounts(&resources["requests"]));
    asked
}

/// Reads a mapping of resources to amounts.
pub(crate) fn amounts(list: &Value) -> Amounts {
    let list = list.as_object().into_iter().flatten();
    list.filter_map(|(resource, amount)| Some((resource.clone(), quantity(amount)?)))
        .collect()
}

fn quantity(amount: &Value) -> Option<Quantity> {
    match amount {
        Value::String(text) => Quantity::parse(text).ok(),
        Value::Number(number) => Quantity::parse(&number.to_string()).ok(),
        _ => None,
    }
}

pub(crate) fn add(to: &mut Amounts, more: &Amounts) {
    for (resource, amount) in more {
        let sum = match to.get(resource) {
            Some(before) => before.plus(amount),
            None => Some(amount.clone()),
        };
        // On overflow the sum remains unchanged: no node has that much in either case.
        if let Some(sum) = sum {
            to.insert(resource.clone(), sum);
        }
    }
}

fn raise(to: &mut Amounts, least: &Amounts) {
    for (resource, amount) in least {
        if to.get(resource).is_none_or(|before| before < amount) {
            to.insert(resource.clone(), amount.clone());
        }
    }
}
