//! Paths in flags: `spec.template.spec.containers[name=app].image`, `metadata.labels["a.b/c"]`.

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value};
use thiserror::Error;

/// A path to a value of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// A member, or a key of a map.
    Member(String),
    /// An element of a list, by index.
    Index(usize),
    /// An element of a list, by the value of a member.
    Where(String, String),
}

/// The reason that a path is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PathError {
    /// A syntax error.
    #[error(
        "invalid path {path:?} at character {at}: {problem}; write a.b, a[0], a[name=x] or a[\"k.ey\"]"
    )]
    Malformed {
        /// The path, as given.
        path: String,
        /// The position of the error in characters, counted from 1.
        at: usize,
        /// The syntax error.
        problem: &'static str,
    },
    /// The path leads to a field that cannot be changed this way.
    #[error("{0:?} cannot be set: only metadata and spec can")]
    Elsewhere(String),
    /// The element does not exist.
    #[error("{path} does not exist; {list} has {known}")]
    NoElement {
        /// The path of the element.
        path: String,
        /// The path of the list.
        list: String,
        /// Description of the list's elements: their number and names.
        known: String,
    },
    /// A part of the path has a value without members or elements.
    #[error("{path} is {found}, not {expected}")]
    NotInside {
        /// The path of that value.
        path: String,
        /// Description of the actual value.
        found: &'static str,
        /// Description of the expected value.
        expected: &'static str,
    },
}

impl Path {
    /// Returns the path of a member of nested objects.
    pub(super) fn of_members(members: &[&str]) -> Self {
        let members = members
            .iter()
            .map(|member| Step::Member((*member).to_owned()));
        Path {
            steps: members.collect(),
        }
    }

    /// Returns the names on the path, if it consists only of members of objects.
    #[must_use]
    pub fn members(&self) -> Option<Vec<&str>> {
        let members = self.steps.iter().map(|step| match step {
            Step::Member(name) => Some(name.as_str()),
            Step::Index(_) | Step::Where(..) => None,
        });
        members.collect()
    }
}

impl FromStr for Path {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        let mut reader = Reader {
            text,
            rest: text,
            steps: Vec::new(),
        };
        reader.member()?;
        loop {
            if reader.eat('.') {
                reader.member()?;
            } else if reader.eat('[') {
                reader.bracket()?;
            } else if reader.rest.is_empty() {
                return Ok(Path {
                    steps: reader.steps,
                });
            } else {
                return Err(reader.malformed("expected a dot or a bracket"));
            }
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    rest: &'t str,
    steps: Vec<Step>,
}

impl<'t> Reader<'t> {
    fn malformed(&self, problem: &'static str) -> PathError {
        let read = self.text.len() - self.rest.len();
        PathError::Malformed {
            path: self.text.to_owned(),
            at: self.text[..read].chars().count() + 1,
            problem,
        }
    }

    fn eat(&mut self, character: char) -> bool {
        match self.rest.strip_prefix(character) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn until(&mut self, ends: &[char]) -> &'t str {
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn member(&mut self) -> Result<(), PathError> {
        let name = self.until(&['.', '[', ']']);
        if name.is_empty() {
            return Err(self.malformed("missing name"));
        }
        self.steps.push(Step::Member(name.to_owned()));
        Ok(())
    }

    /// Parses the rest after an opening bracket: an index, a key with or without quotes, or a member with its value.
    fn bracket(&mut self) -> Result<(), PathError> {
        let step = if let Some(key) = self.quoted()? {
            Step::Member(key)
        } else {
            let name = self.until(&['=', ']']);
            if name.is_empty() {
                return Err(self.malformed("empty brackets"));
            }
            if self.eat('=') {
                let value = match self.quoted()? {
                    Some(value) => value,
                    None => self.until(&[']']).to_owned(),
                };
                Step::Where(name.to_owned(), value)
            } else if name.bytes().all(|byte| byte.is_ascii_digit()) {
                match name.parse() {
                    Ok(index) => Step::Index(index),
                    Err(_) => return Err(self.malformed("index too large")),
                }
            } else {
                Step::Member(name.to_owned())
            }
        };
        if !self.eat(']') {
            return Err(self.malformed("unclosed bracket"));
        }
        self.steps.push(step);
        Ok(())
    }

    /// Parses a string in quotes of either kind. A backslash escapes the next character.
    fn quoted(&mut self) -> Result<Option<String>, PathError> {
        let Some(quote) = self.rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            return Ok(None);
        };
        let mut out = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            if character == quote {
                self.rest = &self.rest[at + quote.len_utf8()..];
                return Ok(Some(out));
            }
            match character {
                '\\' => out.extend(characters.next().map(|(_, next)| next)),
                other => out.push(other),
            }
        }
        Err(self.malformed("unclosed quote"))
    }
}

