//! YAML numbers and strings on one line.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::output::style::is_unsafe;

/// Converts a JSON number to YAML 1.1, whose exponents require a fraction and a sign.
pub(super) fn float(json: &str) -> Cow<'_, str> {
    let Some((digits, exponent)) = json.split_once('e') else {
        return Cow::Borrowed(json);
    };
    let fraction = if digits.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['-', '+']) {
        ""
    } else {
        "+"
    };
    Cow::Owned(format!("{digits}{fraction}e{sign}{exponent}"))
}

/// Formats a string as a key.
pub(super) fn key(text: &str) -> Cow<'_, str> {
    match text.contains(':') {
        true => Cow::Owned(quoted(text)),
        false => value(text),
    }
}

/// Formats a string as a value, in quotes if it would otherwise be read as something else.
pub(super) fn value(text: &str) -> Cow<'_, str> {
    match is_plain(text) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(quoted(text)),
    }
}

/// Reports whether a string without quotes is read as that string by YAML 1.1 and 1.2. If in doubt, it is not.
fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 14] = [
        "", "~", "=", "<<", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "?",
    ];
    let begins = !text.starts_with([
        ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`', ':', ' ',
    ]) && !["---", "...", "- ", "? "]
        .iter()
        .any(|mark| text.starts_with(mark));
    let goes_on = !text.contains(": ") && !text.contains(" #") && !text.contains(is_unsafe);
    let ends = !text.ends_with([':', ' ']);
    let is_word = WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    begins && goes_on && ends && !is_word && !may_be_number(text)
}

/// Reports whether a reader may see a number or a time: decimal, another base, or sexagesimal.
fn may_be_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let word = unsigned.strip_prefix('.').unwrap_or(unsigned);
    if ["", "inf", "nan"]
        .iter()
        .any(|name| word.eq_ignore_ascii_case(name))
    {
        return true;
    }
    let of_base = |digits: &str| {
        digits.starts_with(['x', 'X', 'o', 'O', 'b', 'B'])
            && digits[1..]
                .chars()
                .all(|digit| digit.is_ascii_hexdigit() || "_+-".contains(digit))
    };
    unsigned.strip_prefix('0').is_some_and(of_base)
        || unsigned.starts_with(|first: char| first.is_ascii_digit() || "._".contains(first))
            && unsigned
                .chars()
                .all(|each| each.is_ascii_digit() || "._:,+-eETtZ ".contains(each))
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            other if is_unsafe(other) => {
                let code = u32::from(other);
                // Writing to a string does not fail.
                let _ = match code {
                    0..=0xff => write!(quoted, "\\x{code:02x}"),
                    0x100..=0xffff => write!(quoted, "\\u{code:04x}"),
                    _ => write!(quoted, "\\U{code:08x}"),
                };
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::float;

    #[test]
    fn exponents_are_those_of_yaml_1_1() {
        for (json, yaml) in [
            ("1e21", "1.0e+21"),
            ("1.5e300", "1.5e+300"),
            ("1e-7", "1.0e-7"),
            ("-2.5", "-2.5"),
        ] {
            assert_eq!(float(json), yaml);
        }
    }
}
