//! Revision data as bytes, and the hash that names a revision: docs/semantics.md 3.6.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Maximum length of a set's name in a revision's name, in bytes.
const NAME_LIMIT: usize = 223;

/// Encodes a JSON value like Go's default encoder: members sorted by key, no white space, numbers as 64-bit floats.
/// HTML-sensitive characters and the two Unicode line separators are escaped.
///
/// `short_escapes` selects the short form for backspace and form feed.
#[must_use]
pub fn json(value: &Value, short_escapes: bool) -> String {
    let mut out = String::with_capacity(1024);
    write_value(value, short_escapes, &mut out);
    out
}

/// Returns the data of a template's revision: `{"spec":{"template":{"$patch":"replace",...}}}`.
#[must_use]
pub fn revision_data(template: &Value, null_creation_timestamp: bool) -> Value {
    let mut template = match template {
        Value::Object(members) => members.clone(),
        _ => Map::new(),
    };
    template.insert("$patch".into(), Value::from("replace"));
    template
        .entry("metadata")
        .or_insert_with(|| Value::Object(Map::new()));
    template
        .entry("spec")
        .or_insert_with(|| Value::Object(Map::new()));
    if let Some(metadata) = template.get_mut("metadata") {
        write_creation_timestamp(metadata, null_creation_timestamp);
    }
    for claim in ephemeral_claims(&mut template) {
        let metadata = claim
            .entry("metadata")
            .or_insert_with(|| Value::Object(Map::new()));
        write_creation_timestamp(metadata, null_creation_timestamp);
    }
    let mut spec = Map::new();
    spec.insert("template".into(), Value::Object(template));
    let mut data = Map::new();
    data.insert("spec".into(), Value::Object(spec));
    Value::Object(data)
}

/// Writes or omits a null creation timestamp: its omitempty has no effect in old encoders, which write null.
fn write_creation_timestamp(metadata: &mut Value, null: bool) {
    let Some(metadata) = metadata.as_object_mut() else {
        return;
    };
    match metadata.get("creationTimestamp") {
        None if null => {
            metadata.insert("creationTimestamp".into(), Value::Null);
        }
        Some(Value::Null) if !null => {
            metadata.remove("creationTimestamp");
        }
        _ => {}
    }
}

fn ephemeral_claims(
    template: &mut Map<String, Value>,
) -> impl Iterator<Item = &mut Map<String, Value>> {
    let volumes = template
        .get_mut("spec")
        .and_then(|spec| spec.get_mut("volumes"))
        .and_then(Value::as_array_mut);
    volumes.into_iter().flatten().filter_map(|volume| {
        volume
            .get_mut("ephemeral")?
            .get_mut("volumeClaimTemplate")?
            .as_object_mut()
    })
}

fn write_value(value: &Value, short_escapes: bool, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_string(text, short_escapes, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(item, short_escapes, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(key, short_escapes, out);
                out.push(':');
                write_value(member, short_escapes, out);
            }
            out.push('}');
        }
    }
}

/// Writes a number. Integers that a float holds exactly stay integers; others go through the float.
fn write_number(number: &serde_json::Number, out: &mut String) {
    const EXACT: i64 = 1 << 53;
    if let Some(integer) = number.as_i64()
        && (-EXACT..=EXACT).contains(&integer)
    {
        let _ = write!(out, "{integer}");
        return;
    }
    let float = number.as_f64().unwrap_or_default();
    let magnitude = float.abs();
    if magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) {
        // Go writes the shortest digits and an unpadded exponent: 1e+21, 1e-7.
        let text = format!("{float:e}");
        match text.split_once('e') {
            Some((digits, exponent)) if !exponent.starts_with('-') => {
                let _ = write!(out, "{digits}e+{exponent}");
            }
            _ => out.push_str(&text),
        }
    } else {
        let _ = write!(out, "{float}");
    }
}

/// Reports whether a byte begins a character that may need an escape; the Unicode separators begin with 0xe2.
fn may_be_escaped(byte: u8) -> bool {
    byte < b' ' || matches!(byte, b'"' | b'\\' | b'<' | b'>' | b'&' | 0xe2)
}

