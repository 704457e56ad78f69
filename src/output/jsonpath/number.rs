//! Numbers as they stand in a template, and as they are printed.

use serde_json::{Number, Value};

use super::TemplateError;

/// A number that stands in a template.
pub(super) fn literal(text: &str) -> Result<Value, TemplateError> {
    if let Ok(number) = text.parse::<i64>() {
        return Ok(Value::from(number));
    }
    let number = text.parse::<f64>().ok().and_then(Number::from_f64);
    number
        .map(Value::Number)
        .ok_or_else(|| TemplateError::new(format!("cannot parse number {text}")))
}

/// A number with a fraction as kubectl prints it: with an exponent when it is very large or very small.
pub(super) fn go_float(number: f64) -> String {
    match scientific(number) {
        Some((digits, exponent)) if !(-4..21).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.abs())
        }
        _ => number.to_string(),
    }
}

/// The same within JSON, where the bounds are others.
pub(super) fn go_json_float(number: f64) -> String {
    match scientific(number) {
        Some((digits, exponent)) if !(-6..21).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{}", exponent.abs())
        }
        _ => number.to_string(),
    }
}

fn scientific(number: f64) -> Option<(String, i32)> {
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e')?;
    Some((digits.to_owned(), exponent.parse().ok()?))
}
