//! Numbers as written by Go, since kubectl passes YAML through Go's JSON.

use serde_json::{Number, Value};

/// Returns the number that kubectl sends for a float. Go drops a zero fraction, so that a whole float becomes an
/// integer. `None` for infinities and NaN, which JSON does not support.
pub(super) fn float(number: f64) -> Option<Value> {
    if number.abs() < 1e21 {
        // Rust writes the same digits as Go below this.
        let text = number.to_string();
        if let Ok(whole) = text.parse::<i64>() {
            return Some(Value::from(whole));
        }
        if let Ok(whole) = text.parse::<u64>() {
            return Some(Value::from(whole));
        }
    }
    Number::from_f64(number).map(Value::Number)
}

/// Returns the number of a JSON literal; `None` if it is too large for a float.
pub(super) fn literal(text: &str) -> Option<Value> {
    match text.parse::<i64>() {
        Ok(whole) => Some(Value::from(whole)),
        Err(_) => float(text.parse().ok()?),
    }
}

/// Returns a float as the key of a mapping: the shortest digits that identify it as a 32-bit float.
pub(super) fn float_key(number: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "kubectl truncates keys")]
    let short = number as f32;
    if short.is_nan() {
        return ".nan".into();
    }
    if short.is_infinite() {
        return if short > 0.0 { ".inf" } else { "-.inf" }.into();
    }
    let scientific = format!("{short:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    // Go's %e has a sign and at least two digits; it is used outside of these exponents.
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    short.to_string()
}
