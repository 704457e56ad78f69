//! `-o jsonpath`: kubectl's template language, with identical results.
//!
//! Text is literal; expressions in braces select values: `{.items[*].metadata.name}`,
//! `{range .steps[?(@.actor=="controller")]}{.at}{"\n"}{end}`. A missing key selects nothing. Members of
//! an object are sorted by name, where kubectl has no fixed order.

mod filter;
mod number;
mod parse;
mod printed;
mod quoted;
mod walk;

use std::io::{self, Write};

use serde_json::Value;
use thiserror::Error;

use super::style::Style;

pub(super) use printed::spelled;

/// Maximum number of ranges in a template, which may be nested.
const MOST_RANGES: usize = 100;

/// A parsed template.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    nodes: Vec<Node>,
}

/// An invalid template, or one that does not match the value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct TemplateError(String);

impl TemplateError {
    fn new(problem: impl Into<String>) -> Self {
        TemplateError(problem.into())
    }
}

/// A node of a template. Literals have the form of selected values.
#[derive(Debug, Clone, PartialEq)]
enum Node {
    /// A sequence, in which each node applies to the selection of the previous one.
    List(Vec<Node>),
    /// A literal, whatever the input.
    Literal(Value),
    /// A member of an object.
    Field(String),
    /// Some items of an array.
    Slice(Slice),
    /// The items of an array that match a condition.
    Filter {
        left: Vec<Node>,
        operator: String,
        right: Vec<Node>,
    },
    /// All members or items.
    Wildcard,
    /// All descendants, at any depth.
    Recursive,
    /// The union of selections.
    Union(Vec<Vec<Node>>),
    /// `range`: the following nodes apply to each value.
    Range,
    /// `end` of a range.
    End,
}

/// `[from:to:step]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slice {
    from: Option<i64>,
    to: Option<i64>,
    /// True if `to` is absent: a single index.
    single: bool,
    step: Option<i64>,
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// When the template is malformed.
    pub fn new(text: &str) -> Result<Self, TemplateError> {
        if text.is_empty() {
            return Err(TemplateError::new(
                "no template given: use jsonpath='{.summary}'",
            ));
        }
        let nodes = parse::parse(text)?;
        let ranges = nodes.iter().map(ranges).sum::<usize>();
        if ranges > MOST_RANGES {
            return Err(TemplateError::new(format!(
                "{ranges} ranges exceed the limit of {MOST_RANGES}"
            )));
        }
        Ok(Template { nodes })
    }

    /// Returns the selection of each part of the template, in order.
    pub(super) fn results<'v>(
        &'v self,
        value: &'v Value,
    ) -> Result<Vec<Vec<&'v Value>>, TemplateError> {
        walk::Walk::new(&self.nodes).results(value)
    }

    /// Applies the template to a value. Unless `verbatim`, selected values are escaped for terminals. Literal text of the
    /// template is never escaped.
    ///
    /// # Errors
    /// When the template does not match the value, such as an index beyond the end of an array.
    pub fn text(&self, value: &Value, verbatim: bool) -> Result<String, TemplateError> {
        let mut text = String::new();
        for selected in self.results(value)? {
            for (at, value) in selected.iter().enumerate() {
                if at > 0 {
                    text.push(' ');
                }
                let verbatim = verbatim || stands_in(&self.nodes, value);
                text.push_str(&printed::printed(value, verbatim));
            }
        }
        Ok(text)
    }

    /// Applies the template to a value, and writes the result.
    pub(super) fn write(
        &self,
        value: &Value,
        style: &Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let text = self.text(value, style.verbatim);
        out.write_all(text.map_err(io::Error::other)?.as_bytes())
    }
}

fn ranges(node: &Node) -> usize {
    match node {
        Node::Range => 1,
        Node::List(nodes) => nodes.iter().map(ranges).sum(),
        Node::Union(lists) => lists.iter().flatten().map(ranges).sum(),
        _ => 0,
    }
}

/// Reports whether a value is a literal of the template.
fn stands_in(nodes: &[Node], value: &Value) -> bool {
    nodes.iter().any(|node| match node {
        Node::Literal(literal) => std::ptr::eq(literal, value),
        Node::List(nodes) => stands_in(nodes, value),
        Node::Union(lists) => lists.iter().any(|nodes| stands_in(nodes, value)),
        _ => false,
    })
}
