//! `-o jsonpath`: kubectl's template language, to the letter where anybody could tell.
//!
//! Text stands for itself; what is in braces selects values: `{.items[*].metadata.name}`,
//! `{range .steps[?(@.actor=="controller")]}{.at}{"\n"}{end}`. A key that is not there selects nothing. Members of
//! an object come in the order of their names, where kubectl takes them as they fall.

mod filter;
mod number;
mod parse;
mod printed;
mod quoted;
mod walk;

use serde_json::Value;
use thiserror::Error;

pub(super) use printed::spelled;

/// The most ranges that a template may have: each may be inside the one before.
const MOST_RANGES: usize = 100;

/// A template that was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    nodes: Vec<Node>,
}

/// The reason that a template cannot be read, or does not fit what it is applied to.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct TemplateError(String);

impl TemplateError {
    fn new(problem: impl Into<String>) -> Self {
        TemplateError(problem.into())
    }
}

/// A part of a template. Values that stand in it are kept in the form of those that are selected.
#[derive(Debug, Clone, PartialEq)]
enum Node {
    /// One after the other, each on what the one before selects.
    List(Vec<Node>),
    /// A text, a number or a truth value, whatever comes in.
    Literal(Value),
    /// A member.
    Field(String),
    /// Some items of an array.
    Slice(Slice),
    /// The items of an array for which a condition holds.
    Filter {
        left: Vec<Node>,
        operator: String,
        right: Vec<Node>,
    },
    /// All members or items.
    Wildcard,
    /// All descendants, at any depth.
    Recursive,
    /// The selections of all of these.
    Union(Vec<Vec<Node>>),
    /// `range`: what follows is for each.
    Range,
    /// `end` of that.
    End,
}

/// `[from:to:step]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slice {
    from: Option<i64>,
    to: Option<i64>,
    /// True if `to` was not written: a single index.
    single: bool,
    step: Option<i64>,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// When the template is malformed.
    pub fn new(text: &str) -> Result<Self, TemplateError> {
        if text.is_empty() {
            return Err(TemplateError::new(
                "there is no template: write jsonpath='{.summary}'",
            ));
        }
        let nodes = parse::parse(text)?;
        let ranges = nodes.iter().map(ranges).sum::<usize>();
        if ranges > MOST_RANGES {
            return Err(TemplateError::new(format!(
                "there are {ranges} ranges, and at most {MOST_RANGES} are gone through"
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

    /// Applies the template to a value. Unless `verbatim`, nothing that is selected does anything to a terminal; text
    /// of the template is the user's own, line ends and all.
    ///
    /// # Errors
    /// When the template does not fit the value, such as an index beyond the end of an array.
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
}

fn ranges(node: &Node) -> usize {
    match node {
        Node::Range => 1,
        Node::List(nodes) => nodes.iter().map(ranges).sum(),
        Node::Union(lists) => lists.iter().flatten().map(ranges).sum(),
        _ => 0,
    }
}

/// Reports whether a value is one of those that stand in the template itself.
fn stands_in(nodes: &[Node], value: &Value) -> bool {
    nodes.iter().any(|node| match node {
        Node::Literal(literal) => std::ptr::eq(literal, value),
        Node::List(nodes) => stands_in(nodes, value),
        Node::Union(lists) => lists.iter().any(|nodes| stands_in(nodes, value)),
        _ => false,
    })
}
