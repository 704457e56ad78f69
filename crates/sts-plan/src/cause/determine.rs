//! The cause of an obstacle, from the evidence about its pod.

use std::sync::Arc;

use super::facts::low_cpu_limit;
use super::shown::{foreseen, shown};
use super::{
    Blame, Cause, CauseTrait, Facts, Neighbors, Place, Recognized, Repair, Symptom, also, entry,
    template,
};
use crate::catalogue::worked_for;
use crate::plan::{Observed, Obstacle, Plan, Predicted, Shown, StuckAt, deploying_tool};
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{Pod, Revision};

impl Cause {
    /// Returns the causes of the obstacles of a plan, in their order. An analysis determines them once.
    pub(crate) fn of_obstacles(plan: &Plan) -> Vec<Option<Self>> {
        let obstacles = plan.outcome.obstacles().iter();
        obstacles.map(|it| Cause::of(plan, it)).collect()
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
        let (symptom, facts) = shown(plan, obstacle, pod)?;
        let began = match symptom {
            Symptom::ClaimDeleted => {
                let mut claims = facts.claims.iter().filter_map(|it| end.claims.get(it));
                claims.next().and_then(|it| it.meta.deleted)
            }
            Symptom::KubeletRejects => plan.evidence.recreated.get(name).map(|it| it.since),
            Symptom::DeletionRefused => {
                (plan.evidence.undeletable.get(name)).and_then(|event| event.first)
            }
            _ => None,
        };
        let recognized = entry::recognized(plan, pod, symptom, &facts);
        Some(Cause {
            foretold,
            since: stuck.and_then(|stuck| stuck.since).or(began),
            is_overdue: stuck
                .is_some_and(|stuck| stuck.at != StuckAt::Start || stuck.shown == Shown::Overdue),
            ..Cause::of_facts(plan, pod, symptom, facts, recognized)
        })
    }

    /// Returns the cause of what a pod shows, without its beginning.
    pub(super) fn of_facts(
        plan: &Plan,
        pod: &Arc<Pod>,
        symptom: Symptom,
        mut facts: Facts,
        recognized: Option<Recognized>,
    ) -> Self {
        let name = &pod.meta.name;
        let symptom = specific(symptom, recognized.as_ref());
        let limit = |container: &String| low_cpu_limit(pod, container);
        facts.cpu_limit = facts.container().and_then(limit);
        facts.neighbors = Neighbors::of(plan, pod, symptom, &facts, recognized.as_ref());
        let comes_back_on = template::comes_back_on(plan, pod);
        let next = comes_back_on.as_ref();
        let other = template::other(plan, next);
        let difference = template::difference(plan, pod, next, other);
        facts.higher_limit = higher_limit(symptom, &facts, other);
        let entry = recognized.as_ref().map(|it| it.entry);
        let leaves_data = recognized.as_ref().is_some_and(|it| {
            // A process may end with the exit code of a command that was never found, after it has written data.
            let is_by_exit =
                !it.entry.exit_codes.is_empty() && it.entry.end_of_words(&it.message).is_none();
            it.entry.has(CauseTrait::LeavesData) && !is_by_exit
        });
        let also = also::also_failing(plan, pod, &facts);
        Cause {
            repair: Repair::of(plan, pod, symptom, &facts, entry, &also),
            may_have_migrated: !leaves_data
                && difference.is_older
                && pod.claims().next().is_some()
                && ran(symptom, &facts)
                    .is_some_and(|container| difference.images.contains(container)),
            recognized,
            also,
            template_helps: difference.may_fix(symptom, &facts, entry, other),
            comes_back_on,
            retry: plan.evidence.retry(name, plan.conditions.now),
            owner: plan.operator(),
            managed_by: deploying_tool(plan).map(|(tool, _)| tool),
            worked_for: match (symptom, &facts.failure) {
                (Symptom::CrashLoop | Symptom::CheckFails, Some(failure)) => {
                    worked_for(pod, failure, plan.observed().at())
                }
                _ => None,
            },
            symptom,
            facts,
            pod: Arc::clone(name),
            node: pod.node.clone(),
            foretold: None,
            since: None,
            blame: blame(plan.observed(), plan.predicted(), pod),
            difference,
            leader: None,
            shared: None,
            lost_majority: None,
            is_overdue: false,
        }
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

/// Returns the more specific symptom that the cause of one implies.
fn specific(symptom: Symptom, found: Option<&Recognized>) -> Symptom {
    let Some(entry) = found.map(|found| found.entry) else {
        return symptom;
    };
    match symptom {
        Symptom::CrashLoop if entry.check.is_some() => Symptom::CheckFails,
        Symptom::NotReady if entry.place == Place::Gate => Symptom::GateNotMet,
        symptom => symptom,
    }
}

/// Returns the memory limit that the other revision gives the container, if that is higher.
fn higher_limit(symptom: Symptom, facts: &Facts, other: Option<&Arc<Revision>>) -> Option<String> {
    let failure = (facts.failure.as_ref()).filter(|_| symptom == Symptom::OutOfMemory)?;
    let present = Quantity::parse(failure.memory_limit.as_ref()?).ok()?;
    let container = template::container_named(&other?.template()?["spec"], &failure.container)?;
    let limit = container["resources"]["limits"]["memory"].as_str()?;
    (Quantity::parse(limit).ok()? > present).then(|| limit.to_owned())
}

/// Returns the container whose process has run and failed, if the failure is of one.
fn ran(symptom: Symptom, facts: &Facts) -> Option<&String> {
    let is_unstarted = facts.failure.as_ref().is_some_and(|it| it.is_unstarted);
    let has_run = symptom.entry().ran && !is_unstarted;
    facts.container().filter(|_| has_run)
}

/// Returns the verdict on a pod's template, by the other pods as they were read. The prediction only tells which
/// revision is the update revision.
fn blame(observed: &Observed, predicted: Predicted<'_>, pod: &Pod) -> Blame {
    let is_other = |sibling: &&Arc<Pod>| sibling.revision != pod.revision;
    if observed.has_steady_sibling(pod) {
        Blame::Pod
    } else if observed.ready().any(|sibling| is_other(&sibling))
        && pod.revision == predicted.objects().status.update_revision
    {
        Blame::Template
    } else {
        Blame::Unknown
    }
}
