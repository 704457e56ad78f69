//! Assumptions of a plan: pod durations and the controller version.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::assumption::{PlanAssumption, PlanAssumptions};
use super::evidence::{Evidence, Shown, Stuck, StuckAt};
use super::note::PlanNote;
use super::pace::{StartedPod, median, replaced};
use super::refusals::server_words;
use super::settle::state_of;
use super::unsteady::unsteady;
use super::{Conditions, Outcome, Plan, VersionSource, belongs, owns, pods_of};
use crate::down_nodes::{is_unread, node_down};
use crate::duration::spell;
use crate::foresight::{self, Foreseen, refused};
use crate::grant::Grant;
use crate::words::count;
use sts_controller::object::{Phase, Pod, Ready, Snapshot};
use sts_controller::simulate::{Assumption, Forbidden, Kubelet, Start};

/// Startup time of new pods if no ready pod of the set shows it.
pub(super) const UNKNOWN_READY_AFTER: SignedDuration = SignedDuration::from_secs(10);
/// Default termination time of deleted pods.
pub(super) const USUAL_GONE_AFTER: SignedDuration = SignedDuration::from_secs(5);

/// Returns the simulated kubelet and records the assumptions behind it.
pub(super) fn kubelet(
    snapshot: &Snapshot,
    conditions: &Conditions,
    evidence: &Evidence,
    assumptions: &mut PlanAssumptions,
) -> Kubelet {
    let ready_after = ready_after(snapshot, conditions, assumptions);
    let (gone_after, why) = gone_after(snapshot, conditions);
    assumptions.standard(
        "pods",
        format!("gone {}", spell(gone_after)),
        format!(
            "deleted pods are gone after {} or their grace period, whichever is shorter{why}",
            spell(gone_after)
        ),
    );
    let stuck = evidence
        .stuck
        .iter()
        .map(|(name, stuck)| PlanAssumption::Stuck {
            pod: Arc::clone(name),
            at: stuck.at,
            why: shown(snapshot, conditions, name, stuck),
        });
    assumptions.some(stuck, ["pod is stuck", "pods are stuck"]);
    let late = pods_of(snapshot).filter_map(|pod| {
        if evidence.of_pod(&pod.meta.name).is_some() {
            return None;
        }
        let name = Arc::clone(&pod.meta.name);
        match pod.meta.deleted {
            Some(deleted) => {
                let late = conditions.now.duration_since(deleted);
                let is_late = late > SignedDuration::ZERO;
                is_late.then_some(PlanAssumption::LateStop { pod: name, late })
            }
            // The user or a flag has already said that it becomes ready.
            None if conditions.assumptions.contains_key(&*name) => None,
            None if evidence.records.recovering.contains(&name) => None,
            None => Some(PlanAssumption::LateStart {
                pod: name,
                waited: slow_start(pod, ready_after, conditions)?,
                usual: ready_after,
            }),
        }
    });
    assumptions.some(late, ["pod is late", "pods are late"]);
    let unsteady = unsteady(snapshot, conditions, evidence);
    assumptions.some(unsteady, ["pod was down before", "pods were down before"]);
    let named = conditions.assumptions.iter();
    let recover = named.filter(|(_, assumed)| !assumed.keeps_foreseen && recovers(assumed));
    let recover = recover.filter(|(name, _)| {
        let pod = snapshot.pods.get(name.as_str());
        pod.is_some_and(|pod| belongs(snapshot, pod) && !pod.is_running_and_ready())
    });
    let recover = recover.map(|(name, _)| PlanAssumption::Recovers {
        pod: Arc::from(name.as_str()),
    });
    assumptions.some(recover, ["pod recovers", "pods recover"]);
    let works = evidence.records.recovering.iter();
    let mut works: Vec<&Arc<str>> = works
        .filter_map(|name| Some(&snapshot.pods.get(name)?.revision))
        .collect();
    works.dedup();
    let works = works.into_iter().map(|revision| PlanAssumption::Works {
        revision: Arc::clone(revision),
    });
    assumptions.some(works, ["revision works", "revisions work"]);
    let relief = &evidence.relief;
    let mut forbidden = evidence.forbidden();
    let foreseen = refused(snapshot, conditions, &conditions.grants);
    let granted = admitted_by_grants(snapshot, conditions, &foreseen);
    assumptions.notes(relief.sentences.iter().cloned());
    assumptions.notes(granted.clone());
    assumptions.notes(relief.unused(conditions, granted.is_some()));
    forbidden.add(foreseen);
    let mut assumptions = conditions.assumptions.clone();
    for name in relief.starts.keys().chain(&evidence.records.recovering) {
        let starts = Assumption {
            keeps_foreseen: true,
            ..Assumption::default()
        };
        assumptions.entry(name.to_string()).or_insert(starts);
    }
    Kubelet {
        ready_after,
        gone_after,
        believes_trouble: true,
        never_ready: evidence.uids(StuckAt::Start).collect(),
        never_gone: evidence
            .uids(StuckAt::Stop)
            .chain(on_down_nodes(snapshot, conditions))
            .collect(),
        forbidden,
        broken: evidence.records.broken.keys().cloned().collect(),
        // Depends on the first sync, so it is filled in later.
        foreseen: BTreeMap::new(),
        assumptions,
    }
}

