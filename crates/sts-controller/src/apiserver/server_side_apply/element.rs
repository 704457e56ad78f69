//! Path elements of managedFields.

use std::cmp::Ordering;
use std::fmt;

use serde_json::Value;

use crate::encode::json as encode_json;

/// An element of a path: `f:spec`, `k:{"name":"app"}`, `v:"finalizer"`, `i:0`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathElement {
    /// A member of an object, or an entry of a map.
    Field(String),
    /// An element of a list, by the values of its key members, sorted by name.
    Key(Vec<(String, KeyValue)>),
    /// An element of a set, by its value.
    Value(KeyValue),
    /// An element of a list, by index.
    Index(i64),
}

/// A value that identifies an element of a list.
#[derive(Debug, Clone)]
pub struct KeyValue(pub Value);

impl PathElement {
    /// Parses an element; returns `None` for an unknown prefix.
    pub(super) fn parse(text: &str) -> Result<Option<Self>, String> {
        let wrong = || format!("parsing key as path element: {text}");
        let (kind, rest) = text.split_at_checked(2).ok_or_else(wrong)?;
        let json = |text: &str| serde_json::from_str::<Value>(text).map_err(|_| wrong());
        Ok(match kind {
            "f:" => Some(Self::Field(rest.to_owned())),
            "v:" => Some(Self::Value(KeyValue(json(rest)?))),
            "i:" => Some(Self::Index(rest.parse().map_err(|_| wrong())?)),
            "k:" => {
                let Value::Object(members) = json(rest)? else {
                    return Err(wrong());
                };
                Some(Self::key(
                    members
                        .into_iter()
                        .map(|(name, value)| (name, KeyValue(value)))
                        .collect(),
                ))
            }
            _ if kind.ends_with(':') => None,
            _ => return Err(wrong()),
        })
    }

    /// Returns the element with these key members.
    pub(super) fn key(mut members: Vec<(String, KeyValue)>) -> Self {
        members.sort();
        Self::Key(members)
    }

    /// Returns the text in managedFields.
    pub(super) fn spelled(&self) -> String {
        match self {
            Self::Field(name) => format!("f:{name}"),
            Self::Key(members) => {
                let members: Vec<String> = members
                    .iter()
                    .map(|(name, value)| {
                        let name = encode_json(&Value::from(name.as_str()), true);
                        format!("{name}:{}", encode_json(&value.0, true))
                    })
                    .collect();
                format!("k:{{{}}}", members.join(","))
            }
            Self::Value(value) => format!("v:{}", encode_json(&value.0, true)),
            Self::Index(index) => format!("i:{index}"),
        }
    }
}

impl fmt::Display for PathElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Key(members) => {
                f.write_str("[")?;
                for (index, (name, value)) in members.iter().enumerate() {
                    let comma = if index == 0 { "" } else { "," };
                    write!(f, "{comma}{name}={value}")?;
                }
                f.write_str("]")
            }
            Self::Value(value) => write!(f, "[={value}]"),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

impl fmt::Display for KeyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Value::String(text) => f.write_str(&crate::apiserver::validation::go_quoted(text)),
            other => write!(f, "{other}"),
        }
    }
}

impl KeyValue {
    fn rank(&self) -> u8 {
        match &self.0 {
            Value::Number(_) => 0,
            Value::String(_) => 1,
            Value::Bool(_) => 2,
            Value::Array(_) => 3,
            Value::Object(_) => 4,
            Value::Null => 5,
        }
    }
}

impl PartialEq for KeyValue {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for KeyValue {}

impl PartialOrd for KeyValue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for KeyValue {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Value::Number(one), Value::Number(two)) => match (one.as_i64(), two.as_i64()) {
                (Some(one), Some(two)) => one.cmp(&two),
                _ => {
                    let float = |number: &serde_json::Number| number.as_f64().unwrap_or(0.0);
                    float(one).total_cmp(&float(two))
                }
            },
            (Value::String(one), Value::String(two)) => one.cmp(two),
            (Value::Bool(one), Value::Bool(two)) => one.cmp(two),
            (one, two) if self.rank() == other.rank() => one.to_string().cmp(&two.to_string()),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}
