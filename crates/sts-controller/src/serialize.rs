//! Serialization of names, and of a simulation's steps, holds and ends as in reports.

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::controller::{Hold, Refusal};
use crate::simulate::{Progression, Step, StepAction, StepWrite};

/// Serializes types as they are displayed and parsed.
#[doc(hidden)]
#[macro_export]
macro_rules! serde_by_text {
    ($($named:ty),+ $(,)?) => {$(
        impl serde::Serialize for $named {
            fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                out.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $named {
            fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                let name = String::deserialize(input)?;
                name.parse().map_err(serde::de::Error::custom)
            }
        }
    )+};
}

impl Serialize for Refusal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("reason", &self.reason())?;
        map.serialize_entry("message", &self.to_string())?;
        map.end()
    }
}

impl Serialize for StepWrite {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("verb", &self.verb)?;
        map.serialize_entry("resource", &self.resource)?;
        map.serialize_entry("name", &*self.name)?;
        if let Some(revision) = &self.revision {
            map.serialize_entry("revision", &**revision)?;
        }
        if let Some(reason) = &self.reason {
            map.serialize_entry("reason", reason)?;
        }
        if let Some(refusal) = &self.refused {
            map.serialize_entry("refused", refusal)?;
        }
        map.end()
    }
}

/// A controller step has its writes; any other step has an event and the name of its object.
impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("at", &self.at.to_string())?;
        map.serialize_entry("actor", &self.action.actor())?;
        match &self.action {
            StepAction::Controller(writes) => map.serialize_entry("writes", writes)?,
            StepAction::Pod(event, name) => {
                map.serialize_entry("event", event)?;
                map.serialize_entry("name", &**name)?;
            }
            StepAction::ClaimRemoved(name) => {
                map.serialize_entry("event", "ClaimRemoved")?;
                map.serialize_entry("name", &**name)?;
            }
            StepAction::Object(_, event, name) => {
                map.serialize_entry("event", event)?;
                map.serialize_entry("name", &**name)?;
            }
        }
        map.end()
    }
}

/// The reason, the pod's name, and the details of the reason.
impl Serialize for Hold {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("reason", &self.reason())?;
        if let Some(pod) = self.pod() {
            map.serialize_entry("pod", &*pod.meta.name)?;
        }
        match self {
            Hold::StaleClaim { claim, owner, .. } => {
                map.serialize_entry("claim", &**claim)?;
                map.serialize_entry("owner", &*owner.uid)?;
            }
            Hold::ClaimBeingDeleted { claim, .. } => map.serialize_entry("claim", &**claim)?,
            Hold::PodUpdateRefused { error, .. } => map.serialize_entry("error", error)?,
            Hold::ScaleDownWaitingForReady {
                first_unhealthy: Some(first),
                ..
            } => map.serialize_entry("firstUnhealthy", &**first)?,
            Hold::ScaleDownWaitingForAvailable {
                at,
                first_unhealthy,
                ..
            } => {
                if let Some(at) = at {
                    map.serialize_entry("at", &at.to_string())?;
                }
                if let Some(first) = first_unhealthy {
                    map.serialize_entry("firstUnhealthy", &**first)?;
                }
            }
            Hold::WaitingForPodAvailable { at: Some(at), .. }
            | Hold::UpdateWaitingForPod { at: Some(at), .. } => {
                map.serialize_entry("at", &at.to_string())?;
            }
            Hold::UnavailableBudgetSpent {
                unavailable,
                max_unavailable,
                ..
            } => {
                map.serialize_entry("unavailable", unavailable)?;
                map.serialize_entry("maxUnavailable", max_unavailable)?;
            }
            Hold::HeldByPartition { partition, .. } => {
                map.serialize_entry("partition", partition)?;
            }
            Hold::SetBeingDeleted
            | Hold::PodFailed { .. }
            | Hold::NameTaken { .. }
            | Hold::WaitingForPodTermination { .. }
            | Hold::WaitingForPodReady { .. }
            | Hold::WaitingForPodAvailable { at: None, .. }
            | Hold::ScaleDownWaitingForTermination { .. }
            | Hold::ScaleDownWaitingForReady {
                first_unhealthy: None,
                ..
            }
            | Hold::RecreateWaitingForTermination { .. }
            | Hold::UpdateWaitingForPod { at: None, .. }
            | Hold::OnDelete { .. } => {}
        }
        map.end()
    }
}

/// The end and the steps; not the world, which consists of API objects.
impl Serialize for Progression {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("end", &self.end)?;
        map.serialize_entry("syncs", &self.syncs)?;
        if let Some(budget) = &self.exhausted {
            map.serialize_entry("exhausted", &budget.to_string())?;
        }
        map.serialize_entry("steps", &self.steps)?;
        map.end()
    }
}