/// Returns a sentence about the pods that quotas of the input admit only by a grant; `None` without one.
fn admitted_by_grants(
    snapshot: &Snapshot,
    conditions: &Conditions,
    still: &Forbidden,
) -> Option<String> {
    let is_quota = |grant: &&Grant| matches!(grant, Grant::Quota { .. });
    let grants = conditions.grants.iter().filter(is_quota);
    let grants: Vec<String> = grants.map(ToString::to_string).collect();
    if grants.is_empty() {
        return None;
    }
    let before = refused(snapshot, conditions, &[]);
    let of = |it: &Forbidden| it.pods.len().max(it.claims.len());
    let admitted = of(&before).saturating_sub(of(still));
    (admitted > 0).then(|| {
        format!(
            "the quota has room for {} (--assume {})",
            count(admitted, "more pod"),
            grants.join(" --assume ")
        )
    })
}

/// Reports whether the user assumes that a pod becomes ready, whatever its objects show.
fn recovers(assumed: &Assumption) -> bool {
    assumed.start == Start::Ready && !assumed.fails_now && !assumed.never_gone
}

/// Returns the UIDs of pods on nodes that are down, whose kubelets may never confirm a termination.
fn on_down_nodes<'s>(
    snapshot: &'s Snapshot,
    conditions: &'s Conditions,
) -> impl Iterator<Item = Arc<str>> + 's {
    let lost = &conditions.outage.lost;
    let there = snapshot.pods.values().filter(|pod| {
        let is_lost = pod.node.as_ref().is_some_and(|node| lost.contains(node));
        // A given time applies to pods that are terminating on a node that is down.
        let is_given = conditions.gone_after.is_some() && pod.is_terminating();
        let is_down = || node_down(pod, conditions).is_some();
        (is_lost && !pod.phase.has_ended()) || (!is_given && is_down())
    });
    there.map(|pod| Arc::clone(&pod.meta.uid))
}

/// Records the foreseen problems of created pods.
pub(super) fn assume_foreseen(stops: &[(Arc<Pod>, Foreseen)], assumptions: &mut PlanAssumptions) {
    let created = stops.iter().filter(|(pod, _)| pod.given().is_none());
    let created = created.map(|(pod, found)| PlanAssumption::Foreseen {
        pod: Arc::clone(&pod.meta.name),
        found: found.clone(),
    });
    assumptions.some(
        created,
        ["pod never becomes ready", "pods never become ready"],
    );
}

