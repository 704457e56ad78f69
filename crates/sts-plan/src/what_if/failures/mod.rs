//! Course of the rollout if pods fail: a starting pod never becomes ready, or a ready pod loses its readiness.

mod blocks;
mod recovery;
mod report;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::SignedDuration;

use crate::explain;
use crate::plan::{Availability, Failure, Obstacle, Outcome, Plan, PlanResult, owns, pods_of};
use crate::requirement::majority;
pub use recovery::Recovery;
use recovery::{Found, find_recovery, has_failed};
pub use report::{FailedPod, ReportBranch, ReportBranches};
use sts_controller::controller::{ordinal_of, pod_name};
use sts_controller::simulate::{PodEvent, Question, StepAction};

/// Maximum number of simulated pods over all branches, to bound the time for large sets.
const MOST_PODS: usize = 20_000;
const MOST_BRANCHES: usize = 50;

const MOST_PAIRS: usize = 120;

/// Failures to simulate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Failures {
    /// None.
    #[default]
    None,
    /// Each pod that the plan makes ready.
    Starts,
    /// Each pod that the plan makes ready or that is ready now.
    Each,
    /// Pairs of those, on different pods.
    Pairs,
}

pub(super) fn branches(plan: &Plan, failures: Failures) -> ReportBranches {
    let question = plan.conditions.allowance.question();
    let pods = plan.snapshot.pods.len() + usize::try_from(plan.snapshot.set.replicas).unwrap_or(0);
    let affordable = MOST_PODS / pods.max(1);
    let most = affordable.clamp(2, MOST_BRANCHES);
    let starts = starts(plan);
    let now = match failures {
        Failures::None | Failures::Starts => Vec::new(),
        Failures::Each | Failures::Pairs => ready_now(plan),
    };
    if failures == Failures::Pairs {
        return pairs(
            plan,
            &starts,
            &now,
            affordable.clamp(3, MOST_PAIRS),
            &question,
        );
    }
    let (starts, now) = (outermost(&starts, most), outermost(&now, most));
    let chosen = starts.chosen.into_iter().chain(now.chosen);
    let (items, not_tried) = tried(chosen, &question, |failure| {
        let stopped = plan.assuming_failures([failure].into_iter());
        branch(plan, &stopped, failure, None)
    });
    ReportBranches {
        items,
        left_out: starts.left_out + now.left_out + not_tried,
    }
}

/// Tries items until the question is over. Returns the results, and the number of items without one.
fn tried<T>(
    items: impl Iterator<Item = T>,
    question: &Question<'_>,
    one: impl Fn(T) -> ReportBranch,
) -> (Vec<ReportBranch>, usize) {
    let mut results = Vec::new();
    let mut left_out = 0;
    for item in items {
        let result = question.exhausted().is_none().then(|| one(item));
        // A simulation that the budget cut off has no result.
        match result.filter(|_| question.exhausted().is_none()) {
            Some(result) => results.push(result),
            None => left_out += 1,
        }
    }
    (results, left_out)
}

/// Part of a list, and the number of omitted items.
struct Outermost<'f> {
    chosen: Vec<&'f Failure>,
    left_out: usize,
}

/// Keeps the first and last items, which differ the most; those in the middle resemble them.
fn outermost(all: &[Failure], most: usize) -> Outermost<'_> {
    let left_out = all.len().saturating_sub(most);
    let head = (all.len() - left_out).div_ceil(2);
    let chosen = all[..head].iter().chain(&all[head + left_out..]);
    Outermost {
        chosen: chosen.collect(),
        left_out,
    }
}

/// Simulates pairs of failures, the worst first.
fn pairs(
    plan: &Plan,
    starts: &[Failure],
    now: &[Failure],
    most: usize,
    question: &Question<'_>,
) -> ReportBranches {
    let of = |failures: &[&Failure]| -> usize {
        let mut of_pod: BTreeMap<&Arc<str>, usize> = BTreeMap::new();
        for failure in failures {
            *of_pod.entry(&failure.pod).or_default() += 1;
        }
        let pairs = |count: usize| count * count.saturating_sub(1) / 2;
        // A pod does not fail twice.
        pairs(failures.len()) - of_pod.into_values().map(pairs).sum::<usize>()
    };
    let every: Vec<&Failure> = now.iter().chain(starts).collect();
    // Half as many failures make a quarter as many pairs.
    let mut each = every.len();
    let mut chosen = every.clone();
    while each > 2 && of(&chosen) > most {
        each = (each - 1).min(4 * most);
        let (now, starts) = (
            outermost(now, each.div_ceil(2)),
            outermost(starts, each / 2),
        );
        chosen = now.chosen.into_iter().chain(starts.chosen).collect();
    }
    let pairs = chosen.iter().enumerate().flat_map(|(at, first)| {
        let others = chosen[at + 1..].iter();
        let others = others.filter(|second| second.pod != first.pod);
        others.map(move |second| (*first, *second))
    });
    let (mut looked_at, _) = tried(pairs, question, |(first, second)| pair(plan, first, second));
    looked_at.sort_by_key(|branch: &ReportBranch| {
        let ready: usize = branch.ready.values().sum();
        let stops = branch.result != PlanResult::Complete;
        (
            Reverse(branch.loses_quorum),
            branch.lowest_ready,
            Reverse((stops, branch.recovery)),
            ready,
        )
    });
    ReportBranches {
        left_out: of(&every) - looked_at.len(),
        items: looked_at,
    }
}

