//! Invariants of any world, under any order of events.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use sts_controller::controller::{Resource, Sync, Verb, Write, is_member, ordinal_of, pod_name};
use sts_controller::object::{Phase, Pod, Snapshot};
use sts_controller::simulate::{End, Step, Synced, World, run};
use sts_controller::version::{Behaviour, PassStyle};

use crate::worlds::{SET_UID, Scenario, cases, scenario};

/// More syncs at one time than any of these worlds needs.
const MANY: usize = 300;

/// A sync with its inputs.
struct Moment<'m> {
    behaviour: &'m Behaviour,
    before: &'m Snapshot,
    sync: &'m Sync,
    world: &'m World,
}

/// Runs a world until no event is left, or the choices are used up: each picks one of the events that may happen next.
/// Checks everything after every sync.
fn walk(
    scenario: &Scenario,
    choices: &[u8],
    check: impl Fn(&Moment<'_>) -> Result<(), TestCaseError>,
) -> Result<World, TestCaseError> {
    let behaviour = scenario.behaviour();
    let mut world = scenario.world();
    let mut choices = choices.iter();
    loop {
        for count in 0.. {
            let before = world.snapshot().clone();
            let Synced { sync, changed, .. } = world.sync(&behaviour, true);
            check(&Moment {
                behaviour: &behaviour,
                before: &before,
                sync: &sync,
                world: &world,
            })?;
            if !changed {
                break;
            }
            if count == MANY {
                // With counters of a status that it does not correct, the controller creates a pod on the current revision
                // and deletes it as outdated, again and again.
                let created = sync
                    .writes
                    .iter()
                    .filter(|write| write.verb == Verb::Create);
                let mut created = created.map(|write| &write.name);
                let is_deleted = |pod: &Arc<str>| {
                    sync.writes
                        .iter()
                        .any(|write| write.verb == Verb::Delete && write.name == *pod)
                };
                prop_assert!(
                    created.any(is_deleted),
                    "the controller does not come to rest"
                );
                return Ok(world);
            }
        }
        let enabled: Vec<_> = world.enabled().take(8).collect();
        let (Some(choice), false) = (choices.next(), enabled.is_empty()) else {
            return Ok(world);
        };
        world.apply(&enabled[usize::from(*choice) % enabled.len()]);
    }
}

/// Returns everything in a sync in a comparable form.
pub fn sync_as_json(sync: &Sync) -> Value {
    let write = |write: &Write| {
        json!({
            "verb": write.verb.name(),
            "resource": write.resource.name(),
            "name": &*write.name,
            "object": write.object(),
            "patch": write.patch(),
            "error": write.refused.as_ref().map(ToString::to_string),
        })
    };
    let writes: Vec<Value> = sync.writes.iter().map(write).collect();
    let events: Vec<String> = sync.events.iter().map(ToString::to_string).collect();
    let holds: Vec<String> = sync.holds.iter().map(|hold| format!("{hold:?}")).collect();
    json!({
        "writes": writes,
        "events": events,
        "holds": holds,
        "status": sync.status.to_json(true),
        "error": sync.error.as_ref().map(ToString::to_string),
        "requeueAfter": sync.requeue_after,
    })
}

fn accepted(sync: &Sync) -> impl Iterator<Item = &Write> {
    sync.writes.iter().filter(|write| write.refused.is_none())
}

fn names(sync: &Sync, verb: Verb) -> Vec<&str> {
    accepted(sync)
        .filter(|write| write.resource == Resource::Pods && write.verb == verb)
        .map(|write| &*write.name)
        .collect()
}

impl Moment<'_> {
    /// Returns the set's pods in a slot: one, except for names with leading zeros.
    fn in_slot<'s>(
        &self,
        snapshot: &'s Snapshot,
        ordinal: i64,
    ) -> impl Iterator<Item = &'s Arc<Pod>> {
        let set = Arc::clone(&snapshot.set);
        snapshot.pods.values().filter(move |pod| {
            ordinal_of(&pod.meta.name) == ordinal
                && is_member(&set, &pod.meta.name)
                && pod
                    .meta
                    .controller()
                    .is_none_or(|owner| &*owner.uid == SET_UID)
        })
    }

    fn is_well(&self, pod: &Pod) -> bool {
        let min_ready = self.behaviour.min_ready_seconds(&self.before.set);
        pod.is_running_and_ready()
            && pod.is_available(min_ready, self.world.now())
            && !pod.is_terminating()
    }

    fn is_wanted(&self, name: &str) -> bool {
        self.behaviour
            .ordinals(&self.before.set)
            .contains(&ordinal_of(name))
    }

    /// Checks that pods are created one at a time, from the lowest ordinal.
    fn keeps_order(&self) -> Result<(), TestCaseError> {
        if !self.before.set.is_monotonic() {
            return Ok(());
        }
        let (created, deleted) = (
            names(self.sync, Verb::Create),
            names(self.sync, Verb::Delete),
        );
        prop_assert!(created.len() <= 1, "created {created:?}");
        let ordinals = |names: &[&str]| {
            names
                .iter()
                .map(|name| ordinal_of(name))
                .collect::<Vec<_>>()
        };
        if self.behaviour.max_unavailable.is_none() {
            prop_assert!(deleted.len() <= 1, "deleted {deleted:?}");
            prop_assert!(
                created.is_empty()
                    || deleted.is_empty()
                    || ordinals(&created) == ordinals(&deleted),
                "created {created:?} and deleted {deleted:?}"
            );
        }
        let lower = |name: &&str| self.behaviour.ordinals(&self.before.set).start..ordinal_of(name);
        for ordinal in created.iter().flat_map(lower) {
            prop_assert!(
                self.in_slot(self.before, ordinal)
                    .any(|pod| self.is_well(pod)),
                "created {created:?} though slot {ordinal} is not well"
            );
        }
        Ok(())
    }

    /// Checks that each created pod has the name, labels and claims of its ordinal.
    fn makes_whole_pods(&self) -> Result<(), TestCaseError> {
        let after = self.world.snapshot();
        for name in names(self.sync, Verb::Create) {
            // A pod may be removed within the sync that created it: one without a node is removed at once.
            let Some(pod) = after.pods.get(name) else {
                continue;
            };
            let ordinal = ordinal_of(name);
            prop_assert_eq!(name, &pod_name(&after.set, ordinal));
            prop_assert!(self.is_wanted(name));
            let label = |key: &str| pod.meta.labels.get(key).map(|label| &**label);
            prop_assert_eq!(label("statefulset.kubernetes.io/pod-name"), Some(name));
            prop_assert_eq!(label("controller-revision-hash"), Some(&*pod.revision));
            prop_assert_eq!(label("app"), Some("web"));
            let index = ordinal.to_string();
            let expected = self.behaviour.pod_index_label.then_some(&*index);
            prop_assert_eq!(label("apps.kubernetes.io/pod-index"), expected);
            prop_assert_eq!(&*pod.meta.controller().unwrap().uid, SET_UID);
            for template in after.set.claim_templates.iter() {
                let claim = format!("{}-web-{ordinal}", template.name);
                let volume = pod
                    .volumes
                    .iter()
                    .find(|volume| volume.name == template.name);
                prop_assert_eq!(
                    volume.and_then(|volume| volume.claim.as_deref()),
                    Some(&*claim)
                );
                // An existing claim may have been removed together with an owner in this very sync.
                let there = [self.before, after].map(|world| world.claims.contains_key(&*claim));
                prop_assert!(there.contains(&true), "no {claim}");
            }
            let known = [
                &after.status.current_revision,
                &after.status.update_revision,
            ];
            prop_assert!(
                known.contains(&&pod.revision) || self.sync.error.is_some() || {
                    // A rollout that completes in the sync renames the current revision.
                    after.revisions.contains_key(&pod.revision)
                },
                "made of {}",
                pod.revision
            );
        }
        Ok(())
    }

    /// Checks that no pod below the partition is deleted, except finished ones.
    fn respects_partition(&self) -> Result<(), TestCaseError> {
        let set = &self.before.set;
        let rolling = set.strategy.rolling_update();
        let Some(partition) = rolling.and_then(|rolling| rolling.partition) else {
            return Ok(());
        };
        let start = self.behaviour.ordinals(set).start;
        for name in names(self.sync, Verb::Delete) {
            let finished = self
                .before
                .pods
                .get(name)
                .is_some_and(|pod| matches!(pod.phase, Phase::Failed | Phase::Succeeded));
            prop_assert!(
                finished
                    || !self.is_wanted(name)
                    || ordinal_of(name) - start >= i64::from(partition),
                "{name} is deleted below the partition"
            );
        }
        Ok(())
    }

    /// Checks the counters of a newly computed status against a count. `currentReplicas` is not counted: quirk Q5.
    fn counts_within_bounds(&self) -> Result<(), TestCaseError> {
        let written = accepted(self.sync).any(|write| write.resource == Resource::Status);
        if self.behaviour.pass != PassStyle::Batched || !written {
            return Ok(());
        }
        let status = &self.sync.status;
        prop_assert!(0 <= status.ready_replicas && status.ready_replicas <= status.replicas);
        prop_assert!(0 <= status.updated_replicas && status.updated_replicas <= status.replicas);
        prop_assert!(0 <= status.available_replicas);
        prop_assert!(status.available_replicas <= status.ready_replicas);
        prop_assert!(status.current_replicas <= status.replicas);
        Ok(())
    }

    /// Checks that no write, hold or event names a pod that never existed and is not desired.
    fn names_what_exists(&self) -> Result<(), TestCaseError> {
        let known = |name: &str| {
            self.before.pods.contains_key(name)
                || self.world.snapshot().pods.contains_key(name)
                || (is_member(&self.before.set, name) && self.is_wanted(name))
        };
        for hold in &self.sync.holds {
            if let Some(pod) = hold.pod() {
                prop_assert!(known(&pod.meta.name), "{hold:?}");
            }
        }
        for event in &self.sync.events {
            let text = event.to_string();
            let pod = text
                .split_once(" Pod ")
                .and_then(|(_, rest)| rest.split_whitespace().next());
            prop_assert!(pod.is_none_or(known), "{text}");
        }
        Ok(())
    }

    /// Counts the set's pods that are missing or unhealthy, including condemned ones that still terminate.
    fn unhealthy(&self) -> usize {
        let after = self.world.snapshot();
        let wanted = self.behaviour.ordinals(&after.set);
        let missing = wanted
            .clone()
            .filter(|ordinal| !self.in_slot(after, *ordinal).any(|pod| self.is_well(pod)))
            .count();
        let going = after.pods.values().filter(|pod| {
            is_member(&after.set, &pod.meta.name)
                && !wanted.contains(&ordinal_of(&pod.meta.name))
                && !self.is_well(pod)
        });
        missing + going.count()
    }
}

