//! The headline of a plan: the state of the set and what happens next.

mod brief;
mod deletion;
mod next_writes;
mod pod_counts;
mod remaining;
mod stuck;
mod summary;
mod surroundings;
mod unstable;
mod user_turn;
mod workaround;

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::SignedDuration;

use self::surroundings::surroundings;
use crate::analysis::{Analysis, Verdict};
use crate::catalogue::{Place, with_names};
use crate::cause::{Blame, silent};
use crate::command::dump;
use crate::duration;
use crate::duration::spell;
use crate::explain::hold;
use crate::members::surplus;
use crate::plan::{Outcome, Plan, Unobserved, owns, pods_of, provided};
use crate::requirement::{majority, members};
use crate::words::{capitalized, plural, uncapitalized};
use sts_controller::apiserver::validation::{Refused, server_message};
use sts_controller::controller::{Hold, Resource};
use sts_controller::object::Pod;
use sts_controller::simulate::{Assumption, Start, Step, StepAction};

use next_writes::next_writes;
use pod_counts::outdated;
use stuck::{brief_stuck, stuck};
use unstable::unstable;
use user_turn::waiting_for_user;

pub use brief::{Brief, CutPart};
pub use stuck::stuck_state;
pub use summary::{closing, summary};
pub use workaround::workaround;

/// The state of a set and what happens next, or why nothing does, in one sentence.
#[derive(Debug, Clone)]
pub struct Headline {
    /// The sentence.
    pub text: String,
    /// The sentence in short, if it is long.
    pub brief: Option<Brief>,
    /// True if the short sentence lacks words of the component, which then need a line of their own.
    pub lacks_words: bool,
    /// The subject of the sentence.
    pub topic: HeadlineTopic,
    /// Index of the hold of the next sync that the sentence describes, if any.
    pub hold: Option<usize>,
}

/// The subject of a headline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum HeadlineTopic {
    /// The writes or events that come next.
    Next,
    /// The obstacle that the set is stuck on.
    Stuck,
    /// A pod that does not stay up.
    Unstable,
    /// The refusal of the change.
    Rejected {
        /// The server's message.
        answer: String,
    },
    /// An event that is expected some time from now.
    Expected {
        /// The sentence without that time.
        wait: String,
    },
    /// Anything else.
    #[default]
    Other,
}

impl Headline {
    fn of(topic: HeadlineTopic, text: String) -> Self {
        Headline {
            brief: brief::brief(&text, "", ""),
            lacks_words: false,
            text,
            topic,
            hold: None,
        }
    }

    fn about(self, hold: Option<usize>) -> Self {
        Headline { hold, ..self }
    }
}

/// Returns the state of the set and what happens next, or why nothing does, in one sentence.
#[must_use]
pub fn headline(analysis: &Analysis<'_>) -> Headline {
    let (found, plan) = (of_state(analysis), analysis.plan);
    if plan.completes()
        && let Some(contest) = plan.contest()
    {
        let (autoscaler, manager) = (&contest.autoscaler, &contest.manager);
        let text =
            format!("CONTESTED: {autoscaler} and {manager} set the replicas in turn ({contest})");
        return Headline::of(HeadlineTopic::Other, text).about(found.hold);
    }
    if plan.completes()
        && analysis.verdict != Verdict::IncompleteInput
        && let Some(first) = analysis.loops.first()
    {
        let unstable = unstable(analysis, first, &next_writes(plan));
        return Headline {
            brief: unstable.brief(),
            ..Headline::of(HeadlineTopic::Unstable, unstable.text()).about(found.hold)
        };
    }
    found
}

