//! Causes of a pod not getting where it is going: worked out once, from container states, events, nodes, volumes and
//! the differences between the revisions. Headline, facts and remedies read them and never look again.

mod catalogue;
mod container;
mod context;
mod entry;
mod kind;
mod reads;
mod template;
mod volume;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::foresight::{Foreseen, claim_trouble, missing_object};
use crate::lint::deploying_tool;
use crate::plan::{Obstacle, Plan, Retry, Shown, StuckAt, is_lost, owns, pods_of, server_words};
use sts_controller::controller::Hold;
use sts_controller::object::{Pod, Snapshot};
use sts_controller::simulate::PVC_PROTECTION;

pub(crate) use catalogue::recognize;
pub use catalogue::{Announcement, Blames, CauseEntry, Place, cause_called, cause_page, causes};
pub use container::ContainerFailure;
pub(crate) use container::container_list;
pub use context::{CauseContext, context};
pub use entry::Recognized;
pub(crate) use entry::{changing_owner, image, is_of_volume, placing, pulling};
pub use kind::{Blame, CauseKind, WaitsIn};
pub use reads::{cause_of_event, reads};
pub use template::TemplateDifference;
pub(crate) use template::comes_back_on;
pub use volume::VolumeHolder;

/// The cause of a pod not getting where it is going.
#[derive(Debug, Clone, PartialEq)]
pub struct Cause {
    /// The kind of trouble.
    pub kind: CauseKind,
    /// The pod.
    pub pod: Arc<str>,
    /// Since when, where anything says so.
    pub since: Option<Timestamp>,
    /// The verdict on the pod's template, as its siblings show.
    pub blame: Blame,
    /// Differences between the pod's template and that of the revision to go back to.
    pub difference: TemplateDifference,
    /// True if nothing but time shows it, so that it is stuck rather than failing.
    pub is_overdue: bool,
    /// The entry of the catalogue that it belongs to.
    pub recognized: Option<Recognized>,
    /// Other containers of the pod that fail.
    pub also: Vec<ContainerFailure>,
    /// The operator's object that owns the set, such as `Elasticsearch logs`.
    pub owner: Option<String>,
    /// The tool that deploys the set, such as `Argo CD`.
    pub managed_by: Option<String>,
    /// The revision that the pod would come back on, where that is another one than its own.
    pub comes_back_on: Option<Arc<str>>,
    /// The controller's next attempt, of something that the API server refuses.
    pub retry: Option<Retry>,
    /// Age of a crash-looping pod whose runs lasted long on average: its template worked.
    pub worked_for: Option<SignedDuration>,
}

/// The key that causes share against which the same helps.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CauseKey {
    name: &'static str,
    about: String,
    blame: Blame,
    comes_back_on: Option<Arc<str>>,
}

