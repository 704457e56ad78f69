//! A path of the search as steps, and as assumptions that make the normal simulation follow it.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::SignedDuration;

use super::check::{PropertyChecker, run_until_stable_checked};
use super::moves;
use super::moves::Move;
use super::{Property, Wrong};
use crate::controller::{Resource, Verb};
use crate::simulate::event_queue::PodEvent;
use crate::simulate::world::World;
use crate::simulate::{Assumption, End, Fault, Start, Step, follow};
use crate::version::Behaviour;

/// Assumptions, each with the name of its pod.
pub type Replay = Vec<(Arc<str>, Assumption)>;

/// The reason that no assumptions reproduce a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unwritable {
    /// An assumption applies to every pod of a name, and two pods of this name behave differently.
    Twice(Arc<str>),
    /// This pod vanishes, or fails after it was ready. No assumption expresses that.
    Fault(Arc<str>),
    /// No durations put the events in this order.
    Order,
}

/// Returns the steps on a path: before the first event, then after each event.
pub(super) fn legs(
    mut world: World,
    behaviour: &Behaviour,
    path: &[Move],
    property: &dyn Property,
) -> Vec<Vec<Step>> {
    let mut leg = Vec::new();
    // A violation by the last fault ends the last leg too.
    let mut checker = PropertyChecker::new(property);
    let _ = run_until_stable_checked(&mut world, behaviour, &mut checker, &mut leg);
    let mut legs = vec![leg];
    for chosen in path {
        world.space_out();
        let mut leg = moves::execute(&mut world, chosen, behaviour);
        if checker.violation(&world).is_none() {
            let _ = run_until_stable_checked(&mut world, behaviour, &mut checker, &mut leg);
        }
        legs.push(leg);
    }
    legs
}

/// Gaps to try between two events. The longest that works is the easiest to read.
const GAPS: [SignedDuration; 3] = [
    SignedDuration::from_secs(1),
    SignedDuration::from_millis(1),
    SignedDuration::from_micros(1),
];
/// Later than everything on any path.
const LATE: SignedDuration = SignedDuration::from_hours(24);

/// Returns assumptions under which the normal simulation reaches the same problem. They are verified first.
pub(super) fn write(
    origin: &World,
    behaviour: &Behaviour,
    path: &[Move],
    wrong: &Wrong,
    property: &dyn Property,
) -> Result<Replay, Unwritable> {
    if path.is_empty() && leads_to(origin, behaviour, &Replay::new(), wrong, property) {
        // The problem occurs before any event, under any assumptions.
        return Ok(Replay::new());
    }
    let mut why = Unwritable::Order;
    for gap in GAPS {
        match assumptions(origin.branch(), behaviour, path, gap, property) {
            Ok(replay) if leads_to(origin, behaviour, &replay, wrong, property) => {
                return Ok(replay);
            }
            Ok(_) => {}
            Err(unwritable) => why = unwritable,
        }
    }
    Err(why)
}