/// Returns the same for a set whose replicas nobody else sets.
fn of_state(analysis: &Analysis<'_>) -> Headline {
    let plan = analysis.plan;
    let snapshot = &plan.snapshot;
    match &plan.outcome {
        _ if analysis.verdict == Verdict::IncompleteInput => {
            return incomplete(analysis);
        }
        Outcome::Rejected(refused) => {
            let answer = rejected(plan, refused);
            let text = format!("REJECTED: {answer}");
            return Headline::of(HeadlineTopic::Rejected { answer }, text);
        }
        _ => {}
    }
    if let Some(text) = deletion::first(plan) {
        return Headline::of(HeadlineTopic::Next, text);
    }
    let next = next_writes(plan);
    match &plan.outcome {
        Outcome::Blocked(_) => {
            let stuck = stuck(analysis);
            let quorum = lost_quorum(plan);
            let (mut outdated_pods, mut then) = (String::new(), String::new());
            let cause = analysis.cause();
            let left = cause.map_or(0, |cause| outdated(plan, &cause.pod));
            // Pods are outdated only by a manifest that may not be applied.
            if left > 0 && !plan.assumptions.owns_pods() {
                let blame = cause.map(|cause| cause.blame);
                let on = match blame {
                    Some(Blame::Template) => "on the old revision",
                    _ => "outdated",
                };
                outdated_pods = format!("; {} {on}", plural(left, "pod stays", "pods stay"));
            }
            let surplus = surplus(plan.predicted().objects(), &plan.conditions.behaviour);
            let stays = |it: &&&Arc<Pod>| cause.is_none_or(|cause| cause.pod != it.meta.name);
            let surplus = surplus.iter().filter(stays).count();
            if surplus > 0 {
                let pods = plural(surplus, "pod", "pods");
                outdated_pods.push_str(&format!("; the scale-down of {pods} waits"));
            }
            if plan.touches_pods() && !next.is_empty() {
                then = format!("; next: {}", next.join(", "));
            }
            let brief = brief_stuck(&stuck, [&quorum, &outdated_pods, &then]);
            return Headline {
                lacks_words: stuck.lacks_words(brief.as_ref()),
                brief,
                ..Headline::of(
                    HeadlineTopic::Stuck,
                    [stuck.text(), quorum, outdated_pods, then].concat(),
                )
            };
        }
        Outcome::Livelock => {
            let mut text = match last_pod(plan) {
                Some(pod) => format!("LIVELOCK: {pod} is deleted and recreated forever"),
                None => "LIVELOCK: the same writes repeat forever".to_owned(),
            };
            text.push_str(&lost_quorum(plan));
            if !next.is_empty() {
                text.push_str(&format!("; next: {}", next.join(", ")));
            }
            return Headline::of(HeadlineTopic::Other, text);
        }
        Outcome::Complete | Outcome::Rejected(_) => {}
    }
    let waits_at = plan.next.holds.iter().position(|hold| !hold.is_intended());
    let first_wait = waits_at.map(|at| &plan.next.holds[at]);
    let waits = || first_wait.map(|found| hold(found, snapshot, plan.conditions.now));
    if !next.is_empty() {
        let first = format!("Next: {}{}", next.join(", "), trigger(plan));
        let wait = waits().map_or_else(String::new, |wait| format!("; {wait}"));
        let late = unobserved(plan);
        let rests_on = provided("; completes", &plan.rests_on());
        let lost = [lost_quorum(plan), losses(plan), rests_on].concat();
        let headline = Headline {
            brief: brief::without_clauses(&first, &[&wait, &late], &lost),
            ..Headline::of(HeadlineTopic::Next, format!("{first}{wait}{late}{lost}"))
        };
        return headline.about(waits_at);
    }
    if let Some(error) = &plan.next.error
        && first_wait.is_none()
    {
        return Headline::of(HeadlineTopic::Other, format!("Failing: {error}"));
    }
    if analysis.verdict == Verdict::WaitingForUser {
        return Headline::of(HeadlineTopic::Other, waiting_for_user(plan));
    }
    if let (Some(wait), Some(first)) = (waits(), first_wait) {
        let wait = capitalized(&wait);
        let pod = first.pod();
        let passing = pod.and_then(|pod| plan.evidence.passing.get(&pod.meta.name));
        let entry = passing.map(|found| found.cause.entry);
        if let Some(entry) =
            entry.or_else(|| plan.conditions.catalogue.progress(pod?, &plan.related))
        {
            let node = pod.and_then(|pod| pod.node());
            let node = node.filter(|_| entry.place == Place::Node);
            let named = node.map_or_else(String::new, |node| format!(": {node}"));
            let text = format!(
                "{wait} ({}{named})",
                uncapitalized(&with_names(&entry.title, &|_| None))
            );
            return Headline::of(HeadlineTopic::Other, text).about(waits_at);
        }
        let headline = match expected(plan, first) {
            Some(expected) => {
                let text = wait.clone() + &expected;
                Headline::of(HeadlineTopic::Expected { wait }, text)
            }
            None => Headline::of(HeadlineTopic::Other, wait),
        };
        return headline.about(waits_at);
    }
    match plan.next.holds.len() {
        0 if plan.has_work() => {
            let text = format!("Next: update the status{}", trigger(plan));
            Headline::of(HeadlineTopic::Next, text)
        }
        0 => {
            let text = format!(
                "Nothing to do: the set matches its specification{}{}",
                restarting(plan),
                surroundings(plan)
            );
            Headline::of(HeadlineTopic::Other, text)
        }
        held => {
            let first = plan.next.holds.first();
            let intended = first.map(|first| hold(first, snapshot, plan.conditions.now));
            let more = match held {
                1 => String::new(),
                _ => format!(" (and {} more)", held - 1),
            };
            let text = format!("Nothing to do: {}{more}", intended.unwrap_or_default());
            Headline::of(HeadlineTopic::Other, text)
        }
    }
}

