//! What tells the template of a set from those that its outdated pods were made of.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::plan::{Outcome, Plan, owns, pods_of};
use sts_controller::apiserver::schema::stateful_set;
use sts_controller::apiserver::validation::differences;

/// How many revisions are compared: a set has one old one, or two when a rollout was given up.
const MOST: usize = 4;

/// What tells a revision from the one that the template asks for.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TemplateDiff {
    /// The revision that pods are on.
    pub from: String,
    /// The revision that the template asks for.
    pub to: String,
    /// Field by field.
    pub fields: Vec<FieldDiff>,
}

/// A field of the template that differs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FieldDiff {
    /// Where: `spec.template.spec.containers[0].image`.
    pub path: String,
    /// The value before; absent when there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// The value after; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
}

pub(super) fn template_diffs(plan: &Plan) -> Vec<TemplateDiff> {
    if matches!(plan.outcome, Outcome::Rejected(_)) || plan.deletion().is_some() {
        return Vec::new();
    }
    let snapshot = &plan.snapshot;
    let status = &plan.next.status;
    let mut known: Vec<&Arc<str>> = vec![&status.update_revision];
    let pods = pods_of(snapshot).filter(|pod| owns(snapshot, pod));
    let revisions = std::iter::once(&status.current_revision).chain(pods.map(|pod| &pod.revision));
    for revision in revisions {
        if known.len() > MOST {
            break;
        }
        if !known.contains(&revision) {
            known.push(revision);
        }
    }
    let set = |template: &Value| json!({"spec": {"template": template}});
    let new = set(&snapshot.set.template);
    let minor = plan.conditions.behaviour.defaulting.minor;
    known[1..]
        .iter()
        .filter_map(|from| {
            let old = set(snapshot.revisions.get(*from)?.template()?);
            let fields: Vec<FieldDiff> = differences(&old, &new, stateful_set(), minor)
                .into_iter()
                .map(|difference| FieldDiff {
                    path: difference.path,
                    old: difference.old,
                    new: difference.new,
                })
                .collect();
            (!fields.is_empty()).then(|| TemplateDiff {
                from: from.to_string(),
                to: status.update_revision.to_string(),
                fields,
            })
        })
        .collect()
}
