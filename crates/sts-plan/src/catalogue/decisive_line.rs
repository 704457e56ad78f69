//! The line of a process's last words that tells why it ended.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::CauseEntry;

/// Starts of lines that only add to another line: details, hints, stack frames and usage.
const ADDITIONS: [&str; 15] = [
    "DETAIL:",
    "HINT:",
    "CONTEXT:",
    "LOG:",
    "note: ",
    "at ",
    "... ",
    "Usage",
    "Run '",
    "See ",
    "npm ERR!",
    "npm error",
    "exit status",
    "goroutine ",
    "Traceback ",
];

/// The keys of the text in a structured log entry, the general text first.
const TEXTS: [&str; 6] = ["msg", "message", "errmsg", "err", "error", "error.message"];

/// Words that mark the level of an error.
const LEVELS: [&str; 11] = [
    "error", "err", "erro", "eror", "fatal", "critical", "crit", "panic", "severe", "emerg",
    "alert",
];

/// Levels below an error.
const BELOW: [&str; 6] = ["WARN", "WARNING", "INFO", "DEBUG", "NOTICE", "TRACE"];

/// Words of a sentence about something that failed.
const FAILURES: [&str; 16] = [
    "cannot",
    "can't",
    "could not",
    "unable",
    "fail",
    "not found",
    "invalid",
    "denied",
    "refused",
    "missing",
    "incorrect",
    "mismatch",
    "no such",
    "unknown",
    "supported",
    "requires",
];

/// Returns the most useful line of a termination message, without its time: the one that identifies the cause, that of a
/// Go panic, the first fatal one, the last cause of an exception, the exception, the first error, the first that tells of
/// a failure, or the last line that is more than information.
pub(crate) fn decisive_line(words: &str, entry: Option<&CauseEntry>) -> String {
    let lines: Vec<Cow<'_, str>> = words.lines().map(text_of).collect();
    let all = || lines.iter().map(|line| line.trim());
    let lines = || all().filter(|line| !is_ornament(line));
    let is_named = |line: &&str| entry.is_some_and(|entry| entry.end_of_words(line).is_some());
    let grave = || {
        lines()
            .filter(is_main)
            .filter(|line| !has_level(line, &BELOW))
    };
    let line = lines()
        .find(is_named)
        .or_else(|| fatal_line(lines()))
        .or_else(|| lines().filter(is_main).find(|line| is_error(line)))
        .or_else(|| grave().find(|line| tells_failure(line)))
        .or_else(|| lines().filter(is_main).find(|line| tells_failure(line)))
        .or_else(|| grave().next_back())
        .or_else(|| lines().rfind(is_main))
        .or_else(|| lines().next_back())
        .or_else(|| all().rfind(|line| !line.is_empty()));
    plain(line.unwrap_or_default())
}

/// Reports whether a line has no words of its own: a rule of asterisks, a closing brace, a count of errors.
fn is_ornament(line: &str) -> bool {
    let letters = line.chars().filter(|c| c.is_alphabetic()).count();
    let marks = line.chars().filter(|c| !c.is_whitespace()).count();
    let count = line
        .split_once(' ')
        .filter(|(count, _)| count.parse::<u32>().is_ok());
    let is_count = count.is_some_and(|(_, what)| matches!(what, "error" | "errors"));
    letters < 3 || letters * 4 < marks || is_count
}

/// Reports whether a line tells of a failure in a sentence.
fn tells_failure(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    FAILURES.iter().any(|word| line.contains(word))
}

/// Returns a line without the time and the numbers of its thread in front of it, and without the package of the class of an
/// exception: `MetaException: Hive Schema version 4.0.0`.
fn plain(line: &str) -> String {
    let mut rest = line;
    while let Some(next) = after_time(rest) {
        rest = next;
    }
    let (before, rest) = match rest.strip_prefix("Caused by: ") {
        Some(rest) => ("Caused by: ", rest),
        None => ("", rest),
    };
    let class = rest.split(':').next().unwrap_or_default();
    let name = class.rsplit('.').next().unwrap_or_default();
    let is_part = |c: char| c.is_ascii_alphanumeric() || "._$".contains(c);
    let is_qualified = class.matches('.').count() > 1 && class.chars().all(is_part);
    match is_qualified && name.starts_with(|c: char| c.is_ascii_uppercase()) {
        true => format!("{before}{}", &rest[class.len() - name.len()..]),
        false => format!("{before}{rest}"),
    }
}

/// Minimum number of characters that a line keeps.
const SHORTEST: usize = 12;

/// Returns a line after the time, date, zone or number of a thread that it begins with; `None` if it begins with a word, or
/// little would be left.
fn after_time(line: &str) -> Option<&str> {
    let end = match line.chars().next()? {
        '[' => line.find(']')? + 1,
        _ => line.find(' ')?,
    };
    let (token, rest) = (&line[..end], line[end..].trim_start());
    let inner = token.trim_matches(['[', ']', ':', ',', '|']);
    let value = ["ts=", "time=", "timestamp=", "t="]
        .iter()
        .find_map(|key| inner.strip_prefix(key));
    let is_time = |text: &str| {
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let is_part = |c: char| c.is_ascii_digit() || ":.,-/+|TZAPM ".contains(c);
        digits > 0 && text.trim_matches('"').chars().all(is_part)
    };
    let is_zone = matches!(inner, "UTC" | "GMT" | "CET" | "CEST");
    let is_month = MONTHS.contains(&inner) && rest.starts_with(|c: char| c.is_ascii_digit());
    let is_left_out = is_zone || is_month || is_time(value.unwrap_or(inner));
    (is_left_out && rest.len() >= SHORTEST).then_some(rest)
}

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Returns the line that a termination message marks as the end of the process; `None` if it marks none.
pub(super) fn marked_line(words: &str) -> Option<String> {
    let lines: Vec<Cow<'_, str>> = words.lines().map(text_of).collect();
    fatal_line(lines.iter().map(|line| line.trim())).map(str::to_owned)
}

fn fatal_line<'l>(lines: impl DoubleEndedIterator<Item = &'l str> + Clone) -> Option<&'l str> {
    let is_fatal = |line: &&str| has_level(line, &["PANIC", "FATAL", "FTL", "CRITICAL"]);
    let mut panics = lines.clone();
    panics
        .find(|line| line.starts_with("panic: "))
        .or_else(|| lines.clone().find(is_fatal))
        .or_else(|| lines.clone().rfind(|line| line.starts_with("Caused by: ")))
        .or_else(|| lines.filter(is_main).rfind(|line| is_exception(line)))
}

/// Returns a message without the lines of a level below an error; `None` if nothing is left, or nothing is left out.
pub(super) fn without_warnings(words: &str) -> Option<String> {
    let is_below = |line: &&str| has_level(line, &BELOW);
    let rest: Vec<&str> = words.lines().filter(|line| !is_below(line)).collect();
    let is_shorter = rest.len() < words.lines().count();
    (is_shorter && rest.iter().any(|line| !line.trim().is_empty())).then(|| rest.join("\n"))
}

/// Reports whether one of these levels, in capitals, is a word near the beginning of a line.
fn has_level(line: &str, levels: &[&str]) -> bool {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric());
    let mut words = words.filter(|word| !word.is_empty()).take(FIRST_WORDS);
    words.any(|word| levels.contains(&word))
}

/// Number of words of a line in which its level stands, after its time and its process.
const FIRST_WORDS: usize = 14;

fn is_main(line: &&str) -> bool {
    !ADDITIONS.iter().any(|start| line.starts_with(start))
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
