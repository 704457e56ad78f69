//! Validation errors and their messages.

use std::fmt::Write as _;

use serde_json::Value;

use super::go::quoted;
use crate::apiserver::strict;

/// Text before the manager that owns a field.
pub(in crate::apiserver) const CONFLICT_WITH: &str = "conflict with ";

/// The path in the server's error about any immutable field.
pub(super) const IMMUTABLE_PATH: &str = "spec";

/// One error of the server.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// The invalid path, such as `spec.volumeClaimTemplates[0].spec.resources.requests.storage`.
    pub path: String,
    /// The path that the server names. It differs only for updates of immutable fields, for all of which the server
    /// reports one error at `spec`.
    pub field: String,
    /// Type of the error.
    pub kind: RefusedKind,
    /// Reason for the refusal: the value, its change, or its owner.
    pub rejection: Rejection,
    /// The server's text after the path: `Invalid value: -1: must be greater than or equal to 0`.
    pub message: String,
    /// The stored value, if there is one.
    pub old: Option<Value>,
    /// The refused value, if there is one.
    pub new: Option<Value>,
    /// The manager that owns the field, if that is the reason that a server-side apply is refused.
    pub owner: Option<FieldOwner>,
}

/// A manager that owns a field, from `metadata.managedFields`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldOwner {
    /// Name.
    pub manager: String,
    /// Subresource through which it wrote the field; empty if none.
    pub subresource: String,
    /// True if it applied the field, false if it updated it.
    pub applied: bool,
    /// Time of its last change.
    pub since: Option<String>,
}

impl FieldOwner {
    /// Returns the operation's name in managedFields.
    #[must_use]
    pub const fn operation(&self) -> &'static str {
        if self.applied { "Apply" } else { "Update" }
    }

    /// Returns the owner with the time from managedFields, if the server's message has none.
    pub(in crate::apiserver) fn since_as(self, managed: Option<&Self>) -> Self {
        let same = managed.filter(|managed| {
            managed.manager == self.manager && managed.subresource == self.subresource
        });
        let since = same.and_then(|managed| managed.since.clone());
        Self {
            since: self.since.or(since),
            ..self
        }
    }

    /// Parses the owner in a server's message: `conflict with "hpa" with subresource "scale" using apps/v1 at TIME`.
    pub(in crate::apiserver) fn of_answer(message: &str) -> Option<Self> {
        let words = message.strip_prefix(CONFLICT_WITH)?;
        let (manager, rest) = go_unquoted(words)?;
        let (subresource, rest) = match rest.strip_prefix(" with subresource ") {
            Some(rest) => go_unquoted(rest)?,
            None => (String::new(), rest),
        };
        let since = rest.split_once(" at ").map(|(_, time)| time.to_owned());
        Some(Self {
            manager,
            subresource,
            applied: !rest.starts_with(" using "),
            since,
        })
    }
}

/// Returns the double-quoted string at the start of the text, and the rest after it.
fn go_unquoted(words: &str) -> Option<(String, &str)> {
    let mut values = serde_json::Deserializer::from_str(words).into_iter::<String>();
    let text = values.next()?.ok()?;
    let end = values.byte_offset();
    Some((text, &words[end..]))
}

impl Refused {
    /// Reports whether the error is the change of an immutable field: only a new set may have another value there.
    #[must_use]
    pub fn is_unchangeable(&self) -> bool {
        self.rejection == Rejection::Immutable
    }
}

/// The reason that a server refuses a field: its change, its value, or its owner.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    strum::EnumIter,
    strum::IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Rejection {
    /// The field is immutable.
    Immutable,
    /// Another manager owns the field.
    Conflict,
    /// The value is invalid in every set.
    #[default]
    Invalid,
}

impl Rejection {
    /// Returns the reason of a server's message about a field of the spec. An update of an immutable field is
    /// `Forbidden` for the whole `spec` before 1.37, and `Invalid` for the field with a fixed text from then on.
    pub(in crate::apiserver) fn of_answer(kind: RefusedKind, field: &str, message: &str) -> Self {
        if kind == RefusedKind::Conflict {
            return Rejection::Conflict;
        }
        let is_immutable = match kind {
            RefusedKind::Forbidden => field == IMMUTABLE_PATH,
            RefusedKind::Invalid => {
                field.starts_with("spec.") && message.ends_with("field is immutable")
            }
            _ => false,
        };
        match is_immutable {
            true => Rejection::Immutable,
            false => Rejection::Invalid,
        }
    }
}

