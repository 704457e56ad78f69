//! A Markdown builder that escapes all foreign text.

use crate::output::style::escape;
use crate::output::words::spaced;

/// Markdown text. Literals of the program are added unchanged, all other text is escaped.
#[derive(Debug, Clone, Default)]
pub(super) struct Markdown(String);

impl Markdown {
    /// Adds markup.
    pub(super) fn raw(mut self, markup: &'static str) -> Self {
        self.0.push_str(markup);
        self
    }

    /// Adds foreign text within a sentence or a cell.
    pub(super) fn text(mut self, foreign: &str) -> Self {
        self.0.push_str(&text(foreign));
        self
    }

    /// Adds a foreign name or value as code.
    pub(super) fn code(mut self, foreign: &str) -> Self {
        self.0.push_str(&code(foreign));
        self
    }

    /// Adds foreign commands as a code block.
    pub(super) fn commands(mut self, foreign: &[String]) -> Self {
        self.0.push_str(&commands(foreign));
        self
    }

    /// Adds foreign commands as a code block below a list item.
    pub(super) fn commands_below(mut self, foreign: &[String]) -> Self {
        for line in commands(foreign).lines() {
            self.0.push_str("  ");
            self.0.push_str(line);
            self.0.push('\n');
        }
        self
    }

    /// Adds lines with foreign text as a block of preformatted text.
    pub(super) fn picture(mut self, lines: &[String]) -> Self {
        let lines: Vec<_> = lines.iter().map(|line| escape(line)).collect();
        let lines = lines.join("\n");
        let fence = fence(&lines);
        self.0.push_str(&format!("{fence}text\n{lines}\n{fence}\n"));
        self
    }

    /// Adds foreign values as a diff.
    pub(super) fn diff(mut self, old: Option<&str>, new: Option<&str>) -> Self {
        self.0.push_str(&diff(old, new));
        self
    }

    /// Adds a number with separated thousands.
    pub(super) fn number(mut self, number: usize) -> Self {
        self.0.push_str(&spaced(number));
        self
    }

    /// Appends other Markdown.
    pub(super) fn with(mut self, other: &Markdown) -> Self {
        self.0.push_str(&other.0);
        self
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Escapes foreign text within a sentence or a cell, so that it cannot create links, mentions, emphasis, images, formulas,
/// emojis or elements, or end the cell.
fn text(foreign: &str) -> String {
    let shown = escape(foreign);
    let mut out = String::with_capacity(shown.len() + 16);
    let mut before = ' ';
    let mut characters = shown.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        match character {
            // GitHub processes these after parsing, so that the text itself needs a break.
            '@' => out.push_str("@&#8203;"),
            '#' => out.push_str("&#35;&#8203;"),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '$' | '!' | '"' => {
                out.push_str(&format!("&#{};", u32::from(character)));
            }
            // Times and ends of clauses are harmless; URLs and emojis are not.
            ':' if !(next.is_none_or(|next| next == ' ')
                || (before.is_ascii_digit() && next.is_some_and(|next| next.is_ascii_digit()))) =>
            {
                out.push_str("&#58;");
            }
            // `GH-1` would link to issue 1.
            '-' if next.is_some_and(|next| next.is_ascii_digit()) && ends_in_gh(&out) => {
                out.push_str("-&#8203;");
            }
            '.' if before.eq_ignore_ascii_case(&'w') => out.push_str("&#46;"),
            // At the start of a line these make lists and rules.
            '-' | '+' | '=' if next == Some(' ') && out.trim_end().is_empty() => {
                out.push_str(&format!("&#{};", u32::from(character)));
            }
            other => out.push(other),
        }
        before = character;
    }
    out
}

fn ends_in_gh(text: &str) -> bool {
    let mut last = text.chars().rev().map(|last| last.to_ascii_lowercase());
    last.next() == Some('h')
        && last.next() == Some('g')
        && last.next().is_none_or(|before| !before.is_alphanumeric())
}

/// Formats foreign text as code.
fn code(foreign: &str) -> String {
    let is_plain = |character: char| {
        character.is_ascii_alphanumeric() || " ._-/:=,()[]{}+%@#>…".contains(character)
    };
    let spaced = foreign.starts_with(' ') || foreign.ends_with(' ');
    if foreign.is_empty() {
        String::new()
    } else if foreign.chars().all(is_plain) && !spaced {
        format!("`{foreign}`")
    } else {
        format!("<code>{}</code>", text(foreign))
    }
}

/// Formats foreign commands as a shell block, one each line.
fn commands(commands: &[String]) -> String {
    let lines: Vec<_> = commands.iter().map(|command| escape(command)).collect();
    let lines = lines.join("\n");
    let fence = fence(&lines);
    format!("{fence}sh\n{lines}\n{fence}\n")
}

/// Formats foreign values as a diff below a list item; empty for none.
fn diff(old: Option<&str>, new: Option<&str>) -> String {
    // A value cannot leave its line, since line ends are escaped.
    let line = |sign: char, value: Option<&str>| {
        value.map_or_else(String::new, |value| format!("  {sign} {}\n", escape(value)))
    };
    let values = format!("{}{}", line('-', old), line('+', new));
    if values.is_empty() {
        return values;
    }
    let fence = fence(&values);
    format!("\n  {fence}diff\n{values}  {fence}\n")
}

/// Returns a fence longer than any in the text.
fn fence(text: &str) -> String {
    let runs = text.split(|character| character != '`');
    let longest = runs.map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_does_nothing() {
        for (foreign, shown) in [
            ("web-0 is ready, at 03:00:00", "web-0 is ready, at 03:00:00"),
            ("@team #12", "@&#8203;team &#35;&#8203;12"),
            ("a|b\nc", "a&#124;b&#92;nc"),
            ("https://x www.x", "https&#58;//x www&#46;x"),
            (
                "<img src=x> ![x](y) **b** `c`",
                "&lt;img src=x&gt; &#33;&#91;x&#93;(y) &#42;&#42;b&#42;&#42; &#96;c&#96;",
            ),
            ("- x", "&#45; x"),
            ("gh-1, a high-0", "gh-&#8203;1, a high-0"),
            (":smile:", "&#58;smile:"),
        ] {
            assert_eq!(text(foreign), shown);
        }
    }

    #[test]
    fn names_are_code() {
        assert_eq!(code("web-0"), "`web-0`");
        assert_eq!(code("a`b"), "<code>a&#96;b</code>");
        assert_eq!(code(""), "");
        assert_eq!(
            commands(&["echo ```".to_owned()]),
            "````sh\necho ```\n````\n"
        );
    }
}
