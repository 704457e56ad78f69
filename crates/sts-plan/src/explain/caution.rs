//! Cautions on a cause: actions that do not help, and facts to know before acting.

use std::sync::Arc;

use super::around_cause::{devices, still_attached};
use super::container_caution::{of_container, of_image};
use super::uncapitalized;
use crate::catalogue::{Blames, CauseEntry};
use crate::cause::{Blame, Cause, CauseKind};
use crate::command::{named, quoted};
use crate::duration::{span, spell};
use crate::foresight::{self, Foreseen};
use crate::members::surplus;
use crate::plan::{Plan, Retry};
use crate::remedy::in_zones;
use crate::words::list;
use sts_controller::object::PersistentVolume;
use sts_controller::simulate::{Actor, ObjectEvent, Step, StepAction};

/// Maximum number of surplus pods to name.
const MOST_SURPLUS: usize = 5;

/// Returns the cautions on a cause, one sentence each.
#[must_use]
pub fn cautions(plan: &Plan, cause: &Cause, undo_needs_deletion: bool) -> Vec<String> {
    let pod = &cause.pod;
    let mut out = Vec::new();
    if undo_needs_deletion {
        out.push(format!(
            "changing the template is not enough: the controller waits for {pod} to become ready before it updates it; \
             delete {pod} as well (kubernetes/kubernetes#67250)"
        ));
    }
    if let Some(owner) = &cause.owner {
        out.push(format!(
            "the set belongs to {owner}, which reverts template changes: make the change there"
        ));
    } else if let Some(tool) = &cause.managed_by {
        out.push(format!(
            "{tool} manages the set: make the change in its source too, or its next run reverts it"
        ));
    }
    if cause.difference.only_restarted && cause.blame == Blame::Template {
        out.push(
            "the revisions differ only in restartedAt: rolling back restarts the same template and does not help; check \
             what the pod reads at startup (config, data, dependencies)"
                .to_owned(),
        );
    }
    let avoid = advice(cause).map(|entry| uncapitalized(&cause.named(&entry.avoid)));
    out.extend(avoid.filter(|avoid| !avoid.is_empty()));
    match &cause.kind {
        CauseKind::ImagePull(_)
            if matches!(cause.blames(), Blames::Node | Blames::Registry)
                && !cause.reads_difference() => {}
        CauseKind::CrashLoop(_)
        | CauseKind::ContainerConfig(_)
        | CauseKind::NotReady { .. }
        | CauseKind::Starting { .. } => out.extend(of_container(cause)),
        CauseKind::ImagePull(failure) => out.extend(of_image(plan, cause, failure)),
        CauseKind::Unschedulable { zones, .. } => {
            out.extend(devices(plan, cause));
            if cause.blame == Blame::Template && !cause.difference.scheduling {
                out.push(
                    foresight::SAME_SCHEDULING.to_owned(),
                );
            }
            if !zones.is_empty() {
                out.push(format!(
                    "its volume is in {} {}: only a node there can run it",
                    if zones.len() == 1 { "zone" } else { "zones" },
                    zones.join(", ")
                ));
            }
        }
        CauseKind::Foreseen(found) => {
            out.extend(foresight::cautions(found, cause.difference.scheduling));
        }
        CauseKind::NodeLost {
            node,
            local_claims,
            zones,
            unknown_claims,
            is_terminating,
            ..
        } => {
            if !zones.is_empty() && local_claims.is_empty() {
                out.push(format!(
                    "the volumes of {pod} are in {}, where no ready node can run it: if you force-delete it, it stays \
                     Pending",
                    in_zones(zones)
                ));
            }
            if let Some(claim) = unknown_claims.first() {
                out.push(format!(
                    "unknown whether another node can attach the volume of {claim}: the volume is not in the input, and \
                     no other node in the zone of node {node} is ready"
                ));
            }
            if let Some(claim) = local_claims.first() {
                out.push(format!(
                    "the volume of {claim} is local to node {node}: no other node can run {pod}, and if the node is \
                     lost, so is its data"
                ));
            }
            out.push(match is_terminating {
                true => format!(
                    "if node {node} comes back, {pod} is removed automatically: do not force anything"
                ),
                false => format!(
                    "if node {node} comes back, {pod} becomes ready again{}",
                    if_it_stays_down(plan, pod)
                ),
            });
        }
        CauseKind::NodeNotReady {
            node,
            is_terminating,
            ..
        } => {
            out.push(match is_terminating {
                true => format!("once node {node} is ready, its kubelet terminates {pod}"),
                false => format!(
                    "if node {node} becomes ready, {pod} does too{}",
                    if_it_stays_down(plan, pod)
                ),
            });
        }
        CauseKind::Volume {
            holder: Some(holder),
            ..
        } => out.push(format!(
            "the volume is free once it is detached from {}; changing the template does not help",
            holder.pod
        )),
        CauseKind::Volume { holder: None, .. } => out.extend(still_attached(plan, cause)),
        CauseKind::Finalizers(names) => out.push(format!(
            "{pod} is removed once the controllers behind {} finish: check them first",
            names.join(", ")
        )),
        CauseKind::ClaimDeleted {
            claim,
            finalizers,
            volume,
        } => out.extend([
            reclaim(claim, volume.as_deref()),
            match finalizers.is_empty() {
                true => format!(
                    "do not remove the finalizers of {claim}: they protect its data while a pod uses it"
                ),
                false => format!(
                    "{claim} is removed once the controllers behind {} finish: check them first",
                    finalizers.join(", ")
                ),
            },
        ]),
        CauseKind::OutOfMemory(failure) if failure.shares_limit && failure.memory_limit.is_some() => {
            out.push(
                "the limit is of the pod, and its containers share it: raise spec.template.spec.resources.limits.memory, \
                 or find the container that uses it up"
                    .to_owned(),
            );
        }
        CauseKind::OutOfMemory(failure) if failure.memory_limit.is_none() => out.push(format!(
            "{} has no memory limit, so its node ran out of memory: find what uses it up, or request what {} needs",
            failure.container, failure.container
        )),
        CauseKind::Quota { .. } | CauseKind::Refused { .. } => {
            if matches!(cause.blames(), Blames::Policy | Blames::Template)
                && matches!(cause.kind, CauseKind::Refused { .. })
                && plan.fallback().is_some()
                && !cause.reads_difference()
            {
                out.push(
                    "the message names nothing in which the revisions differ, so rolling back may not help: the pods \
                     on the other revision can be older than the policy"
                        .to_owned(),
                );
            }
            let retry = format!(
                "{}; any update of the set triggers a retry now",
                next_attempt(cause.retry)
            );
            let unwanted = surplus(plan.predicted().objects(), &plan.conditions.behaviour);
            out.push(match &cause.kind {
                CauseKind::Quota { .. } if !unwanted.is_empty() => {
                    let names = unwanted.iter().map(|pod| pod.meta.name.to_string());
                    let names: Vec<String> = names.collect();
                    let names = list(&names, MOST_SURPLUS);
                    format!("{retry}; the surplus pods use the quota too, and can be deleted: {names}")
                }
                _ => format!("{retry}: do not delete anything"),
            });
        }
        CauseKind::DeletionRefused { .. } if cause.retry.is_some() => out.push(format!(
            "{}; any update of the set triggers a retry now",
            next_attempt(cause.retry)
        )),
        _ => {}
    }
    out
}