/// Points out that no event triggers the next sync.
fn trigger(plan: &Plan) -> &'static str {
    match plan.next_sync_is_untriggered() {
        true => " at the controller's next resync (no event triggers one)",
        false => "",
    }
}

/// Points out that the controller is late to observe a stored change, or to create a pod.
fn unobserved(plan: &Plan) -> String {
    let Some(unobserved) = plan.unobserved().filter(Unobserved::is_late) else {
        return silent(plan).map_or_else(String::new, |missing| {
            format!(
                "; {missing} is missing and no event says why: if it stays missing, check kube-controller-manager"
            )
        });
    };
    let age = unobserved.age.map(duration::age).unwrap_or_default();
    format!(
        "; the controller has not observed generation {} for {age} (observedGeneration {}): check \
         kube-controller-manager",
        unobserved.generation, unobserved.observed
    )
}

/// Lists the ready pods with many restarts, the last of them recent.
fn restarting(plan: &Plan) -> String {
    const OFTEN: i64 = 5;
    const RECENT: SignedDuration = SignedDuration::from_hours(1);
    let now = plan.conditions.now;
    let mut out = Vec::new();
    for pod in pods_of(&plan.snapshot).filter(|pod| owns(&plan.snapshot, pod)) {
        for container in pod.containers() {
            let Some(ended) = container.ended.filter(|_| container.restarts >= OFTEN) else {
                continue;
            };
            if let Some(ago) = ended.at.map(|at| now.duration_since(at))
                && ago <= RECENT
            {
                let (name, restarts) = (&pod.meta.name, container.restarts);
                let (reason, ago) = (&ended.reason, duration::age(ago));
                out.push(format!(
                    "{name} has restarted {restarts} times ({}, {reason} {ago} ago)",
                    container.name
                ));
            }
        }
    }
    let more = out.len().saturating_sub(1);
    match out.into_iter().next() {
        Some(first) if more > 0 => format!("; but {first}, and {more} more"),
        Some(first) => format!("; but {first}"),
        None => String::new(),
    }
}

/// Returns the pod of the plan's last write, which is part of the livelock.
fn last_pod(plan: &Plan) -> Option<&Arc<str>> {
    let steps = plan.progression.steps.iter();
    let mut writes = steps.flat_map(Step::writes).rev();
    let last = writes.find(|write| write.resource == Resource::Pods)?;
    Some(&last.name)
}

