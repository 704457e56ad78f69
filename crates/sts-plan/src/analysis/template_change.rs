//! Differences between a set's template and the templates of its outdated pods.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{FieldDiff, TemplateDiff};
use crate::plan::{Outcome, Plan, owns, pods_of};
use sts_controller::apiserver::defaults::default_spec_template;
use sts_controller::apiserver::schema::stateful_set;
use sts_controller::apiserver::validation::differences;

/// Maximum number of revisions to compare. A set usually has one old revision, or two after an abandoned rollout.
const MOST: usize = 4;

pub(super) fn template_changes(plan: &Plan) -> Vec<TemplateDiff> {
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
    // A default that only one of them has makes no difference.
    let set = |template: &Value| {
        let mut set = json!({"spec": {"template": null}});
        set["spec"]["template"] =
            default_spec_template(template, &plan.conditions.behaviour.defaulting);
        set
    };
    let new = set(&snapshot.set.template);
    let minor = plan.conditions.behaviour.defaulting.minor;
    known[1..]
        .iter()
        .filter_map(|from| {
            let old = set(snapshot.revisions.get(*from)?.template()?);
            let fields = differences(&old, &new, stateful_set(), minor);
            let fields: Vec<FieldDiff> = fields
                .into_iter()
                .map(|difference| FieldDiff {
                    field: pod_field(&difference.path, &new),
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

/// Converts a path of the set to a path within the pod, with list elements by name:
/// `spec.template.spec.containers[0].image` becomes `containers[app].image`.
fn pod_field(path: &str, set: &Value) -> String {
    let mut out = String::new();
    let mut value = Some(set);
    let mut rest = path;
    while let Some(found) = rest.find(['.', '[']) {
        let (name, after) = rest.split_at(found);
        if !name.is_empty() {
            value = value.and_then(|value| value.get(name));
        }
        out.push_str(name);
        let Some(bracketed) = after.strip_prefix('[') else {
            out.push('.');
            rest = &after[1..];
            continue;
        };
        let Some((key, after)) = bracketed.split_once(']') else {
            break;
        };
        let index: Option<usize> = key.parse().ok();
        value = match index {
            Some(index) => value.and_then(|list| list.get(index)),
            None => None,
        };
        let name = value.and_then(|element| element["name"].as_str());
        let key = name.or(key.strip_prefix("name=")).unwrap_or(key);
        out.push_str(&format!("[{key}]"));
        rest = after;
    }
    out.push_str(rest);
    let within = out.strip_prefix("spec.template.").unwrap_or(&out);
    within.strip_prefix("spec.").unwrap_or(within).to_owned()
}

#[cfg(test)]
mod tests {
    use super::pod_field;
    use serde_json::json;

    #[test]
    fn elements_of_lists_are_named() {
        let set = json!({"spec": {"template": {"spec": {"containers": [
            {"name": "log"},
            {"name": "app", "env": [{"name": "MODE", "value": "b"}], "args": ["x"]},
        ]}}}});
        for (path, field) in [
            (
                "spec.template.spec.containers[1].image",
                "containers[app].image",
            ),
            (
                "spec.template.spec.containers[1].env[0].value",
                "containers[app].env[MODE].value",
            ),
            (
                "spec.template.spec.containers[1].args[0]",
                "containers[app].args[0]",
            ),
            ("spec.template.spec.containers[name=old]", "containers[old]"),
            (
                "spec.template.metadata.labels[\"a.b/c\"]",
                "metadata.labels[\"a.b/c\"]",
            ),
            ("spec.template.spec.nodeName", "nodeName"),
        ] {
            assert_eq!(pod_field(path, &set), field);
        }
    }
}
