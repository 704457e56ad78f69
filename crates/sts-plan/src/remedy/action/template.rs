//! Changes of the pod template.

use std::sync::Arc;

use serde_json::json;

use super::entry::{Assumed, RemedyEffect, RemedyEntry, Scene};
use super::field;
use crate::cause::container_list;
use crate::command::{apply, manifest_file, quoted};
use sts_controller::apiserver::apply::Edit;
use sts_controller::simulate::Action;

/// Rolling back to a revision.
pub(super) fn to_revision(name: &Arc<str>, number: i64, scene: Scene<'_>) -> RemedyEntry {
    let revision = scene.snapshot.revisions.get(name);
    let revision = revision.filter(|revision| revision.template().is_some());
    let ready = scene.plan.observed().ready_on(name);
    let command = format!("rollout undo sts/{} --to-revision={number}", scene.set());
    RemedyEntry {
        effect: RemedyEffect::ChangesTemplate,
        request: revision.map(|revision| Action::EditSet(Edit::to_revision(revision))),
        assumed: Some(Assumed::AnotherTemplate),
        commands: vec![scene.kubectl(&command)],
        condition: Some(match ready.count() {
            0 => format!("if {name} is known to work, roll back to it"),
            1 => format!("roll back to {name} (1 pod ready on it)"),
            pods => format!("roll back to {name} ({pods} pods ready on it)"),
        }),
        ..RemedyEntry::default()
    }
}

/// Another template, whose pods become ready. The request has a placeholder for the one that the user applies.
pub(super) fn new(scene: Scene<'_>) -> RemedyEntry {
    let conditions = &scene.plan.conditions;
    let placeholder = "spec.template.metadata.annotations[\"sts-plan/stand-in\"]";
    RemedyEntry {
        effect: RemedyEffect::ChangesTemplate,
        request: field(placeholder, json!("works")).map(Action::EditSet),
        assumed: Some(Assumed::AnotherTemplate),
        commands: vec![scene.kubectl(&apply(conditions))],
        condition: Some(format!(
            "fix the pod template in {}, then apply it",
            manifest_file(conditions)
        )),
        ..RemedyEntry::default()
    }
}

/// Raising the memory limit of a container.
pub(super) fn raise_memory(
    container: &str,
    is_init: bool,
    present: &str,
    proposed: &str,
    scene: Scene<'_>,
) -> RemedyEntry {
    let list = container_list(is_init);
    let limit = format!("spec.template.spec.{list}[name={container}].resources.limits.memory");
    let limits = json!({"name": container, "resources": {"limits": {"memory": proposed}}});
    let patch = json!({"spec": {"template": {"spec": {list: [limits]}}}}).to_string();
    let command = format!("patch sts {} -p {}", scene.set(), quoted(&patch));
    RemedyEntry {
        effect: RemedyEffect::ChangesTemplate,
        request: field(&limit, json!(proposed)).map(Action::EditSet),
        commands: vec![scene.kubectl(&command)],
        condition: Some(format!(
            "if {container} needs more memory than its limit of {present} ({proposed} is twice that)"
        )),
        ..RemedyEntry::default()
    }
}
