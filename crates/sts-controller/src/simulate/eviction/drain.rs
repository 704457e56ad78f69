//! `kubectl drain`: cordons all nodes, then drains them one by one. It evicts all pods of a node at once and waits
//! until each is gone. It retries an eviction that a budget refuses every five seconds. After an error it goes on with
//! the next node (since kubectl 1.23). Upstream:
//! `staging/src/k8s.io/kubectl/pkg/cmd/drain/drain.go` and `pkg/drain/drain.go`.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{
    BudgetClosure, Contest, DrainEnd, DrainStep, Drained, Eviction, FirstInLine, GuardedBudget,
    OtherPods, Population, Stranded, WaitsFor, evict,
};
use crate::object::{Pod, Snapshot};
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
    /// The pods whose evictions come first among those of the same time. In a cluster, that is a race.
    pub first: FirstInLine,
    /// Time after the start of a node's drain at which the pods that are left are deleted whatever their budgets, as
    /// providers do in an upgrade; `None` for never.
    pub forced_after: Option<SignedDuration>,
}

/// A pod's place: the set of its world, or its index among the other pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Member {
    Set(usize),
    Other(usize),
}

struct Task {
    member: Member,
    namespace: Arc<str>,
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

/// Drains the nodes. The worlds and the other pods end up in the state at the end of the drain.
pub fn drain(drainees: &mut [Drainee<'_>], others: &mut OtherPods, work: Drain<'_>) -> Drained {
    let mut room = DrainSimulation {
        drainees,
        others,
        work,
        now: work.now,
        age: 0,
        events: 0,
        is_settled: false,
        budgets: work.budgets.to_vec(),
        drained: Drained::of_nothing(work.now),
    };
    if work.first != FirstInLine::BeforeControllers {
        room.settle();
    }
    let mut has_failed = false;
    for node in work.nodes {
        match room.drain_node(node) {
            NodeEnd::Drained => room.drained.nodes.push((Arc::clone(node), room.now)),
            NodeEnd::Failed => has_failed = true,
            NodeEnd::Stopped(end) => {
                room.drained.end = end;
                return room.drained;
            }
        }
    }
    room.drained.end = match has_failed {
        true => DrainEnd::Fails(room.now),
        false => DrainEnd::Done(room.now),
    };
    room.drained
}

/// Outcome of a node's turn.
enum NodeEnd {
    Drained,
    /// With an error; kubectl goes on with the next node.
    Failed,
    /// The whole drain ends there.
    Stopped(DrainEnd),
}

struct DrainSimulation<'r, 'b, 'd> {
    drainees: &'r mut [Drainee<'b>],
    others: &'r mut OtherPods,
    work: Drain<'d>,
    now: Timestamp,
    /// Number of changes so far.
    age: u64,
    events: usize,
    /// True once the controllers have synced.
    is_settled: bool,
    /// The budgets, as far as they are closed now.
    budgets: Vec<GuardedBudget>,
    drained: Drained,
}

