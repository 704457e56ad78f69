//! Drains of any world, checked by a second implementation of the eviction API.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use sts_controller::object::{Phase, Pod, Related, RelatedKind, Snapshot};
use sts_controller::simulate::{
    Action, Assumption, Drain, DrainEnd, DrainStep, Drainee, FirstInLine, GuardedBudget, Kubelet,
    OtherPod, OtherPods, PodOwner, Population, ScheduledAction, Start, WaitsFor, World, drain,
};
use sts_controller::version::Behaviour;

use crate::scenario::{Scenario, behaviour, moment, pod, web};
use crate::worlds::cases;

const NODES: [&str; 3] = ["a", "b", "c"];

/// A PodDisruptionBudget in the form of its manifest.
#[derive(Debug, Clone)]
struct Rule {
    bound: Bound,
    /// `unhealthyPodEvictionPolicy: AlwaysAllow`.
    always: bool,
    /// Ordinals of the selected pods; empty for all.
    ordinals: Vec<usize>,
}

#[derive(Debug, Clone)]
enum Bound {
    Least(i64),
    LeastPercent(i64),
    Most(i64),
    MostPercent(i64),
}

impl Rule {
    fn manifest(&self, name: &str) -> Value {
        let (key, bound) = match self.bound {
            Bound::Least(count) => ("minAvailable", json!(count)),
            Bound::LeastPercent(percent) => ("minAvailable", json!(format!("{percent}%"))),
            Bound::Most(count) => ("maxUnavailable", json!(count)),
            Bound::MostPercent(percent) => ("maxUnavailable", json!(format!("{percent}%"))),
        };
        let names: Vec<String> = self.ordinals.iter().map(|at| format!("web-{at}")).collect();
        let selector = match names.as_slice() {
            [] => json!({"matchLabels": {"app": "web"}}),
            names => json!({"matchExpressions": [
                {"key": "statefulset.kubernetes.io/pod-name", "operator": "In", "values": names}
            ]}),
        };
        let mut spec = json!({key: bound, "selector": selector});
        if self.always {
            spec["unhealthyPodEvictionPolicy"] = "AlwaysAllow".into();
        }
        json!({
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": name, "namespace": "default"},
            "spec": spec,
        })
    }

    fn selects(&self, name: &str) -> bool {
        self.ordinals.is_empty() || self.ordinals.iter().any(|at| name == format!("web-{at}"))
    }

    /// Returns the number of healthy selected pods, and the required number.
    fn healthy_and_needed(&self, worlds: &[World], crowd: &Crowd) -> (i64, i64) {
        let (mut healthy, mut wanted) = (0, 0);
        for world in worlds {
            let snapshot = world.snapshot();
            let selected = || {
                snapshot
                    .pods
                    .values()
                    .filter(|pod| self.selects(&pod.meta.name))
            };
            healthy += selected()
                .map(|pod| i64::from(is_healthy(pod)))
                .sum::<i64>();
            if selected().next().is_some() {
                wanted += i64::from(snapshot.set.replicas);
            }
        }
        // The others have the label of the sets, and no ordinal.
        if self.ordinals.is_empty() {
            healthy += crowd.healthy();
            wanted += crowd.replicas;
        }
        // Percentages refer to the desired replicas of the selected pods' controllers, rounded up.
        let share = |percent: i64| (percent * wanted + 99) / 100;
        let needed = match self.bound {
            Bound::Least(count) => count,
            Bound::LeastPercent(percent) => share(percent),
            Bound::Most(count) => (wanted - count).max(0),
            Bound::MostPercent(percent) => (wanted - share(percent)).max(0),
        };
        (healthy, needed)
    }
}

fn is_healthy(pod: &Pod) -> bool {
    pod.is_ready() && pod.meta.deleted.is_none()
}

/// Returns the reason that a pod must stay, from the rules in the API reference; `None` if it may be evicted.
fn kept_by(
    pod: &Pod,
    rules: &[Rule],
    worlds: &[World],
    crowd: &Crowd,
    minor: u32,
) -> Option<String> {
    let never_served = matches!(pod.phase, Phase::Pending | Phase::Failed | Phase::Succeeded);
    if never_served || pod.meta.deleted.is_some() {
        return None;
    }
    is_kept(&pod.meta.name, is_healthy(pod), rules, worlds, crowd, minor)
}

