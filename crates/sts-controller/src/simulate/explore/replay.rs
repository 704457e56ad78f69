//! A path of the search told in steps, and written as assumptions that make the normal simulation go the same way.

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

/// The reason that no assumptions lead the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unwritable {
    /// An assumption speaks of every pod of a name, and two pods of this name do not behave alike.
    Twice(Arc<str>),
    /// This pod vanishes, or fails after it was ready, and no assumption says that.
    Fault(Arc<str>),
    /// No durations put the events in this order.
    Order,
}

/// All that happens on a path: before the first event, then from each event on.
pub(super) fn legs(
    mut world: World,
    behaviour: &Behaviour,
    path: &[Move],
    property: &dyn Property,
) -> Vec<Vec<Step>> {
    let mut leg = Vec::new();
    // A fault at the end of the path ends the last leg too.
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
/// After everything that is on any path.
const LATE: SignedDuration = SignedDuration::from_hours(24);

/// Assumptions under which the normal simulation comes to the same end. They are tried before they are told.
pub(super) fn write(
    origin: &World,
    behaviour: &Behaviour,
    path: &[Move],
    wrong: &Wrong,
    property: &dyn Property,
) -> Result<Replay, Unwritable> {
    if path.is_empty() && leads_to(origin, behaviour, &Replay::new(), wrong, property) {
        // It is wrong before anything happens, whatever is assumed.
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

/// Reports whether the normal simulation goes wrong in the same way under these assumptions.
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

/// The starts and stops of one pod, each time that its name comes up.
#[derive(Default)]
struct PodHistory {
    /// When the present pod was created, and deleted.
    created: SignedDuration,
    deleted: SignedDuration,
    starts: Vec<(Start, Option<SignedDuration>)>,
    stops: Vec<Option<SignedDuration>>,
}

/// The assumptions that put the events at equal distances, if each name can be told with one.
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
            // The clock itself brings it.
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
    // Whatever has not happened yet must not happen before.
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

/// Reports whether the pod is still to become ready, or to fail.
fn starts_still(world: &World, name: &Arc<str>) -> bool {
    world
        .enabled()
        .any(|due| due.pod == *name && matches!(due.event, PodEvent::Ready | PodEvent::Failed))
}

/// Notes when pods were created and deleted.
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
    /// The one assumption that tells all of it; `None` when there is none.
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
