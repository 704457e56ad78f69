//! STS012: OnDelete leaves pods outdated, and its status may never report completion.

use std::sync::Arc;

use super::rule::{Check, Found, Rule, RuleId, Severity, list};
use crate::plan::{Outcome, Plan, owns, pods_of};
use sts_controller::controller::{Hold, ordinal_of};
use sts_controller::object::Strategy;
use sts_controller::version::Completion;

pub(super) const RULE: Rule = Rule {
    id: RuleId::OnDelete,
    name: "on-delete",
    title: "OnDelete: pods wait for a manual delete, and before 1.37 the status never reports completion",
    why: "With OnDelete, the controller does not replace pods. Before 1.37, status.currentRevision and currentReplicas stay \
          at the old revision even after every pod is replaced: only rolling updates promote them. Alerts that compare \
          currentRevision with updateRevision keep firing. From 1.37 (pull request 136833), the status is promoted once \
          all pods are updated and ready.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "Delete outdated pods one by one, highest ordinal first, and wait until each is ready. To fix the status once \
             all pods are updated, set the strategy to RollingUpdate and back: no pod is restarted.",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/73492",
        "https://github.com/kubernetes/kubernetes/issues/106055",
        "https://github.com/kubernetes/kubernetes/pull/136833",
        "https://github.com/kubernetes/kubernetes/issues/64500",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    if !matches!(plan.snapshot.set.strategy, Strategy::OnDelete(_))
        || matches!(plan.outcome, Outcome::Rejected(_))
        || plan.deletion().is_some()
    {
        return Vec::new();
    }
    let status = &plan.last.status;
    let mut outdated: Vec<&Arc<str>> = plan
        .last
        .holds
        .iter()
        .filter_map(|hold| match hold {
            Hold::OnDelete { pod, .. } => Some(&pod.meta.name),
            _ => None,
        })
        .collect();
    if !outdated.is_empty() {
        outdated.sort_by_key(|name| std::cmp::Reverse(ordinal_of(name)));
        let (are, order) = match outdated.len() {
            1 => ("is", ""),
            _ => ("are", " in this order, each when the previous one is ready"),
        };
        let message = format!(
            "{} of {} pods {are} waiting for a manual delete to be updated to {}; delete{order}: {}",
            outdated.len(),
            plan.snapshot.set.replicas,
            status.update_revision,
            list(outdated.iter().map(|name| &***name))
        );
        return vec![Found::on_set(Severity::Info, plan, message)];
    }
    let end = plan.predicted().objects();
    let mut pods = pods_of(end).filter(|pod| owns(end, pod)).peekable();
    let all_new = pods.peek().is_some() && pods.all(|pod| pod.revision == status.update_revision);
    let promotes = plan.conditions.behaviour.completion == Completion::WhateverStrategy;
    if !all_new || promotes || status.current_revision == status.update_revision {
        return Vec::new();
    }
    let version = plan.conditions.behaviour.version;
    let message = format!(
        "all pods are on {}, but status.currentRevision stays {} and currentReplicas {}: with OnDelete, \
         Kubernetes {version} never promotes them",
        status.update_revision, status.current_revision, status.current_replicas,
    );
    vec![Found::on_set(Severity::Warning, plan, message)]
}
