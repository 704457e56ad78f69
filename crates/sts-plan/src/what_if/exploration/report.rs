//! Result of exploring every order of events.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Terms, Verdict};
use crate::requirement::describe;
use sts_controller::name::UnknownName;
use sts_controller::simulate::{
    Assumption, Exploration, Fault, Found, Move, PodEvent, Start, Stopped, Unwritable, Wrong,
};

/// Result of exploring every order of events.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportExploration {
    /// `holds` (in every order), `broken` (a counterexample exists), `unknown` (the search did not finish) or
    /// `skipped` (nothing to search).
    pub verdict: Verdict,
    /// Result in one sentence.
    pub summary: String,
    /// Number of explored states.
    pub states: usize,
    /// Number of explored transitions.
    pub moves: usize,
    /// Length of the longest event sequences that were explored in every order.
    pub depth: usize,
    /// True if states that differ only by a permutation of identical pods count as one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub merged_alike: bool,
    /// Number of final states that match the specification.
    pub complete_ends: usize,
    /// Number of final states that do not.
    pub unfinished_ends: usize,
    /// Maximum number of faults per run.
    pub faults: usize,
    /// True if the counterexample needs no fault, so no faults were tried; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_fault: bool,
    /// Minimum number of available pods; absent unless every state was explored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lowest_available: Option<i64>,
    /// Shortest counterexample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Counterexample>,
}

/// Shortest run that violates a property.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Counterexample {
    /// Violated property: a requirement as written, `every run completes` or `every run ends`.
    pub property: String,
    /// Violation at the end of the run.
    pub reason: String,
    /// Chosen events, in order.
    pub path: Vec<ChosenEvent>,
    /// All events of the run, each in a few words.
    pub steps: Vec<String>,
    /// `--assume` flags that reproduce the run; empty when no flags can.
    pub assume: Vec<String>,
    /// Reason why no flags can reproduce the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_replayable: Option<String>,
}

/// Chosen event of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChosenEvent {
    /// `PodRemoved`, `PodReady` or `PodAvailable`; for a fault `PodFailed`, `PodNeverReady` or `PodVanished`.
    pub event: ExploredEvent,
    /// Pod name.
    pub pod: String,
    /// True if the event is a fault; absent when it is due anyway.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fault: bool,
}

/// Event chosen in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExploredEvent {
    /// Event that is due anyway.
    Event(PodEvent),
    /// Fault.
    Fault(Fault),
}

serialized!(serde_by_text: ExploredEvent);

impl fmt::Display for ExploredEvent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExploredEvent::Event(event) => event.fmt(out),
            ExploredEvent::Fault(fault) => fault.fmt(out),
        }
    }
}

impl FromStr for ExploredEvent {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let of_pod = name.parse().map(ExploredEvent::Event);
        of_pod.or_else(|_| name.parse().map(ExploredEvent::Fault))
    }
}

impl ReportExploration {
    /// Returns the answer without a search, with the reason.
    pub(super) fn skipped(why: &str) -> Self {
        ReportExploration {
            verdict: Verdict::Skipped,
            summary: format!("not explored: {why}"),
            states: 0,
            moves: 0,
            depth: 0,
            merged_alike: false,
            complete_ends: 0,
            unfinished_ends: 0,
            faults: 0,
            without_fault: false,
            lowest_available: None,
            counterexample: None,
        }
    }

    /// Returns the answer of a search.
    pub(super) fn searched(found: &Exploration, terms: &Terms) -> Self {
        let verdict = match (&found.found, found.exhaustive) {
            (Some(_), _) => Verdict::Broken,
            (None, true) => Verdict::Holds,
            (None, false) => Verdict::Unknown,
        };
        ReportExploration {
            verdict,
            summary: summary(found, terms, verdict),
            states: found.states,
            moves: found.moves,
            depth: found.depth,
            merged_alike: found.merged_alike,
            complete_ends: found.ends.complete,
            unfinished_ends: found.ends.unfinished,
            faults: terms.faults,
            without_fault: terms.without_fault,
            lowest_available: found.lowest.map(|lowest| lowest.min(terms.wanted)),
            counterexample: found.found.as_ref().map(counterexample),
        }
    }
}