/// Records the revisions on which pods are assumed to fail, if a pod of the plan does.
pub(super) fn assume_broken(
    evidence: &Evidence,
    end: &Snapshot,
    assumptions: &mut PlanAssumptions,
) {
    let fails = |revision: &Arc<str>| {
        pods_of(end).any(|pod| {
            pod.revision == *revision
                && !pod.is_ready()
                && !pod.is_terminating()
                && evidence
                    .of_pod(&pod.meta.name)
                    .is_none_or(|stuck| stuck.uid != pod.meta.uid)
        })
    };
    let records = evidence
        .records
        .broken
        .iter()
        .filter(|(revision, _)| fails(revision));
    let records = records.map(|(revision, witness)| PlanAssumption::Broken {
        revision: Arc::clone(revision),
        witness: Arc::clone(witness),
    });
    assumptions.items.extend(records);
}

/// Records replacement pods that become ready although their predecessors on the same revision never did. The
/// evidence only covers the predecessors.
pub(super) fn assume_recovered(
    evidence: &Evidence,
    before: &Snapshot,
    end: &Snapshot,
    assumptions: &mut PlanAssumptions,
) {
    let recovered = evidence.stuck.iter().filter_map(|(name, stuck)| {
        let (old, new) = (before.pods.get(name)?, end.pods.get(name)?);
        let is_replaced = old.meta.uid != new.meta.uid && old.revision == new.revision;
        (stuck.at == StuckAt::Start && is_replaced && new.is_ready()).then(|| {
            PlanAssumption::Recovery {
                pod: Arc::clone(name),
                revision: Arc::clone(&new.revision),
            }
        })
    });
    assumptions.some(
        recovered,
        [
            "pod is replaced on the revision on which it fails",
            "pods are replaced on the revision on which they fail",
        ],
    );
}

/// Returns the failed form of the pods that `--assume` makes fail now, each with a sentence.
pub(super) fn pods_that_fail_now(plan: &Plan) -> Vec<(Pod, String)> {
    if matches!(plan.outcome, Outcome::Rejected(_)) {
        return Vec::new();
    }
    let assumptions = plan.conditions.assumptions.iter();
    let named = assumptions.filter(|(_, assumption)| assumption.fails_now);
    let pods = named.filter_map(|(name, _)| plan.snapshot.pods.get(name.as_str()));
    let failing = pods.filter(|pod| {
        let ended = pod.phase.has_ended();
        belongs(&plan.snapshot, pod) && !pod.is_terminating() && !ended
    });
    failing
        .map(|pod| {
            let is = match pod.is_ready() {
                true => "ready",
                false => "not ready",
            };
            let sentence = format!(
                "pod {} is {is}, and is assumed to fail now (--assume)",
                pod.meta.name
            );
            (failed(pod, Phase::Failed, plan.conditions.now), sentence)
        })
        .collect()
}

/// Returns the unready form of pods that are assumed never ready, but are ready and kept by the plan, each with a
/// sentence.
pub(super) fn kept_pods_that_fail(plan: &Plan) -> Vec<(Pod, String)> {
    let end = plan.predicted().objects();
    let assumptions = plan.conditions.assumptions.iter();
    let never = assumptions.filter(|(_, assumption)| assumption.start == Start::NeverReady);
    let failing = never.filter_map(|(name, _)| {
        let pod = plan.snapshot.pods.get(name.as_str())?;
        let last = end.pods.get(name.as_str())?;
        let is_kept = pod.is_ready() && last.is_ready() && pod.meta.uid == last.meta.uid;
        let sentence =
            format!("pod {name} is ready, and is assumed to become unready now (--assume)");
        (is_kept && belongs(&plan.snapshot, pod))
            .then(|| (failed(pod, Phase::Running, plan.conditions.now), sentence))
    });
    failing.collect()
}

