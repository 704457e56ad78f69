//! Effects of a change, field by field.

use serde_json::{Map, Value, json};

use super::manifest::LAST_APPLIED;
use crate::apiserver::schema::stateful_set;
use crate::apiserver::validation::{Refused, Rejection, differences};

/// A field that a change touches.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldChange {
    /// Its path, such as `spec.template.spec.containers[0].image`.
    pub path: String,
    /// The stored value; none if nothing is stored.
    pub old: Option<Value>,
    /// The value that would be stored; none if it is removed.
    pub new: Option<Value>,
    /// The effect of the change.
    pub effect: Effect,
}

impl FieldChange {
    /// The deletion of an object, such as `pod/web-1`. `policy` is that of the request where it says one.
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

/// The effect of a change of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter)]
pub enum Effect {
    /// The template is another one, so there will be a new revision, and pods are replaced.
    Rollout,
    /// Other pods are wanted.
    Scale,
    /// Neither.
    None,
    /// The object of that name is deleted.
    Delete,
    /// The server refuses it, for that reason.
    Rejected(Rejection),
}

impl Effect {
    /// Its name in machine output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Effect::Rollout => "rollout",
            Effect::Scale => "scale",
            Effect::None => "none",
            Effect::Delete => "delete",
            Effect::Rejected(_) => "rejected",
        }
    }
}

/// All changes of labels, annotations and spec, by path.
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

/// Returns the part of a set that is compared: without what the server writes or kubectl keeps for itself.
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
    // A refused field may be a part of a changed one, or the other way round.
    let related = |other: &[String]| path.iter().zip(other).all(|(a, b)| a == b);
    let rejections = refused.iter().filter(|(other, _)| related(other));
    // A field that may not change is not helped by another value.
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

/// The parts of a path, whichever way its keys are written: `a.b`, `a[b]` and `a["b"]` are the same.
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
