//! The very next sync, request by request.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{ReportStatus, name};
use crate::explain::{self, Headline, HeadlineTopic};
use crate::plan::Plan;
use sts_controller::controller::{
    Event, EventReason, EventType, Hold, HoldReason, Refusal, RefusalReason, Resource, Verb, Write,
};

/// One sync in full.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NextSync {
    /// One sentence on what happens next, or on why nothing does.
    pub summary: String,
    /// The subject of that sentence.
    #[serde(skip)]
    pub topic: HeadlineTopic,
    /// True if the writes run concurrently in reality; absent when they do not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub concurrent: bool,
    /// The requests, in order.
    pub writes: Vec<NextWrite>,
    /// The events on the set, in order.
    pub events: Vec<ReportEvent>,
    /// The holds of the sync: points at which it stops or skips, with the reasons.
    pub holds: Vec<ReportHold>,
    /// The error that it ends in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// After how many seconds the controller wants to look again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requeue_after_seconds: Option<i64>,
    /// True if nothing makes the controller sync; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untriggered: bool,
    /// The set's status after it.
    #[cfg_attr(test, schemars(with = "Value"))]
    pub status: ReportStatus,
}

/// One request in full.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NextWrite {
    /// `create`, `update`, `patch` or `delete`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String", extend("enum" = ["create", "update", "patch", "delete"])))]
    pub verb: Verb,
    /// `pods`, `persistentvolumeclaims`, `controllerrevisions` or `statefulsets/status`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub resource: Resource,
    /// The object's name.
    pub name: String,
    /// The whole object that a create or update sends.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<Value>"))]
    pub object: Option<SentObject>,
    /// The body that a patch sends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<Value>,
    /// The reason that the API server refuses it, where it does.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "name::optional"
    )]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub error: Option<RefusalReason>,
}

/// The object of a request.
#[derive(Debug, Clone)]
pub enum SentObject {
    /// That of a write. Its JSON is made when it is written: that takes many times the memory of what it is made of.
    Planned(Box<Write>),
    /// That of a plan that was read.
    Read(Value),
}

impl Serialize for SentObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            SentObject::Planned(write) => write.object().serialize(serializer),
            SentObject::Read(object) => object.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SentObject {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        Value::deserialize(input).map(SentObject::Read)
    }
}

/// An event that the controller records.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportEvent {
    /// `Normal` or `Warning`.
    #[serde(rename = "type", with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub kind: EventType,
    /// Such as `SuccessfulCreate`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub reason: EventReason,
    /// The message, word for word.
    pub message: String,
}

/// A hold of a sync: a point at which it stops or skips, with the reason.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportHold {
    /// One of the contract's reasons.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub reason: HoldReason,
    /// The pod that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// One sentence.
    pub message: String,
    /// True if the headline tells it; absent when it does not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_headline: bool,
    /// Evidence from the objects, a fact each; absent when there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// True if it ends by itself; absent when the plan has no end to tell by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends_by_itself: Option<bool>,
}

pub(super) fn next_sync(
    plan: &Plan,
    headline: Headline,
    concurrent: bool,
    next_write: fn(&Write) -> NextWrite,
) -> NextSync {
    let sync = &plan.next;
    let lasting = plan.lasting();
    let begun = &plan.snapshot;
    NextSync {
        summary: headline.text,
        topic: headline.topic,
        concurrent: concurrent && sync.writes.len() > 1,
        writes: sync.writes.iter().map(next_write).collect(),
        events: sync.events.iter().map(report_event).collect(),
        holds: sync
            .holds
            .iter()
            .enumerate()
            .map(|(at, hold)| ReportHold {
                in_headline: headline.hold == Some(at),
                evidence: match hold.is_intended() {
                    true => Vec::new(),
                    false => explain::evidence(hold, begun, &plan.related, plan.conditions.now),
                },
                ends_by_itself: lasting
                    .as_ref()
                    .map(|lasting| !lasting.contains(&hold.key())),
                ..report_hold(plan, hold, plan.conditions.now)
            })
            .collect(),
        error: sync.error.as_ref().map(ToString::to_string),
        requeue_after_seconds: sync.requeue_after,
        untriggered: plan.next_sync_is_untriggered(),
        status: ReportStatus::new(&sync.status, &plan.conditions.behaviour),
    }
}

pub(super) fn next_write(write: &Write) -> NextWrite {
    NextWrite {
        object: write
            .sends_object()
            .then(|| SentObject::Planned(Box::new(write.clone()))),
        ..bare_write(write)
    }
}

/// A request without its object.
pub(super) fn bare_write(write: &Write) -> NextWrite {
    NextWrite {
        verb: write.verb,
        resource: write.resource,
        name: write.name.to_string(),
        object: None,
        patch: write.patch(),
        error: write.refused.as_ref().map(Refusal::reason),
    }
}

fn report_event(event: &Event) -> ReportEvent {
    ReportEvent {
        kind: event.kind(),
        reason: event.reason,
        message: event.message.clone(),
    }
}

pub(super) fn report_hold(plan: &Plan, hold: &Hold, now: Timestamp) -> ReportHold {
    ReportHold {
        reason: hold.reason(),
        pod: hold.pod().map(|pod| pod.meta.name.to_string()),
        message: explain::hold(hold, &plan.snapshot, now),
        in_headline: false,
        evidence: Vec::new(),
        ends_by_itself: None,
    }
}
