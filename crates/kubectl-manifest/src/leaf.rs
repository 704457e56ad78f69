//! The scalars and keys of a tree, as go-yaml 2.4 reads them: what they are, and what of that is a surprise.

use serde_json::Value;

use super::error::{Fault, excerpt};
use super::mapping::{Kind, key_text};
use super::number;
use super::scalar::{self, Scalar, Surprise};
use super::tree::{Content, Node, Tree};
use super::value::{Decoder, Frame};

impl Decoder<'_, '_> {
    /// The text of a key. Keys have types, too, before they become text.
    pub(super) fn key(&mut self, node: usize) -> Result<(String, Kind), Fault> {
        self.count(node)?;
        let scalar = match self.tree.nodes[node].content {
            Content::Alias { target, .. } => {
                self.following.insert(node);
                self.count(target)?;
                self.following.remove(&node);
                scalar_at(self.tree, target)?
            }
            _ => scalar_at(self.tree, node)?,
        };
        let Some((text, kind)) = key_text(&scalar) else {
            let (is, example) = match scalar {
                Scalar::Null => ("empty", "\"\""),
                _ => ("too large a number", "\"...\""),
            };
            return Err(self.fault(node, format!("a key is {is}: put it in quotes, {example}")));
        };
        if kind != Kind::Text {
            let surprise = self.surprise(node, &scalar);
            let written = self.written(node);
            match surprise {
                Some(Surprise::Word) => {
                    self.tell(
                        node,
                        format!("the key \"{written}\" is a boolean: read as \"{text}\""),
                    );
                }
                Some(Surprise::Octal) => {
                    self.tell(
                        node,
                        format!("the key \"{written}\" is octal: read as \"{text}\""),
                    );
                }
                None => {}
            }
        }
        Ok((text, kind))
    }

    pub(super) fn scalar_value(&mut self, node: usize) -> Result<Value, Fault> {
        if let Content::Number(text) = self.tree.nodes[node].content {
            let problem = || self.fault(node, format!("the number {} is too large", excerpt(text)));
            return number::literal(text).ok_or_else(problem);
        }
        let scalar = scalar_at(self.tree, node)?;
        if let Some(surprise) = self.surprise(node, &scalar) {
            let written = self.written(node);
            let shown = match self.frames.last() {
                Some(Frame::Mapping {
                    key: Some((key, ..)),
                    ..
                }) => format!("{}: {written}", excerpt(key)),
                _ => written,
            };
            match (surprise, &scalar) {
                (Surprise::Word, Scalar::Bool(value)) => {
                    self.tell(node, format!("\"{shown}\" is a boolean: read as {value}"));
                }
                (_, Scalar::Int(value)) => {
                    self.tell(node, format!("\"{shown}\" is octal: read as {value}"))
                }
                _ => {}
            }
        }
        let written = || self.written(node);
        of_scalar(scalar).ok_or_else(|| {
            self.fault(
                node,
                format!(
                    "{} is a number that JSON does not have: quote it",
                    written()
                ),
            )
        })
    }

    /// Returns the surprise of a scalar, unless it was reported before, or quotes or tags ask for it.
    fn surprise(&self, node: usize, read: &Scalar<'_>) -> Option<Surprise> {
        let found = &self.tree.nodes[node];
        match &found.content {
            Content::Scalar {
                text,
                implicit: true,
            } if found.tag.is_none() && self.following.is_empty() => scalar::surprise(text, read),
            _ => None,
        }
    }

    fn written(&self, node: usize) -> String {
        match &self.tree.nodes[node].content {
            Content::Scalar { text, .. } => excerpt(text),
            _ => String::new(),
        }
    }

    fn tell(&mut self, node: usize, message: String) {
        self.surprises.push((self.tree.nodes[node].at, message));
    }
}

/// The value of a scalar; nothing for a number that JSON does not have.
pub(super) fn of_scalar(scalar: Scalar<'_>) -> Option<Value> {
    Some(match scalar {
        Scalar::Null => Value::Null,
        Scalar::Bool(value) => Value::Bool(value),
        Scalar::Int(value) => Value::from(value),
        #[expect(
            clippy::cast_precision_loss,
            reason = "kubectl reads it back as a float"
        )]
        Scalar::Unsigned(value) => number::float(value as f64).unwrap_or_default(),
        Scalar::Float(value) => number::float(value)?,
        Scalar::Text(text) => Value::String(text.into_owned()),
    })
}

/// The type and text of a scalar.
pub(super) fn scalar_at<'t>(tree: &'t Tree<'_>, node: usize) -> Result<Scalar<'t>, Fault> {
    let Node {
        content, tag, at, ..
    } = &tree.nodes[node];
    let fault = |problem| Fault { at: *at, problem };
    match content {
        Content::Scalar { text, implicit } => scalar::resolve(text, tag.as_deref(), *implicit)
            .map_err(|problem| fault(problem.into())),
        Content::Bool(value) => Ok(Scalar::Bool(*value)),
        Content::Null | Content::Number(_) | Content::Alias { .. } => Ok(Scalar::Null),
        Content::Sequence | Content::Mapping => Err(fault(
            "a list or mapping is a key, which JSON does not have: use a text".into(),
        )),
    }
}