/// Returns the pod in the given phase and unready as of now.
fn failed(pod: &Pod, phase: Phase, now: Timestamp) -> Pod {
    let mut pod = Pod::clone(pod);
    pod.phase = phase;
    pod.ready = Some(Ready {
        is_true: false,
        since: Some(now),
    });
    pod
}

/// Returns the termination time of pods and the evidence for it.
fn gone_after(snapshot: &Snapshot, conditions: &Conditions) -> (SignedDuration, String) {
    if let Some(given) = conditions.gone_after {
        return (given, String::new());
    }
    let gone = replaced(snapshot).map_or_else(Vec::new, |replaced| replaced.gone);
    match median(&gone) {
        Some(after) => {
            let pods = gone.len();
            (
                after,
                format!(": the median of {pods} pods of this rollout"),
            )
        }
        None => (USUAL_GONE_AFTER, String::new()),
    }
}

fn ready_after(
    snapshot: &Snapshot,
    conditions: &Conditions,
    assumptions: &mut PlanAssumptions,
) -> SignedDuration {
    let of_rollout = replaced(snapshot).map_or_else(Vec::new, |replaced| replaced.ready);
    let of_rollout = median(&of_rollout).map(|after| (after, of_rollout.len()));
    let shown = match of_rollout {
        Some((after, pods)) => Some((
            after,
            format!(": the median of {pods} pods of this rollout"),
        )),
        None => usual_start(snapshot).map(|(after, pods)| {
            let pods = count(pods, "ready pod");
            (after, format!(": the median of {pods}"))
        }),
    };
    let (after, why) = match (conditions.ready_after, shown) {
        (Some(after), _) => (after, " (--ready-after)".to_owned()),
        (None, Some(shown)) => shown,
        (None, None) => (
            UNKNOWN_READY_AFTER,
            " (default: no ready pod shows the real time)".to_owned(),
        ),
    };
    let after_text = spell(after);
    assumptions.standard(
        "pods",
        format!("ready {after_text}"),
        format!("new pods are ready after {after_text}{why}"),
    );
    after
}

/// Describes the evidence for a stuck pod in a few words.
fn shown(snapshot: &Snapshot, conditions: &Conditions, name: &str, stuck: &Stuck) -> String {
    match &stuck.shown {
        Shown::Status => {
            let pod = snapshot.pods.get(name);
            let trouble = pod.and_then(|pod| Some(state_of(pod.trouble.as_ref()?, pod)));
            trouble.unwrap_or_default()
        }
        Shown::Overdue => match stuck.at {
            StuckAt::Stop => "it is past its grace period".to_owned(),
            _ => "it is overdue".to_owned(),
        },
        Shown::Claim(found) => foresight::describe(name, found),
        Shown::Volumes(event) => event.reason.to_string(),
        Shown::Node(node) => match conditions.related.node(node) {
            Some(found) if found.is_lost() => format!("node {node} is not responding"),
            Some(_) => format!("node {node} is not ready"),
            None => {
                let pod = snapshot.pods.get(name);
                match pod.is_some_and(|pod| is_unread(pod, conditions)) {
                    true => format!("node {node} is reported as not responding"),
                    false => format!("node {node} is gone"),
                }
            }
        },
        Shown::Finalizers(names) => format!("finalizers {}", names.join(", ")),
        Shown::Refused(event) => server_words(event).to_owned(),
    }
}

/// Returns how long a starting pod has been unready.
pub(super) fn start_so_far(pod: &Pod, now: Timestamp) -> Option<SignedDuration> {
    let starts = matches!(pod.phase, Phase::Pending | Phase::Running) && !pod.is_ready();
    if !starts || pod.is_terminating() {
        return None;
    }
    let since = pod
        .ready
        .and_then(|ready| ready.since)
        .or(pod.meta.created)?;
    Some(now.duration_since(since))
}

impl Plan {
    /// Reports whether a pod has been starting for much longer than the plan takes as usual.
    #[must_use]
    pub(crate) fn starts_late(&self, pod: &Pod) -> bool {
        let usual = self.progression.world.kubelet().ready_after;
        slow_start(pod, usual, &self.conditions).is_some()
    }
}

