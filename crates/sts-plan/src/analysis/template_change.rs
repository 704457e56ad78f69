//! What tells the template of a set from those that its outdated pods were made of.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::plan::{Outcome, Plan, owns, pods_of};
use sts_controller::apiserver::schema::stateful_set;
use sts_controller::apiserver::validation::{Difference, differences};

/// How many revisions are compared: a set has one old one, or two when a rollout was given up.
const MOST: usize = 4;

/// What tells a revision from the one that the template asks for.
#[derive(Debug)]
pub struct TemplateChange {
    /// The revision that pods are on.
    pub from: Arc<str>,
    /// The revision that the template asks for.
    pub to: Arc<str>,
    /// Field by field; at least one.
    pub fields: Vec<Difference>,
}

pub(super) fn template_changes(plan: &Plan) -> Vec<TemplateChange> {
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
    let set = |template: &Value| {
        let mut set = json!({"spec": {"template": null}});
        set["spec"]["template"] = template.clone();
        set
    };
    let new = set(&snapshot.set.template);
    let minor = plan.conditions.behaviour.defaulting.minor;
    known[1..]
        .iter()
        .filter_map(|from| {
            let old = set(snapshot.revisions.get(*from)?.template()?);
            let fields = differences(&old, &new, stateful_set(), minor);
            (!fields.is_empty()).then(|| TemplateChange {
                from: Arc::clone(from),
                to: Arc::clone(&status.update_revision),
                fields,
            })
        })
        .collect()
}
