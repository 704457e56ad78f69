//! STS005: claims that differ from their claim template.

use super::rule::{Check, Found, Rule, RuleId, Severity, list};
use crate::plan::Plan;
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::controller::{claim_of_pod, pod_name};
use sts_controller::object::ClaimTemplate;

pub(super) const RULE: Rule = Rule {
    id: RuleId::PvcDrift,
    name: "pvc-drift",
    title: "existing claims differ from the claim template in size or class",
    why: "A claim template is only used when a claim is created. A recreated set silently reuses existing claims with the \
          right names, whatever their size or class. The pods of the set then have different disks.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "To grow claims to the template's size (StorageClass with allowVolumeExpansion):\n  kubectl patch pvc \
             CLAIM --type merge -p '{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"SIZE\"}}}}'\nClaims cannot \
             shrink or change their class: recreate such claims one pod at a time, and copy the data.",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/68737",
        "https://github.com/kubernetes/kubernetes/pull/61493",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let templates = plan.snapshot.set.claim_templates.iter();
    templates
        .flat_map(|template| of_template(plan, template))
        .collect()
}

fn of_template(plan: &Plan, template: &ClaimTemplate) -> Vec<Found> {
    let set = &plan.snapshot.set;
    let spec = &template.object["spec"];
    let wanted = size(spec["resources"]["requests"]["storage"].as_str());
    let class = spec["storageClassName"].as_str();
    let (mut smaller, mut larger, mut classes) = (Vec::new(), Vec::new(), Vec::new());
    for ordinal in plan.conditions.behaviour.ordinals(set) {
        let name = claim_of_pod(&template.name, &pod_name(set, ordinal));
        let Some(claim) = plan.snapshot.claims.get(name.as_str()) else {
            continue;
        };
        if let (Some((has, text)), Some((asked, _))) = (size(claim.storage.as_deref()), &wanted) {
            match has.cmp(asked) {
                std::cmp::Ordering::Less => smaller.push((name.clone(), text.to_owned())),
                std::cmp::Ordering::Greater => larger.push((name.clone(), text.to_owned())),
                std::cmp::Ordering::Equal => {}
            }
        }
        if let (Some(has), Some(asked)) = (claim.class.as_deref(), class)
            && has != asked
        {
            classes.push((name, has.to_owned()));
        }
    }
    let mut found = Vec::new();
    let mut add = |severity, different: &[(String, String)], tail: String| {
        if let Some((first, has)) = different.first() {
            let names = list(different.iter().map(|(name, _)| name.as_str()));
            let have = if different.len() == 1 { "has" } else { "have" };
            let uneven = different.iter().any(|(_, other)| other != has);
            let has = if uneven { "different values" } else { has };
            let message = format!("{names} {have} {has}, {tail}");
            found.push(Found::on_claim(severity, first, message));
        }
    };
    let asked = wanted.as_ref().map_or("", |(_, text)| *text);
    let template_name = &template.name;
    add(
        Severity::Warning,
        &smaller,
        format!(
            "but claim template {template_name} requests {asked}: existing claims keep their size{}",
            expansion(plan, &smaller)
        ),
    );
    add(
        Severity::Info,
        &larger,
        format!("but claim template {template_name} requests {asked}: new pods get less storage"),
    );
    let asked = class.unwrap_or_default();
    add(
        Severity::Warning,
        &classes,
        format!(
            "but claim template {template_name} requests class {asked}: existing claims keep their class"
        ),
    );
    found
}

/// Describes whether the class of the claims allows expansion.
fn expansion(plan: &Plan, claims: &[(String, String)]) -> String {
    let first = claims.first();
    let claim = first.and_then(|(name, _)| plan.snapshot.claims.get(name.as_str()));
    let class = claim.and_then(|claim| claim.class.as_deref());
    let around = &plan.related;
    let class = match class {
        Some(name) => around.storage_class(name),
        None => around.default_storage_class(),
    };
    if claim.is_some_and(|claim| !claim.can_be_resized()) {
        return " and cannot grow before they are bound".to_owned();
    }
    match class {
        Some(class) if class.allows_expansion => {
            format!(
                ", but can grow: StorageClass {} allows expansion",
                class.meta.name
            )
        }
        Some(class) => format!(
            " and cannot grow: StorageClass {} does not allow expansion",
            class.meta.name
        ),
        None => String::new(),
    }
}

/// Returns the storage request of a claim or a template.
fn size(text: Option<&str>) -> Option<(Quantity, &str)> {
    let text = text?;
    Some((Quantity::parse(text).ok()?, text))
}
