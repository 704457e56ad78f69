//! Typed access to the fields of raw JSON, with errors that name the field.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Map, Value};
use thiserror::Error;

use super::labels::Labels;
use super::message::without_credentials;

/// A field whose value has the wrong type.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}{}{message}", .path, if .path.is_empty() { "" } else { ": " })]
pub struct FieldError {
    /// Path with dots and brackets: `spec.template.spec.containers[0].image`; empty for the whole object.
    pub path: String,
    /// The expected type and the value found.
    pub message: String,
}

/// A JSON object, with the path to it.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    map: Option<&'a Map<String, Value>>,
    path: Path<'a>,
}

#[derive(Clone, Copy)]
struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    name: &'a str,
    index: Option<usize>,
}

impl Path<'_> {
    fn write(&self, out: &mut String) {
        if let Some(parent) = self.parent {
            parent.write(out);
        }
        if !self.name.is_empty() {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(self.name);
        }
        if let Some(index) = self.index {
            out.push_str(&format!("[{index}]"));
        }
    }
}

impl<'a> Fields<'a> {
    /// Returns the members of a whole object.
    pub(super) fn root(value: &'a Value) -> Result<Self, FieldError> {
        let path = Path {
            parent: None,
            name: "",
            index: None,
        };
        match value {
            Value::Object(map) => Ok(Fields {
                map: Some(map),
                path,
            }),
            other => Err(FieldError {
                path: String::new(),
                message: format!("expected a mapping, found {}", kind_of(other)),
            }),
        }
    }

    fn error(&self, name: &str, expected: &str, found: &Value) -> FieldError {
        let mut path = String::new();
        Path {
            parent: Some(&self.path),
            name,
            index: None,
        }
        .write(&mut path);
        FieldError {
            path,
            message: format!("expected {expected}, found {}", kind_of(found)),
        }
    }

    /// Returns a member that is present and not null: null means absent everywhere in the API.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.map?.get(name).filter(|value| !value.is_null())
    }

    /// Returns a nested object. An absent object has no members.
    pub(super) fn object<'b>(&'b self, name: &'b str) -> Result<Fields<'b>, FieldError> {
        let path = Path {
            parent: Some(&self.path),
            name,
            index: None,
        };
        match self.get(name) {
            None => Ok(Fields { map: None, path }),
            Some(Value::Object(map)) => Ok(Fields {
                map: Some(map),
                path,
            }),
            Some(other) => Err(self.error(name, "a mapping", other)),
        }
    }

    /// Reports whether the object itself is present.
    pub(super) fn present(&self) -> bool {
        self.map.is_some()
    }

    pub(super) fn text(&self, name: &str) -> Result<&'a str, FieldError> {
        match self.get(name) {
            None => Ok(""),
            Some(Value::String(text)) => Ok(text),
            Some(other) => Err(self.error(name, "a string", other)),
        }
    }

    pub(super) fn shared_text(&self, name: &str) -> Result<Arc<str>, FieldError> {
        self.text(name).map(Arc::from)
    }

    /// Reads a message of a condition or an event, and removes credentials quoted in it.
    pub(super) fn message(&self, name: &str) -> Result<Arc<str>, FieldError> {
        self.text(name)
            .map(|text| Arc::from(without_credentials(text)))
    }

    pub(super) fn boolean(&self, name: &str) -> Result<Option<bool>, FieldError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(*value)),
            Some(other) => Err(self.error(name, "true or false", other)),
        }
    }

    pub(super) fn integer(&self, name: &str) -> Result<Option<i64>, FieldError> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => match value.as_i64() {
                Some(number) => Ok(Some(number)),
                None => Err(self.error(name, "an integer", value)),
            },
        }
    }

    /// Reads an integer that the API stores in 32 bits.
    pub(super) fn small_integer(&self, name: &str) -> Result<Option<i32>, FieldError> {
        match self.integer(name)? {
            None => Ok(None),
            Some(number) => match i32::try_from(number) {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(self.error(name, "a 32-bit integer", &Value::from(number))),
            },
        }
    }

    pub(super) fn time(&self, name: &str) -> Result<Option<Timestamp>, FieldError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => match time(text) {
                Some(time) => Ok(Some(time)),
                None => Err(self.error(
                    name,
                    "a time like 2026-01-31T12:00:00Z",
                    &Value::from(text.as_str()),
                )),
            },
            Some(other) => Err(self.error(name, "a time like 2026-01-31T12:00:00Z", other)),
        }
    }

    /// Reads labels. A null value becomes the empty string, as in Go.
    pub(super) fn labels(&self, name: &str) -> Result<Labels, FieldError> {
        let object = self.object(name)?;
        let labels = object.map.into_iter().flatten();
        labels
            .map(|(key, value)| match value {
                Value::Null => Ok((Arc::from(&**key), Arc::from(""))),
                Value::String(text) => Ok((Arc::from(&**key), Arc::from(&**text))),
                other => Err(object.error(key, "a string", other)),
            })
            .collect()
    }

    /// Reads the elements of a list with `read`. An absent list is empty.
    pub(super) fn list<T>(
        &self,
        name: &str,
        mut read: impl FnMut(&Fields<'_>, &Value) -> Result<T, FieldError>,
    ) -> Result<Vec<T>, FieldError> {
        let items = match self.get(name) {
            None => return Ok(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(other) => return Err(self.error(name, "a list", other)),
        };
        items
            .iter()
            .enumerate()
            .map(|(index, item)| {
                let path = Path {
                    parent: Some(&self.path),
                    name,
                    index: Some(index),
                };
                match item {
                    Value::Object(map) => read(
                        &Fields {
                            map: Some(map),
                            path,
                        },
                        item,
                    ),
                    Value::Null => read(&Fields { map: None, path }, item),
                    other => Err(Fields { map: None, path }.error("", "a mapping", other)),
                }
            })
            .collect()
    }

    /// Reads a list of strings. An absent list is empty.
    pub(super) fn strings(&self, name: &str) -> Result<Vec<String>, FieldError> {
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| match item {
                    Value::String(text) => Ok(text.clone()),
                    Value::Null => Ok(String::new()),
                    other => Err(self.error(name, "a list of strings", other)),
                })
                .collect(),
            Some(other) => Err(self.error(name, "a list of strings", other)),
        }
    }
}

/// Describes a JSON value for an error message. Strings and numbers are quoted, so that typos show.
fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(value) => format!("the boolean {value}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => {
            let shown: String = text.chars().take(40).collect();
            format!("the string {shown:?}")
        }
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a mapping".to_owned(),
    }
}

/// Parses an RFC 3339 timestamp. Go supports times up to the end of the year 9999; the last day of that year maps to
/// the maximum timestamp.
#[must_use]
pub fn time(text: &str) -> Option<Timestamp> {
    const LAST_DAYS: [&str; 2] = ["9999-12-30T", "9999-12-31T"];
    text.parse().ok().or_else(|| {
        let is_last = LAST_DAYS.iter().any(|day| text.starts_with(day));
        // Any other non-leap year has the same days and hours.
        let like = is_last.then(|| text.replacen("9999", "1999", 1))?;
        like.parse::<Timestamp>().ok().map(|_| Timestamp::MAX)
    })
}
