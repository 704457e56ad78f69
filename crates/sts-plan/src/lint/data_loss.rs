//! STS003: claims that are deleted with their data, and unused claims.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::rule::{Check, Found, Rule, RuleId, Severity, count, list};
use crate::plan::Plan;
use sts_controller::controller::ordinal_of;
use sts_controller::object::{ClaimTemplate, Retention};

pub(super) const RULE: Rule = Rule {
    id: RuleId::DataLoss,
    name: "data-loss",
    title: "claims are deleted with their data, or left unused",
    why: "persistentVolumeClaimRetentionPolicy deletes claims when pods are scaled down (whenScaled: Delete) or when the \
          set is deleted (whenDeleted: Delete). With reclaim policy Delete, the default of most StorageClasses, the \
          volumes are permanently deleted too. Claims without a pod cost money, and are reused with their data when their \
          ordinal is created again.",
    severities: &[Severity::Info, Severity::Warning, Severity::Error],
    happens: None,
    remedy: "Keep the claims before the change:\n  kubectl patch sts NAME --type merge -p \
             '{\"spec\":{\"persistentVolumeClaimRetentionPolicy\":{\"whenScaled\":\"Retain\",\"whenDeleted\":\"Retain\"}}}'\n\
             or keep the volumes:\n  kubectl patch pv PV -p '{\"spec\":{\"persistentVolumeReclaimPolicy\":\"Retain\"}}'",
    links: &[
        "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#persistentvolumeclaim-retention",
        "https://github.com/kubernetes/kubernetes/pull/99728",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let mut found = Vec::new();
    let gone = plan.lost_claims();
    if let Some(first) = gone.first() {
        let names = list(gone.iter().map(|claim| &*claim.meta.name));
        let kept = gone.iter().filter(|claim| plan.volume_stays(claim)).count();
        let (severity, volumes) = match kept {
            0 => (Severity::Error, ""),
            _ if kept == gone.len() => (
                Severity::Warning,
                "; their volumes are kept by their reclaim policy",
            ),
            _ => (
                Severity::Error,
                "; some volumes are kept by their reclaim policy",
            ),
        };
        let (are, its) = if gone.len() == 1 {
            ("is", "its")
        } else {
            ("are", "their")
        };
        let message = format!(
            "{} {are} deleted with {its} data: {names}{}{volumes}",
            count(gone.len(), "claim"),
            because(plan)
        );
        let object = format!("persistentvolumeclaim/{}", first.meta.name);
        found.push(Found::new(severity, object, message));
    }
    found.extend(left_behind(plan));
    found.extend(autoscaled(plan));
    found
}

fn because(plan: &Plan) -> &'static str {
    let policy = plan.snapshot.set.retention;
    match plan.deletion() {
        Some(_) if policy.is_some_and(|policy| policy.when_deleted == Retention::Delete) => {
            " (whenDeleted: Delete)"
        }
        None if policy.is_some_and(|policy| policy.when_scaled == Retention::Delete) => {
            " (whenScaled: Delete)"
        }
        _ => "",
    }
}

/// Returns the finding on claims without a pod.
fn left_behind(plan: &Plan) -> Option<Found> {
    let end = plan.predicted().objects();
    let left: Vec<Arc<str>> = if plan.deletion().is_some() {
        let left = plan.left_behind();
        let used = |claim: &Arc<str>| {
            let mut pods = left.pods.iter().filter_map(|pod| end.pods.get(pod));
            pods.any(|pod| pod.claims().any(|used| used == claim))
        };
        // A claim of a retained pod is still used.
        left.claims
            .iter()
            .filter(|claim| !used(claim))
            .map(Arc::clone)
            .collect()
    } else {
        let wanted = plan.conditions.behaviour.ordinals(&plan.snapshot.set);
        let gone: BTreeSet<i64> = plan
            .snapshot
            .pods
            .keys()
            .filter(|name| !end.pods.contains_key(*name))
            .map(|name| ordinal_of(name))
            .filter(|ordinal| !wanted.contains(ordinal))
            .collect();
        let names = end.claims.keys();
        names
            .filter(|name| gone.contains(&ordinal_of(name)))
            .map(Arc::clone)
            .collect()
    };
    let first = left.first()?;
    let (are, them) = if left.len() == 1 {
        ("is", "it")
    } else {
        ("are", "them")
    };
    let message = format!(
        "{} {are} kept without a pod: {}; new pods with those ordinals reuse {them}",
        count(left.len(), "claim"),
        list(left.iter().map(|name| &**name))
    );
    Some(Found::on_claim(Severity::Info, first, message))
}

/// Reports whether the claims of a template may be deleted with their pods. Claims with another owner outlive them.
fn goes_with_pod(template: &ClaimTemplate) -> bool {
    template.owner_references.is_empty()
}

/// Returns the finding on an autoscaler whose scale-down would delete claims.
fn autoscaled(plan: &Plan) -> Option<Found> {
    let set = &plan.snapshot.set;
    let deletes = set.retention?.when_scaled == Retention::Delete
        && plan.conditions.behaviour.claim_owners.is_some()
        && set.claim_templates.iter().any(goes_with_pod);
    let mut scalers = plan.related.autoscalers(&set.meta.namespace);
    let scaler = scalers.find(|scaler| deletes && scaler.scales(&set.meta.name))?;
    let message = format!(
        "HorizontalPodAutoscaler {} scales the set between {} and {} pods, and whenScaled: Delete deletes the claims of \
         every pod that it removes",
        scaler.meta.name, scaler.min_replicas, scaler.max_replicas
    );
    Some(Found::on_set(Severity::Warning, plan, message))
}
