//! Differences between two plans, the most important first.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::availability::Span;
use super::saved::PodOperation;
use super::{ComparedPlan, DiffTopic, Impact, PlanDifference};
use crate::duration::spell;
use crate::lint;
use crate::lint::{RuleId, Severity};
use crate::plan::PlanResult;
use crate::requirement::majority;

pub(super) fn of(first: &ComparedPlan, second: &ComparedPlan) -> Vec<PlanDifference> {
    let mut all = Vec::new();
    result(first, second, &mut all);
    claims(first, second, &mut all);
    pods(first, second, &mut all);
    availability(first, second, &mut all);
    duration(first, second, &mut all);
    requirements(first, second, &mut all);
    findings(first, second, &mut all);
    changes(first, second, &mut all);
    grounds(first, second, &mut all);
    all.sort_by_key(|difference| difference.effect);
    all
}

fn result(first: &ComparedPlan, second: &ComparedPlan, all: &mut Vec<PlanDifference>) {
    let rank = |plan: &ComparedPlan| match plan.result {
        PlanResult::Complete => 0,
        PlanResult::Rejected => 1,
        PlanResult::Blocked | PlanResult::Livelock => 2,
    };
    let describe = |plan: &ComparedPlan| match plan.result {
        PlanResult::Complete => "the rollout completes".to_owned(),
        PlanResult::Rejected => format!("the API server rejects the change ({})", plan.why),
        PlanResult::Livelock => "the rollout never settles".to_owned(),
        PlanResult::Blocked => format!("the rollout is blocked ({})", plan.why),
    };
    if first.result == second.result && first.why == second.why {
        return;
    }
    let effect = match rank(second).cmp(&rank(first)) {
        std::cmp::Ordering::Greater => Impact::Worse,
        std::cmp::Ordering::Less => Impact::Better,
        std::cmp::Ordering::Equal => Impact::Other,
    };
    let before = match first.result {
        PlanResult::Complete => "it completes",
        PlanResult::Rejected => "it is rejected",
        PlanResult::Livelock => "it never settles",
        PlanResult::Blocked => "it is blocked",
    };
    all.push(PlanDifference {
        about: DiffTopic::Result,
        effect,
        message: format!("{}; in the first plan, {before}", describe(second)),
        old: json!(first.result.name()),
        new: json!(second.result.name()),
    });
}

/// Returns the impact of a shorter duration or fewer unavailable pods. That is `Other` if the plan skips pods that
/// the first plan handles.
fn gain(first: &ComparedPlan, second: &ComparedPlan) -> Impact {
    let is_left_alone = |pod: &Arc<str>| !second.pods.contains_key(pod);
    match first.pods.keys().any(is_left_alone) {
        true => Impact::Other,
        false => Impact::Better,
    }
}

/// Returns the impact of a longer duration or of unavailable pods. That is `Other` if the plan handles pods that the first
/// plan skips.
fn cost(first: &ComparedPlan, second: &ComparedPlan) -> Impact {
    let is_added = |pod: &Arc<str>| !first.pods.contains_key(pod);
    match second.pods.keys().any(is_added) {
        true => Impact::Other,
        false => Impact::Worse,
    }
}

fn duration(first: &ComparedPlan, second: &ComparedPlan, all: &mut Vec<PlanDifference>) {
    if first.at == second.at
        || first.result != PlanResult::Complete
        || second.result != PlanResult::Complete
    {
        return;
    }
    let (word, effect) = match second.at > first.at {
        true => ("longer", cost(first, second)),
        false => ("shorter", gain(first, second)),
    };
    let by = seconds((second.at - first.at).abs());
    let message = format!(
        "the rollout takes {by} {word} ({} instead of {})",
        seconds(second.at),
        seconds(first.at)
    );
    all.push(PlanDifference {
        about: DiffTopic::Duration,
        effect,
        message,
        old: json!(first.at),
        new: json!(second.at),
    });
}