fn is_kept(
    name: &str,
    is_healthy: bool,
    rules: &[Rule],
    worlds: &[World],
    crowd: &Crowd,
    minor: u32,
) -> Option<String> {
    let rules: Vec<&Rule> = rules.iter().filter(|rule| rule.selects(name)).collect();
    let rule = match rules.as_slice() {
        [] => return None,
        [rule] => rule,
        _ => return Some(format!("several budgets select {name}")),
    };
    let (healthy, needed) = rule.healthy_and_needed(worlds, crowd);
    let left = match is_healthy {
        true => healthy - 1,
        // The policy exists from 1.27 on.
        false if rule.always && minor >= 27 => return None,
        // By default an unhealthy pod may be evicted if the application is not disrupted without it.
        false if healthy >= needed && needed > 0 => return None,
        // Otherwise it counts as a disruption, like a healthy pod.
        false => healthy - 1,
    };
    (left < needed).then(|| {
        format!("{healthy} are healthy without the eviction of {name}, and {needed} have to be")
    })
}

/// A pod of another owner on a node: of a ReplicaSet, or of nobody.
#[derive(Debug, Clone)]
struct Neighbor {
    place: usize,
    is_bare: bool,
    is_ready: bool,
}

impl Neighbor {
    fn pod(&self, name: &str) -> OtherPod {
        let mut object = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "uid": name, "labels": {"app": "web"}},
            "spec": {"nodeName": NODES[self.place], "terminationGracePeriodSeconds": 30, "containers": []},
            "status": {"phase": "Running", "conditions": [
                {"type": "Ready", "status": if self.is_ready { "True" } else { "False" }}]},
        });
        if !self.is_bare {
            object["metadata"]["ownerReferences"] = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet",
                "name": "api", "uid": "api", "controller": true}]);
        }
        let pod = Arc::new(Pod::from_json(object).unwrap());
        let owner = PodOwner::of(&pod);
        OtherPod {
            pod,
            owner,
            returns: !self.is_bare,
        }
    }
}

/// The other pods as the referee sees them.
struct Crowd {
    now: jiff::Timestamp,
    /// Replicas of the ReplicaSet.
    replicas: i64,
    pods: Vec<Seen>,
}

struct Seen {
    name: String,
    node: Option<&'static str>,
    is_bare: bool,
    /// The time from which it is ready; `None` for never.
    ready_from: Option<jiff::Timestamp>,
    is_deleted: bool,
}

impl Crowd {
    fn of(neighbors: &[Neighbor]) -> Self {
        let pods = neighbors.iter().enumerate().map(|(at, neighbor)| Seen {
            name: format!("other-{at}"),
            node: Some(NODES[neighbor.place]),
            is_bare: neighbor.is_bare,
            ready_from: neighbor.is_ready.then(moment),
            is_deleted: false,
        });
        let replicas = neighbors.iter().filter(|neighbor| !neighbor.is_bare);
        Crowd {
            now: moment(),
            replicas: i64::try_from(replicas.count()).unwrap(),
            pods: pods.collect(),
        }
    }

    fn is_healthy(&self, pod: &Seen) -> bool {
        !pod.is_deleted && pod.ready_from.is_some_and(|from| from <= self.now)
    }

    fn healthy(&self) -> i64 {
        let healthy = self.pods.iter().filter(|pod| self.is_healthy(pod));
        i64::try_from(healthy.count()).unwrap()
    }

    /// The pod of that name that is still on a node.
    fn there(&self, name: &str) -> Option<&Seen> {
        let mut pods = self.pods.iter();
        pods.find(|pod| pod.name == name && pod.node.is_some())
    }

    /// Deletes a pod. Its ReplicaSet creates another one, which is ready ten seconds later.
    fn evict(&mut self, name: &str) {
        let now = self.now;
        let pod = self
            .pods
            .iter_mut()
            .find(|pod| pod.name == name && pod.node.is_some())
            .unwrap();
        (pod.is_deleted, pod.node) = (true, None);
        if !pod.is_bare {
            self.pods.push(Seen {
                name: name.to_owned(),
                node: None,
                is_bare: false,
                ready_from: Some(now + jiff::SignedDuration::from_secs(10)),
                is_deleted: false,
            });
        }
    }
}

fn neighbor() -> impl Strategy<Value = Neighbor> {
    (0..3_usize, any::<bool>(), 0..5_u8).prop_map(|(place, is_bare, ready)| Neighbor {
        place,
        is_bare,
        is_ready: ready > 0,
    })
}

/// A set on nodes.
#[derive(Debug, Clone)]
struct Member {
    places: Vec<usize>,
    states: Vec<u8>,
    rolls: bool,
    parallel: bool,
    min_ready: i64,
    /// The pod that does not become ready again.
    broken: Option<usize>,
}