/// Reports whether the normal simulation has the same problem under these assumptions.
fn leads_to(
    origin: &World,
    behaviour: &Behaviour,
    replay: &Replay,
    wrong: &Wrong,
    property: &dyn Property,
) -> bool {
    let world = origin.under(replay);
    let mut last = None;
    let mut violation = property.violation(&world);
    let end = follow(world, behaviour, &mut |world, _| {
        violation = violation.take().or_else(|| property.violation(world));
        last = Some(world.branch());
        match violation {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    });
    match wrong {
        Wrong::Violation(what) => violation.as_ref() == Some(what),
        Wrong::Endless => end == End::Livelock,
        Wrong::Unfinished(_) => {
            let last = last.unwrap_or_else(|| origin.branch());
            end == End::Rest && property.unfinished(&last).is_some()
        }
    }
}

/// Starts and stops of the pods of one name.
#[derive(Default)]
struct PodHistory {
    /// Times at which the current pod was created and deleted.
    created: SignedDuration,
    deleted: SignedDuration,
    starts: Vec<(Start, Option<SignedDuration>)>,
    stops: Vec<Option<SignedDuration>>,
}

/// Returns assumptions that space the events evenly, if one assumption per name is enough.
fn assumptions(
    mut world: World,
    behaviour: &Behaviour,
    path: &[Move],
    gap: SignedDuration,
    property: &dyn Property,
) -> Result<Replay, Unwritable> {
    let mut histories: BTreeMap<Arc<str>, PodHistory> = BTreeMap::new();
    let mut now = SignedDuration::ZERO;
    let mut steps = Vec::new();
    let mut checker = PropertyChecker::new(property);
    let _ = run_until_stable_checked(&mut world, behaviour, &mut checker, &mut steps);
    note_writes(&mut histories, &steps, now);
    for chosen in path {
        let name = chosen.pod();
        now += gap;
        let history = histories.entry(Arc::clone(name)).or_default();
        match chosen {
            Move::Event(PodEvent::Ready, _) => {
                history
                    .starts
                    .push((Start::Ready, Some(now - history.created)));
            }
            Move::Event(PodEvent::Failed, _) => {
                history
                    .starts
                    .push((Start::Fails, Some(now - history.created)));
            }
            Move::Event(PodEvent::Removed, _) => history.stops.push(Some(now - history.deleted)),
            // Follows from the clock.
            Move::Event(PodEvent::Available, _) => {
                now = now.max(history.created + ready_after(history) + world.min_ready());
            }
            Move::Fault(Fault::NeverReady, _) => history.starts.push((Start::NeverReady, None)),
            Move::Fault(Fault::Fails, _) if is_starting(&world, name) => {
                history
                    .starts
                    .push((Start::Fails, Some(now - history.created)));
            }
            Move::Fault(..) => return Err(Unwritable::Fault(Arc::clone(name))),
        }
        world.space_out();
        moves::execute(&mut world, chosen, behaviour);
        let mut steps = Vec::new();
        let _ = run_until_stable_checked(&mut world, behaviour, &mut checker, &mut steps);
        note_writes(&mut histories, &steps, now);
    }
    // Events that have not happened yet must come later.
    for due in world.enabled() {
        let history = histories.entry(Arc::clone(&due.pod)).or_default();
        match due.event {
            PodEvent::Ready => history.starts.push((Start::Ready, Some(LATE))),
            PodEvent::Failed => history.starts.push((Start::Fails, Some(LATE))),
            PodEvent::Removed => history.stops.push(None),
            PodEvent::Available => {}
        }
    }
    histories
        .into_iter()
        .filter(|(_, history)| !history.starts.is_empty() || !history.stops.is_empty())
        .map(|(name, history)| {
            let assumption = history.assumption();
            let assumption = assumption.ok_or_else(|| Unwritable::Twice(Arc::clone(&name)))?;
            Ok((name, assumption))
        })
        .collect()
}

fn ready_after(history: &PodHistory) -> SignedDuration {
    let last = history.starts.last().and_then(|(_, after)| *after);
    last.unwrap_or(SignedDuration::ZERO)
}

/// Reports whether the pod is still to become ready or fail.
fn is_starting(world: &World, name: &Arc<str>) -> bool {
    world
        .enabled()
        .any(|due| due.pod == *name && matches!(due.event, PodEvent::Ready | PodEvent::Failed))
}

/// Records when pods were created and deleted.
fn note_writes(
    histories: &mut BTreeMap<Arc<str>, PodHistory>,
    steps: &[Step],
    now: SignedDuration,
) {
    let writes = steps.iter().flat_map(Step::writes);
    let pods = writes.filter(|write| write.resource == Resource::Pods && write.refused.is_none());
    for write in pods {
        let history = histories.entry(Arc::clone(&write.name)).or_default();
        match write.verb {
            Verb::Create => history.created = now,
            Verb::Delete => history.deleted = now,
            _ => {}
        }
    }
}

impl PodHistory {
    /// Returns the one assumption that covers the history; `None` if there is none.
    fn assumption(self) -> Option<Assumption> {
        let consistent = self.starts.windows(2).all(|two| two[0] == two[1])
            && self.stops.windows(2).all(|two| two[0] == two[1]);
        if !consistent {
            return None;
        }
        let (start, ready_after) = self.starts.first().copied().unwrap_or_default();
        let stop = self.stops.first().copied();
        Some(Assumption {
            start,
            never_gone: stop == Some(None),
            ready_after,
            gone_after: stop.flatten(),
            ..Assumption::default()
        })
    }
}
