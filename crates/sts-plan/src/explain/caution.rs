//! Cautions on a cause: attempts that do not help, and what to know before anything is done.

use std::sync::Arc;

use super::command::quoted;
use super::headline::uncapitalised;
use crate::cause::{Blame, Blames, Cause, CauseKind};
use crate::duration::span;
use crate::plan::{Plan, Retry};
use sts_controller::object::PersistentVolume;

/// Returns the attempts that do not help, and what to know before anything is done: a sentence each.
#[must_use]
pub fn cautions(cause: &Cause, undo_needs_deletion: bool) -> Vec<String> {
    let pod = &cause.pod;
    let mut out = Vec::new();
    if undo_needs_deletion {
        out.push(format!(
            "another template alone is not enough: the controller waits for {pod} before it updates it, so {pod} has \
             to be deleted as well (kubernetes/kubernetes#67250)"
        ));
    }
    if let Some(owner) = &cause.owner {
        out.push(format!(
            "{owner} owns the set and sets its template again: make the change there"
        ));
    } else if let Some(tool) = &cause.managed_by {
        out.push(format!(
            "{tool} manages the set: make the change in its source as well, or its next run reverts it"
        ));
    }
    if cause.difference.only_restarted && cause.blame == Blame::Template {
        out.push(
            "the revisions differ by restartedAt only: rolling back starts the same template again and does not help; \
             look at what the pod reads when it starts: its config, its data, what it depends on"
                .to_owned(),
        );
    }
    match &cause.kind {
        CauseKind::NotReady { .. } | CauseKind::Starting { .. }
            if cause.recognized.as_ref().is_some_and(|found| {
                !matches!(found.entry.id, "not-ready" | "not-starting" | "readiness-failing")
            }) =>
        {
            out.extend(counsel(cause));
        }
        CauseKind::NotTakenUp { .. } | CauseKind::Terminating => out.extend(counsel(cause)),
        CauseKind::CrashLoop(_) | CauseKind::ContainerConfig(_)
            if !matches!(cause.blames(), Blames::Template | Blames::Unknown) =>
        {
            out.extend(counsel(cause));
        }
        CauseKind::ImagePull(_)
            if matches!(cause.blames(), Blames::Node | Blames::Registry)
                && !cause.reads_difference() =>
        {
            out.extend(counsel(cause));
        }
        CauseKind::CrashLoop(_) | CauseKind::NotReady { .. } | CauseKind::Starting { .. }
            if cause.blame == Blame::Pod =>
        {
            out.push(format!(
                "siblings of the same revision are ready, so another template would restart them for nothing: look at \
                 {pod}'s own data, node and volume"
            ));
        }
        CauseKind::CrashLoop(_) if cause.worked_for.is_some() => {
            out.extend(cause.worked_for.map(|age| {
                format!(
                    "{pod} ran on this template for most of {}, so rolling back does not help: look at what changed \
                     around it, such as its data, its Secrets and ConfigMaps, and the services it needs",
                    span(age)
                )
            }));
        }
        CauseKind::ImagePull(failure) if cause.blame == Blame::Pod => out.push(format!(
            "siblings of the same revision run from the image on their nodes: restore {} in the registry before they \
             restart",
            failure.image
        )),
        CauseKind::ImagePull(failure)
            if !cause.difference.images.contains(&failure.container) =>
        {
            out.push(format!(
                "the image of {} is the same in the revision before, so rolling back does not help: check the \
                 registry, its credentials (imagePullSecrets) and its rate limit",
                failure.container
            ));
        }
        CauseKind::Unschedulable { zones, .. } => {
            if !matches!(cause.id(), None | Some("unschedulable")) {
                out.extend(counsel(cause));
            }
            if cause.blame == Blame::Template && !cause.difference.scheduling {
                out.push(
                    "nothing that the scheduler reads differs between the revisions, so rolling back does not help"
                        .to_owned(),
                );
            }
            if !zones.is_empty() {
                out.push(format!(
                    "its volume is bound to {} {}: only a node there can run it",
                    if zones.len() == 1 { "zone" } else { "zones" },
                    zones.join(", ")
                ));
            }
        }
        CauseKind::Foreseen(found) => {
            out.extend(super::foresight::cautions(found, cause.difference.scheduling));
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
                    "the volumes of {pod} are in {}, where no ready node takes it: removed by force, it would not come \
                     back",
                    super::remedy::in_zones(zones)
                ));
            }
            if let Some(claim) = unknown_claims.first() {
                out.push(format!(
                    "not known whether another node can have the volume of {claim}: it is not in the input, and no \
                     other ready node is in the zone of node {node}"
                ));
            }
            if let Some(claim) = local_claims.first() {
                out.push(format!(
                    "the volume of {claim} is local to node {node}: no other node can run {pod}, and its data is lost \
                     with the node"
                ));
            }
            out.push(match is_terminating {
                true => format!(
                    "if node {node} comes back, {pod} is removed by itself: nothing needs to be forced"
                ),
                false => format!("if node {node} comes back, {pod} becomes ready again"),
            });
        }
        CauseKind::Volume { holder, .. } => {
            if let Some(holder) = holder {
                out.push(format!(
                    "the volume is free once it is detached from {}; no template change helps",
                    holder.pod
                ));
            } else {
                out.extend(counsel(cause));
            }
        }
        CauseKind::Finalizers(names) => out.push(format!(
            "{pod} is removed once the controllers behind {} finish: look there first",
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
                    "{claim} is removed once the controllers behind {} finish: look there first",
                    finalizers.join(", ")
                ),
            },
        ]),
        CauseKind::OutOfMemory(failure) if failure.memory_limit.is_none() => out.push(format!(
            "{} has no memory limit, so its node ran out of memory: find what fills the node, or request what {} needs",
            failure.container, failure.container
        )),
        CauseKind::Quota { .. } | CauseKind::Refused { .. } => {
            if !matches!(cause.id(), Some("quota" | "refused")) {
                out.extend(counsel(cause));
            }
            out.push(format!(
                "{}; any write to the set triggers an attempt at once: nothing has to be deleted",
                next_attempt(cause.retry)
            ));
        }
        CauseKind::DeletionRefused { .. } => {
            out.extend(counsel(cause));
            if cause.retry.is_some() {
                out.push(format!(
                    "{}; any write to the set triggers an attempt at once",
                    next_attempt(cause.retry)
                ));
            }
        }
        CauseKind::Rejected { .. } => out.extend(counsel(cause)),
        _ => {}
    }
    out
}