/// Describes the first gap in the input, with its effect, the others, and the command that makes a complete dump.
fn incomplete(analysis: &Analysis<'_>) -> Headline {
    let gaps = analysis.input.missing.iter().zip(&analysis.input.effects);
    let mut gaps = gaps.map(|(gap, effect)| [gap.clone(), format!("; {effect}")]);
    let [gap, effect] = gaps.next().unwrap_or_default();
    let others: String = gaps
        .map(|[gap, effect]| format!("; {gap}{effect}"))
        .collect();
    let first = format!("INPUT INCOMPLETE: {gap}");
    let command = format!("; make a complete dump: {}", dump(&analysis.plan.snapshot));
    let brief = brief::without_clauses(&first, &[&others, &effect], &command)
        .filter(|brief| brief.text.ends_with(&command) && brief.text.starts_with(&first));
    let text = format!("{first}{effect}{others}{command}");
    let clauses = [&command, &effect, &others].into_iter();
    let clauses = clauses.filter(|clause| !clause.is_empty());
    let cut = clauses.map(|clause| brief::CutPart::clause(clause.trim_start_matches("; ")));
    let is_long = brief::brief(&text, "", "").is_some();
    Headline {
        brief: brief.or_else(|| {
            is_long.then(|| Brief {
                text: first,
                cut: cut.collect(),
            })
        }),
        ..Headline::of(HeadlineTopic::Other, text)
    }
}

/// Returns the first line of the server's refusal and the number of the others.
fn rejected(plan: &Plan, refused: &[Refused]) -> String {
    let distinct: BTreeSet<_> = refused
        .iter()
        .map(|refused| (&refused.field, &refused.message))
        .collect();
    let first = match refused {
        [first, _, ..] if first.owner.is_some() => format!(
            "Apply failed with {} conflicts: {}: {}",
            distinct.len(),
            first.message,
            first.field
        ),
        _ => server_message(
            &plan.snapshot.set.meta.name,
            &refused[..refused.len().min(1)],
        ),
    };
    match distinct.len() {
        0 | 1 => first,
        several => format!("{first} (and {} more)", several - 1),
    }
}

/// Warns of a quorum that is lost because of pods that a flag assumes to fail.
fn lost_quorum(plan: &Plan) -> String {
    let assumed = plan.conditions.assumptions.values();
    let members = members(plan);
    let fails = |it: &Assumption| it.fails_now || it.start == Start::NeverReady;
    if members < 3 || !assumed.into_iter().any(fails) {
        return String::new();
    }
    let pods = pods_of(&plan.snapshot).filter(|pod| owns(&plan.snapshot, pod));
    let ready = pods.filter(|pod| pod.is_running_and_ready()).count();
    let needed = majority(members);
    let lacks = |ready: usize| i64::try_from(ready).is_ok_and(|ready| ready < needed);
    match lacks(ready) && !lacks(plan.observed().ready().count()) {
        true => format!("; QUORUM LOST: {ready} of {members} ready, {needed} needed"),
        false => String::new(),
    }
}

/// Warns of data loss.
fn losses(plan: &Plan) -> String {
    let lost: Vec<&str> = plan
        .lost_claims()
        .into_iter()
        .filter(|claim| !plan.volume_stays(claim))
        .map(|claim| &*claim.meta.name)
        .collect();
    match lost.as_slice() {
        [] => String::new(),
        [first] => format!("; DATA LOSS: {first}"),
        [first, others @ ..] => {
            format!(
                "; DATA LOSS: {first} and {}",
                plural(others.len(), "more PVC", "more PVCs")
            )
        }
    }
}

/// Returns the expected remaining time of a hold that an event of the plan ends; `None` if the pod has already taken longer
/// than that.
fn expected(plan: &Plan, hold: &Hold) -> Option<String> {
    let pod = &hold.pod()?.meta.name;
    let mut steps = plan.progression.steps.iter();
    let event =
        steps.find(|step| matches!(&step.action, StepAction::Pod(_, name) if name == pod))?;
    let now = plan.conditions.now;
    let after = event.at.duration_since(now);
    if let Some(deleted) = hold.pod()?.meta.deleted {
        // The deletion timestamp includes the grace period.
        let left = deleted.duration_since(now);
        if left > after {
            return Some(format!("; up to {} of its grace period left", spell(left)));
        }
    }
    let is_beaten = plan
        .estimated_start_so_far(pod)
        .is_some_and(|so_far| so_far > after);
    (after > SignedDuration::ZERO && !is_beaten).then(|| format!("; expected in {}", spell(after)))
}