/// Type of an error in a field.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter, strum::IntoStaticStr,
)]
pub enum RefusedKind {
    /// The value is missing.
    Required,
    /// The value is malformed or out of bounds.
    Invalid,
    /// The value must be unique and is not.
    Duplicate,
    /// The value refers to an object or name that does not exist.
    NotFound,
    /// The field must not be set, or must not change.
    Forbidden,
    /// The value is not one of the supported ones.
    NotSupported,
    /// The value is too long.
    TooLong,
    /// The list has too many items.
    TooMany,
    /// The field is unknown, under strict validation.
    UnknownField,
    /// Another manager owns the field, or the request is based on an older copy of the object.
    Conflict,
    /// Admission, and not validation, refuses the whole set. Only its message is known.
    Denied,
}

impl RefusedKind {
    pub(super) fn words(self) -> &'static str {
        match self {
            RefusedKind::Required => "Required value",
            RefusedKind::Invalid => "Invalid value",
            RefusedKind::Duplicate => "Duplicate value",
            RefusedKind::NotFound => "Not found",
            RefusedKind::Forbidden => "Forbidden",
            RefusedKind::NotSupported => "Unsupported value",
            RefusedKind::TooLong => "Too long",
            RefusedKind::TooMany => "Too many",
            RefusedKind::UnknownField => "Unknown field",
            RefusedKind::Conflict => "Conflict",
            RefusedKind::Denied => "Denied",
        }
    }
}

/// Returns the whole error message as kubectl prints it, without the final line feed. One reason is printed on the same
/// line, several on lines of their own, without duplicates.
#[must_use]
pub fn server_message(name: &str, refused: &[Refused]) -> String {
    if let [first, ..] = refused
        && first.owner.is_some()
    {
        return conflict_message(refused.iter().map(|refused| {
            let words = &refused.message;
            let manager = words.strip_prefix(CONFLICT_WITH).unwrap_or(words);
            (manager, refused.field.as_str())
        }));
    }
    if let [only] = refused
        && matches!(only.kind, RefusedKind::Conflict | RefusedKind::Denied)
    {
        return only.message.clone();
    }
    let unknown = refused
        .iter()
        .filter(|refused| refused.kind == RefusedKind::UnknownField)
        .map(|refused| refused.path.as_str());
    // A value that cannot be decoded is not validated any further.
    if let Some(sentence) = strict::sentence(unknown) {
        return sentence;
    }
    let reasons = distinct_reasons(refused);
    let mut out = format!("The StatefulSet {} is invalid", quoted(name));
    match reasons.as_slice() {
        [] => {}
        [reason] => {
            let _ = write!(out, ": {reason}");
        }
        _ => {
            out.push_str(": ");
            for reason in &reasons {
                let _ = write!(out, "\n* {reason}");
            }
        }
    }
    out
}

/// Returns the server's message to a client about an object, such as `Pod "web-0"`; `None` without errors.
pub(super) fn one_line_message(kind: &str, name: &str, refused: &[Refused]) -> Option<String> {
    if refused.is_empty() {
        return None;
    }
    let object = format!("{kind} {}", quoted(name));
    let reasons = distinct_reasons(refused);
    Some(match reasons.as_slice() {
        [reason] => format!("{object} is invalid: {reason}"),
        reasons => format!("{object} is invalid: [{}]", reasons.join(", ")),
    })
}

/// Returns the reasons as servers list them: each path with its message, once.
fn distinct_reasons(refused: &[Refused]) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    for refused in refused {
        let reason = format!("{}: {}", refused.field, refused.message);
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons
}

/// Returns the server's message about conflicts of a server-side apply: the description of each manager, and its
/// fields.
pub(in crate::apiserver) fn conflict_message<'c>(
    conflicts: impl ExactSizeIterator<Item = (&'c str, &'c str)> + Clone,
) -> String {
    let count = conflicts.len();
    if let (1, Some((manager, field))) = (count, conflicts.clone().next()) {
        return format!("Apply failed with 1 conflict: {CONFLICT_WITH}{manager}: {field}");
    }
    let mut out = format!("Apply failed with {count} conflicts: ");
    let mut before = None;
    for (index, (manager, field)) in conflicts.enumerate() {
        if index > 0 {
            out.push('\n');
        }
        if before != Some(manager) {
            let _ = writeln!(out, "conflicts with {manager}:");
        }
        let _ = write!(out, "- {field}");
        before = Some(manager);
    }
    out
}

/// Returns the value at a path in the server's notation: `a.b[0].c`, and `a[key]` for an entry of a map.
pub(super) fn lookup<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let mut value = value;
    for part in path.split('.') {
        let mut names = part.split('[');
        let name = names.next().unwrap_or_default();
        if !name.is_empty() {
            value = value.get(name)?;
        }
        for key in names {
            let key = key.strip_suffix(']').unwrap_or(key);
            value = match value {
                Value::Array(items) => items.get(key.parse::<usize>().ok()?)?,
                other => other.get(key)?,
            };
        }
    }
    Some(value)
}
