//! Values written as YAML in any of the ways that people write it, so that what is read is known beforehand.

use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

/// The choices of style, value by value. They come round again.
#[derive(Debug, Clone)]
pub struct Styles(Vec<u8>);

pub fn styles() -> impl Strategy<Value = Styles> {
    vec(any::<u8>(), 1..24).prop_map(Styles)
}

/// The value as a document.
pub fn write(value: &Value, styles: &Styles) -> String {
    let mut writer = Writer {
        styles: styles.0.iter().cycle().copied(),
        text: String::new(),
    };
    writer.block(value, 0);
    writer.text
}

/// Any value, with texts that look like something else.
pub fn any_value() -> impl Strategy<Value = Value> {
    let looks = prop::sample::select(vec![
        "",
        " ",
        "yes",
        "no",
        "null",
        "~",
        "0644",
        "1_000",
        "0x1f",
        "1e3",
        ".5",
        ".inf",
        "2026-01-01",
        "12:30:45",
        "- a",
        "a: b",
        "a #b",
        "#a",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "%a",
        "@a",
        "`a",
        "{a}",
        "[a]",
        "a\n",
        "\na",
        "a\n\nb",
        " a\n b",
        "a\n b\n",
        "\ta",
        "a ",
        "'",
        "\"",
        "\\",
        "<<",
        "=",
        "?",
        "? a",
        "---",
        "...",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\u{a0}",
        "a\r\nb",
        "\u{7}",
        "é",
        "😀",
        "key:",
        ": ",
        "-",
        "a,b",
        "a]b",
    ]);
    let text = prop_oneof![3 => looks.prop_map(str::to_owned), 1 => "\\PC{0,12}"];
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<i16>().prop_map(Value::from),
        4 => text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            vec((text.clone(), inner), 0..5).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

struct Writer<I> {
    styles: I,
    text: String,
}

impl<I: Iterator<Item = u8>> Writer<I> {
    /// A choice among so many.
    fn choice(&mut self, of: u8) -> u8 {
        self.styles.next().unwrap_or_default() % of
    }

    fn line(&mut self, indent: usize) {
        let _ = write!(self.text, "\n{:indent$}", "");
    }

    /// A value whose lines begin with so many spaces, or which goes on in the line that has been begun.
    fn block(&mut self, value: &Value, indent: usize) {
        match value {
            Value::Object(members) if !members.is_empty() && self.choice(4) > 0 => {
                for (key, member) in members {
                    self.line(indent);
                    self.key(key);
                    self.text.push(':');
                    // Lists may stand as far to the left as their key.
                    let deeper = if member.is_array() && self.choice(2) == 0 {
                        0
                    } else {
                        2
                    };
                    self.member(member, indent + deeper);
                }
            }
            Value::Array(items) if !items.is_empty() && self.choice(4) > 0 => {
                for item in items {
                    self.line(indent);
                    self.text.push('-');
                    self.member(item, indent + 2);
                }
            }
            Value::Object(_) | Value::Array(_) => self.flow(value),
            leaf => self.leaf(leaf, Some(indent)),
        }
    }

    fn member(&mut self, value: &Value, indent: usize) {
        self.text.push(' ');
        if self.choice(6) == 0 {
            self.text.push_str("# what a person says");
            self.line(indent + 1);
            self.flow(value);
        } else {
            self.block(value, indent);
        }
    }

    fn flow(&mut self, value: &Value) {
        match value {
            Value::Object(members) => {
                self.text.push('{');
                for (number, (key, member)) in members.iter().enumerate() {
                    if number > 0 {
                        self.text.push_str(", ");
                    }
                    self.key(key);
                    self.text.push_str(": ");
                    self.flow(member);
                }
                self.text.push('}');
            }
            Value::Array(items) => {
                self.text.push('[');
                for (number, item) in items.iter().enumerate() {
                    if number > 0 {
                        self.text.push_str(", ");
                    }
                    self.flow(item);
                }
                self.text.push(']');
            }
            leaf => self.leaf(leaf, None),
        }
    }

    fn leaf(&mut self, value: &Value, block: Option<usize>) {
        match value {
            Value::String(text) => self.string(text, block),
            Value::Null if self.choice(2) == 0 => self.text.push('~'),
            Value::Bool(yes) if self.choice(3) == 0 => {
                self.text.push_str(if *yes { "yes" } else { "Off" });
            }
            other => {
                let _ = write!(self.text, "{other}");
            }
        }
    }

    /// A key, always in one line.
    fn key(&mut self, key: &str) {
        self.string(key, None);
    }

    fn string(&mut self, text: &str, block: Option<usize>) {
        let simple = text
            .chars()
            .next()
            .is_some_and(|first| first.is_ascii_alphabetic())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-/.".contains(&byte))
            && !["yes", "no", "on", "off", "y", "n", "true", "false", "null"]
                .contains(&text.to_ascii_lowercase().as_str());
        let printable = text
            .chars()
            .all(|c| c == ' ' || c.is_alphanumeric() || c.is_ascii_graphic());
        match self.choice(4) {
            0 | 1 if simple => self.text.push_str(text),
            2 if printable => {
                let _ = write!(self.text, "'{}'", text.replace('\'', "''"));
            }
            1 if is_literal(text) && block.is_some() => {
                self.literal(text, block.unwrap_or_default())
            }
            _ => self.double_quoted(text),
        }
    }

    /// A text that keeps its lines.
    fn literal(&mut self, text: &str, indent: usize) {
        // Deeper than what it is in, and by how much is said.
        let body = text.strip_suffix('\n');
        self.text
            .push_str(if body.is_some() { "|2" } else { "|2-" });
        for line in body.unwrap_or(text).split('\n') {
            if line.is_empty() {
                self.text.push('\n');
            } else {
                self.line(indent);
                self.text.push_str(line);
            }
        }
    }

    fn double_quoted(&mut self, text: &str) {
        self.text.push('"');
        for c in text.chars() {
            match c {
                '"' | '\\' => {
                    self.text.push('\\');
                    self.text.push(c);
                }
                '\n' => self.text.push_str("\\n"),
                c if c.is_ascii_graphic() || c == ' ' || c.is_alphabetic() => self.text.push(c),
                c if u32::from(c) < 0x100 => {
                    let _ = write!(self.text, "\\x{:02x}", u32::from(c));
                }
                c => {
                    let _ = write!(self.text, "\\U{:08x}", u32::from(c));
                }
            }
        }
        self.text.push('"');
    }
}

/// Returns true if lines of a block can have it: ordinary characters, something on the last line, a line break at the
/// end at most.
fn is_literal(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    !body.is_empty()
        && !body.ends_with('\n')
        && body
            .chars()
            .all(|c| c == '\n' || c == ' ' || c.is_ascii_graphic())
}
