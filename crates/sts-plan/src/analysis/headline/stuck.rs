//! Headline of a stuck set: state, age, cause and counts.

use super::brief::{self, Brief, CutPart};
use super::pod_counts::{Counts, counted};
use crate::analysis::Analysis;
use crate::catalogue::{CauseTrait, Fact};
use crate::cause::Cause;
use crate::duration::{self, spell};
use crate::explain::{self, CauseClause, obstacle};
use crate::input_check::lacks_pods;
use crate::plan::{Plan, owns, pods_of};
use jiff::SignedDuration;

/// The parts of the headline of a stuck set.
pub(super) struct Stuck {
    /// State, age and extent.
    head: String,
    /// The cause.
    why: String,
    /// The parts of the cause.
    clause: Option<CauseClause>,
    /// The pod that has been stuck for longest.
    longest: String,
    /// Counts of all causes, if there are several.
    counts: Counts,
    /// The node in the sentence, and its first label.
    node: Option<[String; 2]>,
}

impl Stuck {
    pub(super) fn text(&self) -> String {
        format!(
            "{}{}{}{}",
            self.head, self.why, self.longest, self.counts.text
        )
    }

    /// Reports whether the sentence in short lacks words of the component.
    pub(super) fn lacks_words(&self, brief: Option<&Brief>) -> bool {
        let Some(clause) = &self.clause else {
            return false;
        };
        let shown = brief.map_or_else(|| self.text(), |brief| brief.text.clone());
        let is_whole = shown.contains(&clause.reported) && clause.has_all_words();
        !is_whole && !shown.contains(&clause.says)
    }
}

/// Describes state, age and cause: `BLOCKED 38m: pg-2 crash-loops on the new revision (postgres, exit 1, 17 restarts)`. A
/// failure is `BLOCKED`; a wait that only takes too long is `STUCK`.
pub(super) fn stuck(analysis: &Analysis<'_>) -> Stuck {
    let (plan, cause) = (analysis.plan, analysis.cause());
    let first = || {
        let first = plan.outcome.obstacles().first();
        first.map(|first| obstacle(first, &plan.snapshot, plan.conditions.now))
    };
    let clause = cause.map(explain::cause);
    let why = (clause.as_ref()).map_or_else(|| first().unwrap_or_default(), CauseClause::whole);
    Stuck {
        clause,
        head: format!(
            "{}: {}{}",
            stuck_state(analysis),
            deleted(analysis),
            outage(plan)
        ),
        why,
        longest: longest(analysis),
        counts: counted(analysis),
        node: cause.and_then(|it| first_label(&it.fact(Fact::Node)?)),
    }
}

/// Describes state and age of a blocked plan: `BLOCKED 38m`, `STUCK for 6m`, `BLOCKED after 27s`.
#[must_use]
pub fn stuck_state(analysis: &Analysis<'_>) -> String {
    let (plan, cause) = (analysis.plan, analysis.cause());
    let age = analysis
        .since()
        .map(|since| plan.conditions.now.duration_since(since));
    let age = age
        .filter(|age| *age > SignedDuration::ZERO)
        .map(duration::age);
    let is_overdue = cause.is_some_and(|cause| cause.is_overdue);
    // Trouble that was read is there now, whatever the plan still does. Any other comes at the end of the plan.
    match (age, is_overdue) {
        (Some(age), true) => format!("STUCK for {age}"),
        (Some(age), false) => format!("BLOCKED {age}"),
        (None, _) if plan.touches_pods() || !plan.conditions.outage.lost.is_empty() => {
            format!("BLOCKED after {}", spell(plan.duration()))
        }
        (None, true) => "STUCK".to_owned(),
        (None, false) => "BLOCKED".to_owned(),
    }
}