fn summary(exploration: &Exploration, terms: &Terms, verdict: Verdict) -> String {
    let faults = match terms.faults {
        _ if terms.without_fault => "faults not tried".to_owned(),
        0 => "without faults".to_owned(),
        1 => "with up to 1 fault".to_owned(),
        several => format!("with up to {several} faults"),
    };
    let states = exploration.states;
    match (verdict, &exploration.found) {
        (_, Some(found)) => format!(
            "{}{} {} ({faults}; {states} states explored)",
            match terms.without_fault {
                true => "without any fault, ",
                false => "",
            },
            reason(&found.what),
            match found.path.len() {
                0 => "before any event".to_owned(),
                1 => "after 1 event".to_owned(),
                several => format!("after {several} events"),
            }
        ),
        (Verdict::Holds, None) => {
            let lowest = exploration.lowest.filter(|_| !terms.is_required);
            let lowest = lowest.map_or_else(String::new, |lowest| {
                let wanted = terms.wanted;
                let lowest = lowest.min(wanted);
                format!("; minimum availability: {lowest} of {wanted} pods")
            });
            // The controller waits for a pod that never becomes ready, so only the rest of the rollout can be verified.
            let question = match (terms.is_required, exploration.ends.unfinished) {
                (false, 1..) => {
                    "; a rollout that stops at a failed pod continues once the pod is ready"
                }
                _ => "",
            };
            let merged = match exploration.merged_alike {
                true => " (identical pods merged)",
                false => "",
            };
            format!(
                "holds in all {states} reachable states{merged}, in every order of events, {faults}{question}{lowest}"
            )
        }
        _ => {
            let why = match exploration.stopped {
                Some(Stopped::Memory) => "memory limit reached",
                Some(Stopped::Work) => "budget spent (--budget)",
                Some(Stopped::Interrupted) => "Ctrl-C",
                Some(Stopped::States) | None => "limit of states reached",
            };
            let depth = exploration.depth;
            format!(
                "not verified: stopped after {states} states without a violation, with every order of the first {depth} \
                 events ({faults}; {why})"
            )
        }
    }
}

fn reason(what: &Wrong) -> String {
    match what {
        Wrong::Violation(violation) => violation.text.clone(),
        Wrong::Unfinished(why) => format!("never completes: {why}"),
        Wrong::Endless => "never settles (livelock)".to_owned(),
    }
}

fn counterexample(found: &Found) -> Counterexample {
    let (assume, not_replayable) = match &found.replay {
        Ok(replay) => {
            let flags = replay.iter();
            let flags = flags.flat_map(|(pod, assumption)| assumed(pod, assumption));
            (flags.collect(), None)
        }
        Err(why) => (Vec::new(), Some(unwritable(why))),
    };
    Counterexample {
        property: found.what.property().to_owned(),
        reason: reason(&found.what),
        path: found.path.iter().map(chosen).collect(),
        steps: steps(found),
        assume,
        not_replayable,
    }
}

/// Returns all events of a run, with each fault in place of the event that it causes.
fn steps(found: &Found) -> Vec<String> {
    let mut legs = found.legs.iter();
    let before = legs.next().map(Vec::as_slice).unwrap_or_default();
    let mut events: Vec<String> = before.chunks(1).map(describe).collect();
    for (leg, chosen) in legs.zip(&found.path) {
        let leg = match chosen {
            Move::Event(..) => &leg[..],
            Move::Fault(fault, pod) => {
                events.push(format!("fault: {} {pod}", fault.name()));
                leg.get(usize::from(*fault != Fault::NeverReady)..)
                    .unwrap_or_default()
            }
        };
        events.extend(leg.chunks(1).map(describe));
    }
    events
}

fn chosen(chosen: &Move) -> ChosenEvent {
    let event = match chosen {
        Move::Event(event, _) => ExploredEvent::Event(*event),
        Move::Fault(fault, _) => ExploredEvent::Fault(*fault),
    };
    ChosenEvent {
        event,
        pod: chosen.pod().to_string(),
        fault: matches!(event, ExploredEvent::Fault(_)),
    }
}

/// Returns the `--assume` flags for an assumption about a pod.
fn assumed(pod: &str, assumption: &Assumption) -> Vec<String> {
    let mut assumptions = Vec::new();
    match assumption.start {
        Start::Ready => {}
        Start::NeverReady => assumptions.push("never-ready".to_owned()),
        Start::Fails => assumptions.push("start-fails".to_owned()),
    }
    if let Some(after) = assumption.ready_after {
        assumptions.push(format!("ready-after:{}", duration(after)));
    }
    if assumption.never_gone {
        assumptions.push("never-gone".to_owned());
    }
    if let Some(after) = assumption.gone_after {
        assumptions.push(format!("gone-after:{}", duration(after)));
    }
    let flag = |what| format!("--assume={pod}={what}");
    assumptions.into_iter().map(flag).collect()
}

/// Formats a duration for a flag, to the microsecond.
fn duration(duration: jiff::SignedDuration) -> String {
    let micros = duration.as_micros();
    match micros {
        micros if micros % 1_000_000 == 0 => format!("{}s", micros / 1_000_000),
        micros if micros % 1_000 == 0 => format!("{}ms", micros / 1_000),
        micros => format!("{micros}us"),
    }
}

fn unwritable(why: &Unwritable) -> String {
    match why {
        Unwritable::Twice(pod) => format!(
            "an assumption applies to every pod with a name, but two pods named {pod} behave differently"
        ),
        Unwritable::Fault(pod) => {
            format!("no assumption makes {pod} vanish or fail after becoming ready")
        }
        Unwritable::Order => "no durations produce this order of events".to_owned(),
    }
}
