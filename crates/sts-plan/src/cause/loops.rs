//! Pods that are up, or about to be, and do not stay so: what restarts, evicts, deletes or replaces them again and again.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::instead::instead;
use super::{Cause, Facts, Symptom};
use crate::catalogue::{Place, events_of_pod, events_of_set, restarted_container};
use crate::plan::{LoopAuthor, Plan, RecreationLoop, Rewrites, TemplateWriter, revisions_of};
use sts_controller::apiserver::schema::stateful_set;
use sts_controller::apiserver::validation::differences;
use sts_controller::object::{ContainerStatus, Event, Phase, Pod, Revision};

/// Minimum number of restarts of a loop.
const OFTEN: i64 = 5;
/// Multiple of the usual time between two restarts after which a process counts as stable.
const STABLE: i32 = 3;
/// Maximum usual time between two restarts of a loop.
const LONGEST_TURN: SignedDuration = SignedDuration::from_hours(6);

/// A pod that does not stay up.
#[derive(Debug, Clone)]
pub struct PodLoop {
    /// The cause of its next end.
    pub cause: Cause,
    /// Number of turns.
    pub count: i64,
    /// Time of the last one.
    pub last: Timestamp,
}

/// Returns the pods that were read and do not stay up, those that come and go before those that restart. Pods that are
/// stuck are obstacles, and no loops.
#[must_use]
pub fn loops(plan: &Plan) -> Vec<PodLoop> {
    let observed = plan.observed();
    let is_free = |pod: &&Arc<Pod>| {
        !plan.conditions.assumptions.contains_key(&*pod.meta.name)
            && plan.evidence.of_this(pod).is_none()
    };
    let pods = || observed.owned().filter(is_free);
    let is_contested = plan.contest().is_some();
    let recreated = pods().filter_map(|pod| {
        let turns = plan.evidence.recreated.get(&pod.meta.name)?;
        let is_explained = is_contested && turns.author == LoopAuthor::Set;
        (pod.phase != Phase::Failed && !is_explained).then(|| of_creations(plan, pod, turns))?
    });
    let mut found: Vec<PodLoop> = recreated.collect();
    if !found
        .iter()
        .any(|it| it.cause.symptom == Symptom::ReplacedAgain)
    {
        let rewrites = Rewrites::of(observed.objects(), observed.at());
        let newest = pods().last();
        found.extend(
            newest
                .zip(rewrites)
                .map(|(pod, rewrites)| of_template(plan, pod, &rewrites)),
        );
    }
    let ended: Vec<Arc<str>> = found.iter().map(|it| Arc::clone(&it.cause.pod)).collect();
    let others = pods().filter(|pod| !ended.contains(&pod.meta.name));
    found.extend(others.filter_map(|pod| of_restarts(plan, pod)));
    found
}

/// Returns the loop of a pod that is created again and again.
fn of_creations(plan: &Plan, pod: &Arc<Pod>, turns: &RecreationLoop) -> Option<PodLoop> {
    let facts = Facts {
        count: turns.count,
        lasts: Some(turns.last.duration_since(turns.since)),
        ..Facts::default()
    };
    let of_state = |symptom: Symptom, facts| {
        let id = symptom.entry().cause.as_ref()?;
        let recognized = plan.conditions.catalogue.of_state(id);
        Some(Cause::of_facts(plan, pod, symptom, facts, recognized))
    };
    let cause = match &turns.author {
        LoopAuthor::Failure => failed_before(plan, pod, facts)?,
        LoopAuthor::Evictor(by) => {
            let facts = Facts {
                message: by.message.clone(),
                ..facts
            };
            Cause::of_facts(plan, pod, Symptom::EvictedAgain, facts, Some(by.clone()))
        }
        LoopAuthor::Unknown => {
            let facts = Facts {
                writer: plan.operator().unwrap_or_default(),
                ..facts
            };
            of_state(Symptom::DeletedAgain, facts)?
        }
        LoopAuthor::Set => {
            let observed = plan.observed();
            let rewrites = Rewrites::of_loop(observed.objects(), observed.at());
            of_state(Symptom::ReplacedAgain, with_writer(plan, facts, rewrites))?
        }
    };
    Some(PodLoop {
        cause: Cause {
            since: Some(turns.since),
            ..cause
        },
        count: turns.count,
        last: turns.last,
    })
}

/// Returns the cause of a pod whose predecessors failed, by the report of the last failure.
fn failed_before(plan: &Plan, pod: &Arc<Pod>, facts: Facts) -> Option<Cause> {
    let meta = &pod.meta;
    let events = plan.related.events(&meta.namespace, "Pod", &meta.name);
    let of_others = events
        .iter()
        .filter(|event| event.is_warning && !event.uid.is_empty() && !event.is_about(&meta.uid));
    let mut failures = of_others.rev().filter_map(|event| {
        let catalogue = plan.conditions.catalogue;
        let found = catalogue.classify(Place::Rejected, &event.reason, &event.message)?;
        Some((event, found))
    });
    let (event, recognized) = failures.next()?;
    let facts = Facts {
        reason: event.reason.to_string(),
        message: event.message.to_string(),
        ..facts
    };
    let symptom = Symptom::KubeletRejects;
    Some(Cause::of_facts(plan, pod, symptom, facts, Some(recognized)))
}

