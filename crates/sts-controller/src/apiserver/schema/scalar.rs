//! Decoding of scalars: the values that each type accepts, and the errors for others.

use serde_json::{Number, Value};

use super::time;
use crate::apiserver::quantity::Quantity;

/// The value as the server writes it, or the error.
pub(super) type Read = Result<Value, String>;

pub(super) fn text(value: &Value) -> Read {
    match value {
        Value::String(_) => Ok(value.clone()),
        Value::Null => Ok(Value::String(String::new())),
        Value::Number(_) | Value::Bool(_) => Err(format!(
            "expected a string, found {}: put it in quotes",
            describe(value)
        )),
        _ => wrong("a string", value),
    }
}

pub(super) fn boolean(value: &Value) -> Read {
    match value {
        Value::Bool(_) => Ok(value.clone()),
        Value::Null => Ok(Value::Bool(false)),
        _ => wrong("true or false", value),
    }
}

pub(super) fn int32(value: &Value) -> Read {
    integer(
        value,
        i64::from(i32::MIN),
        i64::from(i32::MAX),
        "a 32-bit integer",
    )
}

pub(super) fn int64(value: &Value) -> Read {
    integer(value, i64::MIN, i64::MAX, "a 64-bit integer")
}

pub(super) fn int_or_string(value: &Value) -> Read {
    match value {
        Value::String(_) => Ok(value.clone()),
        Value::Null | Value::Number(_) => int32(value),
        _ => wrong("an integer or a string", value),
    }
}

pub(super) fn quantity(value: &Value) -> Read {
    let text = match value {
        Value::Null => return Ok(Value::String("0".to_owned())),
        Value::String(text) => text.clone(),
        Value::Number(number) => plain(number),
        _ => return wrong("a quantity", value),
    };
    match Quantity::parse(&text) {
        Ok(quantity) => Ok(Value::String(quantity.canonical())),
        Err(error) => Err(format!("{} is not a quantity: {error}", describe(value))),
    }
}

pub(super) fn time(value: &Value) -> Read {
    match value {
        Value::Null => Ok(Value::Null),
        Value::String(text) => match time::normalize(text) {
            Some(time) => Ok(time.map_or(Value::Null, Value::String)),
            None => Err(format!(
                "expected a time such as 2006-01-02T15:04:05Z, found {}",
                describe(value)
            )),
        },
        _ => wrong("a time such as 2006-01-02T15:04:05Z", value),
    }
}

/// Decodes an integer. A number with a point is rejected even without a fraction. The reader has already dropped the
/// point where kubectl does.
fn integer(value: &Value, least: i64, most: i64, expected: &str) -> Read {
    let number = match value {
        Value::Null => Some(0),
        Value::Number(number) => number.as_i64(),
        _ => None,
    };
    match number {
        Some(number) if (least..=most).contains(&number) => Ok(Value::from(number)),
        _ => {
            let is_quoted = value
                .as_str()
                .is_some_and(|text| text.parse::<i64>().is_ok());
            let advice = if is_quoted { ": remove the quotes" } else { "" };
            Err(format!(
                "expected {expected}, found {}{advice}",
                describe(value)
            ))
        }
    }
}

/// Formats a number like Go's JSON encoder, since quantities are parsed from that text.
fn plain(number: &Number) -> String {
    let Some(float) = number.as_f64().filter(|_| number.is_f64()) else {
        return number.to_string();
    };
    let size = float.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let text = format!("{float:e}");
        return if text.contains("e-") {
            text
        } else {
            text.replace('e', "e+")
        };
    }
    format!("{float}")
}

pub(super) fn wrong<T>(expected: &str, value: &Value) -> Result<T, String> {
    Err(format!("expected {expected}, found {}", describe(value)))
}

/// Describes a value in a few words.
pub(super) fn describe(value: &Value) -> String {
    const MAX: usize = 40;
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("the boolean {value}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) if text.chars().count() > MAX => {
            let start: String = text.chars().take(MAX).collect();
            format!("the string {start:?}...")
        }
        Value::String(text) => format!("the string {text:?}"),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