/// Returns the entry of a cause whose advice holds for this case.
fn advice(cause: &Cause) -> Option<&'static CauseEntry> {
    let is_covered = match &cause.kind {
        CauseKind::NotTakenUp { .. }
        | CauseKind::Terminating
        | CauseKind::NodeNotReady { .. }
        | CauseKind::DeletionRefused { .. }
        | CauseKind::Rejected { .. }
        | CauseKind::Volume { holder: None, .. } => true,
        // The holder of the volume is named instead.
        CauseKind::Volume {
            holder: Some(_), ..
        } => false,
        CauseKind::Foreseen(found) => {
            matches!(found, Foreseen::Claim { .. }) && cause.is_specific()
        }
        CauseKind::CrashLoop(_)
        | CauseKind::OutOfMemory(_)
        | CauseKind::ImagePull(_)
        | CauseKind::ContainerConfig(_)
        | CauseKind::Unschedulable { .. }
        | CauseKind::Quota { .. }
        | CauseKind::Refused { .. }
        | CauseKind::Starting { .. }
        | CauseKind::NotReady { .. } => cause.is_specific(),
        CauseKind::NodeLost { .. } => cause.blames() == Blames::Network,
        CauseKind::Finalizers(_) | CauseKind::ClaimDeleted { .. } => false,
    };
    cause.entry().filter(|_| is_covered)
}

