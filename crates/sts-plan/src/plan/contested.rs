//! Replicas that an autoscaler and another manager set in turn.

use std::collections::BTreeMap;
use std::fmt;

use jiff::SignedDuration;

use super::Plan;
use super::deploying_tool::{deploying_tool, reverting_tool};
use crate::catalogue::events_of_set;
use crate::duration::age;
use crate::words::list;
use sts_controller::object::{Event, Meta};

/// The number of times from which on a pod that is created and deleted again is no chance.
const OFTEN: i64 = 3;
/// Maximum time since the last report for which the contest goes on.
const RECENT: SignedDuration = SignedDuration::from_hours(1);
/// Maximum number of pods to name.
const NAMED: usize = 3;

/// An autoscaler and another manager that set `spec.replicas` in turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Contest {
    /// The autoscaler: `HorizontalPodAutoscaler web`.
    pub(crate) autoscaler: String,
    /// Its bounds.
    pub(crate) bounds: String,
    /// The other manager: `Argo CD`.
    pub(crate) manager: String,
    /// The pods that are created and deleted again; empty if only the autoscaler reports its changes.
    pods: Vec<String>,
    times: i64,
    lasts: Option<SignedDuration>,
}

impl fmt::Display for Contest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pods, times) = (list(&self.pods, NAMED), self.times);
        match self.pods.is_empty() {
            true => write!(out, "rescaled to the same size {times} times")?,
            false => write!(out, "{pods} created and deleted {times} times")?,
        }
        match self.lasts {
            Some(lasts) => write!(out, " in {}", age(lasts)),
            None => Ok(()),
        }
    }
}

impl Plan {
    /// Returns who sets the replicas in turn, if an autoscaler scales the set, and pods were created and deleted again and
    /// again, either because the stored number is out of its bounds, or because a tool reverts it.
    pub(crate) fn contest(&self) -> Option<Contest> {
        let set = &self.snapshot.set;
        let meta = &set.meta;
        let mut autoscalers = self.related.autoscalers(&meta.namespace);
        let scaler = autoscalers.find(|scaler| scaler.scales(&meta.name))?;
        let (min, max) = (scaler.min_replicas, scaler.max_replicas);
        let reverting = reverting_tool(self);
        let is_within = (min..=max).contains(&set.replicas);
        // An autoscaler leaves a set without replicas alone.
        if set.replicas == 0 || (is_within && reverting.is_none()) {
            return None;
        }
        let mut of_pods: BTreeMap<&str, [i64; 2]> = BTreeMap::new();
        let mut reported = Vec::new();
        for event in events_of_set(set, &self.related) {
            let at = match &*event.reason {
                "SuccessfulCreate" => 0,
                "SuccessfulDelete" => 1,
                _ => continue,
            };
            // `delete Pod web-4 in StatefulSet web successful`
            if let Some(pod) = event.message.split_whitespace().nth(2) {
                of_pods.entry(pod).or_default()[at] += event.count;
                reported.extend(event.first.into_iter().chain(event.last));
            }
        }
        of_pods.retain(|_, [created, deleted]| *created.min(deleted) >= OFTEN);
        let of_pods_times = of_pods.values();
        let of_pods_times = of_pods_times.map(|[created, deleted]| *created.min(deleted));
        let times = match of_pods_times.max() {
            Some(times) => times,
            None => {
                let rescaled = self.rescaled(&scaler.meta)?;
                reported = rescaled.first.into_iter().chain(rescaled.last).collect();
                rescaled.count
            }
        };
        let last = reported.iter().max()?;
        if self.conditions.now.duration_since(*last) > RECENT {
            return None;
        }
        let lasts = reported
            .iter()
            .min()
            .map(|first| last.duration_since(*first));
        let tool = || deploying_tool(self).map(|(tool, _)| tool);
        let manager = reverting.or_else(tool);
        Some(Contest {
            autoscaler: format!("HorizontalPodAutoscaler {}", scaler.meta.name),
            bounds: format!("{min} to {max}"),
            manager: manager.unwrap_or_else(|| "another manager".to_owned()),
            pods: of_pods.keys().map(ToString::to_string).collect(),
            times,
            lasts,
        })
    }

    /// Returns the event that an autoscaler has set one size again and again: somebody else sets another one in between.
    fn rescaled(&self, autoscaler: &Meta) -> Option<&Event> {
        let (namespace, name) = (&autoscaler.namespace, &autoscaler.name);
        let events = self
            .related
            .events(namespace, "HorizontalPodAutoscaler", name);
        let mut rescales = events.iter().filter(|event| {
            &*event.reason == "SuccessfulRescale"
                && event.count >= OFTEN
                && event.is_about(&autoscaler.uid)
        });
        rescales.next_back().map(|event| &**event)
    }
}
