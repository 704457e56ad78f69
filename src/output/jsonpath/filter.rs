//! Conditions: `@.actor=="controller"`, `@.at>5`, `@.error`.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::TemplateError;

/// Splits a comparison into its sides and its operator; `None` for other conditions.
pub(super) fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let is_operator = |character: char| "!<>=".contains(character);
    let start = text.find(is_operator).filter(|start| *start > 0)?;
    let rest = &text[start..];
    let end = match rest.find(|character| !is_operator(character)) {
        Some(end) => end,
        // The right side must not be empty.
        None => rest.len().checked_sub(1).filter(|end| *end > 0)?,
    };
    Some((&text[..start], &rest[..end], &rest[end..]))
}

/// Reports whether a comparison holds.
pub(super) fn holds(left: &Value, operator: &str, right: &Value) -> Result<bool, TemplateError> {
    let known = ["<", ">", "==", "!=", "<=", ">="];
    if !known.contains(&operator) {
        return Err(TemplateError::new(format!(
            "unrecognized filter operator {operator}"
        )));
    }
    let ordering = compared(left, right)?;
    let Some(ordering) = ordering else {
        // Booleans have no order.
        return match operator {
            "==" => Ok(left == right),
            "!=" => Ok(left != right),
            _ => Err(TemplateError::new("invalid type for comparison")),
        };
    };
    Ok(match operator {
        "<" => ordering.is_lt(),
        ">" => ordering.is_gt(),
        "==" => ordering.is_eq(),
        "!=" => ordering.is_ne(),
        "<=" => ordering.is_le(),
        _ => ordering.is_ge(),
    })
}

/// Compares two values of the same type; `None` for booleans.
fn compared(left: &Value, right: &Value) -> Result<Option<Ordering>, TemplateError> {
    match (left, right) {
        (Value::String(left), Value::String(right)) => Ok(Some(left.cmp(right))),
        (Value::Number(left), Value::Number(right)) => numbers(left, right).map(Some),
        (Value::Bool(_), Value::Bool(_)) => Ok(None),
        (Value::Null | Value::Array(_) | Value::Object(_), _)
        | (_, Value::Null | Value::Array(_) | Value::Object(_)) => {
            Err(TemplateError::new("invalid type for comparison"))
        }
        _ => Err(TemplateError::new("incompatible types for comparison")),
    }
}

fn numbers(left: &Number, right: &Number) -> Result<Ordering, TemplateError> {
    match (left.as_i64(), right.as_i64()) {
        (Some(left), Some(right)) => Ok(left.cmp(&right)),
        (None, None) => {
            let (left, right) = (left.as_f64(), right.as_f64());
            Ok(left.partial_cmp(&right).unwrap_or(Ordering::Equal))
        }
        _ => Err(TemplateError::new("incompatible types for comparison")),
    }
}