impl DrainSimulation<'_, '_, '_> {
    /// Returns the time at which the disruption controller next forgets an eviction, and its budget counts as usual.
    fn next_opening(&self) -> Option<Timestamp> {
        let closed = self
            .budgets
            .iter()
            .filter_map(|guarded| match guarded.closed {
                Some(BudgetClosure::Disrupted(until)) => Some(until),
                _ => None,
            });
        closed.min()
    }

    /// Opens the budgets whose evictions are forgotten by now.
    fn reopen(&mut self) {
        let now = self.now;
        for guarded in &mut self.budgets {
            if matches!(guarded.closed, Some(BudgetClosure::Disrupted(until)) if until <= now) {
                guarded.closed = None;
            }
        }
    }

    /// Lets the controllers sync for the first time.
    fn settle(&mut self) {
        for drainee in self.drainees.iter_mut() {
            settle(&mut drainee.world, drainee.behaviour);
        }
        self.is_settled = true;
        self.age += 1;
    }

    /// Drains a node, as far as that goes.
    fn drain_node(&mut self, node: &Arc<str>) -> NodeEnd {
        let mut tasks = self.tasks(node);
        // The time from which nothing has helped the drain.
        let mut progress = self.now;
        let forced_after = self.work.forced_after;
        let mut deadline = forced_after.and_then(|after| self.now.checked_add(after).ok());
        loop {
            self.catch_up();
            self.reopen();
            if deadline.is_some_and(|deadline| deadline <= self.now) {
                deadline = None;
                self.force(&mut tasks, node);
                progress = self.now;
            }
            let mut granted = Vec::new();
            for task in &mut tasks {
                if matches!(task.state, State::Pending(_)) && task.next <= self.now {
                    self.try_task(task, node, &mut granted);
                }
            }
            if !self.is_settled {
                self.settle();
            }
            let before = tasks.len();
            let mut evicted = 0;
            tasks.retain(|task| {
                let stays = matches!(task.state, State::Failed(_)) || self.is_there(task);
                evicted += usize::from(!stays && matches!(task.state, State::Terminating));
                stays
            });
            self.drained.removed_otherwise += before - tasks.len() - evicted;
            if tasks.len() < before {
                progress = self.now;
            }
            if tasks.is_empty() {
                return NodeEnd::Drained;
            }
            let has_failed = |task: &Task| matches!(task.state, State::Failed(_));
            if tasks.iter().all(has_failed) && deadline.is_none() {
                self.strand(&tasks, node);
                return NodeEnd::Failed;
            }
            let in_time = |at: Timestamp| deadline.is_none_or(|deadline| at <= deadline);
            let event = self.next_event().filter(|(at, _)| in_time(*at));
            let pending = |task: &&Task| matches!(task.state, State::Pending(_));
            let next_try = tasks.iter().filter(pending).map(|task| task.next).min();
            let next_try = next_try.filter(|next| in_time(*next));
            // A refused eviction is refused again until something changes.
            let age = self.age;
            let futile = tasks.iter().filter(pending).all(
                |task| matches!(&task.state, State::Pending(Some((tried, _))) if *tried == age),
            );
            let opening = self.next_opening().filter(|at| in_time(*at));
            if let Some(at) = opening
                && event.is_none_or(|(event, _)| at <= event)
                && (futile || next_try.is_none_or(|next| at <= next))
            {
                for task in &mut tasks {
                    task.next = first_try_from(task.next, at);
                }
                self.now = self.now.max(at);
                self.age += 1;
                continue;
            }
            match (event, next_try) {
                (None, next) if deadline.is_some() && (futile || next.is_none()) => {
                    self.now = self.now.max(deadline.unwrap_or(self.now));
                }
                (None, _) if futile => return self.hang(&tasks, node, progress),
                (None, None) => return self.hang(&tasks, node, progress),
                (Some((at, source)), _) if futile => {
                    for task in &mut tasks {
                        task.next = first_try_from(task.next, at);
                    }
                    self.fire(at, source);
                }
                (Some((at, source)), next) if next.is_none_or(|next| at <= next) => {
                    self.fire(at, source);
                }
                (_, Some(next)) => self.now = self.now.max(next),
                (Some((at, source)), None) => self.fire(at, source),
            }
            if self.events > MAX_EVENTS {
                self.strand(&tasks, node);
                return NodeEnd::Stopped(DrainEnd::Unknown(progress));
            }
        }
    }

    /// Returns the pods of a node at its turn: those of the sets and the others, each in list order.
    fn tasks(&self, node: &Arc<str>) -> Vec<Task> {
        let task = |member, pod: &Arc<Pod>, namespace: &Arc<str>| Task {
            member,
            namespace: Arc::clone(namespace),
            pod: Arc::clone(&pod.meta.name),
            uid: Arc::clone(&pod.meta.uid),
            next: self.now,
            refused: 0,
            state: State::Pending(None),
        };
        let others = self.others.present().filter(|(_, other)| {
            other.pod.node.as_ref() == Some(node) && !other.owner.is_ignored()
        });
        let mut others: Vec<Task> = others
            .map(|(at, other)| task(Member::Other(at), &other.pod, &other.pod.meta.namespace))
            .collect();
        let mut tasks = self.tasks_of_sets(node, task);
        match self.work.first {
            FirstInLine::Sets | FirstInLine::BeforeControllers => {
                tasks.append(&mut others);
                tasks
            }
            FirstInLine::Others => {
                others.append(&mut tasks);
                others
            }
        }
    }

    fn tasks_of_sets(
        &self,
        node: &Arc<str>,
        task: impl Fn(Member, &Arc<Pod>, &Arc<str>) -> Task,
    ) -> Vec<Task> {
        let drainees = self.drainees.iter().enumerate();
        let tasks = drainees.flat_map(|(set, drainee)| {
            let snapshot = drainee.world.snapshot();
            let owner = Arc::clone(&snapshot.set.meta.uid);
            let pods = snapshot.pods.values().filter(move |pod| {
                let controller = pod.meta.controller();
                let is_own = controller.is_some_and(|controller| controller.uid == owner);
                is_own && pod.node.as_ref() == Some(node)
            });
            let namespace = &snapshot.set.meta.namespace;
            let task = &task;
            pods.map(move |pod| task(Member::Set(set), pod, namespace))
        });
        tasks.collect()
    }

    fn is_there(&self, task: &Task) -> bool {
        self.pod(task).is_some_and(|pod| pod.meta.uid == task.uid)
    }

    /// Returns the pod that a request for a task names.
    fn pod(&self, task: &Task) -> Option<&Arc<Pod>> {
        match task.member {
            Member::Set(set) => self.drainees[set].world.snapshot().pods.get(&task.pod),
            Member::Other(at) => self.others.get(at).map(|other| &other.pod),
        }
    }

    /// Tries an eviction. `granted` has the budgets that allowed one at this time, each with the pod.
    fn try_task(
        &mut self,
        task: &mut Task,
        node: &Arc<str>,
        granted: &mut Vec<(Arc<str>, Arc<str>)>,
    ) {
        // NotFound: the pod was deleted in the meantime.
        let Some(pod) = self.pod(task) else {
            return;
        };
        let drainees = self.drainees.iter();
        let sets: Vec<&Snapshot> = drainees.map(|drainee| drainee.world.snapshot()).collect();
        let population = Population {
            sets: &sets,
            others: self.others,
        };
        // The request names a pod, so it evicts a replacement of the same name as well.
        let answer = evict(
            pod,
            &task.namespace,
            &self.budgets,
            population,
            self.work.version,
        );
        let mut covering = self.work.budgets.iter().filter(|guarded| {
            guarded.budget.meta.namespace == task.namespace
                && guarded.budget.covers(&pod.meta.labels)
        });
        let covering = covering
            .next()
            .map(|guarded| Arc::clone(&guarded.budget.meta.name));
        let wait = |task: &mut Task, age: u64, now: Timestamp, why: WaitsFor| {
            task.refused += 1;
            task.next = now.checked_add(RETRY).unwrap_or(now);
            task.state = State::Pending(Some((age, why)));
        };
        match answer {
            Eviction::Deletes => {
                if self.remove(task, node, false) {
                    granted.extend(covering.map(|budget| (budget, Arc::clone(&task.pod))));
                }
                task.state = State::Terminating;
            }
            Eviction::Refused { budget, count } => {
                if let Some((_, first)) = granted.iter().find(|(name, _)| *name == budget) {
                    self.note_contest(&budget, first, &task.pod);
                }
                wait(task, self.age, self.now, WaitsFor::Budget(budget, count));
            }
            Eviction::Closed { budget, why } => {
                let why = WaitsFor::ClosedBudget(budget, why);
                wait(task, self.age, self.now, why);
            }
            Eviction::SeveralBudgets(names) => task.state = State::Failed(names),
        }
    }

    /// Deletes the pods that no eviction has removed.
    fn force(&mut self, tasks: &mut [Task], node: &Arc<str>) {
        for task in tasks.iter_mut() {
            if matches!(task.state, State::Terminating) || self.pod(task).is_none() {
                continue;
            }
            self.remove(task, node, true);
            task.state = State::Terminating;
        }
    }

    /// Deletes a pod whose eviction is granted or forced, and notes it. Returns whether the pod was there.
    fn remove(&mut self, task: &Task, node: &Arc<str>, forced: bool) -> bool {
        let was_there = self.delete(task);
        if was_there {
            self.drained.evictions.push(DrainStep {
                at: self.now,
                set: task.set(),
                namespace: Arc::clone(&task.namespace),
                pod: Arc::clone(&task.pod),
                node: Arc::clone(node),
                refused: task.refused,
                forced,
            });
        }
        was_there
    }

    fn delete(&mut self, task: &Task) -> bool {
        match task.member {
            Member::Set(set) => {
                let drainee = &mut self.drainees[set];
                drainee.world.advance(self.now);
                let action = Action::EvictPod(Arc::clone(&task.pod));
                if drainee.world.perform(&action, drainee.behaviour).is_err() {
                    return false;
                }
                settle(&mut drainee.world, drainee.behaviour);
            }
            Member::Other(at) => self.others.evict(at, self.now),
        }
        self.age += 1;
        self.catch_up();
        true
    }

    fn note_contest(&mut self, budget: &Arc<str>, first: &Arc<str>, second: &Arc<str>) {
        let contests = &mut self.drained.contests;
        if contests.iter().all(|contest| contest.budget != *budget) {
            contests.push(Contest {
                budget: Arc::clone(budget),
                first: Arc::clone(first),
                second: Arc::clone(second),
            });
        }
    }

    /// Handles all due events. An eviction comes after the events of the same time.
    fn catch_up(&mut self) {
        while let Some((at, source)) = self.next_event()
            && at <= self.now
            && self.events <= MAX_EVENTS
        {
            self.fire(at, source);
        }
    }

    fn next_event(&self) -> Option<(Timestamp, Option<usize>)> {
        next_event(self.drainees, self.others)
    }

    fn fire(&mut self, at: Timestamp, source: Option<usize>) {
        self.now = self.now.max(at);
        self.age += 1;
        self.events += 1;
        fire(self.drainees, self.others, source);
    }

    fn hang(&mut self, tasks: &[Task], node: &Arc<str>, since: Timestamp) -> NodeEnd {
        self.strand(tasks, node);
        NodeEnd::Stopped(DrainEnd::Hangs(since))
    }

    /// Records the remaining pods of a node.
    fn strand(&mut self, tasks: &[Task], node: &Arc<str>) {
        let stranded = tasks.iter().map(|task| Stranded {
            set: task.set(),
            namespace: Arc::clone(&task.namespace),
            pod: Arc::clone(&task.pod),
            node: Arc::clone(node),
            waits_for: match &task.state {
                State::Pending(Some((_, why))) => why.clone(),
                State::Failed(names) => WaitsFor::SeveralBudgets(names.clone()),
                State::Pending(None) | State::Terminating => WaitsFor::Termination,
            },
        });
        self.drained.stranded.extend(stranded);
    }
}