impl Member {
    fn scenario(&self) -> Scenario {
        let replicas = i64::try_from(self.places.len()).unwrap();
        let pods = self.places.iter().zip(&self.states).enumerate();
        let mut scenario = pods.fold(web(replicas), |set, (ordinal, (place, state))| {
            let sketch = pod(&format!("web-{ordinal}")).on_node(NODES[*place]);
            set.pod(match state {
                0 => sketch.crash_looping(),
                1 => sketch.not_ready(),
                2 => sketch.pending(),
                3 => sketch.terminating(),
                _ => sketch,
            })
        });
        if self.rolls {
            scenario = scenario.rolling_to_v2();
        }
        if self.parallel {
            scenario = scenario.parallel();
        }
        scenario.min_ready(self.min_ready)
    }

    fn world(&self, behaviour: &Behaviour) -> World {
        let never = Assumption {
            start: Start::NeverReady,
            ..Assumption::default()
        };
        let broken = self.broken.iter();
        let assumptions: BTreeMap<String, Assumption> = broken
            .map(|at| (format!("web-{at}"), never.clone()))
            .collect();
        let kubelet = Kubelet {
            assumptions,
            ..Kubelet::default()
        };
        World::new(self.scenario().snapshot(behaviour), moment(), kubelet)
    }
}

fn rule() -> impl Strategy<Value = Rule> {
    let percent = || (0..=20_i64).prop_map(|part| part * 5);
    let bound = prop_oneof![
        (0..5_i64).prop_map(Bound::Least),
        percent().prop_map(Bound::LeastPercent),
        (0..4_i64).prop_map(Bound::Most),
        percent().prop_map(Bound::MostPercent),
    ];
    let ordinals = prop_oneof![
        3 => Just(Vec::new()),
        1 => prop::collection::vec(0..5_usize, 1..4),
    ];
    (bound, any::<bool>(), ordinals).prop_map(|(bound, always, ordinals)| Rule {
        bound,
        always,
        ordinals,
    })
}

fn member() -> impl Strategy<Value = Member> {
    let pods = prop::collection::vec((0..3_usize, 0..14_u8), 1..6);
    let min_ready = prop_oneof![3 => Just(0_i64), 1 => 1..20_i64];
    let broken = prop_oneof![4 => Just(None), 1 => (0..4_usize).prop_map(Some)];
    (pods, any::<bool>(), any::<bool>(), min_ready, broken).prop_map(
        |(pods, rolls, parallel, min_ready, broken)| {
            let (places, states) = pods.into_iter().unzip();
            Member {
                places,
                states,
                rolls,
                parallel,
                min_ready,
                broken,
            }
        },
    )
}

/// The same worlds, in which the evictions of a drain are repeated one by one.
struct Referee {
    worlds: Vec<World>,
    behaviour: Behaviour,
}

impl Referee {
    /// Runs until a time, inclusive.
    fn wait_until(&mut self, moment: Option<jiff::Timestamp>) {
        for world in &mut self.worlds {
            // More events than any of these worlds has.
            for _ in 0..2_000 {
                while world.sync(&self.behaviour, false).changed {}
                match world.first() {
                    Some(due) if moment.is_none_or(|moment| due.at <= moment) => {
                        world.fire(&due);
                    }
                    _ => break,
                }
            }
        }
    }

    fn evict(&mut self, step: &DrainStep) {
        let world = &mut self.worlds[step.set.unwrap()];
        let action = Action::EvictPod(Arc::clone(&step.pod));
        let at = step.at;
        *world = world.branch().with_agenda([ScheduledAction { at, action }]);
        world.proceed(&self.behaviour);
    }
}