fn choices(count: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop_oneof![2 => Just(0), 1 => any::<u8>()], 0..count)
}

proptest! {
    #![proptest_config(cases(6))]

    /// The simulation's cache changes nothing. A controller that has just started, and knows only the objects, has the
    /// same result.
    #[test]
    fn a_sync_does_not_depend_on_the_cache(
        scenario in scenario(), entangled in prop::bool::weighted(0.3), choices in choices(40),
    ) {
        let scenario = if entangled { scenario.with_entangled_claims() } else { scenario };
        let behaviour = scenario.behaviour();
        let mut world = scenario.world();
        let mut choices = choices.into_iter();
        let mut refused_status = false;
        'world: loop {
            for count in 0.. {
                if count == MANY {
                    // Only a status that is refused again and again keeps it from settling.
                    prop_assert!(refused_status, "the controller does not come to rest");
                    break 'world;
                }
                let fresh = world.branch().next_sync(&behaviour);
                // A dry sync changes nothing, with any state of the cache.
                if count % 2 == 1 {
                    let ahead = world.next_sync(&behaviour);
                    prop_assert_eq!(sync_as_json(&ahead), sync_as_json(&fresh));
                }
                let Synced { sync, changed, .. } = world.sync(&behaviour, true);
                prop_assert_eq!(sync_as_json(&sync), sync_as_json(&fresh));
                let status = sync.writes.iter().find(|write| write.resource == Resource::Status);
                refused_status = status.is_some_and(|write| write.refused.is_some());
                if !changed {
                    break;
                }
            }
            let enabled: Vec<_> = world.enabled().take(8).collect();
            let Some(choice) = choices.next().filter(|_| !enabled.is_empty()) else {
                break 'world;
            };
            world.apply(&enabled[usize::from(choice) % enabled.len()]);
        }
    }

}

