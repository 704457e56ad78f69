//! Types of YAML scalars: those of YAML 1.1, as in go-yaml 2.4.
//!
//! The text of an unquoted scalar determines its type, so `yes` is a boolean and `0644` is the number 420. A tag such
//! as `!!int` requires a type. Quirks of go-yaml are kept.

use std::borrow::Cow;

use super::error::Fault;
use super::timestamp;
use super::tree::{Content, Node, Tree};
use crate::go_base64;

/// A scalar with its type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scalar<'a> {
    Null,
    Bool(bool),
    Int(i64),
    /// Above the signed range; a valid value, but not a valid key.
    Unsigned(u64),
    Float(f64),
    Text(Cow<'a, str>),
}

/// Reading of a scalar that the author of a manifest may not expect.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Surprise {
    /// `yes`, `off`, `y`, ...: booleans in YAML 1.1, words in YAML 1.2.
    Word,
    /// `0644`: an octal number.
    Octal,
}

const STANDARD: &str = "tag:yaml.org,2002:";

/// Determines the type of a scalar; the error describes a conflict with its tag.
pub(super) fn resolve<'a>(
    text: &'a str,
    tag: Option<&str>,
    implicit: bool,
) -> Result<Scalar<'a>, String> {
    let wanted = match tag {
        None if implicit => return Ok(guess(text)),
        None => "str",
        Some(tag) => tag.strip_prefix(STANDARD).unwrap_or_default(),
    };
    if wanted == "binary" {
        let Some(bytes) = go_base64::decode(text) else {
            return Err("invalid base64 in a !!binary value: correct it, or remove the tag".into());
        };
        return Ok(Scalar::Text(Cow::Owned(replace_invalid(&bytes))));
    }
    let found = match wanted {
        "bool" | "int" | "float" | "null" => guess(text),
        "timestamp" if timestamp::is_valid(text) => return Ok(Scalar::Text(Cow::Borrowed(text))),
        "timestamp" => Scalar::Null,
        _ => return Ok(Scalar::Text(Cow::Borrowed(text))),
    };
    match (wanted, found) {
        ("bool", found @ Scalar::Bool(_))
        | ("int", found @ (Scalar::Int(_) | Scalar::Unsigned(_)))
        | ("float", found @ Scalar::Float(_))
        | ("null", found @ Scalar::Null) => Ok(found),
        #[expect(clippy::cast_precision_loss, reason = "the tag asks for just that")]
        ("float", Scalar::Int(number)) => Ok(Scalar::Float(number as f64)),
        _ => Err(format!(
            "invalid !!{wanted} \"{}\": correct it, or remove the tag",
            super::error::excerpt(text)
        )),
    }
}

/// Returns the type and text of a node, which is a scalar.
pub(super) fn scalar_at<'t>(tree: &'t Tree<'_>, node: usize) -> Result<Scalar<'t>, Fault> {
    let Node {
        content, tag, at, ..
    } = &tree.nodes[node];
    let fault = |problem| Fault { at: *at, problem };
    match content {
        Content::Scalar { text, implicit } => {
            resolve(text, tag.as_deref(), *implicit).map_err(|problem| fault(problem.into()))
        }
        Content::Bool(value) => Ok(Scalar::Bool(*value)),
        Content::Null | Content::Number(_) | Content::Alias { .. } => Ok(Scalar::Null),
        Content::Sequence | Content::Mapping => Err(fault(
            "unsupported key: a list or mapping cannot be a key in JSON; use a string".into(),
        )),
    }
}

/// Returns the type of a scalar without quotes and tag.
pub(super) fn guess(text: &str) -> Scalar<'_> {
    let number = match text.as_bytes() {
        [] => return Scalar::Null,
        [
            b'~' | b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O',
            ..,
        ] => word(text),
        [b'.', ..] => infinity(text).or_else(|| float_from_dot(text)),
        [b'+' | b'-' | b'0'..=b'9', ..] => infinity(text).or_else(|| number(text)),
        _ => None,
    };
    number.unwrap_or(Scalar::Text(Cow::Borrowed(text)))
}

fn word(text: &str) -> Option<Scalar<'static>> {
    Some(match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Scalar::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Scalar::Bool(false)
        }
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        _ => return None,
    })
}

fn infinity(text: &str) -> Option<Scalar<'static>> {
    Some(Scalar::Float(match text {
        ".nan" | ".NaN" | ".NAN" => f64::NAN,
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => f64::INFINITY,
        "-.inf" | "-.Inf" | "-.INF" => f64::NEG_INFINITY,
        _ => return None,
    }))
}

fn number(text: &str) -> Option<Scalar<'static>> {
    let plain = without_underscores(text);
    let plain = &*plain;
    if let Some(number) = signed(plain) {
        return Some(Scalar::Int(number));
    }
    if let Some(number) = unsigned(plain) {
        return Some(Scalar::Unsigned(number));
    }
    if is_float(plain)
        && let Some(number) = finite(plain)
    {
        return Some(Scalar::Float(number));
    }
    // The digits after the prefix may have a sign: go-yaml passes them on unchecked.
    if let Some(digits) = plain.strip_prefix("0b") {
        if let Ok(number) = i64::from_str_radix(digits, 2) {
            return Some(Scalar::Int(number));
        }
    } else if let Some(digits) = plain.strip_prefix("-0b")
        && let Ok(number) = i64::from_str_radix(&format!("-{digits}"), 2)
    {
        return Some(Scalar::Int(number));
    }
    None
}

