//! STS017: a rollout although the template has not changed.
//!
//! Revisions are compared byte by byte. Their encoding and the defaults change with the version of the control plane, so
//! the same template may have other bytes: docs/semantics.md, D-28.

use std::sync::Arc;

use serde_json::Value;

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::Plan;
use sts_controller::apiserver::defaults::default_spec_template;
use sts_controller::controller::{Body, Resource, Verb, list_revisions};
use sts_controller::object::Revision;
use sts_controller::version::{Behaviour, Defaulting, RevisionEquality};

/// Maximum number of differing members that a message names.
const SHOWN: usize = 3;

pub(super) const RULE: Rule = Rule {
    id: RuleId::SpuriousRollout,
    name: "spurious-rollout",
    title: "a new revision although the template has not changed",
    why: "Revisions are compared byte by byte. Their encoding depends on the version of the controller manager, and their \
          defaults on the version of the API server. So an upgrade, or an apply of an unchanged manifest, can replace every \
          pod of every set. From 1.34.2, the controller compares revisions semantically first.",
    severities: &[Severity::Warning],
    happens: Some(compares_bytes),
    remedy: "Upgrade the control plane past the affected versions first. To hold the pods until then, set the partition to \
             the number of replicas.",
    links: &[
        "https://github.com/kubernetes/kubernetes/pull/135017",
        "https://github.com/kubernetes/kubernetes/issues/134773",
        "https://github.com/kubernetes/kubernetes/pull/135087",
    ],
    check: Check::Plan(check),
};

/// Reports whether a controller compares revisions byte by byte.
fn compares_bytes(behaviour: &Behaviour) -> bool {
    behaviour.revision_equality != RevisionEquality::BytesOrDefaulted
}

fn check(plan: &Plan) -> Vec<Found> {
    spurious(plan).into_iter().collect()
}

fn spurious(plan: &Plan) -> Option<Found> {
    if !compares_bytes(&plan.conditions.behaviour) {
        return None;
    }
    let new = created(plan)?;
    let listed = list_revisions(&plan.snapshot, &plan.conditions.behaviour);
    let latest = *listed.last()?;
    let template = &plan.snapshot.set.template;
    let recorded = latest.template()?;
    // With defaults and without null timestamps, for any version.
    let api = Defaulting {
        creation_timestamp_null: false,
        ..plan.conditions.behaviour.defaulting
    };
    let recorded = default_spec_template(recorded, &api);
    if recorded != default_spec_template(template, &api) {
        return None;
    }
    let (new_name, old_name) = (&new.meta.name, &latest.meta.name);
    let message = format!(
        "revision {new_name} is new although the template equals {old_name}: {}, so {}{}",
        cause(new, latest),
        effect(plan),
        prevention(plan),
    );
    Some(Found::on_set(Severity::Warning, plan, message))
}

/// Returns the revision that the next sync records.
fn created(plan: &Plan) -> Option<&Arc<Revision>> {
    plan.next.writes.iter().find_map(|write| match &write.body {
        Body::Revision(revision)
            if write.resource == Resource::Revisions
                && write.verb == Verb::Create
                && write.refused.is_none() =>
        {
            Some(revision)
        }
        _ => None,
    })
}

/// Describes the difference between the two revisions.
fn cause(new: &Revision, latest: &Revision) -> String {
    let mut paths = Vec::new();
    differences(&latest.data()["spec"], &new.data()["spec"], "", &mut paths);
    let old_name = &latest.meta.name;
    let is_timestamp = |path: &String| path.ends_with(".creationTimestamp");
    if paths.is_empty() {
        return "the bytes are equal, but the hash labels parse as different numbers".to_owned();
    }
    if paths.iter().all(is_timestamp) {
        let had_nulls = latest.data()["spec"]["template"]["metadata"]
            .get("creationTimestamp")
            .is_some();
        let encodes = if had_nulls { "encodes" } else { "omits" };
        return format!(
            "only the bytes differ ({old_name} was written by a controller that {encodes} \
             \"creationTimestamp\": null)"
        );
    }
    let more = paths.len().saturating_sub(SHOWN);
    paths.truncate(SHOWN);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!(
        "only the bytes differ (in {}{more}, which defaults make equal)",
        paths.join(", ")
    )
}

/// Collects the deepest paths at which two values differ.
fn differences(old: &Value, new: &Value, path: &str, out: &mut Vec<String>) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let added = new.keys().filter(|name| !old.contains_key(*name));
            for name in old.keys().chain(added) {
                let path = match path {
                    "" => name.clone(),
                    _ => format!("{path}.{name}"),
                };
                match (old.get(name), new.get(name)) {
                    (Some(old), Some(new)) => differences(old, new, &path, out),
                    _ => out.push(path),
                }
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                differences(old, new, &format!("{path}[{index}]"), out);
            }
        }
        _ if old == new => {}
        _ => out.push(path.to_owned()),
    }
}

/// Describes the effect on the pods.
fn effect(plan: &Plan) -> String {
    let replaced = plan.tally().replaced;
    let wanted = plan.snapshot.set.replicas;
    match replaced {
        0 => "every pod becomes outdated".to_owned(),
        _ if i32::try_from(replaced) == Ok(wanted) => "every pod is replaced".to_owned(),
        _ => format!("{replaced} of {wanted} pods are replaced"),
    }
}

/// Describes the version or gate that prevents the rollout.
fn prevention(plan: &Plan) -> &'static str {
    match plan.conditions.behaviour.revision_equality {
        RevisionEquality::BytesAndNumericLabels => {
            "; Kubernetes 1.34.2 compares semantically and prevents this"
        }
        RevisionEquality::Bytes => {
            "; feature gate StatefulSetSemanticRevisionComparison prevents this"
        }
        RevisionEquality::BytesOrDefaulted => "",
    }
}