impl Cause {
    /// The id of its entry in the catalogue.
    #[must_use]
    pub fn id(&self) -> Option<&'static str> {
        self.recognized.as_ref().map(|found| found.entry.id)
    }

    /// The name of the cause for machines: the id of the catalogue, else that of the kind.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.id().unwrap_or_else(|| self.kind.name())
    }

    /// The thing beside the pod that the cause is about: a node, a quota, an image, a container. Empty without one.
    #[must_use]
    pub fn about(&self) -> String {
        match &self.kind {
            CauseKind::CrashLoop(failure)
            | CauseKind::OutOfMemory(failure)
            | CauseKind::ContainerConfig(failure) => format!("container/{}", failure.container),
            CauseKind::ImagePull(failure) => format!("image/{}", failure.image),
            CauseKind::NodeLost { node, .. }
            | CauseKind::NotTakenUp {
                node: Some(node), ..
            } => format!("node/{node}"),
            CauseKind::NotTakenUp {
                node: None,
                scheduler,
            } => format!("scheduler/{scheduler}"),
            CauseKind::Quota { name, .. } => format!("resourcequota/{name}"),
            CauseKind::Finalizers(names) => names.join(","),
            CauseKind::Unschedulable { zones, .. } => zones.join(","),
            CauseKind::Foreseen(Foreseen::MissingConfig { object, .. }) => object.clone(),
            CauseKind::Volume { .. }
            | CauseKind::Terminating
            | CauseKind::Refused { .. }
            | CauseKind::DeletionRefused { .. }
            | CauseKind::Rejected { .. }
            | CauseKind::ClaimDeleted { .. }
            | CauseKind::Starting { .. }
            | CauseKind::Foreseen(_)
            | CauseKind::NotReady { .. } => String::new(),
        }
    }

    /// The key that it shares with the causes of other pods against which the same helps.
    #[must_use]
    pub fn key(&self) -> CauseKey {
        CauseKey {
            name: self.name(),
            about: self.about(),
            blame: self.blame,
            comes_back_on: self.comes_back_on.clone(),
        }
    }

    /// The words that announce it; empty where a status alone tells.
    #[must_use]
    pub fn message(&self) -> &str {
        let found = self.recognized.as_ref();
        found.map_or("", |found| &found.message)
    }

    /// Whom it blames, as the catalogue has it.
    #[must_use]
    pub fn blames(&self) -> Blames {
        let found = self.recognized.as_ref();
        found.map_or(Blames::Unknown, |found| found.entry.blames)
    }

    /// Reports whether the template that the pod is compared with differs in what the cause reads.
    pub(crate) fn reads_difference(&self) -> bool {
        let difference = &self.difference;
        difference.is_read_by(&self.kind, self.id(), self.blames())
    }

    /// Reports whether the pod template is known to be to blame: by what is announced, or by siblings that another
    /// template serves.
    pub(crate) fn blames_template(&self) -> bool {
        match (self.blame, self.blames()) {
            (Blame::Pod, _) => false,
            (Blame::Unknown, blames) => blames == Blames::Template && self.worked_for.is_none(),
            (Blame::Template, _) => self.reads_difference(),
        }
    }

    /// The cause of an obstacle at the end of a plan; `None` where no object tells, as for an assumption.
    #[must_use]
    pub fn of(plan: &Plan, obstacle: &Obstacle) -> Option<Self> {
        let pod = obstacle.pod()?;
        let name = &pod.meta.name;
        let end = plan.progression.world.snapshot();
        let stuck = plan.evidence.of_pod(name);
        let stuck = stuck.filter(|stuck| stuck.uid.is_empty() || stuck.uid == pod.meta.uid);
        let kind = match obstacle {
            Obstacle::Hold(Hold::ClaimBeingDeleted { claim, .. }) => deleted_claim(plan, claim),
            Obstacle::CreationRefused { message, .. } => refusal(message),
            Obstacle::DeletionRefused { message, .. } => CauseKind::DeletionRefused {
                message: message.clone(),
            },
            Obstacle::Rejected { pod, count } => {
                let (reason, message) = pod.status_reason();
                CauseKind::Rejected {
                    reason,
                    message,
                    count: *count,
                }
            }
            _ if !pod.finalizers().is_empty() && pod.is_terminating() => {
                CauseKind::Finalizers(pod.finalizers())
            }
            _ if pod.given().is_none() => CauseKind::Foreseen(foreseen(plan, pod)?.clone()),
            _ => match &stuck?.shown {
                Shown::Refused(event) => refusal(server_words(event)),
                Shown::Finalizers(names) => CauseKind::Finalizers(names.clone()),
                Shown::Node(node) => lost(plan, node, pod),
                Shown::Claim(found) => CauseKind::Foreseen(found.clone()),
                Shown::Volumes(event) => match missing_object(&event.message) {
                    Some(object) => CauseKind::Foreseen(Foreseen::MissingConfig {
                        object,
                        shown_by: Arc::clone(name),
                    }),
                    None => CauseKind::Volume {
                        message: event.message.to_string(),
                        holder: volume::holder(plan, pod),
                    },
                },
                Shown::Status | Shown::Overdue => match pod.is_terminating() {
                    true => CauseKind::Terminating,
                    false => of_start(plan, pod),
                },
            },
        };
        let deleted = match &kind {
            CauseKind::ClaimDeleted { claim, .. } => {
                end.claims.get(claim).and_then(|it| it.meta.deleted)
            }
            _ => None,
        };
        let looping = match kind {
            CauseKind::Rejected { .. } => plan.evidence.recreated.get(name).map(|it| it.since),
            _ => None,
        };
        let recognized = entry::recognized(plan, pod, &kind);
        Some(Cause {
            recognized,
            also: container::also_failing(plan, pod, &kind),
            comes_back_on: template::comes_back_on(plan, pod),
            retry: plan.evidence.retry(name, plan.conditions.now),
            owner: plan
                .snapshot
                .set
                .meta
                .controller()
                .map(|owner| format!("{} {}", owner.kind, owner.name)),
            managed_by: deploying_tool(plan).map(|(tool, _)| tool),
            worked_for: container::worked_for(pod, &kind, plan.conditions.now),
            kind,
            pod: Arc::clone(name),
            since: stuck.and_then(|stuck| stuck.since).or(deleted).or(looping),
            blame: blame(end, pod),
            difference: template::difference(plan, pod),
            is_overdue: stuck
                .is_some_and(|stuck| stuck.at != StuckAt::Start || stuck.shown == Shown::Overdue),
        })
    }
}