fn availability(first: &ComparedPlan, second: &ComparedPlan, all: &mut Vec<PlanDifference>) {
    let quorum = |plan: &ComparedPlan| majority(plan.replicas);
    let mut compare = |about: DiffTopic, what: &str, old: Span, new: Span| {
        if old == new {
            return;
        }
        let effect = match (new.lasts, new.seconds) > (old.lasts, old.seconds) {
            true => Impact::Worse,
            false => gain(first, second),
        };
        let message = format!("{what} {} (first plan: {})", span(new), span(old));
        all.push(PlanDifference {
            about,
            effect,
            message,
            old: span_value(old),
            new: span_value(new),
        });
    };
    let none = |plan: &ComparedPlan| plan.availability.below(1);
    let lost = |plan: &ComparedPlan| plan.availability.below(quorum(plan));
    if first.replicas > 0 && second.replicas > 0 {
        compare(
            DiffTopic::Downtime,
            "no pod is ready",
            none(first),
            none(second),
        );
    }
    // For one or two pods, a majority means all of them, which is covered above.
    if first.replicas > 2 && second.replicas > 2 {
        let what = format!(
            "quorum ({} of {} pods) is lost",
            quorum(second),
            second.replicas
        );
        compare(DiffTopic::Quorum, &what, lost(first), lost(second));
    }
    let most = |plan: &ComparedPlan| plan.availability.most_unready(plan.replicas);
    let (old, new) = (most(first), most(second));
    if old != new {
        all.push(PlanDifference {
            about: DiffTopic::Unavailable,
            effect: match new > old {
                // A plan that takes down no pod does not handle them.
                true if old == 0 => cost(first, second),
                true => Impact::Worse,
                false => gain(first, second),
            },
            message: format!("at most {new} unready at a time instead of {old}"),
            old: json!(old),
            new: json!(new),
        });
    }
}

fn span(span: Span) -> String {
    match (span.lasts, span.seconds) {
        (true, _) => "permanently".to_owned(),
        (false, 0) => "never".to_owned(),
        (false, all) => format!("for {}", seconds(all)),
    }
}

fn span_value(span: Span) -> Value {
    json!({"seconds": span.seconds, "lasts": span.lasts})
}

fn claims(first: &ComparedPlan, second: &ComparedPlan, all: &mut Vec<PlanDifference>) {
    let mut add = |claims: Vec<&Arc<str>>, words: &str, effect: Impact| {
        let Some((one, more)) = claims.split_first() else {
            return;
        };
        let more = match more.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        all.push(PlanDifference {
            about: DiffTopic::Claims,
            effect,
            message: format!("the data of claim {one}{more} {words}"),
            old: json!(first.lost),
            new: json!(second.lost),
        });
    };
    let lost = second.lost.difference(&first.lost).collect();
    add(lost, "is lost", Impact::Worse);
    let kept = first.lost.difference(&second.lost).collect();
    add(kept, "is kept", Impact::Better);
}

fn requirements(first: &ComparedPlan, second: &ComparedPlan, all: &mut Vec<PlanDifference>) {
    for (text, holds) in &second.requirements {
        let before = first.requirements.get(text);
        if before.is_some_and(|before| before != holds) {
            let (words, effect) = match holds {
                true => ("now holds", Impact::Better),
                false => ("no longer holds", Impact::Worse),
            };
            all.push(PlanDifference {
                about: DiffTopic::Requirement,
                effect,
                message: format!("requirement {text} {words}"),
                old: json!(before),
                new: json!(holds),
            });
        }
    }
}

fn pods(first: &ComparedPlan, second: &ComparedPlan, all: &mut Vec<PlanDifference>) {
    let names = first.pods.keys().chain(second.pods.keys());
    let names: BTreeSet<&Arc<str>> = names.collect();
    // Pods with the same change of operation make one difference.
    let mut groups: std::collections::BTreeMap<_, Vec<&str>> = std::collections::BTreeMap::new();
    for name in names {
        let (old, new) = (first.pods.get(name), second.pods.get(name));
        if old != new {
            groups.entry((old, new)).or_default().push(name);
        }
    }
    for ((old, new), names) in groups {
        let listed = match names.len() {
            1..=3 => names.join(", "),
            many => format!("{}, {} and {} more", names[0], names[1], many - 2),
        };
        let does = |operation: Option<&PodOperation>| match operation {
            Some(PodOperation::Replace) => "replaced",
            Some(PodOperation::Delete) => "deleted",
            Some(PodOperation::Create) => "created",
            None => "left unchanged",
        };
        let be = if names.len() == 1 { "is" } else { "are" };
        all.push(PlanDifference {
            about: DiffTopic::Pods,
            effect: Impact::Other,
            message: format!("{listed} {be} {} instead of {}", does(new), does(old)),
            old: json!(old.map(|operation| operation.name())),
            new: json!(new.map(|operation| operation.name())),
        });
    }
}

