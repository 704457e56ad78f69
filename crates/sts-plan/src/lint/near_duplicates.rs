//! STS019: revisions with the same content, or hash collisions.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::Value;

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::{Outcome, Plan};
use sts_controller::apiserver::defaults::default_spec_template;
use sts_controller::controller::list_revisions;
use sts_controller::version::Defaulting;

pub(super) const RULE: Rule = Rule {
    id: RuleId::NearDuplicates,
    name: "near-duplicate-revisions",
    title: "two revisions have the same content, or revision hashes have collided",
    why: "Revisions are compared byte by byte. The same template in another notation, or from another version of the \
          control plane, is recorded again and replaces all pods needlessly. A collisionCount above 0 means that two \
          different templates had the same hash, or that something deletes or rewrites revisions.",
    severities: &[Severity::Info],
    happens: None,
    remedy: "Compare them (kubectl rollout history sts/NAME --revision=N). If one tool writes defaults into the \
             template and another removes them, use only one of them. Do not edit or delete ControllerRevisions.",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/61998",
        "https://github.com/kubernetes/kubernetes/pull/135017",
        "https://github.com/openshift/origin/issues/17435",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let mut found = Vec::new();
    if matches!(plan.outcome, Outcome::Rejected(_)) {
        return found;
    }
    let behaviour = &plan.conditions.behaviour;
    let api = Defaulting {
        creation_timestamp_null: false,
        ..behaviour.defaulting
    };
    let revisions = list_revisions(&plan.snapshot, behaviour);
    // Comparing templates is expensive, and most differ in their images already.
    let mut alike: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    let templates = revisions.iter().filter_map(|revision| revision.template());
    templates.for_each(|template| *alike.entry(images(template)).or_default() += 1);
    let mut seen = BTreeMap::new();
    let pair = revisions.iter().find_map(|late| {
        let template = late.template()?;
        if alike.get(&images(template)) == Some(&1) {
            return None;
        }
        let meaning = default_spec_template(template, &api).to_string();
        match seen.entry(meaning) {
            Entry::Occupied(early) => Some((*early.get(), late)),
            Entry::Vacant(place) => {
                place.insert(late);
                None
            }
        }
    });
    if let Some((early, late)) = pair {
        let message = format!(
            "revisions {} (number {}) and {} (number {}) record the same template in different notations",
            early.meta.name, early.number, late.meta.name, late.number
        );
        found.push(Found::on_set(Severity::Info, plan, message));
    }
    let collisions = plan.snapshot.status.collision_count.unwrap_or(0);
    if collisions > 0 {
        let message = format!(
            "status.collisionCount is {collisions}: the number of name collisions of new revisions"
        );
        found.push(Found::on_set(Severity::Info, plan, message));
    }
    found
}

/// Returns the images of a template, which defaulting does not change.
fn images(template: &Value) -> Vec<&str> {
    let containers = template["spec"]["containers"].as_array();
    let images = containers.into_iter().flatten();
    images
        .map(|container| container["image"].as_str().unwrap_or_default())
        .collect()
}