/// When the controller tries again what is refused.
fn next_attempt(retry: Option<Retry>) -> String {
    match retry {
        Some(Retry {
            expected: Some(expected),
            latest,
        }) if expected >= latest => {
            format!("the controller tries again in about {}", span(expected))
        }
        Some(Retry {
            expected: Some(expected),
            latest,
        }) => format!(
            "the controller tries again in about {}, at the latest in {}",
            span(expected),
            span(latest)
        ),
        Some(Retry {
            expected: None,
            latest,
        }) => format!(
            "the controller tries again at the latest in {}",
            span(latest)
        ),
        None => "the controller tries again by itself, at most 1000 seconds apart".to_owned(),
    }
}

/// That the input has no events, where they would tell why; `None` where the cause is known without.
#[must_use]
pub fn unknown_events(plan: &Plan, cause: Option<&Cause>) -> Option<String> {
    let is_silent = matches!(
        cause?.kind,
        CauseKind::Starting { .. } | CauseKind::NotReady { .. } | CauseKind::Terminating
    );
    if !is_silent || plan.related.has_events() {
        return None;
    }
    let meta = &plan.snapshot.set.meta;
    let namespace = match &*meta.namespace {
        "" => String::new(),
        namespace => format!(" -n {}", quoted(namespace)),
    };
    Some(format!(
        "the input has no events, which say why: kubectl sts-plan dump {}{namespace} > dump.yaml reads them",
        quoted(&meta.name)
    ))
}

/// Returns the advice of the catalogue on a cause: what helps, and what not to do.
fn counsel(cause: &Cause) -> Vec<String> {
    let Some(found) = &cause.recognized else {
        return Vec::new();
    };
    vec![format!(
        "what helps: {}; {}",
        uncapitalised(found.entry.helps),
        uncapitalised(found.entry.avoid)
    )]
}

/// Describes what a deleted claim takes with it, by its volume's reclaim policy, where that is known.
fn reclaim(claim: &Arc<str>, volume: Option<&PersistentVolume>) -> String {
    match volume {
        Some(volume) if volume.is_deleted_with_claim => format!(
            "the volume of {claim} is deleted with it, and its data is lost (reclaim policy Delete); to keep it: \
             kubectl patch pv {} -p '{{\"spec\":{{\"persistentVolumeReclaimPolicy\":\"Retain\"}}}}'",
            quoted(&volume.meta.name)
        ),
        Some(_) => format!(
            "the volume of {claim} stays (reclaim policy Retain), and can be bound again by hand"
        ),
        None => format!(
            "whether the data of {claim} is lost depends on its volume's reclaim policy: it is not in the input"
        ),
    }
}
