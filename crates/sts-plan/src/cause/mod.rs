//! Causes of stuck pods, determined once from container states, events, nodes, volumes and template differences. Headline,
//! evidence and remedies read them.

mod container;
mod context;
mod entry;
mod kind;
mod names;
mod of_event;
mod template;
mod volume;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::foresight::{Foreseen, claim_trouble, missing_object};
use crate::plan::{
    Observed, Obstacle, Plan, Predicted, Retry, Shown, StuckAt, deploying_tool, is_down,
    server_words,
};
use sts_controller::controller::Hold;
use sts_controller::object::Pod;
use sts_controller::simulate::PVC_PROTECTION;

pub(crate) use crate::catalogue::container_list;
use crate::catalogue::worked_for;
pub use crate::catalogue::{
    Announcement, Blames, Catalogue, CauseEntry, CauseTrait, ContainerCheck, Example, NamedObject,
    Place, Rank, Recognized, TemplatePart, cause_by_id, cause_page, causes, check, page_text,
    with_names,
};
pub use container::ContainerFailure;
pub use context::{CauseContext, context};
pub use kind::{Blame, CauseKind, WaitsIn};
pub use of_event::cause_of_event;
pub use template::TemplateDifference;
pub(crate) use template::{comes_back_on, schedules_differently};
pub use volume::VolumeHolder;

/// The cause of a stuck pod.
#[derive(Debug, Clone, PartialEq)]
pub struct Cause {
    /// Kind of failure.
    pub kind: CauseKind,
    /// Name of the pod.
    pub pod: Arc<str>,
    /// Its node, if it has one.
    pub node: Option<Arc<str>>,
    /// Name of another pod that is assumed to fail in the same way, because it moves to the revision of this one.
    pub foretold: Option<Arc<str>>,
    /// Start of the failure, if known.
    pub since: Option<Timestamp>,
    /// Verdict on the pod's template, by the other pods.
    pub blame: Blame,
    /// Differences from the template of the rollback revision.
    pub difference: TemplateDifference,
    /// True if the pod is overdue without a reported failure.
    pub is_overdue: bool,
    /// Catalogue entry, if recognized.
    pub recognized: Option<Recognized>,
    /// Other failing containers of the pod.
    pub also: Vec<ContainerFailure>,
    /// The custom resource that owns the set, such as `Elasticsearch logs`.
    pub owner: Option<String>,
    /// The tool that deploys the set, such as `Argo CD`.
    pub managed_by: Option<String>,
    /// The revision of the pod's replacement, if it differs from its own.
    pub comes_back_on: Option<Arc<str>>,
    /// The controller's next retry of a refused request.
    pub retry: Option<Retry>,
    /// True if the pod has run a newer image on its volumes than that of the rollback template.
    pub may_have_migrated: bool,
    /// Age of a crash-looping pod whose runs lasted long on average: its template worked.
    pub worked_for: Option<SignedDuration>,
    /// A cause that another pod reports, and that this one may share, because it only shows a symptom.
    pub shared: Option<SharedCause>,
}

/// A cause that another pod reports, of something that all pods use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedCause {
    /// Name of the other pod.
    pub pod: Arc<str>,
    /// Entry in the catalogue.
    pub entry: &'static CauseEntry,
}

/// A key that causes with the same remedies share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CauseKey {
    name: &'static str,
    about: String,
    blame: Blame,
    comes_back_on: Option<Arc<str>>,
}