/// Returns the loop of a set whose template changes again and again.
fn of_template(plan: &Plan, pod: &Arc<Pod>, rewrites: &Rewrites) -> PodLoop {
    let count = i64::try_from(rewrites.count).unwrap_or(i64::MAX);
    let facts = Facts {
        count,
        lasts: Some(rewrites.lasts),
        ..Facts::default()
    };
    let symptom = Symptom::TemplateChanges;
    let id = symptom.entry().cause.as_deref().unwrap_or_default();
    let recognized = plan.conditions.catalogue.of_state(id);
    let facts = with_writer(plan, facts, Some(*rewrites));
    PodLoop {
        cause: Cause {
            since: rewrites.last.checked_sub(rewrites.lasts).ok(),
            ..Cause::of_facts(plan, pod, symptom, facts, recognized)
        },
        count,
        last: rewrites.last,
    }
}

/// Adds who writes the template, and what.
fn with_writer(plan: &Plan, facts: Facts, rewrites: Option<Rewrites>) -> Facts {
    let set = &plan.observed().objects().set;
    let manager = || {
        let writer = TemplateWriter::of(&set.object.open())?;
        Some(format!("field manager {}", writer.manager))
    };
    Facts {
        every: rewrites.map(|it| it.every),
        changed: changed_fields(plan),
        writer: plan.operator().or_else(manager).unwrap_or_default(),
        trigger: reloaded_for(plan).unwrap_or_default(),
        ..facts
    }
}

/// Returns the object for whose changes Reloader restarts the pods: `Changes detected in 'db-tls' of type 'SECRET' in
/// namespace 'prod'`.
fn reloaded_for(plan: &Plan) -> Option<String> {
    let events = events_of_set(&plan.snapshot.set, &plan.related);
    let mut reloads = events.rev().filter(|event| &*event.reason == "Reloaded");
    reloads.find_map(|event| {
        let (_, rest) = event.message.split_once("Changes detected in '")?;
        let (name, rest) = rest.split_once("' of type '")?;
        let kind = match rest.split_once('\'')?.0 {
            "SECRET" => "Secret",
            "CONFIGMAP" => "ConfigMap",
            _ => return None,
        };
        Some(format!("{kind} {name}"))
    })
}

/// Returns the fields of the template in which the two newest revisions differ.
fn changed_fields(plan: &Plan) -> Vec<String> {
    let objects = plan.observed().objects();
    let mut revisions: Vec<&Arc<Revision>> = revisions_of(objects).collect();
    revisions.sort_by_key(|it| (it.number, it.meta.created));
    let [.., old, new] = revisions.as_slice() else {
        return Vec::new();
    };
    let set = |revision: &Revision| {
        let template = revision.template()?.clone();
        Some(serde_json::json!({"spec": {"template": template}}))
    };
    let Some((old, new)) = set(old).zip(set(new)) else {
        return Vec::new();
    };
    let minor = plan.conditions.behaviour.defaulting.minor;
    let fields = differences(&old, &new, stateful_set(), minor).into_iter();
    let within = |path: String| match path.strip_prefix("spec.template.") {
        Some(rest) => rest.strip_prefix("spec.").unwrap_or(rest).to_owned(),
        None => path,
    };
    fields.map(|it| within(it.path)).collect()
}

/// Returns the loop of a pod whose container restarts again and again, and runs in between.
fn of_restarts(plan: &Plan, pod: &Arc<Pod>) -> Option<PodLoop> {
    if pod.phase != Phase::Running || pod.is_terminating() || pod.trouble.is_some() {
        return None;
    }
    let statuses = pod.containers();
    let restarting = statuses
        .iter()
        .filter(|it| !it.init && it.waiting.is_none());
    let restarting = restarting.filter_map(|it| Some((it, last_end(plan, pod, it)?)));
    let (status, last) = restarting.max_by_key(|(_, at)| *at)?;
    let (symptom, failure) = restarted_container(pod, status);
    let catalogue = plan.conditions.catalogue;
    let reported = catalogue.of_failure(symptom, pod, &plan.related, &failure);
    let facts = Facts {
        failure: Some(failure),
        ..Facts::default()
    };
    let recognized = reported.map(|found| instead(plan, pod, &facts, found));
    Some(PodLoop {
        cause: Cause {
            since: began(plan, pod, status.restarts),
            ..Cause::of_facts(plan, pod, symptom, facts, recognized)
        },
        count: status.restarts,
        last,
    })
}

/// Returns when a container ended last, if it does so again and again and has not been up for longer than before.
fn last_end(plan: &Plan, pod: &Pod, status: &ContainerStatus) -> Option<Timestamp> {
    let ended = status.ended.as_ref()?;
    let at = ended.at.filter(|_| status.restarts >= OFTEN)?;
    let restarts = i32::try_from(status.restarts).unwrap_or(i32::MAX);
    let mean = at.duration_since(pod.meta.created?) / restarts;
    // It may have begun long after the creation of the pod.
    let last_run = ended.started.map(|started| at.duration_since(started));
    let usual = last_run.map_or(mean, |last_run| last_run.min(mean));
    let up = plan.observed().at().duration_since(at);
    let is_loop = usual <= LONGEST_TURN && up < usual.saturating_mul(STABLE).max(LEAST_STABLE);
    is_loop.then_some(at)
}

/// Minimum time without a restart after which a process counts as stable.
const LEAST_STABLE: SignedDuration = SignedDuration::from_mins(6);

/// Returns since when a pod restarts: the first of the reports that cover most restarts, or else its creation.
fn began(plan: &Plan, pod: &Pod, restarts: i64) -> Option<Timestamp> {
    let covers = |event: &&Arc<Event>| {
        matches!(&*event.reason, "Killing" | "BackOff") && event.count >= restarts - restarts / 4
    };
    let events = events_of_pod(pod, &plan.related).filter(covers);
    events.filter_map(|it| it.first).min().or(pod.meta.created)
}