fn findings(first: &ComparedPlan, second: &ComparedPlan, all: &mut Vec<PlanDifference>) {
    let mut add = |id: RuleId, severity: Severity, message: &str, is_new: bool| {
        let effect = match (severity, is_new) {
            (Severity::Info, _) => Impact::Other,
            (_, true) => Impact::Worse,
            (_, false) => Impact::Better,
        };
        let name = lint::rule(id.name()).map_or("", |rule| rule.name);
        let words = if is_new { "appears" } else { "disappears" };
        let (old, new) = match is_new {
            true => (Value::Null, json!(message)),
            false => (json!(message), Value::Null),
        };
        all.push(PlanDifference {
            about: DiffTopic::Finding,
            effect,
            message: format!("{severity} {id} {name} {words}"),
            old,
            new,
        });
    };
    for ((id, object), (severity, message)) in &second.findings {
        let before = first.findings.get(&(*id, object.clone()));
        if before.is_none_or(|(before, _)| before != severity) {
            add(*id, *severity, message, true);
        }
    }
    for ((id, object), (severity, message)) in &first.findings {
        let after = second.findings.get(&(*id, object.clone()));
        if after.is_none_or(|(after, _)| after != severity) {
            add(*id, *severity, message, false);
        }
    }
}

fn changes(first: &ComparedPlan, second: &ComparedPlan, all: &mut Vec<PlanDifference>) {
    let paths = first.changes.keys().chain(second.changes.keys());
    for path in paths.collect::<BTreeSet<_>>() {
        let (old, new) = (first.changes.get(path), second.changes.get(path));
        let message = match (old, new) {
            (None, Some(_)) => format!("{path} is also changed"),
            (Some(_), None) => format!("{path} is no longer changed"),
            (Some((_, old)), Some((_, new))) if old != new => {
                match (old, new) {
                    (Value::Number(old), Value::Number(new)) => {
                        format!("{path} becomes {new} instead of {old}")
                    }
                    // A string may be a secret, and this message may be published.
                    _ => format!("{path} has a different value"),
                }
            }
            _ => continue,
        };
        let value = |side: Option<&(Value, Value)>| side.map_or(Value::Null, |it| it.1.clone());
        all.push(PlanDifference {
            about: DiffTopic::Change,
            effect: Impact::Other,
            message,
            old: value(old),
            new: value(new),
        });
    }
}

/// Adds the differences in the plans' conditions: controller version, feature gates and assumptions.
fn grounds(first: &ComparedPlan, second: &ComparedPlan, all: &mut Vec<PlanDifference>) {
    if first.version != second.version {
        all.push(PlanDifference {
            about: DiffTopic::Controller,
            effect: Impact::Other,
            message: format!(
                "the controller is Kubernetes {} instead of {}",
                second.version, first.version
            ),
            old: json!(first.version),
            new: json!(second.version),
        });
    }
    for (gate, new) in &second.gates {
        let old = first.gates.get(gate);
        if first.version == second.version && old.is_some_and(|old| old != new) {
            all.push(PlanDifference {
                about: DiffTopic::Controller,
                effect: Impact::Other,
                message: format!("feature gate {gate} is {new}"),
                old: json!(old),
                new: json!(new),
            });
        }
    }
    let mut add = |assumption: &String, is_new: bool| {
        let (words, old, new) = match is_new {
            true => ("assumed", Value::Null, json!(assumption)),
            false => ("no longer assumed", json!(assumption), Value::Null),
        };
        all.push(PlanDifference {
            about: DiffTopic::Assumption,
            effect: Impact::Other,
            message: format!("{words}: {assumption}"),
            old,
            new,
        });
    };
    for assumption in second.assumptions.difference(&first.assumptions) {
        add(assumption, true);
    }
    for assumption in first.assumptions.difference(&second.assumptions) {
        add(assumption, false);
    }
}

fn seconds(seconds: i64) -> String {
    spell(SignedDuration::from_secs(seconds))
}
