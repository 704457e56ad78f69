//! Field-by-field effects of a change.

use serde_json::{Map, Value, json};

use super::manifest::LAST_APPLIED;
use crate::apiserver::schema::stateful_set;
use crate::apiserver::validation::{Refused, Rejection, differences};

/// A changed field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldChange {
    /// Path, such as `spec.template.spec.containers[0].image`.
    pub path: String,
    /// The stored value; `None` if nothing is stored.
    pub old: Option<Value>,
    /// The new value; `None` if the field is removed.
    pub new: Option<Value>,
    /// The effect of the change.
    pub effect: Effect,
}

impl FieldChange {
    /// Returns the deletion of an object, such as `pod/web-1`. `policy` is the propagation policy of the request, if it
    /// has one.
    #[must_use]
    pub fn deletion(kind: &str, name: &str, policy: Option<&str>) -> Self {
        FieldChange {
            path: format!("{kind}/{name}"),
            old: None,
            new: policy.map(|policy| json!({"propagationPolicy": policy})),
            effect: Effect::Delete,
        }
    }
}

/// Effect of a change.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter, strum::IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Effect {
    /// The template changes, so there is a new revision and pods are replaced.
    Rollout,
    /// The number or ordinals of the pods change.
    Scale,
    /// No effect on pods.
    None,
    /// The object of that name is deleted.
    Delete,
    /// The server refuses the change.
    Rejected(Rejection),
}

/// Returns all changes of labels, annotations and spec, by path.
pub(super) fn changes(
    old: &Value,
    new: &Value,
    refused: &[Refused],
    minor: u32,
) -> Vec<FieldChange> {
    let differences = differences(&visible(old), &visible(new), stateful_set(), minor);
    let refused: Vec<(Vec<String>, Rejection)> = refused
        .iter()
        .map(|refused| (parts(&refused.path), refused.rejection))
        .collect();
    let mut out: Vec<FieldChange> = differences
        .into_iter()
        .map(|difference| {
            let effect = effect(&parts(&difference.path), &refused);
            FieldChange {
                path: difference.path,
                old: difference.old,
                new: difference.new,
                effect,
            }
        })
        .collect();
    out.sort_by(|a, b| a.path.cmp(&b.path));
    out
}

/// Returns the part of a set that is compared: without fields that the server or kubectl maintains.
fn visible(set: &Value) -> Value {
    let mut metadata = Map::new();
    for member in ["labels", "annotations"] {
        if let Some(value) = set["metadata"].get(member) {
            metadata.insert(member.to_owned(), value.clone());
        }
    }
    if let Some(annotations) = metadata
        .get_mut("annotations")
        .and_then(Value::as_object_mut)
    {
        annotations.remove(LAST_APPLIED);
    }
    let mut out = Map::new();
    out.insert("metadata".to_owned(), Value::Object(metadata));
    out.insert("spec".to_owned(), set["spec"].clone());
    Value::Object(out)
}

fn effect(path: &[String], refused: &[(Vec<String>, Rejection)]) -> Effect {
    let starts = |path: &[String], with: &[&str]| {
        path.len() >= with.len() && path.iter().zip(with).all(|(part, name)| part == name)
    };
    // A refused field may contain a changed one, or be part of it.
    let related = |other: &[String]| path.iter().zip(other).all(|(a, b)| a == b);
    let rejections = refused.iter().filter(|(other, _)| related(other));
    // If the field is immutable, no other value helps.
    if let Some(rejection) = rejections.map(|(_, rejection)| *rejection).min() {
        Effect::Rejected(rejection)
    } else if starts(path, &["spec", "template"]) {
        Effect::Rollout
    } else if starts(path, &["spec", "replicas"]) || starts(path, &["spec", "ordinals"]) {
        Effect::Scale
    } else {
        Effect::None
    }
}

/// Splits a path into its parts. The spellings `a.b`, `a[b]` and `a["b"]` are equivalent.
pub(in crate::apiserver) fn parts(path: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut quoted = false;
    let mut characters = path.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => quoted = !quoted,
            '\\' if quoted => {
                if let (Some(part), Some(next)) = (out.last_mut(), characters.next()) {
                    part.push(next);
                }
            }
            '.' | '[' if !quoted => out.push(String::new()),
            ']' if !quoted => {}
            other => {
                if let Some(part) = out.last_mut() {
                    part.push(other);
                }
            }
        }
    }
    out
}
