//! Requests of a pod that a VerticalPodAutoscaler has raised over those of the template.

use super::MOST;
use crate::catalogue::Trouble;
use crate::cause::template::containers;
use crate::plan::Plan;
use crate::words::list;
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{Bystander, Pod};

/// The resources whose requests an autoscaler raises.
const RESOURCES: [&str; 2] = ["memory", "cpu"];

/// Returns what an autoscaler has raised, if the set is its target.
pub(super) fn trouble(plan: &Plan, pod: &Pod, scaler: &Bystander) -> Option<Trouble> {
    let set = &plan.snapshot.set;
    let target = &scaler.spec["targetRef"];
    let is_of_set = target["kind"] == "StatefulSet"
        && target["name"] == *set.meta.name
        && scaler.meta.namespace == set.meta.namespace;
    let given = pod.given().filter(|_| is_of_set)?;
    let stored = set.object.open();
    let template = &stored["spec"]["template"]["spec"];
    let raised = containers(&given["spec"]).flat_map(|own| {
        let of_template = containers(template).find(|it| it["name"] == own["name"]);
        RESOURCES.iter().filter_map(move |resource| {
            let request = |it: &serde_json::Value| {
                let text = it["resources"]["requests"][*resource].as_str()?.to_owned();
                Some((Quantity::parse(&text).ok()?, text))
            };
            let (before, text) = request(of_template?)?;
            let (now, now_text) = request(own)?;
            (now > before).then(|| format!("{resource} from {text} to {now_text}"))
        })
    });
    let raised: Vec<String> = raised.collect();
    let name = &pod.meta.name;
    (!raised.is_empty()).then(|| Trouble {
        says: format!("has raised the requests of {name}: {}", list(&raised, MOST)),
        cure: format!(
            "Set maxAllowed in its resourcePolicy to what a node has free, and delete {name} then: it is created again with \
             lower requests"
        ),
    })
}
