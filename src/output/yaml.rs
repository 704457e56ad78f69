//! `-o yaml`, in the layout of kubectl.

mod scalar;

use std::fmt::Display;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};

use super::layout::{Layout, document};
use scalar::{float, key, value};

/// Writes an object as a list item.
pub(super) fn item(object: &Value, out: &mut dyn Write) -> io::Result<()> {
    write(&[object], out)
}

/// Writes a value as a document.
///
/// # Errors
/// When the writer fails, or a nested value has no JSON representation.
pub fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    document(value, Layout::yaml(), out)
}

/// Block-style YAML: a line for each scalar, maps indented by two columns, lists not indented.
#[derive(Default)]
pub(super) struct YamlFormatter {
    /// The enclosing lists and maps, outermost first.
    blocks: Vec<Block>,
    after: After,
    /// The current string so far. Whether it needs quotes is known only at its end.
    text: String,
    is_key: bool,
}

/// A list or a map.
struct Block {
    column: usize,
    after: After,
    is_empty: bool,
}

/// The token before a value.
#[derive(Clone, Copy, Default)]
enum After {
    #[default]
    Nothing,
    Key,
    Dash,
}

impl YamlFormatter {
    /// Begins a list or a map. Nothing is written until its first entry. A list has the column of its key, a map is indented
    /// by two.
    fn open(&mut self, beyond_key: usize) {
        let around = self.blocks.last().map_or(0, |block| block.column);
        let column = match self.after {
            After::Nothing => 0,
            After::Key => around + beyond_key,
            After::Dash => around + 2,
        };
        self.blocks.push(Block {
            column,
            after: self.after,
            is_empty: true,
        });
    }

    /// Begins an item or a member. The first entry of a nested list or map is on the line of its dash.
    fn begin(&mut self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let Some(block) = self.blocks.last_mut() else {
            return Ok(());
        };
        let column = block.column;
        if std::mem::take(&mut block.is_empty) {
            match block.after {
                After::Nothing => return Ok(()),
                After::Dash => return out.write_all(b" "),
                After::Key => out.write_all(b"\n")?,
            }
        }
        write!(out, "{:column$}", "")
    }

    /// Ends a list or a map. An empty one is written as `nothing`.
    fn close(&mut self, out: &mut (impl Write + ?Sized), nothing: &str) -> io::Result<()> {
        match self.blocks.pop() {
            Some(Block {
                after,
                is_empty: true,
                ..
            }) => {
                self.after = after;
                self.scalar(out, nothing)
            }
            _ => Ok(()),
        }
    }

    fn scalar(&mut self, out: &mut (impl Write + ?Sized), value: impl Display) -> io::Result<()> {
        let space = match self.after {
            After::Nothing => "",
            After::Key | After::Dash => " ",
        };
        writeln!(out, "{space}{value}")
    }
}

/// Writes values whose YAML form is their `Display` form.
macro_rules! as_displayed {
    ($($name:ident: $type:ty;)*) => {$(
        fn $name<W: ?Sized + Write>(&mut self, out: &mut W, value: $type) -> io::Result<()> {
            self.scalar(out, value)
        }
    )*};
}

/// Writes floats.
macro_rules! as_float {
    ($($name:ident: $type:ty;)*) => {$(
        fn $name<W: ?Sized + Write>(&mut self, out: &mut W, value: $type) -> io::Result<()> {
            let mut json = Vec::new();
            CompactFormatter.$name(&mut json, value)?;
            self.scalar(out, float(&String::from_utf8_lossy(&json)))
        }
    )*};
}

impl Formatter for YamlFormatter {
    as_displayed! {
        write_bool: bool;
        write_i8: i8;
        write_i16: i16;
        write_i32: i32;
        write_i64: i64;
        write_i128: i128;
        write_u8: u8;
        write_u16: u16;
        write_u32: u32;
        write_u64: u64;
        write_u128: u128;
    }

    as_float! {
        write_f32: f32;
        write_f64: f64;
    }