proptest! {
    #![proptest_config(cases(4))]

    /// The eviction API grants every eviction at its time, and a budget really protects the pods that remain at the
    /// end.
    #[test]
    fn no_drain_violates_a_budget(
        members in prop::collection::vec(member(), 1..3),
        rules in prop_oneof![5 => prop::collection::vec(rule(), 1..2), 1 => prop::collection::vec(rule(), 2..3)],
        nodes in Just(NODES.to_vec()).prop_shuffle(),
        drained in 1..4_usize,
        neighbors in prop_oneof![1 => Just(Vec::new()), 2 => prop::collection::vec(neighbor(), 1..4)],
        others_first in any::<bool>(),
        minor in prop_oneof![Just(25_u32), Just(26), Just(27), Just(36)],
    ) {
        let behaviour = behaviour(&format!("1.{minor}"));
        let mut drainees: Vec<Drainee<'_>> = members
            .iter()
            .map(|member| Drainee { world: member.world(&behaviour), behaviour: &behaviour })
            .collect();
        let pods = neighbors.iter().enumerate().map(|(at, neighbor)| neighbor.pod(&format!("other-{at}")));
        let usual = Kubelet::default();
        let mut others = OtherPods::new(pods.collect(), moment(), usual.ready_after, usual.gone_after);
        let read: Vec<&Snapshot> = drainees.iter().map(|drainee| drainee.world.snapshot()).collect();
        let read = Population { sets: &read, others: &others };
        let budgets: Vec<GuardedBudget> = rules
            .iter()
            .enumerate()
            .map(|(at, rule)| match RelatedKind::Budget.read(&rule.manifest(&format!("guard-{at}"))).unwrap() {
                Related::Budget(budget) => GuardedBudget::new(Arc::new(budget), read),
                other => panic!("{other:?}"),
            })
            .collect();
        let nodes: Vec<Arc<str>> = nodes[..drained].iter().map(|node| Arc::from(*node)).collect();
        let work = Drain { nodes: &nodes, budgets: &budgets, version: behaviour.version, now: moment(),
            first: if others_first { FirstInLine::Others } else { FirstInLine::Sets }, forced_after: None };
        let found = drain(&mut drainees, &mut others, work);

        let worlds = members.iter().map(|member| member.world(&behaviour)).collect();
        let mut referee = Referee { worlds, behaviour: behaviour.clone() };
        let mut crowd = Crowd::of(&neighbors);
        for step in &found.evictions {
            referee.wait_until(Some(step.at));
            crowd.now = step.at;
            prop_assert!(!step.forced);
            if step.set.is_none() {
                let pod = crowd.there(&step.pod);
                let pod = pod.unwrap_or_else(|| panic!("{step:?} is of a pod that is not there"));
                let kept = is_kept("other", crowd.is_healthy(pod), &rules, &referee.worlds, &crowd, minor);
                prop_assert!(kept.is_none(), "{step:?}: {}", kept.unwrap());
                crowd.evict(&step.pod);
                continue;
            }
            let pod = referee.worlds[step.set.unwrap()].snapshot().pods.get(&step.pod);
            let pod = pod.unwrap_or_else(|| panic!("{step:?} is of a pod that is not there"));
            let kept = kept_by(pod, &rules, &referee.worlds, &crowd, minor);
            prop_assert!(kept.is_none(), "{step:?}: {}", kept.unwrap());
            referee.evict(step);
        }
        let end = match found.end {
            DrainEnd::Done(at) | DrainEnd::Fails(at) => Some(at),
            DrainEnd::Hangs(_) => None,
            DrainEnd::Unknown(_) => return Ok(()),
        };
        referee.wait_until(end);
        // A drain that hangs has waited for all events.
        crowd.now = end.unwrap_or(crowd.now + jiff::SignedDuration::from_hours(1));
        for one in &found.stranded {
            if one.set.is_none() {
                let pod = crowd.there(&one.pod);
                let pod = pod.unwrap_or_else(|| panic!("{one:?} was evicted"));
                match one.waits_for {
                    WaitsFor::Budget(..) => {
                        let kept = is_kept("other", crowd.is_healthy(pod), &rules, &referee.worlds, &crowd, minor);
                        prop_assert!(kept.is_some(), "nothing keeps {one:?}");
                    }
                    WaitsFor::SeveralBudgets(_) => {
                        let budgets = rules.iter().filter(|rule| rule.ordinals.is_empty()).count();
                        prop_assert!(budgets > 1, "{budgets} budgets select {one:?}");
                    }
                    _ => prop_assert!(false, "{one:?}"),
                }
                continue;
            }
            let pod = || &referee.worlds[one.set.unwrap()].snapshot().pods[&one.pod];
            match one.waits_for {
                WaitsFor::Budget(..) => {
                    let kept = kept_by(pod(), &rules, &referee.worlds, &crowd, minor);
                    prop_assert!(kept.is_some(), "nothing keeps {one:?}");
                }
                // The API refused the pod when its turn came. Until the drain fails, the rollout may have deleted it.
                WaitsFor::SeveralBudgets(_) => {
                    let budgets = rules.iter().filter(|rule| rule.selects(&one.pod)).count();
                    prop_assert!(budgets > 1, "{budgets} budgets select {one:?}");
                }
                WaitsFor::ClosedBudget(..) => prop_assert!(false, "no budget has a status: {one:?}"),
                WaitsFor::Termination => prop_assert!(pod().meta.deleted.is_some(), "{one:?}"),
            }
        }
        if let DrainEnd::Done(_) = found.end {
            for pod in referee.worlds.iter().flat_map(|world| world.snapshot().pods.values()) {
                let is_left = pod.node.as_ref().is_some_and(|node| nodes.contains(node));
                prop_assert!(!is_left, "{} is on {:?} after the drain", pod.meta.name, pod.node);
            }
            for pod in &crowd.pods {
                let is_left = pod.node.is_some_and(|node| nodes.iter().any(|it| **it == *node));
                prop_assert!(!is_left, "{} is on {:?} after the drain", pod.name, pod.node);
            }
        }
    }
}
