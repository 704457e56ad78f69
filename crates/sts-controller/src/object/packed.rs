//! Compact storage of whole objects, for when one of them is sent or explained.
//!
//! A tree of JSON values takes ten to twenty times the memory of its text. In a large cluster, most objects are never
//! read beyond the typed fields. So the text is kept and parsed again on demand. A value whose text would not parse to
//! the same value is kept as a tree.

use std::fmt;
use std::sync::Arc;

use lz4_flex::block::{compress_with_dict, decompress_with_dict};
use serde_json::Value;

/// Maximum nesting depth of a value that is kept as text.
const MAX_DEPTH: usize = 100;

/// Factor by which a difference must be smaller than the text to be kept instead of it.
const WORTHWHILE: usize = 3;

/// A compact JSON value. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Packed(Form);

#[derive(Debug, Clone)]
enum Form {
    Text(Arc<str>),
    /// The text, compressed against another one: pods of one set differ in names and times.
    Like {
        base: Arc<str>,
        length: usize,
        difference: Box<[u8]>,
    },
    Tree(Arc<Value>),
    Elsewhere(Arc<dyn Original>),
}

/// Source of an object that was parsed only in part, such as the text of a file.
pub trait Original: fmt::Debug + Send + Sync {
    /// Parses the whole object. Returns the same value each time.
    fn open(&self) -> Value;
}

impl Packed {
    /// Packs a value.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        match is_exact(value, MAX_DEPTH) {
            true => Packed(Form::Text(value.to_string().into())),
            false => Packed(Form::Tree(Arc::new(value.clone()))),
        }
    }

    /// Returns a handle to a shared value, which takes no memory of its own.
    #[must_use]
    pub fn shared(value: Arc<Value>) -> Self {
        Packed(Form::Tree(value))
    }

    /// Returns a handle to a value that is parsed from its source.
    #[must_use]
    pub fn elsewhere(original: Arc<dyn Original>) -> Self {
        Packed(Form::Elsewhere(original))
    }

    /// Compresses a text against an earlier one, if that saves much. Otherwise the text becomes the reference for the
    /// next ones.
    pub(super) fn compress(&mut self, before: &mut Option<Arc<str>>) {
        let Form::Text(text) = &self.0 else {
            return;
        };
        if let Some(base) = before {
            let difference = compress_with_dict(text.as_bytes(), base.as_bytes());
            if difference.len() < text.len() / WORTHWHILE {
                self.0 = Form::Like {
                    base: Arc::clone(base),
                    length: text.len(),
                    difference: difference.into(),
                };
                return;
            }
        }
        *before = Some(Arc::clone(text));
    }

    /// Returns the value.
    #[must_use]
    pub fn open(&self) -> Arc<Value> {
        match &self.0 {
            // Text that was written from a value parses as a value.
            Form::Text(text) => Arc::new(serde_json::from_str(text).unwrap_or_default()),
            Form::Like {
                base,
                length,
                difference,
            } => {
                let text = decompress_with_dict(difference, *length, base.as_bytes());
                let text = text.unwrap_or_default();
                Arc::new(serde_json::from_slice(&text).unwrap_or_default())
            }
            Form::Tree(value) => Arc::clone(value),
            Form::Elsewhere(original) => Arc::new(original.open()),
        }
    }
}

/// Reports whether a value's text parses as the same value: fractions may lose their last digit, and parsers limit the
/// depth.
fn is_exact(value: &Value, depth: usize) -> bool {
    match value {
        Value::Number(number) => !number.is_f64(),
        Value::Array(_) | Value::Object(_) if depth == 0 => false,
        Value::Array(items) => items.iter().all(|item| is_exact(item, depth - 1)),
        Value::Object(members) => members.values().all(|member| is_exact(member, depth - 1)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn similar_texts_are_stored_as_differences() {
        let pod = |name: &str, more: &str| json!({"metadata": {"name": name}, "spec": {"long": "x y z ".repeat(50), "more": more}});
        let (mut state, mut other) = (1_u32, String::new());
        for _ in 0..500 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            other.push(char::from(b' ' + 3 + (state >> 26) as u8));
        }
        let values = [
            pod("web-0", ""),
            pod("web-1", "\u{e9}\""),
            json!({"a": other}),
            pod("web-2", ""),
        ];
        let mut before = None;
        let mut forms = String::new();
        for value in &values {
            let mut packed = Packed::of(value);
            packed.compress(&mut before);
            assert_eq!(*packed.open(), *value);
            forms.push(match packed.0 {
                Form::Like { .. } => 'l',
                _ => 't',
            });
        }
        assert_eq!(forms, "tltl");
    }

    #[test]
    fn packed_values_round_trip() {
        let mut deep = json!(1);
        for _ in 0..200 {
            deep = json!([deep]);
        }
        for (value, is_text) in [
            (
                json!({"a": [1, -1, u64::MAX, i64::MIN, "\u{1b}\"", null, true]}),
                true,
            ),
            (json!({"a": 0.1, "b": 1e300}), false),
            (deep, false),
        ] {
            let packed = Packed::of(&value);
            assert_eq!(matches!(packed.0, Form::Text(_)), is_text, "{value}");
            assert_eq!(*packed.open(), value);
        }
    }
}
