//! STS019: revisions that differ in nothing, or whose hashes met.

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
    why: "Revisions are compared as bytes, so a template that is written differently, or by another version of the \
          control plane, is recorded a second time and rolls all pods for nothing. A collisionCount above 0 means that \
          two different templates had the same hash, or that something deletes or rewrites revisions.",
    severities: &[Severity::Info],
    happens: None,
    remedy: "Compare them (kubectl rollout history sts/NAME --revision=N). If one tool writes defaults into the \
             template and another removes them, let one of them win. Do not edit or delete ControllerRevisions.",
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
    // Templates are costly to work out, and the images of most differ already.
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
            "revisions {} (number {}) and {} (number {}) record the same template, written in two ways",
            early.meta.name, early.number, late.meta.name, late.number
        );
        found.push(Found::on_set(Severity::Info, plan, message));
    }
    let collisions = plan.snapshot.status.collision_count.unwrap_or(0);
    if collisions > 0 {
        let message = format!(
            "status.collisionCount is {collisions}: the name of a new revision was taken that often"
        );
        found.push(Found::on_set(Severity::Info, plan, message));
    }
    found
}

/// The images of a template's containers, which no default changes.
fn images(template: &Value) -> Vec<&str> {
    let containers = template["spec"]["containers"].as_array();
    let images = containers.into_iter().flatten();
    images
        .map(|container| container["image"].as_str().unwrap_or_default())
        .collect()
}
