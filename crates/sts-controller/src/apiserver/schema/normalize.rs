//! Decoding and encoding in one step: a value after a round trip through the server's types.

use std::fmt;

use serde_json::{Map, Value};

use super::fields::{Field, Kind, Shape, Zero};
use super::path::Path;
use super::scalar;
use super::scalar::Read;

pub use crate::object::FieldError;

/// A member that the server of this minor does not know and drops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownField {
    /// The path of the field.
    pub path: String,
    /// The first later minor with a field of this name.
    pub since: Option<u32>,
    /// The last earlier minor with a field of this name.
    pub until: Option<u32>,
    /// The probably intended field: the same letters in another case, or nearly the same letters.
    pub meant: Option<&'static str>,
}

impl fmt::Display for UnknownField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path)?;
        match (self.since, self.until, self.meant) {
            (Some(minor), _, _) => write!(f, "known from 1.{minor} on"),
            (None, Some(minor), _) => write!(f, "known up to 1.{minor}"),
            (None, None, Some(name))
                if self
                    .path
                    .to_ascii_lowercase()
                    .ends_with(&name.to_ascii_lowercase()) =>
            {
                write!(f, "unknown, it is spelled {name}")
            }
            (None, None, Some(name)) => write!(f, "unknown, did you mean {name}?"),
            (None, None, None) => f.write_str("unknown"),
        }
    }
}

/// A value after its round trip through the types.
#[derive(Debug, Clone)]
pub struct Normalized {
    /// Known members only.
    pub value: Value,
    /// The dropped unknown fields, by name.
    pub unknown: Vec<UnknownField>,
}

/// Decodes `value` as type `shape` like the server of `minor`.
///
/// # Errors
///
/// All values of the wrong type, not just the first.
pub fn normalize(
    value: &Value,
    shape: &'static Shape,
    minor: u32,
) -> Result<Normalized, Vec<FieldError>> {
    let mut unknown = Vec::new();
    let value = walk(value, shape, minor, Some(&mut unknown))?;
    Ok(Normalized { value, unknown })
}

/// Decodes a value without collecting unknown fields, whose lookup takes most of the time.
///
/// # Errors
///
/// All values of the wrong type, not just the first.
pub fn normalized(
    value: &Value,
    shape: &'static Shape,
    minor: u32,
) -> Result<Value, Vec<FieldError>> {
    walk(value, shape, minor, None)
}

fn walk(
    value: &Value,
    shape: &'static Shape,
    minor: u32,
    unknown: Option<&mut Vec<UnknownField>>,
) -> Result<Value, Vec<FieldError>> {
    let mut walk = Walk {
        minor,
        errors: Vec::new(),
        unknown,
    };
    let value = walk.object(value, shape, Path::Root);
    match walk.errors.is_empty() {
        true => Ok(value),
        false => Err(walk.errors),
    }
}

/// A recursive walk. Types nest, but never in themselves, so the recursion is bounded.
struct Walk<'u> {
    minor: u32,
    errors: Vec<FieldError>,
    /// The dropped fields, if requested.
    unknown: Option<&'u mut Vec<UnknownField>>,
}

