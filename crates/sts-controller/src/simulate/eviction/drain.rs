//! `kubectl drain`: cordons all nodes, then drains them one by one. It evicts all pods of a node at once and waits
//! until each is gone. It retries an eviction that a budget refuses every five seconds. Upstream:
//! `staging/src/k8s.io/kubectl/pkg/cmd/drain/drain.go` and `pkg/drain/drain.go`.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{BudgetCount, Eviction, GuardedBudget, evict};
use crate::simulate::action::Action;
use crate::simulate::progress::settle;
use crate::simulate::world::World;
use crate::version::{Behaviour, Version};

/// Interval at which a refused eviction is retried.
const RETRY: SignedDuration = SignedDuration::from_secs(5);
/// Maximum number of simulated events. The outcome of a longer drain is unknown.
const MAX_EVENTS: usize = 50_000;

/// A set that may have pods on the nodes.
pub struct Drainee<'b> {
    /// The set's world, in which the nodes are cordoned.
    pub world: World,
    /// The behavior of its controller.
    pub behaviour: &'b Behaviour,
}

/// The nodes to drain in order, and the budgets that protect pods.
#[derive(Debug, Clone, Copy)]
pub struct Drain<'d> {
    /// The nodes.
    pub nodes: &'d [Arc<str>],
    /// The budgets.
    pub budgets: &'d [GuardedBudget],
    /// The version of the API server.
    pub version: Version,
    /// Start of the drain.
    pub now: Timestamp,
}

/// An eviction that the API server granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrainStep {
    /// Time of the eviction.
    pub at: Timestamp,
    /// Index of the set among the drainees.
    pub set: usize,
    /// The pod.
    pub pod: Arc<str>,
    /// Node.
    pub node: Arc<str>,
    /// Number of earlier attempts that were refused.
    pub refused: usize,
}

/// A pod that the drain cannot remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stranded {
    /// Index of the set among the drainees.
    pub set: usize,
    /// The pod.
    pub pod: Arc<str>,
    /// Node.
    pub node: Arc<str>,
    /// The reason that the pod remains.
    pub waits_for: WaitsFor,
}

/// The reason that a drain cannot remove a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitsFor {
    /// A budget that allows no disruption.
    Budget(Arc<str>, BudgetCount),
    /// Several budgets cover the pod, and the drain fails.
    SeveralBudgets(Vec<Arc<str>>),
    /// The pod terminates forever.
    Termination,
}

/// Outcome of a drain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrainEnd {
    /// All nodes were drained at that time.
    Done(Timestamp),
    /// The drain hangs from that time on.
    Hangs(Timestamp),
    /// The drain fails with an error at that time.
    Fails(Timestamp),
    /// The simulation stopped at that time, since pods keep being created and deleted.
    Unknown(Timestamp),
}

/// Result of a drain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drained {
    /// The evictions, in order.
    pub evictions: Vec<DrainStep>,
    /// The drained nodes, each with its time.
    pub nodes: Vec<(Arc<str>, Timestamp)>,
    /// Pods left on the node where the drain stopped.
    pub stranded: Vec<Stranded>,
    /// Outcome of the drain.
    pub end: DrainEnd,
}

struct Task {
    set: usize,
    pod: Arc<str>,
    uid: Arc<str>,
    next: Timestamp,
    refused: usize,
    state: State,
}

enum State {
    /// To be evicted, with the state of the worlds at the last refusal and its reason.
    Pending(Option<(u64, WaitsFor)>),
    /// Evicted and terminating.
    Terminating,
    Failed(Vec<Arc<str>>),
}

/// Drains the nodes. The worlds end up in the state at the end of the drain.
pub fn drain(drainees: &mut [Drainee<'_>], work: Drain<'_>) -> Drained {
    let mut room = DrainSimulation {
        drainees,
        work,
        now: work.now,
        age: 0,
        events: 0,
        drained: Drained {
            evictions: Vec::new(),
            nodes: Vec::new(),
            stranded: Vec::new(),
            end: DrainEnd::Done(work.now),
        },
    };
    for drainee in room.drainees.iter_mut() {
        settle(&mut drainee.world, drainee.behaviour);
    }
    for node in work.nodes {
        if !room.drain_node(node) {
            return room.drained;
        }
        room.drained.nodes.push((Arc::clone(node), room.now));
    }
    room.drained.end = DrainEnd::Done(room.now);
    room.drained
}

struct DrainSimulation<'r, 'b, 'd> {
    drainees: &'r mut [Drainee<'b>],
    work: Drain<'d>,
    now: Timestamp,
    /// Number of changes so far.
    age: u64,
    events: usize,
    drained: Drained,
}