proptest! {
    #![proptest_config(cases(2))]

    /// The controller's own guarantees hold after every sync.
    #[test]
    fn every_sync_keeps_the_controllers_guarantees(scenario in scenario(), choices in choices(40)) {
        walk(&scenario, &choices, |moment| {
            moment.keeps_order()?;
            moment.makes_whole_pods()?;
            moment.respects_partition()?;
            moment.counts_within_bounds()?;
            moment.names_what_exists()
        })?;
    }

    /// A healthy ordered set has at most one unhealthy pod during updates and scale-downs, as long as no pod fails.
    #[test]
    fn an_ordered_rollout_disrupts_one_pod_at_a_time(scenario in scenario(), choices in choices(40)) {
        walk(&scenario.in_good_health(), &choices, |moment| {
            prop_assert!(moment.unhealthy() <= 1, "{} pods are not well", moment.unhealthy());
            Ok(())
        })?;
    }

    /// The printed run is one of the runs that the walks above check.
    #[test]
    fn the_run_applies_the_first_event_of_a_walk(scenario in scenario()) {
        let behaviour = scenario.behaviour();
        let run = run(scenario.world(), &behaviour);
        if run.end == End::Livelock {
            return Ok(());
        }
        let mut world = scenario.world();
        let mut steps: Vec<Step> = Vec::new();
        let mut syncs = 0;
        loop {
            loop {
                syncs += 1;
                let synced = world.sync(&behaviour, true);
                steps.extend(synced.steps);
                if !synced.changed {
                    break;
                }
            }
            let Some(due) = world.first() else { break };
            prop_assert_eq!(world.enabled().next(), Some(due.clone()));
            steps.extend(world.fire(&due));
        }
        prop_assert_eq!(syncs, run.syncs);
        prop_assert_eq!(steps, run.steps);
    }
}
