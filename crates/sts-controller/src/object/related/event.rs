//! Events.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use crate::object::Meta;
use crate::object::field::{FieldError, Fields};

/// An event that a component recorded about an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Metadata.
    pub meta: Meta,
    /// Kind of the object.
    pub kind: Arc<str>,
    /// Name of the object.
    pub name: Arc<str>,
    /// Uid of the object; empty if the event has none.
    pub uid: Arc<str>,
    /// True if its type is `Warning`.
    pub is_warning: bool,
    /// Reason, such as `FailedScheduling`.
    pub reason: Arc<str>,
    /// First line of the message: servers append two whole objects to show how they differ.
    pub message: Arc<str>,
    /// Number of occurrences, at least one.
    pub count: i64,
    /// Time of the first occurrence, if known.
    pub first: Option<Timestamp>,
    /// Time of the last occurrence, if known.
    pub last: Option<Timestamp>,
}

impl Event {
    pub(super) fn from_json(object: &Value) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        let meta = Meta::read(&fields)?;
        // `events.k8s.io` uses other names for the same fields.
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
            message: first_line(fields.message(message)?),
            count: count.unwrap_or(1).max(1),
            first: fields.time(first)?.or(times[2]).or(meta.created),
            last: times.into_iter().flatten().max().or(meta.created),
            meta,
        })
    }
}

/// Returns the first nonempty line, joined with the next one if it ends in a colon.
fn first_line(text: Arc<str>) -> Arc<str> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    match (lines.next(), lines.next()) {
        (Some(first), Some(next)) if first.ends_with(':') => format!("{first} {next}").into(),
        (Some(first), _) if first.len() < text.len() => first.into(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_a_message_is_kept() {
        for (text, kept) in [
            ("exceeded quota", "exceeded quota"),
            (
                "spec: Forbidden: no\n  core.PodSpec{\n- \tA: 1,\n+ \tA: 2,\n  }",
                "spec: Forbidden: no",
            ),
            (
                "probe failed: \r\n\r\nno response\n",
                "probe failed: no response",
            ),
            ("\n no response", "no response"),
            ("", ""),
        ] {
            assert_eq!(&*first_line(text.into()), kept);
        }
    }
}