fn write_string(text: &str, short_escapes: bool, out: &mut String) {
    out.push('"');
    if text.bytes().any(may_be_escaped) {
        write_escaped(text, short_escapes, out);
    } else {
        out.push_str(text);
    }
    out.push('"');
}

fn write_escaped(text: &str, short_escapes: bool, out: &mut String) {
    let mut plain = 0;
    for (at, character) in text.char_indices() {
        let escape: Option<&str> = match character {
            '"' => Some("\\\""),
            '\\' => Some("\\\\"),
            '\n' => Some("\\n"),
            '\r' => Some("\\r"),
            '\t' => Some("\\t"),
            '\u{8}' if short_escapes => Some("\\b"),
            '\u{c}' if short_escapes => Some("\\f"),
            '<' => Some("\\u003c"),
            '>' => Some("\\u003e"),
            '&' => Some("\\u0026"),
            '\u{2028}' => Some("\\u2028"),
            '\u{2029}' => Some("\\u2029"),
            control if control < ' ' => None,
            _ => continue,
        };
        out.push_str(&text[plain..at]);
        plain = at + character.len_utf8();
        match escape {
            Some(escape) => out.push_str(escape),
            None => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
        }
    }
    out.push_str(&text[plain..]);
}

/// `HashControllerRevision`: FNV-1 of 32 bits over the data and the collision count, in an alphabet without vowels and
/// look-alikes. Without a count, only the data is hashed.
#[must_use]
pub fn hash(data: &str, collision_count: Option<i64>) -> String {
    let mut sum: u32 = 2_166_136_261;
    let mut feed = |bytes: &[u8]| {
        for byte in bytes {
            sum = sum.wrapping_mul(16_777_619) ^ u32::from(*byte);
        }
    };
    feed(data.as_bytes());
    if let Some(count) = collision_count {
        feed(count.to_string().as_bytes());
    }
    const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
    sum.to_string()
        .bytes()
        .map(|digit| char::from(ALPHABET[usize::from(digit) % ALPHABET.len()]))
        .collect()
}

/// `ControllerRevisionName`.
#[must_use]
pub fn revision_name(set: &str, hash: &str) -> String {
    let mut end = set.len().min(NAME_LIMIT);
    while !set.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}-{hash}", &set[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of docs/semantics.md, appendix A.
    #[test]
    fn hashes_match_the_published_vectors() {
        let template = |timestamp: &str| {
            format!(
                r#"{{"spec":{{"template":{{"$patch":"replace","metadata":{{{timestamp}"labels":{{"app":"web"}}}},"spec":{{"containers":[{{"image":"nginx:1.25","imagePullPolicy":"IfNotPresent","name":"c","resources":{{}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{{}},"terminationGracePeriodSeconds":30}}}}}}}}"#
            )
        };
        let old = template(r#""creationTimestamp":null,"#);
        let new = template("");
        for (data, count, expected) in [
            (&old, Some(0), "76d8f9b998"),
            (&old, Some(1), "76d8f9b999"),
            (&old, Some(2), "76d8f9b996"),
            (&old, None, "89fd89978"),
            (&new, Some(0), "7878495884"),
            (&new, Some(1), "7878495885"),
            (&new, Some(2), "7878495886"),
            (&new, None, "5fb5949c6d"),
        ] {
            assert_eq!(hash(data, count), expected);
        }
    }

    #[test]
    fn numbers_are_formatted_like_in_go() {
        let cases = [
            ("1000650000", "1000650000"),
            ("9007199254740993", "9007199254740992"),
            ("-9223372036854775808", "-9223372036854776000"),
            ("1e21", "1e+21"),
            ("1.5e-7", "1.5e-7"),
            ("0.000001", "0.000001"),
            ("0.25", "0.25"),
        ];
        for (given, expected) in cases {
            let value: Value = serde_json::from_str(given).unwrap();
            assert_eq!(json(&value, true), expected, "{given}");
        }
    }

    #[test]
    fn strings_are_escaped_like_in_go() {
        let value = Value::from("<a&b>\u{2028}\"\\\n\t\r\u{8}\u{c}\u{1}é");
        assert_eq!(
            json(&value, true),
            r#""\u003ca\u0026b\u003e\u2028\"\\\n\t\r\b\f\u0001é""#
        );
        assert!(json(&value, false).contains(r"\u0008\u000c"));
    }
}
