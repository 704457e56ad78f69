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
    formatted(number, -4, 2)
}

/// Formats a float within JSON, which has other bounds for exponents.
pub(super) fn go_json_float(number: f64) -> String {
    formatted(number, -6, 1)
}

/// Writes an exponent below `lowest` or above 20, with at least so many digits.
fn formatted(number: f64, lowest: i32, width: usize) -> String {
    let text = format!("{number:e}");
    let parts = text.split_once('e');
    match parts.and_then(|(digits, exponent)| Some((digits, exponent.parse::<i32>().ok()?))) {
        Some((digits, exponent)) if !(lowest..21).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:0width$}", exponent.abs())
        }
        _ => number.to_string(),
    }
}