impl DrainSimulation<'_, '_, '_> {
    /// Drains a node. Returns false if the drain stops there.
    fn drain_node(&mut self, node: &Arc<str>) -> bool {
        let mut tasks = self.tasks(node);
        loop {
            self.catch_up();
            for task in &mut tasks {
                if matches!(task.state, State::Pending(_)) && task.next <= self.now {
                    self.try_task(task, node);
                }
            }
            tasks.retain(|task| matches!(task.state, State::Failed(_)) || self.is_there(task));
            if tasks
                .iter()
                .all(|task| matches!(task.state, State::Failed(_)))
            {
                if tasks.is_empty() {
                    return true;
                }
                return self.stop(&tasks, node, DrainEnd::Fails(self.now));
            }
            let event = self.next_event();
            let pending = |task: &&Task| matches!(task.state, State::Pending(_));
            let next_try = tasks.iter().filter(pending).map(|task| task.next).min();
            // A refused eviction is refused again until something changes.
            let age = self.age;
            let futile = tasks.iter().filter(pending).all(
                |task| matches!(&task.state, State::Pending(Some((tried, _))) if *tried == age),
            );
            match (event, next_try) {
                (None, _) if futile => return self.stop(&tasks, node, DrainEnd::Hangs(self.now)),
                (None, None) => return self.stop(&tasks, node, DrainEnd::Hangs(self.now)),
                (Some((at, set)), _) if futile => {
                    for task in &mut tasks {
                        task.next = first_try_from(task.next, at);
                    }
                    self.fire(at, set);
                }
                (Some((at, set)), next) if next.is_none_or(|next| at <= next) => {
                    self.fire(at, set);
                }
                (_, Some(next)) => self.now = self.now.max(next),
                (Some((at, set)), None) => self.fire(at, set),
            }
            if self.events > MAX_EVENTS {
                return self.stop(&tasks, node, DrainEnd::Unknown(self.now));
            }
        }
    }

    /// Returns the pods of a node at its turn, in list order.
    fn tasks(&self, node: &Arc<str>) -> Vec<Task> {
        let drainees = self.drainees.iter().enumerate();
        let tasks = drainees.flat_map(|(set, drainee)| {
            let snapshot = drainee.world.snapshot();
            let owner = Arc::clone(&snapshot.set.meta.uid);
            let pods = snapshot.pods.values().filter(move |pod| {
                let controller = pod.meta.controller();
                let is_own = controller.is_some_and(|controller| controller.uid == owner);
                is_own && pod.node.as_ref() == Some(node)
            });
            pods.map(move |pod| Task {
                set,
                pod: Arc::clone(&pod.meta.name),
                uid: Arc::clone(&pod.meta.uid),
                next: self.now,
                refused: 0,
                state: State::Pending(None),
            })
        });
        tasks.collect()
    }

    fn is_there(&self, task: &Task) -> bool {
        let pods = &self.drainees[task.set].world.snapshot().pods;
        pods.get(&task.pod)
            .is_some_and(|pod| pod.meta.uid == task.uid)
    }

    fn try_task(&mut self, task: &mut Task, node: &Arc<str>) {
        let worlds: Vec<&World> = self.drainees.iter().map(|drainee| &drainee.world).collect();
        let snapshot = self.drainees[task.set].world.snapshot();
        // NotFound: the pod was deleted in the meantime.
        let Some(pod) = snapshot.pods.get(&task.pod) else {
            return;
        };
        let namespace = &snapshot.set.meta.namespace;
        // The request names a pod, so it evicts a replacement of the same name as well.
        let answer = evict(
            pod,
            namespace,
            self.work.budgets,
            &worlds,
            self.work.version,
        );
        match answer {
            Eviction::Deletes => {
                let drainee = &mut self.drainees[task.set];
                drainee.world.advance(self.now);
                let action = Action::EvictPod(Arc::clone(&task.pod));
                if drainee.world.perform(&action, drainee.behaviour).is_ok() {
                    settle(&mut drainee.world, drainee.behaviour);
                    self.age += 1;
                    self.catch_up();
                    self.drained.evictions.push(DrainStep {
                        at: self.now,
                        set: task.set,
                        pod: Arc::clone(&task.pod),
                        node: Arc::clone(node),
                        refused: task.refused,
                    });
                }
                task.state = State::Terminating;
            }
            Eviction::Refused { budget, count } => {
                task.refused += 1;
                task.next = self.now.checked_add(RETRY).unwrap_or(self.now);
                let why = WaitsFor::Budget(budget, count);
                task.state = State::Pending(Some((self.age, why)));
            }
            Eviction::SeveralBudgets(names) => task.state = State::Failed(names),
        }
    }

    /// Handles all due events. An eviction comes after the events of the same time.
    fn catch_up(&mut self) {
        while let Some((at, set)) = self.next_event()
            && at <= self.now
            && self.events <= MAX_EVENTS
        {
            self.fire(at, set);
        }
    }

    /// Returns the time of the first event of all worlds, and the index of its world.
    fn next_event(&self) -> Option<(Timestamp, usize)> {
        let drainees = self.drainees.iter().enumerate();
        let events =
            drainees.filter_map(|(set, drainee)| Some((drainee.world.next_moment()?, set)));
        events.min()
    }

    fn fire(&mut self, at: Timestamp, set: usize) {
        self.now = self.now.max(at);
        self.age += 1;
        self.events += 1;
        let drainee = &mut self.drainees[set];
        drainee.world.proceed(drainee.behaviour);
        settle(&mut drainee.world, drainee.behaviour);
    }

    /// Records the remaining pods and the outcome. Returns false.
    fn stop(&mut self, tasks: &[Task], node: &Arc<str>, end: DrainEnd) -> bool {
        self.drained.end = end;
        self.drained.stranded = tasks
            .iter()
            .map(|task| Stranded {
                set: task.set,
                pod: Arc::clone(&task.pod),
                node: Arc::clone(node),
                waits_for: match &task.state {
                    State::Pending(Some((_, why))) => why.clone(),
                    State::Failed(names) => WaitsFor::SeveralBudgets(names.clone()),
                    State::Pending(None) | State::Terminating => WaitsFor::Termination,
                },
            })
            .collect();
        false
    }
}

/// Returns the first retry, at intervals of five seconds, that is not before `moment`.
fn first_try_from(next: Timestamp, moment: Timestamp) -> Timestamp {
    let late = moment.duration_since(next).as_secs();
    if moment <= next {
        return next;
    }
    let steps = late.div_euclid(RETRY.as_secs()).saturating_add(1);
    let whole = SignedDuration::from_secs(steps.saturating_mul(RETRY.as_secs()));
    let at = next.checked_add(whole).unwrap_or(moment);
    // A retry at that exact time is early enough.
    match at.checked_sub(RETRY) {
        Ok(before) if before >= moment => before,
        _ => at,
    }
}
