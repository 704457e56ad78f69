//! The line of a termination message that tells most.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::catalogue::CauseEntry;
use crate::cause::ContainerFailure;

/// Starts of lines that only add to another line: details, hints, stack frames and usage.
const ADDITIONS: [&str; 10] = [
    "DETAIL:", "HINT:", "CONTEXT:", "LOG:", "note: ", "at ", "... ", "Usage", "Run '", "See '",
];

/// The keys of the text in a structured log entry, the general text first.
const TEXTS: [&str; 6] = ["msg", "message", "errmsg", "err", "error", "error.message"];

/// Words that mark the level of an error.
const LEVELS: [&str; 4] = ["error", "fatal", "critical", "panic"];

/// Maximum number of characters of a termination message in the headline.
const LONGEST_LINE: usize = 160;

/// Returns the most useful line of a termination message, shortened: the one that identifies the cause, that of a Go
/// panic, the first fatal one, the last cause of an exception, the exception, the first error, or the last line.
pub(super) fn last_words(entry: Option<&CauseEntry>, failure: &ContainerFailure) -> String {
    let lines: Vec<Cow<'_, str>> = failure.last_words.lines().map(text_of).collect();
    let lines = || {
        lines
            .iter()
            .map(|line| line.trim())
            .filter(|line| !line.is_empty())
    };
    let end_of_words = |line: &str| entry.and_then(|entry| entry.end_of_words(line));
    let is_main = |line: &&str| !ADDITIONS.iter().any(|start| line.starts_with(start));
    let is_fatal = |line: &&str| ["PANIC:", "FATAL:"].iter().any(|word| line.contains(word));
    let line = lines()
        .find(|line| end_of_words(line).is_some())
        .or_else(|| lines().find(|line| line.starts_with("panic: ")))
        .or_else(|| lines().find(is_fatal))
        .or_else(|| lines().rfind(|line| line.starts_with("Caused by: ")))
        .or_else(|| lines().filter(is_main).rfind(|line| is_exception(line)))
        .or_else(|| lines().filter(is_main).find(|line| is_error(line)))
        .or_else(|| lines().rfind(is_main))
        .or_else(|| lines().next_back())
        .unwrap_or_default();
    match failure.is_unstarted {
        true => shortened_start(line),
        false => shortened(line, end_of_words(line).unwrap_or(0)),
    }
}

/// Returns the text of a log entry in JSON, such as that of MongoDB, etcd or Elasticsearch; any other line unchanged.
fn text_of(line: &str) -> Cow<'_, str> {
    let mut texts = Vec::new();
    if let Ok(entry) = serde_json::from_str(line) {
        collect_texts(&entry, &mut texts);
    }
    match texts.is_empty() {
        true => Cow::Borrowed(line),
        false => Cow::Owned(texts.join(": ")),
    }
}

fn collect_texts(entry: &Map<String, Value>, texts: &mut Vec<String>) {
    for key in TEXTS {
        if let Some(Value::String(text)) = entry.get(key)
            && !texts.contains(text)
        {
            texts.push(text.clone());
        }
    }
    for nested in entry.values().filter_map(Value::as_object) {
        collect_texts(nested, texts);
    }
}

/// Reports whether a line starts with the class of an exception: `java.io.IOException: No snapshot found`.
fn is_exception(line: &str) -> bool {
    let class = line.split(':').next().unwrap_or_default();
    let is_class = class.ends_with("Exception") || class.ends_with("Error");
    is_class && !class.contains(' ') && !matches!(class, "Exception" | "Error")
}

/// Reports whether a line has the level of an error, not only its word: `[error] <0.254.0> Feature flags`.
fn is_error(line: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic();
    let mut before = ' ';
    let mut pieces = line.split_inclusive(|c| !is_letter(c));
    pieces.any(|piece| {
        let word = piece.trim_end_matches(|c| !is_letter(c));
        let is_marked = before == '='
            || piece.ends_with([':', ']', '>'])
            || word.bytes().all(|letter| letter.is_ascii_uppercase());
        before = piece.chars().next_back().unwrap_or(' ');
        is_marked && LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level))
    })
}

/// A line that is no longer than the headline takes, and that has the words before this end.
fn shortened(line: &str, end: usize) -> String {
    let length = |text: &str| text.chars().count();
    if length(line) <= LONGEST_LINE {
        return line.to_owned();
    }
    let starts = line.match_indices(": ").map(|(at, colon)| at + colon.len());
    let start = std::iter::once(0)
        .chain(starts.take_while(|start| *start < end))
        .find(|start| {
            line.get(*start..end)
                .is_none_or(|words| length(words) <= LONGEST_LINE)
        });
    let rest = &line[start.unwrap_or(0)..];
    let before = if rest.len() < line.len() { "..." } else { "" };
    match rest.char_indices().nth(LONGEST_LINE) {
        Some((cut, _)) => format!("{before}{}...", &rest[..cut]),
        None => format!("{before}{rest}"),
    }
}

/// The end of a runtime's message, which has the reason, in whole parts.
fn shortened_start(line: &str) -> String {
    let ends = || {
        let separators = line.match_indices([':', ',']).map(|(at, _)| at + 1);
        separators.map(|at| line[at..].trim_start())
    };
    match ends().find(|end| end.chars().count() <= LONGEST_LINE) {
        Some(end) if line.chars().count() > LONGEST_LINE => format!("...{end}"),
        _ => shortened(line, 0),
    }
}