/// Returns how long a starting pod has been unready, if that is much longer than usual.
fn slow_start(
    pod: &Pod,
    ready_after: SignedDuration,
    conditions: &Conditions,
) -> Option<SignedDuration> {
    const PATIENCE: SignedDuration = SignedDuration::from_secs(60);
    let limit = ready_after
        .saturating_add(ready_after)
        .saturating_add(PATIENCE);
    start_so_far(pod, conditions.now).filter(|so_far| *so_far > limit)
}

/// Returns the median startup time of the set's ready pods, and their number.
fn usual_start(snapshot: &Snapshot) -> Option<(SignedDuration, usize)> {
    let times = start_times(snapshot);
    Some((median(&times)?, times.len()))
}

/// Returns the startup times of the set's ready pods, shortest first.
pub(super) fn start_times(snapshot: &Snapshot) -> Vec<SignedDuration> {
    let pods = snapshot.pods.values().filter(|pod| owns(snapshot, pod));
    let started = pods.filter_map(StartedPod::of);
    let mut times: Vec<SignedDuration> = started.map(|started| started.took()).collect();
    times.sort();
    times
}

pub(super) fn assume_version(conditions: &Conditions, assumptions: &mut PlanAssumptions) {
    let version = conditions.behaviour.version;
    let brief = format!("Kubernetes {version}");
    match conditions.version_source {
        VersionSource::Default => assumptions.standard(
            "controller",
            brief,
            format!(
                "the controller is Kubernetes {version}, the newest supported version (--kubernetes-version)"
            ),
        ),
        VersionSource::Kubelets => assumptions.standard(
            "controller",
            format!("{brief} or newer (kubelets)"),
            format!(
                "the controller is Kubernetes {version}, like the newest kubelet: it may be newer, but is never older \
                 (--kubernetes-version)"
            ),
        ),
        VersionSource::Revisions => assumptions.standard(
            "controller",
            format!("{brief} or newer (revisions)"),
            format!(
                "the controller is Kubernetes {version}, the first that omits \"creationTimestamp\": null from revisions: \
                 it may be newer (--kubernetes-version)"
            ),
        ),
        VersionSource::Server { .. } => assumptions.standard(
            "controller",
            brief,
            format!(
                "the controller is Kubernetes {version}, like the API server (--kubernetes-version)"
            ),
        ),
        VersionSource::Flag => assumptions.items.push(PlanAssumption::Standard {
            subject: "controller",
            brief,
            sentence: None,
        }),
    }
    if conditions.gates.values().next().is_some() {
        match conditions.version_source {
            VersionSource::Server { reports_gates: true } => assumptions.standard(
                "controller",
                "the server's gates".to_owned(),
                "the controller has the feature gates of the API server (--feature-gates)".to_owned(),
            ),
            VersionSource::Server { reports_gates: false } => assumptions.standard(
                "controller",
                "default gates".to_owned(),
                "feature gates have their defaults: the API server does not expose its own, or only to users who \
                 may get /metrics (--feature-gates)"
                    .to_owned(),
            ),
            _ if conditions.gates.overridden().next().is_none() => assumptions.standard(
                "controller",
                "default gates".to_owned(),
                "feature gates have their defaults (--feature-gates)".to_owned(),
            ),
            _ => {}
        }
    }
    if version.is_beyond_known() {
        assumptions.notes([PlanNote::TooNew(version)]);
        let differences = version.known_to_differ().iter().copied();
        assumptions.notes(differences.map(PlanNote::KnownDifference));
    }
    if let Some(last) = version.beyond_last_patch() {
        assumptions.notes([PlanNote::NoSuchPatch { version, last }]);
    }
    if version.is_reconstructed() {
        assumptions.notes([PlanNote::Reconstructed(version)]);
    }
}
