//! A path of the search as steps, and as assumptions that make the normal simulation follow it.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::SignedDuration;

use super::check::{Judge, run_until_stable_checked};
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
    let mut judge = Judge::new(property);
    let _ = run_until_stable_checked(&mut world, behaviour, &mut judge, &mut leg);
    let mut legs = vec![leg];
    for chosen in path {
        world.space_out();
        let mut leg = moves::make(&mut world, chosen, behaviour);
        if judge.violation(&world).is_none() {
            let _ = run_until_stable_checked(&mut world, behaviour, &mut judge, &mut leg);
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
    let mut lives: BTreeMap<Arc<str>, PodHistory> = BTreeMap::new();
    let mut now = SignedDuration::ZERO;
    let mut told = Vec::new();
    let mut judge = Judge::new(property);
    let _ = run_until_stable_checked(&mut world, behaviour, &mut judge, &mut told);
    note_writes(&mut lives, &told, now);
    for chosen in path {
        let name = chosen.pod();
        now += gap;
        let life = lives.entry(Arc::clone(name)).or_default();
        match chosen {
            Move::Event(PodEvent::Ready, _) => {
                life.starts.push((Start::Ready, Some(now - life.created)));
            }
            Move::Event(PodEvent::Failed, _) => {
                life.starts.push((Start::Fails, Some(now - life.created)));
            }
            Move::Event(PodEvent::Removed, _) => life.stops.push(Some(now - life.deleted)),
            // Follows from the clock.
            Move::Event(PodEvent::Available, _) => {
                now = now.max(life.created + ready_after(life) + world.min_ready());
            }
            Move::Fault(Fault::NeverReady, _) => life.starts.push((Start::NeverReady, None)),
            Move::Fault(Fault::Fails, _) if starts_still(&world, name) => {
                life.starts.push((Start::Fails, Some(now - life.created)));
            }
            Move::Fault(..) => return Err(Unwritable::Fault(Arc::clone(name))),
        }
        world.space_out();
        moves::make(&mut world, chosen, behaviour);
        let mut told = Vec::new();
        let _ = run_until_stable_checked(&mut world, behaviour, &mut judge, &mut told);
        note_writes(&mut lives, &told, now);
    }
    // Events that have not happened yet must come later.
    for due in world.enabled() {
        let life = lives.entry(Arc::clone(&due.pod)).or_default();
        match due.event {
            PodEvent::Ready => life.starts.push((Start::Ready, Some(LATE))),
            PodEvent::Failed => life.starts.push((Start::Fails, Some(LATE))),
            PodEvent::Removed => life.stops.push(None),
            PodEvent::Available => {}
        }
    }
    lives
        .into_iter()
        .filter(|(_, life)| !life.starts.is_empty() || !life.stops.is_empty())
        .map(|(name, life)| {
            let assumption = life.assumption();
            let assumption = assumption.ok_or_else(|| Unwritable::Twice(Arc::clone(&name)))?;
            Ok((name, assumption))
        })
        .collect()
}

fn ready_after(life: &PodHistory) -> SignedDuration {
    let last = life.starts.last().and_then(|(_, after)| *after);
    last.unwrap_or(SignedDuration::ZERO)
}

/// Reports whether the pod is still to become ready or fail.
fn starts_still(world: &World, name: &Arc<str>) -> bool {
    world
        .enabled()
        .any(|due| due.pod == *name && matches!(due.event, PodEvent::Ready | PodEvent::Failed))
}

/// Records when pods were created and deleted.
fn note_writes(lives: &mut BTreeMap<Arc<str>, PodHistory>, steps: &[Step], now: SignedDuration) {
    let writes = steps.iter().flat_map(Step::writes);
    let pods = writes.filter(|write| write.resource == Resource::Pods && write.refused.is_none());
    for write in pods {
        let life = lives.entry(Arc::clone(&write.name)).or_default();
        match write.verb {
            Verb::Create => life.created = now,
            Verb::Delete => life.deleted = now,
            _ => {}
        }
    }
}

impl PodHistory {
    /// Returns the one assumption that covers the history; `None` if there is none.
    fn assumption(self) -> Option<Assumption> {
        let alike = self.starts.windows(2).all(|two| two[0] == two[1])
            && self.stops.windows(2).all(|two| two[0] == two[1]);
        if !alike {
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