impl Task {
    /// Returns the index of the pod's set; `None` for a pod of another owner.
    fn set(&self) -> Option<usize> {
        match self.member {
            Member::Set(set) => Some(set),
            Member::Other(_) => None,
        }
    }
}

/// Returns the time of the first event, and its world; `None` for one of the other pods.
fn next_event(drainees: &[Drainee<'_>], others: &OtherPods) -> Option<(Timestamp, Option<usize>)> {
    let drainees = drainees.iter().enumerate();
    let events =
        drainees.filter_map(|(set, drainee)| Some((drainee.world.next_moment()?, Some(set))));
    let of_others = others.next_event().map(|at| (at, None));
    events.chain(of_others).min()
}

/// Applies the first event of a world, or of the other pods.
fn fire(drainees: &mut [Drainee<'_>], others: &mut OtherPods, source: Option<usize>) {
    let Some(set) = source else {
        others.fire();
        return;
    };
    let drainee = &mut drainees[set];
    drainee.world.proceed(drainee.behaviour);
    settle(&mut drainee.world, drainee.behaviour);
}

/// Lets the worlds and the other pods go on between two drains: up to a time, or until nothing is left to happen. Returns
/// the time of the last event, at least `now`; `None` if there is no end of events.
pub fn go_on(
    drainees: &mut [Drainee<'_>],
    others: &mut OtherPods,
    now: Timestamp,
    until: Option<Timestamp>,
) -> Option<Timestamp> {
    let mut last = now;
    for _ in 0..MAX_EVENTS {
        let event = next_event(drainees, others);
        let Some((at, source)) = event.filter(|(at, _)| until.is_none_or(|until| *at <= until))
        else {
            return Some(until.unwrap_or(last));
        };
        last = last.max(at);
        fire(drainees, others, source);
    }
    None
}

/// Changes the nodes on which the pods of each world find a place, at a time; none where `None`.
pub fn change_nodes(drainees: &mut [Drainee<'_>], changes: &[Option<Action>], now: Timestamp) {
    for (drainee, change) in drainees.iter_mut().zip(changes) {
        let Some(change) = change else { continue };
        drainee.world.advance(now);
        // A change of nodes is never refused.
        drop(drainee.world.perform(change, drainee.behaviour));
        settle(&mut drainee.world, drainee.behaviour);
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
