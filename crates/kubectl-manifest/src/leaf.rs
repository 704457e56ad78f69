//! Scalars and keys of a tree as go-yaml 2.4 reads them, with warnings for surprising values.

use serde_json::Value;

use super::error::{Fault, excerpt};
use super::mapping::{Kind, key_text};
use super::number;
use super::scalar::{self, Scalar, Surprise, scalar_at};
use super::tree::Content;
use super::value::{Decoder, Frame};

impl Decoder<'_, '_> {
    /// Returns the text of a key. Keys also have types before they become strings.
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
            return Err(self.fault(
                node,
                format!("unsupported key: {is}; put it in quotes, {example}"),
            ));
        };
        if kind != Kind::Text {
            let surprise = self.surprise(node, &scalar);
            let written = self.written(node);
            match surprise {
                Some(Surprise::Word) => {
                    self.warn(
                        node,
                        format!("the key \"{written}\" is a boolean: read as \"{text}\""),
                    );
                }
                Some(Surprise::Octal) => {
                    self.warn(
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
                    self.warn(node, format!("\"{shown}\" is a boolean: read as {value}"));
                }
                (_, Scalar::Int(value)) => {
                    self.warn(node, format!("\"{shown}\" is octal: read as {value}"))
                }
                _ => {}
            }
        }
        let written = || self.written(node);
        of_scalar(scalar).ok_or_else(|| {
            self.fault(
                node,
                format!("JSON does not support the number {}: quote it", written()),
            )
        })
    }

    /// Returns the surprise of a scalar, unless it was reported before, or is explicit by quotes or a tag.
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

    fn warn(&mut self, node: usize, message: String) {
        self.surprises.push((self.tree.nodes[node].at, message));
    }
}

/// Returns the value of a scalar; `None` for a number that JSON does not support.
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
