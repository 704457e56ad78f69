//! Errors of loading: the problem with an object, and its location.

use std::borrow::Cow;

use serde_json::Value;

use super::kind::Kind;
use super::objects::LoadError;
use kubectl_manifest::{Location, Manifest, Part, PathSegment, excerpt};
use sts_controller::object::FieldError;

/// Name of an object in messages.
const NAME: Part = Part::Members(&[("metadata", Part::Members(&[("name", Part::Whole)]))]);

pub(super) fn name_of(value: &Value) -> &str {
    value["metadata"]["name"].as_str().unwrap_or_default()
}

pub(super) fn describe(value: &Value, kind: &str) -> String {
    let name = excerpt(name_of(value));
    format!("{} {name}", excerpt(kind)).trim_end().to_owned()
}

/// Returns the error for a field of an object of a possibly unknown kind.
pub(super) fn wrong_at(manifest: &Manifest, kind: &str, problem: String, field: &str) -> LoadError {
    LoadError::Object {
        location: manifest.location_of(&[PathSegment::Key(field)]),
        what: describe(&manifest.part(NAME), kind),
        problem,
    }
}

pub(super) fn wrong(
    manifest: &Manifest,
    value: &Value,
    kind: Kind,
    problem: String,
    path: &[PathSegment<'_>],
) -> LoadError {
    LoadError::Object {
        location: manifest.location_of(path),
        what: describe(value, kind.name()),
        problem,
    }
}

pub(super) fn wrong_field(
    manifest: &Manifest,
    value: &Value,
    kind: Kind,
    errors: &[FieldError],
) -> LoadError {
    let Some(first) = errors.first() else {
        return wrong(manifest, value, kind, "cannot be read".to_owned(), &[]);
    };
    let more = match errors.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    wrong(
        manifest,
        value,
        kind,
        format!("is invalid at {}{more}", shortened(&first.to_string())),
        &segments(&first.path),
    )
}

/// Shortens long keys and values in a problem.
fn shortened(problem: &str) -> Cow<'_, str> {
    const MOST: usize = 1_000;
    const ENDS: usize = 400;
    let length = problem.chars().count();
    if length <= MOST {
        return problem.into();
    }
    let head: String = problem.chars().take(ENDS).collect();
    let tail: String = problem.chars().skip(length - ENDS).collect();
    format!("{head} … {tail}").into()
}

pub(super) fn nameless(manifest: &Manifest, value: &Value, kind: Kind) -> LoadError {
    let metadata = &value["metadata"];
    let path = [PathSegment::Key("metadata"), PathSegment::Key("name")];
    let is_wrong = |field: &str, found: &Value, expected: &str| {
        let found = match found {
            Value::Null | Value::String(_) => return None,
            Value::Bool(flag) => format!("the boolean {flag}"),
            Value::Number(number) => format!("the number {number}"),
            Value::Array(_) => "a list".to_owned(),
            Value::Object(_) => "a mapping".to_owned(),
        };
        Some(format!(
            "is invalid at {field}: expected {expected}, found {found}"
        ))
    };
    let wrong_metadata = match metadata {
        Value::Object(_) => None,
        Value::String(text) => Some(format!(
            "is invalid at metadata: expected a mapping, found {:?}",
            excerpt(text)
        )),
        other => is_wrong("metadata", other, "a mapping"),
    };
    if let Some(problem) = wrong_metadata {
        return wrong(manifest, value, kind, problem, &path[..1]);
    }
    let name = &metadata["name"];
    if let Some(problem) = is_wrong("metadata.name", name, "a string") {
        let hint = match name {
            Value::Number(_) | Value::Bool(_) => format!(": put it in quotes, \"{name}\""),
            _ => String::new(),
        };
        return wrong(manifest, value, kind, problem + &hint, &path);
    }
    let problem = "has no metadata.name: add one";
    wrong(manifest, value, kind, problem.to_owned(), &path)
}

/// Returns the location of the field at a path, in a manifest of any kind.
pub fn location_of(manifest: &Manifest, path: &str) -> Location {
    manifest.location_of(&segments(path))
}

/// Splits a path such as `spec.containers[0].name` or `metadata.labels[a.b/c]`.
pub(super) fn segments(path: &str) -> Vec<PathSegment<'_>> {
    let mut segments = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (key, after) = inner.split_once(']').unwrap_or((inner, ""));
            segments.push(
                key.parse()
                    .map_or(PathSegment::Key(key), PathSegment::Index),
            );
            rest = after.strip_prefix('.').unwrap_or(after);
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            segments.push(PathSegment::Key(&rest[..end]));
            let after = &rest[end..];
            rest = after.strip_prefix('.').unwrap_or(after);
        }
    }
    segments
}