impl Cause {
    /// Returns its catalogue entry.
    #[must_use]
    pub fn entry(&self) -> Option<&'static CauseEntry> {
        self.recognized.as_ref().map(|found| found.entry)
    }

    /// Returns the id of its catalogue entry.
    #[must_use]
    pub fn id(&self) -> Option<&'static str> {
        self.entry().map(|entry| &*entry.id)
    }

    /// Reports whether an entry names the cause itself, not a symptom.
    pub(crate) fn is_specific(&self) -> bool {
        self.entry()
            .is_some_and(|entry| entry.rank != Rank::Generic)
    }

    /// Returns the machine-readable name: the catalogue id, or else the name of the kind.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.id().unwrap_or_else(|| self.kind.name())
    }

    /// Returns the node, quota, image or container that the cause is about; empty without one.
    #[must_use]
    pub fn about(&self) -> String {
        match &self.kind {
            CauseKind::CrashLoop(failure)
            | CauseKind::OutOfMemory(failure)
            | CauseKind::ContainerConfig(failure) => format!("container/{}", failure.container),
            CauseKind::ImagePull(failure) => format!("image/{}", failure.image),
            CauseKind::NodeLost { node, .. }
            | CauseKind::NodeNotReady { node, .. }
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

    /// Returns the key that causes with the same remedies share.
    #[must_use]
    pub fn key(&self) -> CauseKey {
        CauseKey {
            name: self.name(),
            about: self.about(),
            blame: self.blame,
            comes_back_on: self.comes_back_on.clone(),
        }
    }

    /// Returns the component's message; empty if a status alone identifies the cause.
    #[must_use]
    pub fn message(&self) -> &str {
        let found = self.recognized.as_ref();
        found.map_or("", |found| &found.message)
    }

    /// Returns the component at fault, by the catalogue.
    #[must_use]
    pub fn blames(&self) -> Blames {
        self.entry().map_or(Blames::Unknown, |entry| entry.blames)
    }

    /// Reports whether the template differences are relevant to the cause.
    pub(crate) fn reads_difference(&self) -> bool {
        let difference = &self.difference;
        difference.is_read_by(&self.kind, self.entry())
    }

    /// Reports whether the pod template is at fault, by the report or by ready pods on another template.
    pub(crate) fn blames_template(&self) -> bool {
        match (self.blame, self.blames()) {
            (Blame::Pod, _) => false,
            (Blame::Unknown, blames) => blames == Blames::Template && self.worked_for.is_none(),
            (Blame::Template, _) => self.reads_difference(),
        }
    }

    /// Returns its entry for the other pods of the set; `None` if it is of this pod alone.
    #[must_use]
    pub(crate) fn shareable(&self) -> Option<SharedCause> {
        let of_all = [
            Blames::Dependency,
            Blames::Network,
            Blames::Object,
            Blames::Registry,
            Blames::Server,
            Blames::Storage,
        ];
        let entry = self.entry().filter(|_| self.is_specific())?;
        of_all.contains(&entry.blames).then(|| SharedCause {
            pod: Arc::clone(&self.pod),
            entry,
        })
    }

    /// Returns the cause of an obstacle at the end of a plan; `None` if no object shows it.
    #[must_use]
    pub fn of(plan: &Plan, obstacle: &Obstacle) -> Option<Self> {
        let subject = subject(plan, obstacle.pod()?);
        let waited_for = &obstacle.pod()?.meta.name;
        let foretold = (subject.meta.name != *waited_for).then(|| Arc::clone(waited_for));
        let pod = subject;
        let name = &pod.meta.name;
        let end = plan.predicted().objects();
        let stuck = plan.evidence.of_this(pod);
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
            _ if is_lost_by_flag(plan, pod) => lost(plan, pod.node().unwrap_or_default(), pod),
            _ if pod.given().is_none() => CauseKind::Foreseen(foreseen(plan, pod)?.clone()),
            _ => match &stuck?.shown {
                Shown::Refused(event) => refusal(server_words(event)),
                Shown::Finalizers(names) => CauseKind::Finalizers(names.clone()),
                Shown::Node(node) => lost(plan, node, pod),
                Shown::Claim(found) => CauseKind::Foreseen(found.clone()),
                Shown::Volumes(event) => match volume_object(plan, pod) {
                    Some(object) => CauseKind::Foreseen(Foreseen::MissingConfig {
                        object,
                        shown_by: Arc::clone(name),
                    }),
                    None => CauseKind::Volume {
                        message: event.message.to_string(),
                        holder: volume::holder(plan.observed(), pod),
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
        let repeated = match kind {
            CauseKind::Rejected { .. } => plan.evidence.recreated.get(name).map(|it| it.since),
            CauseKind::DeletionRefused { .. } => {
                (plan.evidence.undeletable.get(name)).and_then(|event| event.first)
            }
            _ => None,
        };
        let recognized = entry::recognized(plan, pod, &kind);
        let difference = template::difference(plan, pod);
        let leaves_data = recognized.as_ref().is_some_and(|it| {
            // A process may end with the exit code of a command that was never found, after it has written data.
            let is_by_exit =
                !it.entry.exit_codes.is_empty() && it.entry.end_of_words(&it.message).is_none();
            it.entry.has(CauseTrait::LeavesData) && !is_by_exit
        });
        Some(Cause {
            may_have_migrated: !leaves_data
                && difference.is_older
                && pod.claims().next().is_some()
                && kind
                    .ran()
                    .is_some_and(|container| difference.images.contains(container)),
            recognized,
            also: container::also_failing(pod, &kind),
            comes_back_on: template::comes_back_on(plan, pod),
            retry: plan.evidence.retry(name, plan.conditions.now),
            owner: plan
                .snapshot
                .set
                .meta
                .controller()
                .map(|owner| format!("{} {}", owner.kind, owner.name)),
            managed_by: deploying_tool(plan).map(|(tool, _)| tool),
            worked_for: match &kind {
                CauseKind::CrashLoop(failure) => worked_for(pod, failure, plan.observed().at()),
                _ => None,
            },
            kind,
            pod: Arc::clone(name),
            node: pod.node.clone(),
            foretold,
            since: stuck.and_then(|stuck| stuck.since).or(deleted).or(repeated),
            blame: blame(plan.observed(), plan.predicted(), pod),
            difference,
            shared: None,
            is_overdue: stuck
                .is_some_and(|stuck| stuck.at != StuckAt::Start || stuck.shown == Shown::Overdue),
        })
    }
}

/// Returns the pod whose objects show the cause: the pod that failed on the revision, for one that is only assumed to fail
/// there too, and the pod itself otherwise. A replacement finds no more room than the pod that was read.
pub(crate) fn subject<'p>(plan: &'p Plan, pod: &'p Arc<Pod>) -> &'p Arc<Pod> {
    let is_assumed = plan.evidence.of_this(pod).is_none()
        && pod.trouble.is_none()
        && !pod.is_terminating()
        && !pod.is_ready()
        && !plan.conditions.assumptions.contains_key(&*pod.meta.name)
        && foreseen(plan, pod).is_none();
    let witness = plan.evidence.witness(pod).filter(|_| is_assumed);
    let name = &pod.meta.name;
    let lacks_place = plan.evidence.lacks_place(name);
    let shown_by = witness.map(|witness| if lacks_place { name } else { witness });
    shown_by
        .and_then(|name| plan.observed().pod(name))
        .unwrap_or(pod)
}

/// Returns the missing object that the reports on a pod's volumes name, if any.
fn volume_object(plan: &Plan, pod: &Pod) -> Option<String> {
    let mut reports = entry::volume_reports(pod, &plan.related);
    reports.find_map(|event| missing_object(&event.message))
}

/// Returns the terminating claim of a pod, if any.
fn terminating_claim(plan: &Plan, pod: &Pod) -> Option<Arc<str>> {
    let mut claims = (pod.claims()).filter_map(|name| plan.snapshot.claims.get(name));
    let claim = claims.find(|claim| claim.meta.is_terminating())?;
    Some(Arc::clone(&claim.meta.name))
}

/// Returns the cause of a claim that is being deleted.
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

/// Returns the predicted failure of a pod that the plan creates, unless an assumption covers the pod.
fn foreseen<'p>(plan: &'p Plan, pod: &Pod) -> Option<&'p Foreseen> {
    let found = plan.foresight.of_pod(&pod.meta.name, &pod.revision);
    found.filter(|_| !plan.conditions.assumptions.contains_key(&*pod.meta.name))
}

/// Returns the cause of a pod that does not become ready.
fn of_start(plan: &Plan, pod: &Pod) -> CauseKind {
    if let Some(node) = pod.node()
        && is_down(node, &plan.related)
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
        if let Some(claim) = terminating_claim(plan, pod) {
            return deleted_claim(plan, &claim);
        }
        // The reason for a missing volume is more specific than the scheduler's message.
        return match claim_trouble(&plan.snapshot, &plan.conditions, pod) {
            Some(found) => CauseKind::Foreseen(found),
            None => volume::unschedulable(plan, pod),
        };
    }
    container::waiting(pod)
}

/// Reports whether a flag loses the node of a pod.
fn is_lost_by_flag(plan: &Plan, pod: &Pod) -> bool {
    let lost = &plan.conditions.outage.lost;
    pod.node.as_ref().is_some_and(|node| lost.contains(node))
}

fn lost(plan: &Plan, node: &str, pod: &Pod) -> CauseKind {
    let known = plan.related.node(node);
    // The plan deletes the pod later on. A loss that a flag asks for is foretold as a whole.
    let seen = match is_lost_by_flag(plan, pod) {
        true => pod,
        false => plan.observed().same(pod).map_or(pod, |seen| seen),
    };
    if let Some(ready) = known
        .filter(|node| node.is_down() && !node.is_lost())
        .and_then(|node| node.ready.as_ref())
    {
        return CauseKind::NodeNotReady {
            node: Arc::from(node),
            reason: ready.reason.to_string(),
            message: ready.message.to_string(),
            is_terminating: seen.is_terminating(),
        };
    }
    CauseKind::NodeLost {
        node: Arc::from(node),
        is_gone: known.is_none(),
        is_terminating: seen.is_terminating(),
        local_claims: plan.local_volumes(pod),
        zones: plan.zones_without_node(pod),
        unknown_claims: plan.claims_of_unknown_place(pod),
    }
}

/// Returns the cause of a refused creation. The message of a quota has its name and amounts: `pods "web-2" is forbidden:
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

/// Returns the verdict on a pod's template, by the other pods as they were read. The prediction only tells which
/// revision is the update revision.
fn blame(observed: &Observed, predicted: Predicted<'_>, pod: &Pod) -> Blame {
    let is_other = |sibling: &&Arc<Pod>| sibling.meta.name != pod.meta.name;
    if observed.has_ready_sibling(pod) {
        Blame::Pod
    } else if observed.ready().any(|sibling| is_other(&sibling))
        && pod.revision == predicted.objects().status.update_revision
    {
        Blame::Template
    } else {
        Blame::Unknown
    }
}
