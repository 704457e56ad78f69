//! What is refused, and the words for it.

use std::fmt::Write as _;

use serde_json::Value;

use crate::version::Validation;

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
    /// What the server prints after its path: `Invalid value: -1: must be greater than or equal to 0`.
    pub message: String,
    /// The stored value, where there is one.
    pub old: Option<Value>,
    /// The value that is refused, where there is one.
    pub new: Option<Value>,
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
            RefusedKind::Denied => "Denied",
        }
    }

    fn words(self) -> &'static str {
        match self {
            RefusedKind::Required => "Required value",
            RefusedKind::Invalid => "Invalid value",
            RefusedKind::Duplicate => "Duplicate value",
            RefusedKind::NotFound => "Not found",
            RefusedKind::Forbidden => "Forbidden",
            RefusedKind::NotSupported => "Unsupported value",
            RefusedKind::TooLong => "Too long",
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
    let mut reasons: Vec<String> = Vec::new();
    for refused in refused {
        let reason = format!("{}: {}", refused.field, refused.message);
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    let mut out = format!("The StatefulSet {} is invalid", go_quoted(name));
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

/// Collects refusals and words them as the version does.
pub(super) struct Refusals<'r> {
    pub(super) rules: &'r Validation,
    list: Vec<Refused>,
}

impl<'r> Refusals<'r> {
    pub(super) fn new(rules: &'r Validation) -> Self {
        Self {
            rules,
            list: Vec::new(),
        }
    }

    /// Everything refused, each thing once.
    pub(super) fn into_list(self) -> Vec<Refused> {
        let mut list: Vec<Refused> = Vec::with_capacity(self.list.len());
        for refused in self.list {
            if !list.contains(&refused) {
                list.push(refused);
            }
        }
        list
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Puts what was refused last down to another path than the one that the server names.
    pub(super) fn blame(&mut self, from: usize, path: &str) {
        for refused in self.list.iter_mut().skip(from) {
            path.clone_into(&mut refused.path);
        }
    }

    fn add(&mut self, path: &str, kind: RefusedKind, message: String, new: Option<Value>) {
        self.list.push(Refused {
            path: path.to_owned(),
            field: path.to_owned(),
            kind,
            message,
            old: None,
            new,
        });
    }

    pub(super) fn required(&mut self, path: &str, detail: &str) {
        let kind = RefusedKind::Required;
        self.add(path, kind, detailed(kind.words(), detail), None);
    }

    pub(super) fn forbidden(&mut self, path: &str, detail: &str) {
        let kind = RefusedKind::Forbidden;
        self.add(path, kind, detailed(kind.words(), detail), None);
    }

    /// A field of the spec that an update may not change.
    pub(super) fn unchangeable(&mut self, path: String, old: Option<Value>, new: Option<Value>) {
        let kind = RefusedKind::Forbidden;
        self.list.push(Refused {
            path,
            field: super::update::FIELD.to_owned(),
            kind,
            message: detailed(kind.words(), &self.rules.updatable.message()),
            old,
            new,
        });
    }

    pub(super) fn invalid(&mut self, path: &str, value: impl Into<Value>, detail: &str) {
        let value = value.into();
        let shown = shown(&value);
        self.valued(path, RefusedKind::Invalid, value, &shown, detail);
    }

    /// An object, which servers before 1.34 show as the Go struct that it is to them.
    pub(super) fn invalid_object(
        &mut self,
        path: &str,
        value: &Value,
        json: &str,
        go: &str,
        detail: &str,
    ) {
        let shown = if self.rules.objects_shown_as_json {
            json
        } else {
            go
        };
        self.valued(path, RefusedKind::Invalid, value.clone(), shown, detail);
    }

    /// Each complaint about one text.
    pub(super) fn invalid_text(&mut self, path: &str, text: &str, complaints: &[String]) {
        for complaint in complaints {
            self.invalid(path, text, complaint);
        }
    }

    pub(super) fn negative(&mut self, path: &str, value: i64) {
        if value < 0 {
            self.invalid(path, value, "must be greater than or equal to 0");
        }
    }

    pub(super) fn duplicate(&mut self, path: &str, value: impl Into<Value>) {
        let value = value.into();
        let shown = shown(&value);
        self.valued(path, RefusedKind::Duplicate, value, &shown, "");
    }

    pub(super) fn not_found(&mut self, path: &str, value: &str) {
        self.valued(
            path,
            RefusedKind::NotFound,
            value.into(),
            &go_quoted(value),
            "",
        );
    }

    pub(super) fn not_supported(&mut self, path: &str, value: &str, supported: &[&str]) {
        let list: Vec<String> = supported.iter().map(|value| go_quoted(value)).collect();
        self.valued(
            path,
            RefusedKind::NotSupported,
            value.into(),
            &go_quoted(value),
            &format!("supported values: {}", list.join(", ")),
        );
    }

    pub(super) fn too_long(&mut self, path: &str, bytes: usize) {
        let detail = if self.rules.lengths_in_bytes {
            format!("may not be more than {bytes} bytes")
        } else {
            format!("must have at most {bytes} bytes")
        };
        let kind = RefusedKind::TooLong;
        self.add(path, kind, detailed(kind.words(), &detail), None);
    }

    fn valued(&mut self, path: &str, kind: RefusedKind, value: Value, shown: &str, detail: &str) {
        let message = detailed(&format!("{}: {shown}", kind.words()), detail);
        self.add(path, kind, message, Some(value));
    }
}

fn detailed(message: &str, detail: &str) -> String {
    if detail.is_empty() {
        message.to_owned()
    } else {
        format!("{message}: {detail}")
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => go_quoted(text),
        other => other.to_string(),
    }
}

/// A text as Go quotes it.
pub(super) fn go_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if (control as u32) < 0x20 || control as u32 == 0x7f => {
                let _ = write!(out, "\\x{:02x}", control as u32);
            }
            other => out.push(other),
        }
    }
    out.push('"');
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
