//! Changes of the set's other fields and of its revisions, and its recreation.

use std::sync::Arc;

use serde_json::{Value, json};

use super::entry::{RemedyEntry, Scene};
use super::field;
use crate::command::{apply, finalizers_patch, manifest_file, named};
use sts_controller::apiserver::apply::Edit;
use sts_controller::simulate::Action;

/// The risk of recreating the set around its pods.
pub(crate) const UNTIL_RECREATED: &str = "deleted pods are not replaced until the new set exists";

pub(super) fn partition(partition: i32, scene: Scene<'_>) -> RemedyEntry {
    edited(Some(Edit::partition(partition)), scene)
}

pub(super) fn max_unavailable(pods: i32, scene: Scene<'_>) -> RemedyEntry {
    edited(Some(Edit::max_unavailable(&pods.to_string())), scene)
}

pub(super) fn retain_claims(scene: Scene<'_>) -> RemedyEntry {
    let policy = json!({"whenDeleted": "Retain", "whenScaled": "Retain"});
    let edit = field("spec.persistentVolumeClaimRetentionPolicy", policy);
    edited(edit, scene)
}

/// Another `revisionHistoryLimit`, an immutable field.
pub(super) fn history_limit(limit: i32, scene: Scene<'_>) -> RemedyEntry {
    let edit = field("spec.revisionHistoryLimit", json!(limit));
    recreated(
        edit,
        &format!("set a revisionHistoryLimit such as {limit}"),
        scene,
    )
}

/// `podManagementPolicy: Parallel`, an immutable field.
pub(super) fn parallel(scene: Scene<'_>) -> RemedyEntry {
    let edit = field("spec.podManagementPolicy", json!("Parallel"));
    recreated(edit, "set podManagementPolicy: Parallel", scene)
}

/// Another name, of at most this many characters.
pub(super) fn rename(longest: usize, scene: Scene<'_>) -> RemedyEntry {
    let name: String = scene.snapshot.set.meta.name.chars().take(longest).collect();
    // A name cannot end in these characters.
    let name = name.trim_end_matches(['-', '.']);
    let file = manifest_file(&scene.plan.conditions);
    RemedyEntry {
        request: field("metadata.name", json!(name)).map(Action::RecreateSet),
        commands: vec![
            scene.kubectl(&format!("delete sts {}", scene.set())),
            scene.kubectl(&apply(&scene.plan.conditions)),
        ],
        condition: Some(format!(
            "rename the set in {file} first (at most {longest} characters)"
        )),
        ..RemedyEntry::default()
    }
}

pub(super) fn drop_finalizers(scene: Scene<'_>) -> RemedyEntry {
    let command = finalizers_patch("sts", &scene.snapshot.set.meta.name);
    RemedyEntry {
        request: Some(Action::DropFinalizers),
        commands: vec![scene.kubectl(&command)],
        condition: Some("if no controller will remove the finalizers of the set".to_owned()),
        risk: Some("skips the cleanup behind the finalizers".to_owned()),
        ..RemedyEntry::default()
    }
}

pub(super) fn delete_revision(name: &Arc<str>, scene: Scene<'_>) -> RemedyEntry {
    RemedyEntry {
        request: Some(Action::DeleteRevision(Arc::clone(name))),
        commands: vec![scene.kubectl(&format!("delete controllerrevision {}", named(name)))],
        condition: Some(format!(
            "if {name}, which has no pod template, is not needed"
        )),
        ..RemedyEntry::default()
    }
}

/// Returns an edit of the set, with the command that patches it.
fn edited(edit: Option<Edit>, scene: Scene<'_>) -> RemedyEntry {
    let object = scene.snapshot.set.object.open();
    let patch = edit.as_ref().and_then(|edit| edit.patch(&object));
    let command = |patch: Value| format!("patch sts {} --type merge -p '{patch}'", scene.set());
    RemedyEntry {
        request: edit.map(Action::EditSet),
        commands: patch
            .into_iter()
            .map(|patch| scene.kubectl(&command(patch)))
            .collect(),
        ..RemedyEntry::default()
    }
}

/// Returns the recreation of the set around its pods with an edit of its manifest.
fn recreated(edit: Option<Edit>, first: &str, scene: Scene<'_>) -> RemedyEntry {
    let conditions = &scene.plan.conditions;
    RemedyEntry {
        request: edit.map(Action::RecreateSet),
        commands: vec![
            scene.kubectl(&format!("delete sts {} --cascade=orphan", scene.set())),
            scene.kubectl(&apply(conditions)),
        ],
        condition: Some(format!("{first} in {} first", manifest_file(conditions))),
        risk: Some(UNTIL_RECREATED.to_owned()),
        ..RemedyEntry::default()
    }
}
