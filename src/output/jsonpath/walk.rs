//! The evaluation of templates.

use serde_json::Value;

use super::filter::holds;
use super::{Node, Slice, TemplateError};

/// Maximum number of values selected at the same time: far more than a plan has, and few enough for memory.
const MOST_SELECTED: usize = 4_000_000;

static NOTHING: Value = Value::Null;

type Selected<'v> = Vec<&'v Value>;

/// One application of a template.
#[derive(Default)]
pub(super) struct Walk<'v> {
    nodes: &'v [Node],
    /// Number of values selected so far, plus one for each selection.
    selected: usize,
    /// Number of ranges that are not entered yet.
    begun: usize,
    /// Number of active ranges.
    inside: usize,
    /// Number of pending ends.
    ended: usize,
    /// The position of the last end.
    last_end: Option<usize>,
}

impl<'v> Walk<'v> {
    pub(super) fn new(nodes: &'v [Node]) -> Self {
        Walk {
            nodes,
            ..Walk::default()
        }
    }

    /// Returns the selection of each node; for nodes of a range, once for each value.
    pub(super) fn results(mut self, value: &'v Value) -> Result<Vec<Selected<'v>>, TemplateError> {
        let mut results = Vec::new();
        self.from(0, value, &mut results)?;
        Ok(results)
    }

    /// Evaluates nodes up to the end of their range.
    fn from(
        &mut self,
        start: usize,
        value: &'v Value,
        results: &mut Vec<Selected<'v>>,
    ) -> Result<(), TemplateError> {
        let nodes = self.nodes;
        let mut at = start;
        while let Some(node) = nodes.get(at) {
            let selected = self.node(vec![value], node)?;
            if self.ended > 0 && self.ended <= self.inside {
                self.ended -= 1;
                self.last_end = Some(at);
                return Ok(());
            }
            if self.begun > 0 {
                self.begun -= 1;
                self.inside += 1;
                for value in &selected {
                    self.from(at + 1, value, results)?;
                }
                if selected.is_empty() {
                    // The end has to be found.
                    self.from(at + 1, &NOTHING, &mut Vec::new())?;
                }
                self.inside -= 1;
                if let Some(end) = self.last_end.filter(|end| *end > at) {
                    at = end;
                }
            } else {
                results.push(selected);
            }
            at += 1;
        }
        Ok(())
    }

    fn list(
        &mut self,
        input: Selected<'v>,
        nodes: &'v [Node],
    ) -> Result<Selected<'v>, TemplateError> {
        nodes
            .iter()
            .try_fold(input, |input, node| self.node(input, node))
    }

    fn node(&mut self, input: Selected<'v>, node: &'v Node) -> Result<Selected<'v>, TemplateError> {
        let selected = match node {
            Node::List(nodes) => self.list(input, nodes)?,
            // A literal appears once, whatever the input.
            Node::Literal(text @ Value::String(_)) => vec![text],
            Node::Literal(value) => vec![value; input.len()],
            Node::Field(name) => {
                let members = input.into_iter().filter_map(|value| value.get(name));
                members.collect()
            }
            Node::Slice(slice) => {
                let mut selected = Vec::new();
                for value in input {
                    selected.extend(sliced(value, slice)?);
                }
                selected
            }
            Node::Filter {
                left,
                operator,
                right,
            } => self.filtered(input, left, operator, right)?,
            Node::Wildcard => input.into_iter().flat_map(children).collect(),
            Node::Recursive => {
                let mut below = Vec::new();
                for value in input {
                    descend(value, &mut below);
                }
                below
            }
            Node::Union(lists) => {
                let mut selected = Vec::new();
                for nodes in lists {
                    selected.extend(self.list(input.clone(), nodes)?);
                }
                selected
            }
            Node::Range => {
                self.begun += 1;
                input
            }
            Node::End if self.inside > 0 => {
                self.ended += 1;
                Vec::new()
            }
            Node::End => return Err(TemplateError::new("not in range, nothing to end")),
        };
        self.selected += selected.len() + 1;
        if self.selected > MOST_SELECTED {
            return Err(TemplateError::new(format!(
                "the template selects more than {MOST_SELECTED} values"
            )));
        }
        Ok(selected)
    }

    fn filtered(
        &mut self,
        input: Selected<'v>,
        left: &'v [Node],
        operator: &str,
        right: &'v [Node],
    ) -> Result<Selected<'v>, TemplateError> {
        let mut selected = Vec::new();
        for value in input {
            let Value::Array(items) = value else {
                return Err(TemplateError::new(format!(
                    "{} is not array or slice and cannot be filtered",
                    kind(value)
                )));
            };
            for item in items {
                let lefts = self.list(vec![item], left);
                if operator == "exists" {
                    if lefts.is_ok_and(|lefts| !lefts.is_empty()) {
                        selected.push(item);
                    }
                    continue;
                }
                let Some(left) = single(lefts?)? else {
                    continue;
                };
                let Some(right) = single(self.list(vec![item], right)?)? else {
                    continue;
                };
                if holds(left, operator, right)? {
                    selected.push(item);
                }
            }
        }
        Ok(selected)
    }
}

fn single(values: Selected<'_>) -> Result<Option<&Value>, TemplateError> {
    match values[..] {
        [] => Ok(None),
        [value] => Ok(Some(value)),
        _ => Err(TemplateError::new("can only compare one element at a time")),
    }
}

/// Selects items of an array; none of null.
fn sliced<'v>(value: &'v Value, slice: &Slice) -> Result<Selected<'v>, TemplateError> {
    let items = match value {
        Value::Null => return Ok(Vec::new()),
        Value::Array(items) => items,
        other => {
            return Err(TemplateError::new(format!(
                "{} is not array or slice",
                kind(other)
            )));
        }
    };
    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let mut from = slice.from.unwrap_or(0);
    if from < 0 {
        from = from.saturating_add(length);
    }
    let mut to = slice.to.unwrap_or(length);
    if to < 0 || (to == 0 && slice.single) {
        to = to.saturating_add(length);
    }
    if from == to {
        return Ok(Vec::new());
    }
    let outside = |index: i64| {
        TemplateError::new(format!(
            "array index out of bounds: index {index}, length {length}"
        ))
    };
    if from >= length || from < 0 {
        return Err(outside(from));
    }
    if to > length || to < 0 {
        return Err(outside(to.saturating_sub(1)));
    }
    if from > to {
        return Err(TemplateError::new(format!(
            "starting index {from} is greater than ending index {to}"
        )));
    }
    let step = match slice.step {
        None => 1,
        Some(step) => usize::try_from(step)
            .ok()
            .filter(|step| *step > 0)
            .ok_or_else(|| TemplateError::new("step must be > 0"))?,
    };
    let index = |at: i64| usize::try_from(at).unwrap_or(0);
    let chosen = items.get(index(from)..index(to)).unwrap_or_default();
    Ok(chosen.iter().step_by(step).collect())
}

/// Selects all members, which are sorted by name, or all items.
fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => Vec::new(),
    }
}

/// Selects a value and its descendants, without empty values, numbers and booleans, which kubectl skips. A string counts
/// as an array of its bytes there.
fn descend<'v>(value: &'v Value, below: &mut Selected<'v>) {
    let passed_over = match value {
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => true,
    };
    if passed_over {
        return;
    }
    below.push(value);
    for child in children(value) {
        descend(child, below);
    }
}

/// Returns the type name of a value, as kubectl prints it.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}