/// Returns the claim of a pod that is being deleted.
fn end_of_claim(plan: &Plan, pod: &Pod) -> Option<Arc<str>> {
    let volumes = pod
        .volumes
        .iter()
        .filter_map(|volume| volume.claim.as_ref());
    let mut claims = volumes.filter_map(|name| plan.snapshot.claims.get(name));
    let claim = claims.find(|claim| claim.meta.is_terminating())?;
    Some(Arc::clone(&claim.meta.name))
}

/// A claim that is being deleted, with what keeps it and what goes with it.
fn deleted_claim(plan: &Plan, name: &Arc<str>) -> CauseKind {
    let claim = plan.snapshot.claims.get(name);
    let finalizers = claim.map_or_else(Vec::new, |claim| claim.finalizers());
    CauseKind::ClaimDeleted {
        claim: Arc::clone(name),
        finalizers: finalizers
            .into_iter()
            .filter(|name| name != PVC_PROTECTION)
            .collect(),
        volume: claim.and_then(|claim| plan.volume_of(claim)).cloned(),
    }
}

/// Returns the trouble foreseen for a pod that the plan creates, unless something is assumed of it.
fn foreseen<'p>(plan: &'p Plan, pod: &Pod) -> Option<&'p Foreseen> {
    let found = plan.foresight.of_pod(&pod.meta.name, &pod.revision);
    found.filter(|_| !plan.conditions.assumptions.contains_key(&*pod.meta.name))
}

/// Returns the reason that a pod does not become ready.
fn of_start(plan: &Plan, pod: &Pod) -> CauseKind {
    if let Some(node) = pod.node()
        && is_lost(node, &plan.related)
    {
        return lost(plan, node, pod);
    }
    if let Some(object) = pod
        .trouble
        .as_ref()
        .and_then(|it| missing_object(&it.message))
    {
        return CauseKind::Foreseen(Foreseen::MissingConfig {
            object,
            shown_by: Arc::clone(&pod.meta.name),
        });
    }
    if let Some(kind) = container::failing(plan, pod) {
        return kind;
    }
    if pod
        .trouble
        .as_ref()
        .is_some_and(|trouble| trouble.is_unplaced())
    {
        if let Some(claim) = end_of_claim(plan, pod) {
            return deleted_claim(plan, &claim);
        }
        // The reason for which a claim has no volume says more than the scheduler does.
        return match claim_trouble(&plan.snapshot, &plan.conditions, pod) {
            Some(found) => CauseKind::Foreseen(found),
            None => volume::unschedulable(plan, pod),
        };
    }
    container::waiting(pod)
}

fn lost(plan: &Plan, node: &str, pod: &Pod) -> CauseKind {
    CauseKind::NodeLost {
        node: Arc::from(node),
        is_gone: plan.related.node(node).is_none(),
        is_terminating: pod.is_terminating(),
        local_claims: plan.local_volumes(pod),
        zones: plan.zones_without_node(pod),
        unknown_claims: plan.claims_of_unknown_place(pod),
    }
}

/// Returns the reason that a creation is refused. A quota tells its name and the amounts: `pods "web-2" is forbidden:
/// exceeded quota: compute, requested: memory=2Gi, used: memory=10Gi, limited: memory=10Gi`.
fn refusal(message: &str) -> CauseKind {
    let quota = message.split_once("exceeded quota: ").map(|(_, rest)| rest);
    match quota.and_then(|rest| rest.split_once(", ")) {
        Some((name, amounts)) => CauseKind::Quota {
            name: name.to_owned(),
            amounts: amounts.to_owned(),
            message: message.to_owned(),
        },
        None => CauseKind::Refused {
            message: message.to_owned(),
        },
    }
}

/// Returns the verdict of a pod's siblings on its template.
fn blame(end: &Snapshot, pod: &Pod) -> Blame {
    let ready: Vec<&Arc<Pod>> = pods_of(end)
        .filter(|sibling| owns(end, sibling) && sibling.meta.name != pod.meta.name)
        .filter(|sibling| sibling.is_running_and_ready() && !sibling.is_terminating())
        .collect();
    if ready.iter().any(|sibling| sibling.revision == pod.revision) {
        Blame::Pod
    } else if !ready.is_empty() && pod.revision == end.status.update_revision {
        Blame::Template
    } else {
        Blame::Unknown
    }
}
