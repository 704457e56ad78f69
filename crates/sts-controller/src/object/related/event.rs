//! Events.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use crate::object::Meta;
use crate::object::field::{FieldError, Fields};

/// An event: what some component said of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its metadata.
    pub meta: Meta,
    /// The kind of the object that it is about.
    pub kind: Arc<str>,
    /// The name of that object.
    pub name: Arc<str>,
    /// The uid of that object; empty when the event has none.
    pub uid: Arc<str>,
    /// Whether its type is `Warning`.
    pub is_warning: bool,
    /// Its reason, such as `FailedScheduling`.
    pub reason: Arc<str>,
    /// Its message.
    pub message: Arc<str>,
    /// How often it happened, at least once.
    pub count: i64,
    /// When it happened first, if anything says so.
    pub first: Option<Timestamp>,
    /// When it happened last, if anything says so.
    pub last: Option<Timestamp>,
}

impl Event {
    pub(super) fn from_json(object: &Value) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        let meta = Meta::read(&fields)?;
        // `events.k8s.io` has other names for the same things.
        let (about, message, count, first, last) = if fields.get("regarding").is_some() {
            (
                "regarding",
                "note",
                "deprecatedCount",
                "deprecatedFirstTimestamp",
                "deprecatedLastTimestamp",
            )
        } else {
            (
                "involvedObject",
                "message",
                "count",
                "firstTimestamp",
                "lastTimestamp",
            )
        };
        let about = fields.object(about)?;
        let series = fields.object("series")?;
        let times = [
            series.time("lastObservedTime")?,
            fields.time(last)?,
            fields.time("eventTime")?,
        ];
        let count = series.integer("count")?.or(fields.integer(count)?);
        Ok(Event {
            kind: about.shared_text("kind")?,
            name: about.shared_text("name")?,
            uid: about.shared_text("uid")?,
            is_warning: fields.text("type")? == "Warning",
            reason: fields.shared_text("reason")?,
            message: fields.message(message)?,
            count: count.unwrap_or(1).max(1),
            first: fields.time(first)?.or(times[2]).or(meta.created),
            last: times.into_iter().flatten().max().or(meta.created),
            meta,
        })
    }
}