impl Walk<'_> {
    fn object(&mut self, value: &Value, shape: &'static Shape, path: Path<'_>) -> Value {
        let nothing = Map::new();
        let members = match value {
            Value::Object(members) => members,
            Value::Null => &nothing,
            _ => return self.refuse(path, scalar::wrong("an object", value)),
        };
        let mut out = Map::new();
        let minor = self.minor;
        // Members are few and fields are many, so each member looks up its field.
        let mut given: Vec<Option<&Value>> = vec![None; shape.fields.len()];
        let mut unknown = Vec::new();
        for (name, value) in members {
            match shape.position(name, minor) {
                Some(at) => given[at] = Some(value),
                None => unknown.push(name),
            }
        }
        for (field, given) in shape.fields.iter().zip(given) {
            let given = given.filter(|value| !value.is_null());
            if field.exists_in(minor)
                && let Some(written) = self.member(field, given, path)
            {
                out.insert(field.name.to_owned(), written);
            }
        }
        if let Some(noted) = self.unknown.take() {
            let fields = unknown.into_iter();
            noted.extend(fields.map(|name| self.unknown_field(shape, name, path)));
            self.unknown = Some(noted);
        }
        Value::Object(out)
    }

    /// Returns the encoded value of a field, if it is written.
    fn member(&mut self, field: &Field, given: Option<&Value>, path: Path<'_>) -> Option<Value> {
        let Some(given) = given else {
            return match field.zero {
                Zero::Dropped | Zero::Kept => None,
                Zero::Written => Some(self.value(field.kind, &Value::Null, path)),
                Zero::Null => Some(Value::Null),
            };
        };
        let written = self.value(field.kind, given, Path::Member(&path, field.name));
        // Storage does not distinguish an empty list from a missing one.
        if field.zero == Zero::Written && written.as_array().is_some_and(Vec::is_empty) {
            return Some(Value::Null);
        }
        (field.zero != Zero::Dropped || !is_zero(&written)).then_some(written)
    }

    fn value(&mut self, kind: Kind, value: &Value, path: Path<'_>) -> Value {
        match kind {
            Kind::Text => self.scalar(scalar::text, value, path),
            Kind::Bool => self.scalar(scalar::boolean, value, path),
            Kind::Int32 => self.scalar(scalar::int32, value, path),
            Kind::Int64 => self.scalar(scalar::int64, value, path),
            Kind::Quantity => self.scalar(scalar::quantity, value, path),
            Kind::IntOrString => self.scalar(scalar::int_or_string, value, path),
            Kind::Time => self.scalar(scalar::time, value, path),
            Kind::Raw => value.clone(),
            Kind::Texts => self.list(Kind::Text, value, path),
            Kind::Int32s => self.list(Kind::Int32, value, path),
            Kind::Int64s => self.list(Kind::Int64, value, path),
            Kind::TextMap => self.map(Kind::Text, value, path),
            Kind::QuantityMap => self.map(Kind::Quantity, value, path),
            Kind::Object(shape) => self.object(value, shape, path),
            Kind::Objects(shape) => self.list(Kind::Object(shape), value, path),
        }
    }

    fn scalar(&mut self, read: fn(&Value) -> Read, value: &Value, path: Path<'_>) -> Value {
        match read(value) {
            Ok(value) => value,
            error => self.refuse(path, error),
        }
    }

    /// Decodes a list. A missing list is `null`.
    fn list(&mut self, kind: Kind, value: &Value, path: Path<'_>) -> Value {
        match value {
            Value::Null => Value::Null,
            Value::Array(elements) => elements
                .iter()
                .enumerate()
                .map(|(index, element)| self.value(kind, element, Path::Index(&path, index)))
                .collect(),
            _ => self.refuse(path, scalar::wrong("a list", value)),
        }
    }

    fn map(&mut self, kind: Kind, value: &Value, path: Path<'_>) -> Value {
        match value {
            Value::Null => Value::Null,
            Value::Object(entries) => entries
                .iter()
                .map(|(key, entry)| (key.clone(), self.value(kind, entry, Path::Key(&path, key))))
                .collect(),
            _ => self.refuse(path, scalar::wrong("an object", value)),
        }
    }

    fn refuse(&mut self, path: Path<'_>, error: Read) -> Value {
        if let Err(message) = error {
            self.errors.push(FieldError {
                path: path.to_string(),
                message,
            });
        }
        Value::Null
    }

    fn unknown_field(&self, shape: &Shape, name: &str, path: Path<'_>) -> UnknownField {
        let eras = || shape.fields.iter().filter(|field| field.name == name);
        UnknownField {
            path: Path::Member(&path, name).to_string(),
            since: eras()
                .map(|field| field.since)
                .filter(|since| *since > self.minor)
                .min(),
            until: eras()
                .map(|field| field.until)
                .filter(|until| *until < self.minor)
                .max(),
            meant: self.meant(shape, name),
        }
    }

    /// Returns the field of this minor with the most similar name, if it is close enough for a typo.
    fn meant(&self, shape: &Shape, name: &str) -> Option<&'static str> {
        let fields = shape.fields.iter();
        let known = fields.filter(|field| field.exists_in(self.minor) && field.name.len() > 2);
        nearest(name, known.map(|field| field.name))
    }
}

/// Returns the most similar name, if it is close enough for a typo.
pub fn nearest<'n>(given: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let given = given.to_ascii_lowercase();
    // One letter in a short name, a few in a long one.
    let most = 1 + given.len() / 8;
    names
        .map(|name| {
            let distance = strsim::damerau_levenshtein(&given, &name.to_ascii_lowercase());
            (distance, name)
        })
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, name)| name)
}

/// Reports whether a value is the zero value of its type.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_i64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}