    fn write_null<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.scalar(out, "null")
    }

    fn begin_string<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.text.clear();
        Ok(())
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        _: &mut W,
        text: &str,
    ) -> io::Result<()> {
        self.text.push_str(text);
        Ok(())
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        _: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        self.text.push(match escape {
            CharEscape::Quote => '"',
            CharEscape::ReverseSolidus => '\\',
            CharEscape::Solidus => '/',
            CharEscape::Backspace => '\u{8}',
            CharEscape::FormFeed => '\u{c}',
            CharEscape::LineFeed => '\n',
            CharEscape::CarriageReturn => '\r',
            CharEscape::Tab => '\t',
            CharEscape::AsciiControl(byte) => char::from(byte),
        });
        Ok(())
    }

    fn end_string<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let text = std::mem::take(&mut self.text);
        if std::mem::take(&mut self.is_key) {
            out.write_all(key(&text).as_bytes())?;
        } else {
            self.scalar(out, value(&text))?;
        }
        self.text = text;
        Ok(())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.open(0);
        Ok(())
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, "[]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, _: bool) -> io::Result<()> {
        self.begin(out)?;
        self.after = After::Dash;
        out.write_all(b"-")
    }

    fn begin_object<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.open(2);
        Ok(())
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, "{}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, _: bool) -> io::Result<()> {
        self.is_key = true;
        self.begin(out)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.after = After::Key;
        out.write_all(b":")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn text(value: &Value) -> String {
        let mut text = Vec::new();
        write(value, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn lists_stand_below_their_key_and_maps_two_columns_further_in() {
        let value = json!({
            "empty": {"list": [], "map": {}, "none": null},
            "list": [{"a": 1, "b": [2, [3, []], {"c": [{}]}]}, true],
        });
        let laid_out = "\
empty:
  list: []
  map: {}
  none: null
list:
- a: 1
  b:
  - 2
  - - 3
    - []
  - c:
    - {}
- true
";
        assert_eq!(text(&value), laid_out);
        for (alone, laid_out) in [("x", "x\n"), ("", "\"\"\n"), ("a\nb", "\"a\\nb\"\n")] {
            assert_eq!(text(&json!(alone)), laid_out);
        }
        assert_eq!(text(&json!({})), "{}\n");
        assert_eq!(text(&json!([])), "[]\n");
    }

    #[test]
    fn quotes_stand_where_a_text_would_be_something_else() {
        for plain in [
            "web-0",
            "a:b",
            "nginx:1.27",
            "6f1d3c52-8a0e-4f57-9b1e-0c4d2a7e5b10",
            "-a",
            "?a",
            "a#b",
            "100m",
            "5 pods",
            "1Gi",
            "größer 大",
            "a b",
            "0xyz",
            "it's",
            "a\"b",
            "a, b",
            "truest",
        ] {
            assert_eq!(text(&json!(plain)), format!("{plain}\n"));
        }
        for quoted in [
            "1",
            "-1",
            "+1",
            "1.37",
            "1_000",
            "0x1F",
            "0b1",
            "0o7",
            "017",
            "1e3",
            ".5",
            "12:30",
            "2026-11-22",
            "2026-11-22T23:33:59Z",
            "2026-11-22 1:02:03 +1:30",
            ".inf",
            "-.INF",
            ".nan",
            "inf",
            "yes",
            "No",
            "ON",
            "y",
            "null",
            "~",
            "",
            "=",
            "<<",
            "---",
            "--- a",
            "...",
            "-",
            "- a",
            "?",
            "? a",
            ":",
            ": a",
            "a: b",
            "a:",
            "a #b",
            "#a",
            "*a",
            "&a",
            "!a",
            "|",
            ">",
            "'a",
            "%a",
            "@a",
            "`a",
            "[a",
            "{a",
            ",a",
            " a",
            "a ",
        ] {
            assert_eq!(text(&json!(quoted)), format!("\"{quoted}\"\n"));
        }
        assert_eq!(text(&json!({"a:b": "a:b"})), "\"a:b\": a:b\n");
        assert_eq!(
            text(&json!("\u{1b}[1m\u{200b}\u{e0041}\\")),
            "\"\\x1b[1m\\u200b\\U000e0041\\\\\"\n"
        );
    }

    /// Texts of the characters that mean something to some reader.
    fn texts() -> impl Strategy<Value = String> {
        prop_oneof![
            r#"[-+0-9a-fxoTZ.:_eE ,?#&*!|>'"%@`=<~\[\]{}\\\t\n\r]{0,8}"#,
            "(yes|NO|null|true|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|0x|---|\\.inf)[ :#0-9]{0,3}",
            any::<String>(),
        ]
    }

    fn values() -> impl Strategy<Value = Value> {
        let scalar = prop_oneof![
            texts().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            Just(Value::Null),
        ];
        scalar.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(texts(), inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// Read as kubectl reads YAML 1.1, and by a reader of YAML 1.2.
        #[test]
        fn what_is_written_reads_as_it_was(value in values()) {
            let text = text(&json!({ "value": value }));
            let value = json!({ "value": value });
            prop_assert_eq!(kubectl_manifest::read_document(text.as_bytes()).unwrap(), value.clone(), "{}", text);
            prop_assert_eq!(serde_yaml::from_str::<Value>(&text).unwrap(), value, "{}", text);
        }
    }
}
