//! The style of the output: colors, widths, and the escaping of foreign text.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

use serde_json::Value;
pub(super) use sts_plan::answer::Tone;
use sts_plan::redact::redacted;
use unicode_width::UnicodeWidthStr as _;

/// The style of the output. The text is the same with and without color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// True to use colors.
    pub color: bool,
    /// The width of the terminal in columns; `None` if the output is not a terminal, and lines have any length.
    pub width: Option<usize>,
    /// True if tables have headers.
    pub headers: bool,
    /// True to show everything: a row for each write, nothing truncated, full names.
    pub verbose: bool,
    /// True if names are never shortened.
    pub full_names: bool,
    /// True if tables may be wider than the terminal.
    pub whole_tables: bool,
    /// True if a table of many sets includes those with nothing to do.
    pub idle_sets: bool,
    /// True if a table of many sets has a row for each, even if many share a cause.
    pub each_set: bool,
    /// True if selected values are written verbatim, since a program reads them, not a terminal.
    pub verbatim: bool,
    /// True if formats for publication show values that may be secrets.
    pub show_values: bool,
}

impl Default for Style {
    /// Plain text of any width.
    fn default() -> Self {
        Style {
            color: false,
            width: None,
            headers: true,
            verbose: false,
            full_names: false,
            whole_tables: false,
            idle_sets: false,
            each_set: false,
            verbatim: false,
            show_values: false,
        }
    }
}

impl Style {
    /// Returns the maximum width of a table; `None` if it may be as wide as it needs.
    pub(super) fn table_width(&self) -> Option<usize> {
        self.width.filter(|_| !self.whole_tables)
    }

    /// Returns the value of a field for a format for publication.
    pub(super) fn posted<'v>(&self, path: &str, value: &'v Value) -> Cow<'v, Value> {
        match self.show_values {
            true => Cow::Borrowed(value),
            false => Cow::Owned(redacted(path, value)),
        }
    }
}

/// Maximum length of a text in bytes; longer ones are truncated.
const LONGEST: usize = 16 << 10;
/// Length of a truncated text in bytes.
const KEPT: usize = 1 << 10;

/// Escapes the control characters of foreign text, and truncates huge text.
pub fn escape(text: &str) -> Cow<'_, str> {
    if text.len() > LONGEST {
        let end = (0..=KEPT).rev().find(|&end| text.is_char_boundary(end));
        let kept = visible(&text[..end.unwrap_or(0)]);
        return Cow::Owned(format!("{kept}… ({} bytes)", text.len()));
    }
    visible(text)
}

/// Returns the display width of a text.
pub(super) fn columns_of(text: &str) -> usize {
    text.width()
}

/// Escapes all characters that control a terminal or change the reading direction, such as `\x1b`, `\n` and `\u{202e}`.
/// Unlike [`escape`], it never truncates.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    let is_ascii = |byte: u8| (b' '..=b'~').contains(&byte);
    if text.bytes().all(is_ascii) || !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        // Writing to a string does not fail.
        let _ = match character {
            '\n' => write!(out, "\\n"),
            '\r' => write!(out, "\\r"),
            '\t' => write!(out, "\\t"),
            other if is_unsafe(other) && u32::from(other) < 0x100 => {
                write!(out, "\\x{:02x}", u32::from(other))
            }
            other if is_unsafe(other) => write!(out, "\\u{{{:x}}}", u32::from(other)),
            other => write!(out, "{other}"),
        };
    }
    Cow::Owned(out)
}

/// Writes text of many lines, each escaped, whatever the format forgot to escape.
pub(super) fn write_visible(text: &str, out: &mut dyn Write) -> io::Result<()> {
    text.split_inclusive('\n').try_for_each(|line| {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (line, ""),
        };
        out.write_all(visible(line).as_bytes())?;
        out.write_all(end.as_bytes())
    })
}

/// Reports whether a character controls a terminal or disguises the text.
pub(super) fn is_unsafe(character: char) -> bool {
    // The fast path for nearly all text.
    if (' '..='~').contains(&character) {
        return false;
    }
    character.is_control()
        || matches!(character,
            // Invisible characters, and those that change the reading direction.
            '\u{ad}' | '\u{61c}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}'..='\u{ffff}' | '\u{e0000}'..='\u{e0fff}'
            | '\u{1d173}'..='\u{1d17a}'
            // Blank characters, and those that join their neighbors.
            | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_steers_no_terminal() {
        for (text, shown) in [
            ("web-0", "web-0"),
            ("größer 大", "größer 大"),
            ("\u{1b}[31mred", r"\x1b[31mred"),
            ("a\r\nb\tc\u{7}", r"a\r\nb\tc\x07"),
            ("\u{9b}2J\u{7f}", r"\x9b2J\x7f"),
            ("\u{202e}gpj.exe\u{2066}", r"\u{202e}gpj.exe\u{2066}"),
            ("\u{e0041}\u{200b}", r"\u{e0041}\u{200b}"),
            (
                "web\u{3164}-\u{2800}0\u{115f}",
                r"web\u{3164}-\u{2800}0\u{115f}",
            ),
            (
                "e\u{301} \u{2764}\u{fe0f} \u{5d0}",
                "e\u{301} \u{2764}\u{fe0f} \u{5d0}",
            ),
        ] {
            assert_eq!(escape(text), shown);
        }
        // Every character that Unicode has for turning the reading direction.
        let turns = "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";
        assert!(turns.chars().all(is_unsafe));
    }

    #[test]
    fn pages_keep_their_lines_and_nothing_that_steers() {
        let mut out = Vec::new();
        write_visible("a\n\u{1b}[2Jb\u{202e}\n\nc", &mut out).unwrap();
        assert_eq!(out, b"a\n\\x1b[2Jb\\u{202e}\n\nc");
    }

    #[test]
    fn texts_of_a_megabyte_are_cut() {
        let long = format!("a{}", "\u{1b}é".repeat(1 << 18));
        let shown = escape(&long);
        assert!(shown.starts_with(r"a\x1bé") && shown.len() < 4 * KEPT);
        assert!(
            shown.ends_with("… (786433 bytes)"),
            "{}",
            &shown[shown.len() - 30..]
        );
        let fits = "x".repeat(LONGEST);
        assert_eq!(escape(&fits), fits);
    }
}