/// Returns what has to change, in the words of the catalogue, and whom to ask.
#[must_use]
pub fn fix(cause: &Cause) -> Option<String> {
    let entry = advice(cause)?;
    Some(fix_of(entry, &cause.named(&entry.helps)))
}

/// Returns what has to change by an entry, in these words, and whom to ask.
#[must_use]
pub fn fix_of(entry: &CauseEntry, helps: &str) -> String {
    let mut text = uncapitalized(helps);
    for (word, told) in [("ask", &entry.owner), ("runbook:", &entry.runbook)] {
        if !told.is_empty() {
            text.push_str(&format!("; {word} {told}"));
        }
    }
    text
}

/// Describes the branch in which the node of a pod stays down, as the plan has it; empty if nothing deletes the pod.
fn if_it_stays_down(plan: &Plan, pod: &Arc<str>) -> String {
    let evicts = |step: &&Step| matches!(&step.action, StepAction::Object(Actor::NodeLifecycle, ObjectEvent::PodDeleted, name) if name == pod);
    let evicted = plan.progression.steps.iter().find(evicts);
    evicted.map_or_else(String::new, |step| {
        let after = step.at.duration_since(plan.conditions.now);
        format!(
            "; if not, it is deleted in {} and stays terminating until its kubelet confirms that it has stopped",
            spell(after)
        )
    })
}

/// Describes the controller's next retry.
fn next_attempt(retry: Option<Retry>) -> String {
    match retry {
        Some(Retry {
            expected: Some(expected),
            latest,
        }) if expected >= latest => {
            format!("the controller retries in about {}", span(expected))
        }
        Some(Retry {
            expected: Some(expected),
            latest,
        }) => format!(
            "the controller retries in about {}, within {} at the latest",
            span(expected),
            span(latest)
        ),
        Some(Retry {
            expected: None,
            latest,
        }) => format!("the controller retries within {}", span(latest)),
        None => "the controller retries automatically, at most 1000s apart".to_owned(),
    }
}

/// Points out that the input has no events; `None` if the cause is known without them.
#[must_use]
pub fn unknown_events(plan: &Plan, cause: Option<&Cause>) -> Option<String> {
    let needs_events = matches!(
        cause?.kind,
        CauseKind::Starting { .. } | CauseKind::NotReady { .. } | CauseKind::Terminating
    );
    if !needs_events || plan.related.has_events() {
        return None;
    }
    let meta = &plan.snapshot.set.meta;
    let namespace = match &*meta.namespace {
        "" => String::new(),
        namespace => format!(" -n {}", quoted(namespace)),
    };
    Some(format!(
        "the input has no events, which show the reason: kubectl sts-plan dump {}{namespace} > dump.yaml includes them",
        named(&meta.name)
    ))
}

/// Describes the loss of a deleted claim, by its volume's reclaim policy.
fn reclaim(claim: &Arc<str>, volume: Option<&PersistentVolume>) -> String {
    match volume {
        Some(volume) if volume.is_deleted_with_claim => format!(
            "the volume of {claim} and its data are deleted with it (reclaim policy Delete); to keep them: kubectl patch \
             pv {} -p '{{\"spec\":{{\"persistentVolumeReclaimPolicy\":\"Retain\"}}}}'",
            named(&volume.meta.name)
        ),
        Some(_) => format!(
            "the volume of {claim} is kept (reclaim policy Retain) and can be bound again manually"
        ),
        None => format!(
            "whether the data of {claim} is lost depends on its volume's reclaim policy, which is not in the input"
        ),
    }
}