/// Shortens the headline of a stuck set with these ends: the quorum, the outdated pods and the next writes. What the cause
/// is leaves last: before it go the next writes and the counts of causes, its details, the component's words if they only
/// add to it, and the outdated pods.
pub(super) fn brief_stuck(stuck: &Stuck, ends: [&str; 3]) -> Option<Brief> {
    let Stuck {
        head,
        why,
        clause,
        longest,
        counts,
        node,
    } = stuck;
    let [quorum, outdated, next] = ends;
    let whole = [longest, &counts.text, quorum, outdated, next].concat();
    brief::brief(head, why, &whole)?;
    let tails = [
        [longest, &*counts.brief, quorum, outdated].concat(),
        [longest, &*counts.brief, quorum].concat(),
        [longest, quorum].concat(),
    ];
    // The ways to say the whole cause, the fullest first.
    let mut ways = vec![(why.clone(), &tails[0])];
    let told = clause.as_ref().filter(|clause| clause.is_told);
    if let Some(clause) = told {
        let [with_details, lead, shortest] = clause.shorter();
        let with_words = clause.with_words();
        let ends = tails.iter().take(2);
        ways.extend(ends.flat_map(|tail| with_words.iter().map(move |why| (why.clone(), tail))));
        ways.push((with_details, &tails[0]));
        ways.extend(tails.iter().map(|tail| (lead.clone(), tail)));
        if shortest != lead {
            ways.extend(tails.iter().map(|tail| (shortest.clone(), tail)));
        }
    }
    // The advice below has the whole name of the node.
    if let Some([name, label]) = node {
        let named = ways.iter().filter(|(why, _)| why.contains(&**name));
        let shorter: Vec<_> = named
            .map(|(why, tail)| (why.replace(&**name, label), *tail))
            .collect();
        ways.extend(shorter);
    }
    let fits = |(why, tail): &&(String, &String)| brief::brief(head, why, tail).is_none();
    let fitting = ways.iter().find(fits).map(|(why, tail)| Brief {
        text: format!("{head}{why}{tail}"),
        cut: Vec::new(),
    });
    let begun = || {
        let clause = clause.as_ref()?;
        let (leads, words) = clause.reason()?;
        let ends = tails
            .each_ref()
            .map(|tail| format!("{}{tail}", clause.rest));
        brief::begun(head, &leads, words, &clause.parts, &ends)
    };
    let shortened = || {
        let (why, _) = ways.last()?;
        let whole = tails
            .iter()
            .find(|tail| brief::brief(head, why, tail).is_none())
            .map(|tail| Brief {
                text: format!("{head}{why}{tail}"),
                cut: Vec::new(),
            });
        whole.or_else(|| brief::brief(head, why, &tails[2]))
    };
    let mut brief = fitting.or_else(begun).or_else(shortened)?;
    let words = told.map_or("", |clause| &clause.reported);
    for text in [words, &counts.text, outdated, next] {
        if !text.is_empty() && !brief.text.contains(text) {
            brief
                .cut
                .push(CutPart::clause(text.trim_start_matches("; ")));
        }
    }
    Some(brief)
}

/// Returns the name of a node and its first label, if it is the name of a host in a domain.
fn first_label(node: &str) -> Option<[String; 2]> {
    let (label, _) = node.split_once('.')?;
    let is_address = label.bytes().all(|it| it.is_ascii_digit());
    (!is_address).then(|| [node.to_owned(), label.to_owned()])
}

/// Says that the set or its namespace is being deleted; empty otherwise. A set without a cause waits for nothing else.
fn deleted(analysis: &Analysis<'_>) -> String {
    let set = &analysis.plan.snapshot.set;
    let causes = || analysis.diagnoses.iter().filter_map(|it| it.cause.as_ref());
    let of_sets = analysis.diagnoses.iter().filter_map(|it| it.of_set);
    let mut entries = causes().filter_map(Cause::entry).chain(of_sets);
    if entries.any(|entry| entry.has(CauseTrait::NamespaceGoes)) {
        return format!(
            "namespace {} is being deleted or gone; ",
            set.meta.namespace
        );
    }
    match set.is_terminating() && causes().next().is_some() {
        true => "the StatefulSet is being deleted; ".to_owned(),
        false => String::new(),
    }
}

/// Names the pod that has been stuck for longest, whose age the headline gives; empty if the cause is about that pod.
fn longest(analysis: &Analysis<'_>) -> String {
    let Some((first, since)) = analysis.cause().zip(analysis.since()) else {
        return String::new();
    };
    let mut causes = analysis.diagnoses.iter().filter_map(|it| it.cause.as_ref());
    let oldest = causes.find(|cause| cause.since == Some(since));
    let age = |since| duration::age(analysis.plan.conditions.now.duration_since(since));
    let is_first = first.since.is_none_or(|first| age(first) == age(since));
    let oldest = oldest.filter(|_| !is_first && !analysis.plan.touches_pods());
    oldest.map_or_else(String::new, |oldest| {
        format!("; {} for {}", oldest.pod, age(since))
    })
}

/// Counts the ready pods if fewer than half of several replicas are ready; empty otherwise.
fn outage(plan: &Plan) -> String {
    let snapshot = &plan.snapshot;
    let wanted = usize::try_from(snapshot.set.replicas).unwrap_or(0);
    let pods = pods_of(snapshot).filter(|pod| owns(snapshot, pod));
    let ready = pods.filter(|pod| pod.is_ready()).count();
    if wanted < 2 || ready * 2 >= wanted || plan.touches_pods() || lacks_pods(plan) {
        return String::new();
    }
    format!("{ready} of {wanted} pods ready; ")
}
