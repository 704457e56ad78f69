//! Collector of validation errors, in the wording of the version.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde_json::Value;

use super::difference::Difference;
use super::go;
use super::ratcheting::Ratcheting;
use super::refused::{IMMUTABLE_PATH, Refused, RefusedKind, Rejection};
use crate::version::{Updatable, Validation};

pub(super) struct Refusals<'r> {
    pub(super) rules: &'r Validation,
    /// The rules that a changed pod template is exempt from.
    pub(super) ratcheting: Ratcheting,
    /// True for a pod, false for a pod template.
    pub(super) of_pod: bool,
    list: Vec<Refused>,
}

impl<'r> Refusals<'r> {
    pub(super) fn new(rules: &'r Validation) -> Self {
        Self {
            rules,
            ratcheting: Ratcheting::default(),
            of_pod: false,
            list: Vec::new(),
        }
    }

    /// Returns all errors without duplicates.
    pub(super) fn into_list(self) -> Vec<Refused> {
        let mut list: Vec<Refused> = Vec::with_capacity(self.list.len());
        // Each path has few errors, but there may be many paths.
        let mut by_path: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for refused in self.list {
            let same_path = by_path.entry(refused.path.clone()).or_default();
            if !same_path.iter().any(|at| list[*at] == refused) {
                same_path.push(list.len());
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

    /// Attributes the errors since `from` to another path than the server does.
    pub(super) fn blame(&mut self, from: usize, path: impl Display) {
        if from == self.list.len() {
            return;
        }
        let path = path.to_string();
        for refused in self.list.iter_mut().skip(from) {
            path.clone_into(&mut refused.path);
        }
    }

    /// Attributes the errors since `from` to `real`. The server's messages keep the path under `named`.
    pub(super) fn blame_under(&mut self, from: usize, named: impl Display, real: impl Display) {
        if from == self.list.len() {
            return;
        }
        let (named, real) = (named.to_string(), real.to_string());
        for refused in self.list.iter_mut().skip(from) {
            if let Some(rest) = refused.path.strip_prefix(&named) {
                refused.path = format!("{real}{rest}");
            }
        }
    }

    fn add(&mut self, path: impl Display, kind: RefusedKind, message: String, new: Option<Value>) {
        let path = path.to_string();
        self.list.push(Refused {
            field: path.clone(),
            path,
            kind,
            rejection: Rejection::Invalid,
            message,
            old: None,
            new,
            owner: None,
        });
    }

    pub(super) fn required(&mut self, path: impl Display, detail: &str) {
        let kind = RefusedKind::Required;
        self.add(path, kind, detailed(kind.words(), detail), None);
    }

    pub(super) fn forbidden(&mut self, path: impl Display, detail: &str) {
        let kind = RefusedKind::Forbidden;
        self.add(path, kind, detailed(kind.words(), detail), None);
    }

    /// Adds the change of an immutable field of the spec.
    ///
    /// From 1.37 on the server names the field and shows its new value. Its format of claim templates is not known, so
    /// they are shown as given.
    pub(super) fn unchangeable(&mut self, difference: Difference, spec: &Value) {
        let detail = self.rules.updatable.message();
        let Difference { path, old, new } = difference;
        let (kind, field, message) = match self.rules.updatable {
            Updatable::Only(_) => {
                let kind = RefusedKind::Forbidden;
                let field = IMMUTABLE_PATH.to_owned();
                (kind, field, detailed(kind.words(), &detail))
            }
            Updatable::AllBut(_) => {
                let kind = RefusedKind::Invalid;
                let name = path.split(['.', '[']).nth(1).unwrap_or_default();
                let shown = shown(&spec[name]);
                let field = format!("{}.{name}", IMMUTABLE_PATH);
                let words = format!("{}: {shown}", kind.words());
                (kind, field, detailed(&words, &detail))
            }
        };
        self.list.push(Refused {
            path,
            field,
            kind,
            rejection: Rejection::Immutable,
            message,
            old,
            new,
            owner: None,
        });
    }

    pub(super) fn invalid(&mut self, path: impl Display, value: impl Into<Value>, detail: &str) {
        let value = value.into();
        let shown = shown(&value);
        self.valued(path, RefusedKind::Invalid, value, &shown, detail);
    }

    /// Adds an invalid string of a type of its own.
    pub(super) fn invalid_name(&mut self, path: impl Display, text: &str, detail: &str) {
        let shown = go::named_text(text, self.rules.objects_shown_as_json);
        self.valued(path, RefusedKind::Invalid, text.into(), &shown, detail);
    }

    /// Adds an invalid object, which servers before 1.34 show as a Go struct.
    pub(super) fn invalid_object(
        &mut self,
        path: impl Display,
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

    /// Adds an invalid list of strings.
    pub(super) fn invalid_texts(&mut self, path: impl Display, list: &Value, detail: &str) {
        self.invalid_object(path, list, &go::json(list), &go::text_list(list), detail);
    }

    /// Adds several errors about one string.
    pub(super) fn invalid_text(&mut self, path: impl Display, text: &str, complaints: &[String]) {
        for complaint in complaints {
            self.invalid(&path, text, complaint);
        }
    }

    pub(super) fn negative(&mut self, path: impl Display, value: i64) {
        if value < 0 {
            self.invalid(path, value, "must be greater than or equal to 0");
        }
    }

    pub(super) fn duplicate(&mut self, path: impl Display, value: impl Into<Value>) {
        let value = value.into();
        let shown = shown(&value);
        self.valued(path, RefusedKind::Duplicate, value, &shown, "");
    }

    pub(super) fn not_found(&mut self, path: impl Display, value: &str, detail: &str) {
        self.valued(
            path,
            RefusedKind::NotFound,
            value.into(),
            &go::quoted(value),
            detail,
        );
    }

    /// Adds an unsupported value of a plain string field.
    pub(super) fn not_supported_text(
        &mut self,
        path: impl Display,
        value: &str,
        supported: &[&str],
    ) {
        self.none_of(path, value, &go::quoted(value), supported);
    }

    /// Adds an unsupported value of a field with a type of its own.
    pub(super) fn not_supported(&mut self, path: impl Display, value: &str, supported: &[&str]) {
        let shown = go::named_text(value, self.rules.objects_shown_as_json);
        self.none_of(path, value, &shown, supported);
    }

    fn none_of(&mut self, path: impl Display, value: &str, shown: &str, supported: &[&str]) {
        let list: Vec<String> = supported.iter().map(|value| go::quoted(value)).collect();
        self.valued(
            path,
            RefusedKind::NotSupported,
            value.into(),
            shown,
            &format!("supported values: {}", list.join(", ")),
        );
    }

    pub(super) fn too_long(&mut self, path: impl Display, bytes: usize) {
        let detail = if self.rules.lengths_in_bytes {
            format!("may not be more than {bytes} bytes")
        } else {
            format!("must have at most {bytes} bytes")
        };
        let kind = RefusedKind::TooLong;
        self.add(path, kind, detailed(kind.words(), &detail), None);
    }

    pub(super) fn too_many(&mut self, path: impl Display, items: usize, most: usize) {
        let kind = RefusedKind::TooMany;
        let message = format!("{}: {items}: must have at most {most} items", kind.words());
        self.add(path, kind, message, None);
    }

    fn valued(
        &mut self,
        path: impl Display,
        kind: RefusedKind,
        value: Value,
        shown: &str,
        detail: &str,
    ) {
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
        Value::String(text) => go::quoted(text),
        other => other.to_string(),
    }
}
