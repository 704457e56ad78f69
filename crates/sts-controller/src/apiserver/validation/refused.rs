//! What is refused, and the words for it.

use std::fmt::Write as _;

use serde_json::Value;

use super::go::quoted;
use crate::apiserver::strict;

/// One thing that the server refuses.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// The path that offends, such as `spec.volumeClaimTemplates[0].spec.resources.requests.storage`.
    pub path: String,
    /// The path that the server names. It is the same but for an update of a field that cannot be changed,
    /// about which the server says no more than `spec`, once for all of them.
    pub field: String,
    /// What sort of thing is wrong.
    pub kind: RefusedKind,
    /// Whether the value is at fault, or that it changes.
    pub rejection: Rejection,
    /// What the server prints after its path: `Invalid value: -1: must be greater than or equal to 0`.
    pub message: String,
    /// The stored value, where there is one.
    pub old: Option<Value>,
    /// The value that is refused, where there is one.
    pub new: Option<Value>,
}

impl Refused {
    /// Whether it is a change that is refused: of a field that only a new set may have otherwise.
    #[must_use]
    pub fn is_unchangeable(&self) -> bool {
        self.rejection == Rejection::Immutable
    }
}

/// The reason why a server refuses a field: its change, or its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rejection {
    /// Only a new set may have another value there.
    Immutable,
    /// No set may have this value there.
    Invalid,
}

impl Rejection {
    /// The reason's name in machine output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Rejection::Immutable => "immutable",
            Rejection::Invalid => "invalid",
        }
    }

    /// Reads the reason off a server's answer about a field of the spec: an update of an immutable field is
    /// `Forbidden` for the whole `spec` before 1.37, and `Invalid` for the field with a fixed text from then on.
    pub(in crate::apiserver) fn of_answer(kind: RefusedKind, field: &str, message: &str) -> Self {
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

/// What is wrong with a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
            RefusedKind::Denied => "Denied",
        }
    }
}

/// The whole answer of the server as kubectl prints it, without a line feed at the end. One reason stands on
/// the same line, several below it; a reason that is given twice is printed once.
#[must_use]
pub fn server_message(name: &str, refused: &[Refused]) -> String {
    if let [only] = refused
        && only.kind == RefusedKind::Denied
    {
        return only.message.clone();
    }
    let unknown = refused
        .iter()
        .filter(|refused| refused.kind == RefusedKind::UnknownField)
        .map(|refused| refused.path.as_str());
    // What cannot be decoded is not looked at any further.
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
