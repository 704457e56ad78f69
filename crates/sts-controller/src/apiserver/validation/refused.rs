//! Refusals, and their messages.

use std::fmt::Write as _;

use serde_json::Value;

use super::go::quoted;
use crate::apiserver::strict;

/// The words before the manager that owns a field.
pub(in crate::apiserver) const CONFLICT_WITH: &str = "conflict with ";

/// One thing that the server refuses.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// The path that offends, such as `spec.volumeClaimTemplates[0].spec.resources.requests.storage`.
    pub path: String,
    /// The path that the server names. It is the same but for an update of a field that cannot be changed,
    /// about which the server says no more than `spec`, once for all of them.
    pub field: String,
    /// The kind of error.
    pub kind: RefusedKind,
    /// The reason for the refusal: the value, its change, or its owner.
    pub rejection: Rejection,
    /// The text that the server prints after the path: `Invalid value: -1: must be greater than or equal to 0`.
    pub message: String,
    /// The stored value, where there is one.
    pub old: Option<Value>,
    /// The value that is refused, where there is one.
    pub new: Option<Value>,
    /// The manager that owns the field, where that is why a server-side apply is refused.
    pub owner: Option<FieldOwner>,
}

/// A manager that owns a field, as `metadata.managedFields` has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldOwner {
    /// Its name.
    pub manager: String,
    /// The subresource through which it wrote the field; empty for none.
    pub subresource: String,
    /// Set where it applied the field, rather than updated it.
    pub applied: bool,
    /// The time of its last change.
    pub since: Option<String>,
}

impl FieldOwner {
    /// The operation, as managedFields name it.
    #[must_use]
    pub const fn operation(&self) -> &'static str {
        if self.applied { "Apply" } else { "Update" }
    }

    /// The owner with the time that managedFields tell of it, where the server's answer has none.
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

    /// Reads the owner off a server's answer: `conflict with "hpa" with subresource "scale" using apps/v1 at TIME`.
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

/// A text in double quotes at the beginning, and what comes after it.
fn go_unquoted(words: &str) -> Option<(String, &str)> {
    let mut values = serde_json::Deserializer::from_str(words).into_iter::<String>();
    let text = values.next()?.ok()?;
    let end = values.byte_offset();
    Some((text, &words[end..]))
}

impl Refused {
    /// Reports whether it refuses the change of an immutable field: only a new set may have another value there.
    #[must_use]
    pub fn is_unchangeable(&self) -> bool {
        self.rejection == Rejection::Immutable
    }
}

/// The reason why a server refuses a field: its change, its value, or its owner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter)]
pub enum Rejection {
    /// Only a new set may have another value there.
    Immutable,
    /// Another manager owns the field.
    Conflict,
    /// No set may have this value there.
    #[default]
    Invalid,
}

impl Rejection {
    /// The reason's name in machine output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Rejection::Immutable => "immutable",
            Rejection::Conflict => "conflict",
            Rejection::Invalid => "invalid",
        }
    }

    /// Reads the reason off a server's answer about a field of the spec: an update of an immutable field is
    /// `Forbidden` for the whole `spec` before 1.37, and `Invalid` for the field with a fixed text from then on.
    pub(in crate::apiserver) fn of_answer(kind: RefusedKind, field: &str, message: &str) -> Self {
        if kind == RefusedKind::Conflict {
            return Rejection::Conflict;
        }
        let is_immutable = match kind {
            RefusedKind::Forbidden => field == super::update::FIELD,
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

/// The kind of error in a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter)]
pub enum RefusedKind {
    /// It has to be there.
    Required,
    /// Its value is malformed or out of bounds.
    Invalid,
    /// Its value is there already, in a place where it may be only once.
    Duplicate,
    /// It refers to something that is not there.
    NotFound,
    /// It may not be there, or may not change.
    Forbidden,
    /// Its value is none of those known.
    NotSupported,
    /// Its value is too long.
    TooLong,
    /// It has too many items.
    TooMany,
    /// No field of that name is known, and the object is to be read strictly.
    UnknownField,
    /// Another manager owns the field, or the request is about an older copy of the object.
    Conflict,
    /// It is not the server that objects to a value, but admission, to the whole set: its words are all there is.
    Denied,
}

impl RefusedKind {
    /// The kind's name in machine output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RefusedKind::Required => "Required",
            RefusedKind::Invalid => "Invalid",
            RefusedKind::Duplicate => "Duplicate",
            RefusedKind::NotFound => "NotFound",
            RefusedKind::Forbidden => "Forbidden",
            RefusedKind::NotSupported => "NotSupported",
            RefusedKind::TooLong => "TooLong",
            RefusedKind::TooMany => "TooMany",
            RefusedKind::UnknownField => "UnknownField",
            RefusedKind::Conflict => "Conflict",
            RefusedKind::Denied => "Denied",
        }
    }

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

/// The whole answer of the server as kubectl prints it, without a line feed at the end. One reason stands on
/// the same line, several below it; a reason that is given twice is printed once.
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
    // A value that cannot be decoded is not checked any further.
    if let Some(sentence) = strict::sentence(unknown) {
        return sentence;
    }
    let mut reasons: Vec<String> = Vec::new();
    for refused in refused {
        let reason = format!("{}: {}", refused.field, refused.message);
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
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

/// The server's answer to a server-side apply with conflicts: of each, the manager in its words, and the field.
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

/// The value at a path in the server's notation: `a.b[0].c`, and `a[key]` for an entry of a map.
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