fn signed(plain: &str) -> Option<i64> {
    if let Some(digits) = plain.strip_prefix('-') {
        return 0_i64.checked_sub_unsigned(unsigned(digits)?);
    }
    i64::try_from(unsigned(plain.strip_prefix('+').unwrap_or(plain))?).ok()
}

/// Parses digits in the base of their prefix; a leading 0 alone means base 8.
fn unsigned(plain: &str) -> Option<u64> {
    let (digits, base) = match plain.as_bytes() {
        [b'0', b'b' | b'B', _, ..] => (&plain[2..], 2),
        [b'0', b'o' | b'O', _, ..] => (&plain[2..], 8),
        [b'0', b'x' | b'X', _, ..] => (&plain[2..], 16),
        [b'0', _, ..] => (&plain[1..], 8),
        _ => (plain, 10),
    };
    if digits.starts_with('+') {
        return None;
    }
    u64::from_str_radix(digits, base).ok()
}

/// Parses a number that starts with a dot. Underscores are allowed only between digits.
fn float_from_dot(text: &str) -> Option<Scalar<'static>> {
    let mut before = b'.';
    for byte in text.bytes().chain([b'.']) {
        let beside_digit = if byte == b'_' {
            before.is_ascii_digit()
        } else {
            before != b'_' || byte.is_ascii_digit()
        };
        if !beside_digit {
            return None;
        }
        before = byte;
    }
    let plain = without_underscores(text);
    is_float(&plain)
        .then(|| finite(&plain))
        .flatten()
        .map(Scalar::Float)
}

/// Reports whether a text is an optional sign, digits with or without a dot, and an optional exponent.
fn is_float(plain: &str) -> bool {
    fn skip_digits(bytes: &[u8]) -> &[u8] {
        &bytes[bytes
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()..]
    }
    let bytes = plain.as_bytes();
    let bytes = bytes
        .strip_prefix(b"-")
        .or_else(|| bytes.strip_prefix(b"+"))
        .unwrap_or(bytes);
    let mut rest = skip_digits(bytes);
    let mut has_digits = rest.len() < bytes.len();
    if let Some(fraction) = rest.strip_prefix(b".") {
        rest = skip_digits(fraction);
        has_digits |= rest.len() < fraction.len();
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let digits = exponent
            .strip_prefix(b"-")
            .or_else(|| exponent.strip_prefix(b"+"))
            .unwrap_or(exponent);
        rest = skip_digits(digits);
        has_digits &= !digits.is_empty() && rest.len() < digits.len();
    }
    has_digits && rest.is_empty()
}

fn finite(plain: &str) -> Option<f64> {
    plain.parse().ok().filter(|number: &f64| number.is_finite())
}

fn without_underscores(text: &str) -> Cow<'_, str> {
    if text.contains('_') {
        Cow::Owned(text.replace('_', ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// Replaces each byte that is not UTF-8 with U+FFFD, as Go does when it writes JSON.
fn replace_invalid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}

/// Returns the surprise of a plain scalar that is not read as written.
pub(super) fn surprise(text: &str, read: &Scalar<'_>) -> Option<Surprise> {
    match read {
        Scalar::Bool(_)
            if !text.eq_ignore_ascii_case("true") && !text.eq_ignore_ascii_case("false") =>
        {
            Some(Surprise::Word)
        }
        Scalar::Int(number) => {
            let digits = without_underscores(text.trim_start_matches(['+', '-']));
            let decimal = digits.parse::<u64>().ok()?;
            (decimal != number.unsigned_abs()).then_some(Surprise::Octal)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_scalars_go_yaml_reads() {
        let int = Scalar::Int;
        let float = Scalar::Float;
        for (text, read) in [
            ("0b-1", int(-1)),
            ("0b+1", int(1)),
            ("-0b11", int(-3)),
            ("0", int(0)),
            ("-0", int(0)),
            ("0_644", int(420)),
            ("-9223372036854775808", int(i64::MIN)),
            ("9223372036854775808", Scalar::Unsigned(1 << 63)),
            ("+9223372036854775808", float(9_223_372_036_854_775_808.0)),
            (".5_0", float(0.5)),
            (".5e1_0", float(5e9)),
            ("5.", float(5.0)),
            ("0899", float(899.0)),
            ("1_0.5", float(10.5)),
        ] {
            assert_eq!(guess(text), read, "{text}");
        }
        for text in [
            "._5", ".5_", ".5_e1", ".5__0", ".", "..", ".5.", "1e", "1e5.5", "+", "-", "0x",
            "0x+1", "-+1", "0b", "_5", "nULL", "tRue", "1e400", "0x1p-2", "+.5.5", ".e5",
        ] {
            assert_eq!(guess(text), Scalar::Text(Cow::Borrowed(text)), "{text}");
        }
    }
}
