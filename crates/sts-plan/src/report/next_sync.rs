//! Next sync, request by request.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::ReportStatus;
use crate::analysis::headline::{Brief, Headline, HeadlineTopic};
use crate::explain;
use crate::plan::Plan;
use sts_controller::controller::{
    Event, EventReason, EventType, Hold, HoldReason, Refusal, RefusalReason, Resource, Verb, Write,
};

/// Next sync in full.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NextSync {
    /// Next action, or the reason for inaction, in one sentence.
    pub summary: String,
    /// That sentence in short, if it is long.
    #[serde(skip)]
    pub brief: Option<Brief>,
    /// True if that sentence lacks words of the component, which then need a line of their own.
    #[serde(skip)]
    pub lacks_words: bool,
    /// Subject of that sentence.
    #[serde(skip)]
    pub topic: HeadlineTopic,
    /// True if the real controller sends the writes concurrently; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub concurrent: bool,
    /// Requests, in order.
    pub writes: Vec<NextWrite>,
    /// Events on the set, in order.
    pub events: Vec<ReportEvent>,
    /// Holds: points at which the sync stops or skips a pod, with the reasons.
    pub holds: Vec<ReportHold>,
    /// Error of the sync; absent when it succeeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Seconds until the controller requeues the set; absent when it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requeue_after_seconds: Option<i64>,
    /// True if nothing triggers a sync; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untriggered: bool,
    /// Status of the set after the sync.
    #[cfg_attr(test, schemars(with = "Value"))]
    pub status: ReportStatus,
}

/// Request of a sync in full.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NextWrite {
    /// `create`, `update`, `patch` or `delete`.
    #[cfg_attr(test, schemars(with = "String", extend("enum" = ["create", "update", "patch", "delete"])))]
    pub verb: Verb,
    /// `pods`, `persistentvolumeclaims`, `controllerrevisions` or `statefulsets/status`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub resource: Resource,
    /// Object name.
    pub name: String,
    /// Complete object of a create or update.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<Value>"))]
    pub object: Option<SentObject>,
    /// Body of a patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<Value>,
    /// Reason for the API server's refusal; absent when it accepts the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub error: Option<RefusalReason>,
}

/// Object of a request.
#[derive(Debug, Clone)]
pub enum SentObject {
    /// Object of a planned write. Its JSON needs many times the memory of its sources, so it is built on
    /// serialization.
    Planned(Box<Write>),
    /// Object of a plan that was read back.
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

/// Event that the controller records.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportEvent {
    /// `Normal` or `Warning`.
    #[serde(rename = "type")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub kind: EventType,
    /// Reason, such as `SuccessfulCreate`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub reason: EventReason,
    /// Verbatim message.
    pub message: String,
}

/// Hold of a sync: a point at which it stops or skips a pod, with the reason.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportHold {
    /// Hold reason as listed in the contract.
    #[cfg_attr(test, schemars(with = "String"))]
    pub reason: HoldReason,
    /// Pod concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// Reason in one sentence.
    pub message: String,
    /// True if the headline already states it; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_headline: bool,
    /// Evidence from the objects, one fact per item; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// True if the hold resolves automatically; absent when the plan has no end that shows it.
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
    NextSync {
        summary: headline.text,
        brief: headline.brief,
        lacks_words: headline.lacks_words,
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
                    false => explain::evidence(hold, plan),
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
