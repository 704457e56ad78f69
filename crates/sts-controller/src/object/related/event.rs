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
    /// The message in one line, without the two whole objects that servers append to show how they differ.
    pub message: Arc<str>,
    /// Container that the event is about; empty if it is about the whole object.
    pub container: Arc<str>,
    /// Number of occurrences, at least one.
    pub count: i64,
    /// Time of the first occurrence, if known.
    pub first: Option<Timestamp>,
    /// Time of the last occurrence, if known.
    pub last: Option<Timestamp>,
}

impl Event {
    /// Reports whether the event is about the object with this uid, and not about an earlier one of the same name. An
    /// event without a uid counts as about any.
    #[must_use]
    pub fn is_about(&self, uid: &str) -> bool {
        self.uid.is_empty() || *self.uid == *uid
    }

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
            message: in_one_line(fields.message(message)?),
            container: container(about.text("fieldPath")?),
            count: count.unwrap_or(1).max(1),
            first: fields.time(first)?.or(times[2]).or(meta.created),
            last: times.into_iter().flatten().max().or(meta.created),
            meta,
        })
    }
}

/// Returns the container of a field path: `app` of `spec.containers{app}`.
fn container(path: &str) -> Arc<str> {
    let name = path
        .split_once('{')
        .and_then(|(_, rest)| rest.strip_suffix('}'));
    name.unwrap_or_default().into()
}

/// Prefix of the last message of events that a client combines because only their messages differ.
const COMBINED: &str = "(combined from similar events): ";

/// Joins the lines of a message. The reason is often not in the first one: a mount prints its arguments before its
/// output, a policy engine its policies after a heading, and a cloud its answer as JSON. A Go value that a difference
/// prints, such as `core.PodSpec{`, is left out.
fn in_one_line(text: Arc<str>) -> Arc<str> {
    let text = match text.strip_prefix(COMBINED) {
        Some(last) => last.into(),
        None => text,
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_value = |line: &&str| {
        let name = line.strip_suffix('{').unwrap_or_default();
        name.ends_with(|c: char| c.is_ascii_alphanumeric())
    };
    let joined: Vec<&str> = lines.take_while(|line| !is_value(line)).collect();
    match joined.as_slice() {
        [only] if only.len() == text.len() => text,
        lines => lines.join(" ").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_message_are_joined_up_to_a_go_value() {
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
            (
                "mount failed: exit status 32\nOutput: access denied by server",
                "mount failed: exit status 32 Output: access denied by server",
            ),
            (
                "attach failed, RawError: {\n  \"error\": {\n    \"code\": \"Conflict\"\n  }\n}",
                "attach failed, RawError: { \"error\": { \"code\": \"Conflict\" } }",
            ),
            (
                "(combined from similar events): Liveness probe failed",
                "Liveness probe failed",
            ),
            ("\n no response", "no response"),
            ("", ""),
        ] {
            assert_eq!(&*in_one_line(text.into()), kept);
        }
    }

    #[test]
    fn the_container_of_an_event_is_read_from_its_field_path() {
        assert_eq!(&*container("spec.initContainers{restore}"), "restore");
        assert_eq!(&*container(""), "");
    }
}