/// Simulates a pair. A pod that is ready now fails at once. Where that keeps the rollout from the other pod, it fails
/// together with the other instead, if it is still there.
fn pair(plan: &Plan, first: &Failure, second: &Failure) -> ReportBranch {
    let stopped = plan.assuming_failures([first, second].into_iter());
    if first.was_ready && !second.was_ready && !has_failed(&stopped, second) {
        let later = Failure {
            at: second.at,
            ..first.clone()
        };
        let together = plan.assuming_failures([&later, second].into_iter());
        if has_failed(&together, &later) && has_failed(&together, second) {
            return branch(plan, &together, &later, Some(second));
        }
    }
    branch(plan, &stopped, first, Some(second))
}

fn ready_now(plan: &Plan) -> Vec<Failure> {
    let wanted = plan.conditions.behaviour.ordinals(&plan.snapshot.set);
    let pods = pods_of(&plan.snapshot).filter(|pod| {
        owns(&plan.snapshot, pod)
            && pod.is_running_and_ready()
            && !pod.is_terminating()
            && wanted.contains(&ordinal_of(&pod.meta.name))
    });
    let mut ready: Vec<Failure> = pods
        .map(|pod| Failure {
            pod: Arc::clone(&pod.meta.name),
            revision: Arc::clone(&pod.revision),
            at: SignedDuration::ZERO,
            was_ready: true,
        })
        .collect();
    ready.sort_by_key(|failure| ordinal_of(&failure.pod));
    ready
}

fn starts(plan: &Plan) -> Vec<Failure> {
    let pods = plan.snapshot.pods.iter();
    let mut revisions: BTreeMap<&Arc<str>, Arc<str>> = pods
        .map(|(name, pod)| (name, Arc::clone(&pod.revision)))
        .collect::<BTreeMap<_, _>>();
    let (mut starts, mut seen) = (Vec::new(), BTreeSet::new());
    for step in &plan.progression.steps {
        match &step.action {
            StepAction::Controller(writes) => {
                for write in writes.iter().filter(|write| write.refused.is_none()) {
                    if let Some(revision) = &write.revision {
                        revisions.insert(&write.name, Arc::clone(revision));
                    }
                }
            }
            StepAction::Pod(PodEvent::Ready, name) => {
                let revision = revisions.get(name).map(Arc::clone).unwrap_or_default();
                if seen.insert((Arc::clone(name), Arc::clone(&revision))) {
                    let at = step.at.duration_since(plan.conditions.now);
                    starts.push(Failure {
                        pod: Arc::clone(name),
                        revision,
                        at,
                        was_ready: false,
                    });
                }
            }
            _ => {}
        }
    }
    starts
}

/// Describes the course of a plan with these failures.
fn branch(plan: &Plan, stopped: &Plan, failure: &Failure, with: Option<&Failure>) -> ReportBranch {
    let failures = || std::iter::once(failure).chain(with);
    let end = stopped.progression.world.snapshot();
    let mut ready: BTreeMap<String, usize> = BTreeMap::new();
    // A pod that has not failed by then is healthy, and needs no recovery.
    let failed: Vec<&Failure> = failures().filter(|one| has_failed(stopped, one)).collect();
    let alone = (!failed.is_empty() && failed.len() < failures().count())
        .then(|| plan.assuming_failures(failed.iter().copied()));
    let reached = alone.as_ref().unwrap_or(stopped);
    let (stuck_at, found) = match &reached.outcome {
        Outcome::Blocked(obstacles) => {
            let is_it = |obstacle: &Obstacle| {
                obstacle
                    .pod()
                    .is_some_and(|waited| failures().any(|one| one.pod == waited.meta.name))
            };
            let at = obstacles.iter().position(is_it).unwrap_or(0);
            let found = find_recovery(reached, at, &failed);
            (obstacles.get(at).cloned(), found)
        }
        Outcome::Complete => (None, Found::of(Recovery::NotNeeded)),
        Outcome::Livelock | Outcome::Rejected(_) => (None, Found::of(Recovery::Neither)),
    };
    let mut outdated = Vec::new();
    for pod in stopped.final_pods() {
        if pod.is_running_and_ready() && !pod.is_terminating() {
            *ready.entry(pod.revision.to_string()).or_default() += 1;
        }
        if pod.revision != end.status.update_revision {
            outdated.push(pod.meta.name.to_string());
        }
    }
    let missing = plan
        .conditions
        .behaviour
        .ordinals(&end.set)
        .map(|ordinal| pod_name(&end.set, ordinal))
        .filter(|name| !end.pods.contains_key(&**name))
        .collect();
    let result = stopped.outcome.result();
    let stops_before = result != PlanResult::Complete
        && with.is_some_and(|second| !second.was_ready && !has_failed(stopped, second));
    let replicas = end.set.replicas;
    let lowest_ready = Availability::of(stopped).lowest_ready(replicas);
    let needed = usize::try_from(majority(i64::from(replicas))).unwrap_or(0);
    let ends = stopped.duration();
    ReportBranch {
        pod: failure.pod.to_string(),
        revision: failure.revision.to_string(),
        at: failure.at.as_secs(),
        was_ready: failure.was_ready,
        with: with.map(FailedPod::from),
        stops_before,
        lowest_ready,
        loses_quorum: replicas > 2 && lowest_ready < needed,
        result,
        ends_at: ends.as_secs(),
        reason: stuck_at.as_ref().map(Obstacle::reason),
        message: stuck_at.map(|obstacle| {
            explain::obstacle(&obstacle, &plan.snapshot, plan.conditions.now + ends)
        }),
        ready,
        outdated,
        missing,
        recovery: found.recovery,
        deletes: found.deletes.iter().map(ToString::to_string).collect(),
    }
}