impl Path {
    /// Sets the value at the path, and creates missing objects on the way. `null` removes the value.
    pub(super) fn set(&self, object: &mut Value, value: Value) -> Result<(), PathError> {
        let Some((last, outer)) = self.steps.split_last() else {
            return Ok(());
        };
        let mut at = object;
        for (depth, step) in outer.iter().enumerate() {
            at = match step {
                Step::Member(name) => self
                    .object_at(at, depth)?
                    .entry(name)
                    .or_insert(Value::Null),
                step => {
                    let (list, index) = self.element_at(at, depth, step)?;
                    &mut list[index]
                }
            };
        }
        let depth = outer.len();
        match last {
            Step::Member(name) => {
                let members = self.object_at(at, depth)?;
                if value.is_null() {
                    members.remove(name);
                } else {
                    members.insert(name.clone(), value);
                }
            }
            step => {
                let (list, index) = self.element_at(at, depth, step)?;
                if value.is_null() {
                    list.remove(index);
                } else {
                    list[index] = value;
                }
            }
        }
        Ok(())
    }

    /// Returns the name of the first member.
    pub(super) fn root(&self) -> &str {
        match self.steps.first() {
            Some(Step::Member(name)) => name,
            _ => "",
        }
    }

    fn object_at<'v>(
        &self,
        value: &'v mut Value,
        depth: usize,
    ) -> Result<&'v mut Map<String, Value>, PathError> {
        if value.is_null() {
            *value = Value::Object(Map::new());
        }
        let found = sort_of(value);
        value.as_object_mut().ok_or_else(|| PathError::NotInside {
            path: self.outer(depth),
            found,
            expected: "an object",
        })
    }

    fn element_at<'v>(
        &self,
        value: &'v mut Value,
        depth: usize,
        step: &Step,
    ) -> Result<(&'v mut Vec<Value>, usize), PathError> {
        let found = sort_of(value);
        let none = Vec::new();
        let list = match value {
            Value::Null => &none,
            Value::Array(list) => list,
            _ => {
                return Err(PathError::NotInside {
                    path: self.outer(depth),
                    found,
                    expected: "a list",
                });
            }
        };
        let (index, key) = match step {
            Step::Index(index) => (Some(*index).filter(|index| *index < list.len()), "name"),
            Step::Where(key, wanted) => {
                let place = |element: &Value| text_of(element, key).as_ref() == Some(wanted);
                (list.iter().position(place), key.as_str())
            }
            Step::Member(_) => (None, "name"),
        };
        let missing = PathError::NoElement {
            path: self.outer(depth + 1),
            list: self.outer(depth),
            known: known(list, key),
        };
        match (value, index) {
            (Value::Array(list), Some(index)) => Ok((list, index)),
            _ => Err(missing),
        }
    }

    /// Returns the text of the first steps.
    fn outer(&self, depth: usize) -> String {
        let steps = self.steps.iter().take(depth).cloned().collect();
        Path { steps }.to_string()
    }
}

fn text_of(element: &Value, key: &str) -> Option<String> {
    match element.get(key)? {
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Describes the elements of a list: their number and names.
fn known(list: &[Value], key: &str) -> String {
    let names: Vec<String> = list
        .iter()
        .filter_map(|element| text_of(element, key))
        .collect();
    match (list.len(), names.is_empty()) {
        (0, _) => "no elements".to_owned(),
        (1, true) => "1 element".to_owned(),
        (count, true) => format!("{count} elements"),
        (1, false) => format!("1 element: {}", names.join(", ")),
        (count, false) => format!("{count} elements: {}", names.join(", ")),
    }
}

fn sort_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps.iter().enumerate() {
            match step {
                Step::Member(name) if name.contains(['.', '/', '[', ']', '"']) => {
                    write!(f, "[{}]", Value::from(name.as_str()))?;
                }
                Step::Member(name) if index == 0 => f.write_str(name)?,
                Step::Member(name) => write!(f, ".{name}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Where(key, value) => write!(f, "[{key}={value}]")?,
            }
        }
        Ok(())
    }
}
