//! Places in a source file, as cargo-mutants, syn and rustc tell them.

use std::ops::Range;

use proc_macro2::Span;
use serde_json::Value;

/// A line and a column, both from 1, columns in characters.
pub type Place = (usize, usize);

pub fn places(span: Span) -> Range<Place> {
    let (start, end) = (span.start(), span.end());
    (start.line, start.column + 1)..(end.line, end.column + 1)
}

/// A place in the JSON of cargo-mutants.
pub fn place(of: &Value) -> Option<Place> {
    let number = |name: &str| {
        of[name]
            .as_u64()
            .and_then(|number| usize::try_from(number).ok())
    };
    Some((number("line")?, number("column")?))
}

/// The bytes between two places.
pub fn bytes(text: &str, of: &Range<Place>) -> Range<usize> {
    byte(text, of.start)..byte(text, of.end)
}

fn byte(text: &str, (line, column): Place) -> usize {
    let start: usize = text
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    let characters = text[start..].char_indices();
    characters
        .map(|(at, _)| start + at)
        .nth(column - 1)
        .unwrap_or(text.len())
}
