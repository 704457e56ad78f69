//! Parsing and printing of numbers.

use serde_json::{Number, Value};

use super::TemplateError;

/// Parses a number of a template.
pub(super) fn literal(text: &str) -> Result<Value, TemplateError> {
    if let Ok(number) = text.parse::<i64>() {
        return Ok(Value::from(number));
    }
    let number = text.parse::<f64>().ok().and_then(Number::from_f64);
    number
        .map(Value::Number)
        .ok_or_else(|| TemplateError::new(format!("cannot parse number {text}")))
}

/// Formats a float as kubectl does: with an exponent if it is very large or very small.
pub(super) fn go_float(number: f64) -> String {
    match scientific(number) {
        Some((digits, exponent)) if !(-4..21).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.abs())
        }
        _ => number.to_string(),
    }
}

/// Formats a float within JSON, which has other bounds for exponents.
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
