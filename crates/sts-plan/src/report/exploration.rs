//! The result of searching every order of events.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::name;
use crate::requirement::tell;
use crate::what_if::{Explored, Searched, Verdict};
use sts_controller::name::UnknownName;
use sts_controller::simulate::{
    Assumption, Exploration, Fault, Found, Move, PodEvent, Start, Stopped, Unwritable, Wrong,
};

/// The result of searching every order of events.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportExploration {
    /// `holds`: in every order. `broken`: not in this one. `unknown`: the search was not finished. `skipped`: there was
    /// nothing to search.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub verdict: Verdict,
    /// The answer in one sentence.
    pub summary: String,
    /// Number of states that were looked at.
    pub states: usize,
    /// Number of events that lead from one state to another.
    pub moves: usize,
    /// The most events in a row that were looked at in every order.
    pub depth: usize,
    /// True if states count as one that differ in nothing but which of several pods that are alike is in which state.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub merged_alike: bool,
    /// Number of ends at which the set is as its specification wants it.
    pub complete_ends: usize,
    /// Number of ends at which it is not.
    pub unfinished_ends: usize,
    /// Number of faults that were allowed.
    pub faults: usize,
    /// True if what goes wrong goes wrong without any fault, so that none was tried; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_fault: bool,
    /// Lowest number of available pods; absent where not every state was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lowest_available: Option<i64>,
    /// The shortest way to something wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Counterexample>,
}

/// The shortest way to something wrong.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Counterexample {
    /// The property that is broken: a requirement as it was written, `every run completes`, or `every run ends`.
    pub property: String,
    /// Description of what is wrong at its end.
    pub reason: String,
    /// The events that are chosen, in order.
    pub path: Vec<ChosenEvent>,
    /// All that happens on the way, in a few words each.
    pub steps: Vec<String>,
    /// The flags under which the plan goes the same way; empty where no flags can say it.
    pub assume: Vec<String>,
    /// The reason that no flags can say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_replayable: Option<String>,
}

/// One event of a path.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChosenEvent {
    /// `PodRemoved`, `PodReady`, `PodAvailable`, or a fault: `PodFailed`, `PodNeverReady`, `PodVanished`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub event: ExploredEvent,
    /// The pod's name.
    pub pod: String,
    /// True if it is a fault; absent when it had to come some time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fault: bool,
}

/// The event that is chosen in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExploredEvent {
    /// An event that had to come some time.
    Event(PodEvent),
    /// A fault.
    Fault(Fault),
}

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

pub(super) fn exploration(explored: &Explored) -> ReportExploration {
    let verdict = explored.verdict();
    let blank = ReportExploration {
        verdict,
        summary: String::new(),
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
    };
    match explored {
        Explored::Skipped(why) => ReportExploration {
            summary: format!("not explored: {why}"),
            ..blank
        },
        Explored::Searched(found, searched) => ReportExploration {
            summary: summary(found, searched, verdict),
            states: found.states,
            moves: found.moves,
            depth: found.depth,
            merged_alike: found.merged_alike,
            complete_ends: found.ends.complete,
            unfinished_ends: found.ends.unfinished,
            faults: searched.bounds.faults,
            without_fault: searched.without_fault,
            lowest_available: searched.lowest,
            counterexample: found.found.as_ref().map(counterexample),
            ..blank
        },
    }
}

fn summary(exploration: &Exploration, searched: &Searched, verdict: Verdict) -> String {
    let faults = match searched.bounds.faults {
        _ if searched.without_fault => "faults were not tried".to_owned(),
        0 => "without faults".to_owned(),
        1 => "with up to 1 fault".to_owned(),
        several => format!("with up to {several} faults"),
    };
    let states = exploration.states;
    match (verdict, &exploration.found) {
        (_, Some(found)) => format!(
            "{}{} {} ({faults}; {states} states looked at)",
            match searched.without_fault {
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
            let lowest = searched.lowest.filter(|_| !searched.is_required);
            let lowest = lowest.map_or_else(String::new, |lowest| {
                let wanted = searched.wanted;
                format!("; at the lowest {lowest} of {wanted} pods are available")
            });
            // A pod that never gets ready is waited for: what can be shown is that nothing but the pod is.
            let question = match (searched.is_required, exploration.ends.unfinished) {
                (false, 1..) => {
                    ": where the rollout stops at a pod that a fault broke, it goes on when the pod gets ready"
                }
                _ => "",
            };
            let merged = match exploration.merged_alike {
                true => " (pods that are alike count as one)",
                false => "",
            };
            format!(
                "nothing goes wrong in all {states} reachable states{merged}, in every order of events, {faults}{question}{lowest}"
            )
        }
        _ => {
            let why = match exploration.stopped {
                Some(Stopped::Memory) => "more states than memory is spent on",
                Some(Stopped::Interrupted) => "Ctrl-C",
                Some(Stopped::States) | None => "--max-states",
            };
            let depth = exploration.depth;
            format!(
                "nothing is shown: stopped after {states} states, in which nothing was wrong, with every order of \
                 the first {depth} events ({faults}; {why})"
            )
        }
    }
}

fn reason(what: &Wrong) -> String {
    match what {
        Wrong::Violation(violation) => violation.text.clone(),
        Wrong::Unfinished(why) => format!("stops for ever: {why}"),
        Wrong::Endless => "goes round for ever".to_owned(),
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

/// All that happens on the way, a fault in the place of the event that it makes.
fn steps(found: &Found) -> Vec<String> {
    let mut legs = found.legs.iter();
    let before = legs.next().map(Vec::as_slice).unwrap_or_default();
    let mut told: Vec<String> = before.chunks(1).map(tell).collect();
    for (leg, chosen) in legs.zip(&found.path) {
        let leg = match chosen {
            Move::Event(..) => &leg[..],
            Move::Fault(fault, pod) => {
                told.push(format!("fault: {} {pod}", fault.name()));
                leg.get(usize::from(*fault != Fault::NeverReady)..)
                    .unwrap_or_default()
            }
        };
        told.extend(leg.chunks(1).map(tell));
    }
    told
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

/// The values of `--assume` that say this of a pod.
fn assumed(pod: &str, assumption: &Assumption) -> Vec<String> {
    let mut said = Vec::new();
    match assumption.start {
        Start::Ready => {}
        Start::NeverReady => said.push("never-ready".to_owned()),
        Start::Fails => said.push("start-fails".to_owned()),
    }
    if let Some(after) = assumption.ready_after {
        said.push(format!("ready-after:{}", duration(after)));
    }
    if assumption.never_gone {
        said.push("never-gone".to_owned());
    }
    if let Some(after) = assumption.gone_after {
        said.push(format!("gone-after:{}", duration(after)));
    }
    let flag = |what| format!("--assume={pod}={what}");
    said.into_iter().map(flag).collect()
}

/// A duration as the flags take it, to the microsecond.
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
            "an assumption holds for every pod of a name, and two pods named {pod} do not behave alike"
        ),
        Unwritable::Fault(pod) => {
            format!("no assumption makes {pod} vanish, or fail after it was ready")
        }
        Unwritable::Order => "no durations put the events in this order".to_owned(),
    }
}
