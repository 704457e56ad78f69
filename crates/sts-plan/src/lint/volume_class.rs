//! STS051: the change of a claim's VolumeAttributesClass is pending.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::Plan;
use sts_controller::object::Claim;

pub(super) const RULE: Rule = Rule {
    id: RuleId::VolumeClass,
    name: "volume-attributes-class",
    title: "the change of a claim's VolumeAttributesClass is pending or infeasible",
    why: "A claim names a VolumeAttributesClass, and the CSI driver changes its volume to that class. If the driver cannot, \
          the claim reports Infeasible and keeps its current class. The pods run on; no controller of Kubernetes waits for \
          it.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "Check the conditions and events of the claim:\n  kubectl describe pvc CLAIM\nIf the class is infeasible, set \
             spec.volumeAttributesClassName of the claim to one that the storage can provide, or back to the current one. \
             Do not delete the claim: that deletes its data.",
    links: &["https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/"],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let claims = plan.snapshot.claims.values();
    claims.filter_map(|claim| found(claim)).collect()
}

fn found(claim: &Claim) -> Option<Found> {
    let status = claim.given()?["status"].clone();
    let change = &status["modifyVolumeStatus"];
    let target = change["targetVolumeAttributesClassName"].as_str()?;
    let name = &claim.meta.name;
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let mut errors = conditions.filter(|it| it["type"] == "ModifyVolumeError");
    let why = match errors.next().and_then(|it| it["message"].as_str()) {
        Some(message) if !message.is_empty() => format!(": {message}"),
        _ => String::new(),
    };
    let now = match status["currentVolumeAttributesClassName"].as_str() {
        Some(class) => format!("; its volume keeps class {class}"),
        None => String::new(),
    };
    let (severity, rest) = match change["status"].as_str().unwrap_or_default() {
        "Infeasible" => (Severity::Warning, format!("is infeasible{why}{now}")),
        "Pending" => (Severity::Info, format!("is pending{why}{now}")),
        _ => (Severity::Info, format!("is in progress{why}")),
    };
    let message = format!("{name} is changed to VolumeAttributesClass {target}, which {rest}");
    Some(Found::on_claim(severity, name, message))
}
