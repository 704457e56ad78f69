//! The lines of a log: plain text, or the text and the level of a structured entry in JSON or in logfmt.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::log_line::message;

/// A line of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line<'w> {
    /// The line without its structure.
    pub(super) text: Cow<'w, str>,
    /// The level of a structured entry, if it has one.
    level: Option<Level>,
}

/// The level of a structured entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// The process ends.
    Fatal,
    /// Something failed.
    Error,
    /// A warning, or information.
    Below,
}

/// Words that mark the level of an error.
const ERRORS: [&str; 11] = [
    "error", "err", "erro", "eror", "fatal", "critical", "crit", "panic", "severe", "emerg",
    "alert",
];

/// Levels of a line that ends the process.
const FATAL: [&str; 4] = ["PANIC", "FATAL", "FTL", "CRITICAL"];

/// Levels below an error.
const BELOW: [&str; 6] = ["WARN", "WARNING", "INFO", "DEBUG", "NOTICE", "TRACE"];

/// The keys of the text in a structured entry, the general text first.
const TEXTS: [&str; 9] = [
    "msg",
    "message",
    "errmsg",
    "err",
    "error",
    "error.message",
    "cause",
    "exception",
    "stacktrace",
];

/// The keys of the level.
const LEVELS: [&str; 7] = [
    "level",
    "lvl",
    "severity",
    "s",
    "log.level",
    "levelname",
    "loglevel",
];

/// The keys of the time in logfmt.
const TIMES: [&str; 5] = ["ts", "time", "t", "timestamp", "date"];

/// Returns the lines of a log. A structured entry can have several lines of text, and JSON can span several lines.
pub(super) fn lines_of(words: &str) -> Vec<Line<'_>> {
    let mut found = Vec::new();
    let mut rest = words;
    while !rest.is_empty() {
        if let Some((lines, after)) = json_entry(rest) {
            found.extend(lines);
            rest = after;
            continue;
        }
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let line = without_margin(line.trim_end_matches('\r'));
        match logfmt_entry(line).or_else(|| logrus_entry(line)) {
            Some(entry) => found.extend(lines_of_entry(&entry)),
            None => found.push(Line {
                text: with_fields(line).map_or(Cow::Borrowed(line), Cow::Owned),
                level: None,
            }),
        }
        rest = after;
    }
    found
}

impl Line<'_> {
    /// The text without what a logger writes before it.
    pub(super) fn said(&self) -> &str {
        message(&self.text)
    }

    /// Reports whether it marks the end of the process.
    pub(super) fn is_fatal(&self) -> bool {
        match self.level {
            Some(level) => level == Level::Fatal,
            None => has_level(&self.text, &FATAL) || klog_level(&self.text) == Some('F'),
        }
    }

    /// Reports whether it is a warning, or information.
    pub(super) fn is_below_error(&self) -> bool {
        match self.level {
            Some(level) => level == Level::Below,
            None => {
                has_level(&self.text, &BELOW)
                    || matches!(klog_level(&self.text), Some('I' | 'W'))
                    || is_warning(&self.text)
            }
        }
    }

    /// Reports whether it has the level of an error, not only its word: `[error] <0.254.0> Feature flags`.
    pub(super) fn is_error(&self) -> bool {
        match self.level {
            Some(level) => level != Level::Below,
            None => is_marked_error(&self.text) || klog_level(&self.text) == Some('E'),
        }
    }
}

/// Returns a line without the margin of a value of several lines, as hclog writes it: `  | * permission denied`.
fn without_margin(line: &str) -> &str {
    let inner = line.trim_start();
    inner
        .strip_prefix("| ")
        .or_else(|| inner.strip_prefix('|').filter(|rest| rest.is_empty()))
        .unwrap_or(line)
}

/// Returns a line with the texts of the fields in JSON at its end: `cannot start<TAB>{"error": "no key"}`, as zap writes it.
fn with_fields(line: &str) -> Option<String> {
    let (said, fields) = line.split_once("\t{")?;
    let entry = serde_json::from_str(&format!("{{{fields}")).ok()?;
    let mut texts = Vec::new();
    collect_texts(&entry, &mut texts);
    (!texts.is_empty()).then(|| format!("{said}: {}", texts.join(": ")))
}

/// Returns the lines of a structured entry; none if it has no texts.
fn lines_of_entry(entry: &Map<String, Value>) -> Vec<Line<'static>> {
    let mut texts = Vec::new();
    collect_texts(entry, &mut texts);
    let level = level_of(entry);
    let text = texts.join(": ");
    let lines = text.lines().map(|line| Line {
        text: Cow::Owned(line.to_owned()),
        level,
    });
    lines.collect()
}

/// Maximum number of lines of an entry in JSON.
const MOST_LINES: usize = 40;

/// Returns the lines of the entry in JSON with which a log begins, and the rest of the log.
fn json_entry(log: &str) -> Option<(Vec<Line<'static>>, &str)> {
    if !log.starts_with('{') {
        return None;
    }
    let ends = log.match_indices('\n').map(|(at, _)| at);
    let mut ends = ends.chain([log.len()]).take(MOST_LINES);
    ends.find_map(|end| {
        let lines = lines_of_entry(&serde_json::from_str(log[..end].trim_end()).ok()?);
        let after = log.get(end + 1..).unwrap_or_default();
        (!lines.is_empty()).then_some((lines, after))
    })
}

fn collect_texts(entry: &Map<String, Value>, texts: &mut Vec<String>) {
    for key in TEXTS {
        let text = match entry.get(key) {
            Some(Value::String(text)) => text,
            // A stack: its first element is the exception.
            Some(Value::Array(stack)) => match stack.first().and_then(Value::as_str) {
                Some(first) => &first.to_owned(),
                None => continue,
            },
            _ => continue,
        };
        if !text.is_empty() && !texts.contains(text) {
            texts.push(text.clone());
        }
    }
    for nested in entry.values().filter_map(Value::as_object) {
        collect_texts(nested, texts);
    }
}

fn level_of(entry: &Map<String, Value>) -> Option<Level> {
    let value = LEVELS.iter().find_map(|key| entry.get(*key))?;
    if let Some(number) = value.as_i64() {
        // The numbers of Bunyan and Pino.
        return Some(match number {
            60.. => Level::Fatal,
            50..60 => Level::Error,
            _ => Level::Below,
        });
    }
    let name = value.as_str()?.to_ascii_uppercase();
    let is_fatal = FATAL.contains(&&*name) || matches!(&*name, "F" | "DPANIC" | "EMERGENCY");
    let is_error = ERRORS.contains(&&*name.to_ascii_lowercase()) || name == "E";
    Some(match (is_fatal, is_error) {
        (true, _) => Level::Fatal,
        (false, true) => Level::Error,
        (false, false) => Level::Below,
    })
}

/// Returns the pairs of a line that consists of them: `level=error ts=2026 msg="cannot start" err="no key"`.
fn logfmt_entry(line: &str) -> Option<Map<String, Value>> {
    let mut pairs = Map::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=')?;
        let is_key = |c: char| c.is_ascii_alphanumeric() || "._-/@".contains(c);
        if key.is_empty() || !key.chars().all(is_key) {
            // The text of the entry may end in words.
            break;
        }
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => unquoted(quoted),
            None => {
                let end = after.find(' ').unwrap_or(after.len());
                (after[..end].to_owned(), &after[end..])
            }
        };
        pairs.insert(key.to_owned(), Value::String(value));
        rest = after.trim_start();
    }
    let has = |keys: &[&str]| keys.iter().any(|key| pairs.contains_key(*key));
    let is_entry = (has(&LEVELS) || has(&TIMES)) && has(&TEXTS);
    is_entry.then_some(pairs)
}

/// Returns the pairs of a line as logrus writes it to a terminal: `FATA[0001] cannot start        error="no key"`.
fn logrus_entry(line: &str) -> Option<Map<String, Value>> {
    const LEVELS: [(&str, &str); 6] = [
        ("FATA[", "fatal"),
        ("PANI[", "fatal"),
        ("ERRO[", "error"),
        ("WARN[", "warning"),
        ("INFO[", "info"),
        ("DEBU[", "debug"),
    ];
    let line = line.trim();
    let (start, level) = LEVELS.iter().find(|(start, _)| line.starts_with(start))?;
    let (_, rest) = line[start.len()..].split_once("] ")?;
    // The fields begin behind the padding of the text.
    let (said, fields) = rest.split_once("  ").unwrap_or((rest, ""));
    let text = |text: &str| Value::String(text.to_owned());
    let fields = format!("level={level} msg=x {}", fields.trim_start());
    let mut pairs = logfmt_entry(&fields)?;
    pairs.insert("msg".to_owned(), text(said.trim()));
    Some(pairs)
}

/// Returns a text up to its closing quote, and what follows it. A text that is cut off has no such quote.
fn unquoted(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (value, &text[at + 1..]),
            '\\' => match chars.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((_, escaped)) => value.push(escaped),
                None => break,
            },
            _ => value.push(c),
        }
    }
    (value, "")
}

/// Reports whether one of these levels, in capitals, is a word near the beginning of a line.
fn has_level(line: &str, levels: &[&str]) -> bool {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric());
    let mut words = words.filter(|word| !word.is_empty()).take(FIRST_WORDS);
    words.any(|word| levels.contains(&word))
}

/// Number of words of a line in which its level stands, after its time and its process.
const FIRST_WORDS: usize = 14;

/// Returns the letter of a level as klog writes it: `F1127 03:57:20.123456       1 main.go:12]`.
fn klog_level(line: &str) -> Option<char> {
    let token = line.split(' ').next()?;
    let letter = token.chars().next()?;
    let date = &token[letter.len_utf8()..];
    let is_date = date.len() == 4 && date.bytes().all(|byte| byte.is_ascii_digit());
    (is_date && matches!(letter, 'I' | 'W' | 'E' | 'F')).then_some(letter)
}

/// Reports whether a line begins as a warning of a script: `Warning: the folder is not writable`.
fn is_warning(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    word.eq_ignore_ascii_case("warning:")
}

fn is_marked_error(line: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic();
    let mut before = ' ';
    let mut pieces = line.split_inclusive(|c| !is_letter(c));
    pieces.any(|piece| {
        let word = piece.trim_end_matches(|c| !is_letter(c));
        let is_marked = before == '='
            || piece.ends_with([':', ']', '>'])
            || word.bytes().all(|letter| letter.is_ascii_uppercase());
        before = piece.chars().next_back().unwrap_or(' ');
        is_marked && ERRORS.iter().any(|level| word.eq_ignore_ascii_case(level))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(log: &str) -> Vec<String> {
        let lines = lines_of(log);
        lines.iter().map(|line| line.text.to_string()).collect()
    }

    #[test]
    fn a_structured_entry_is_its_texts() {
        for (log, wanted) in [
            (
                r#"level=error ts=2026-11-27T03:57:13Z caller=main.go:70 msg="validating config" err="CONFIG ERROR: no \"v13\"""#,
                "validating config: CONFIG ERROR: no \"v13\"",
            ),
            (
                r#"ts=2026-11-27T03:57:13Z level=error component=compactor err="cut of"#,
                "cut of",
            ),
            (
                r#"{"level":50,"msg":"cannot start","err":{"message":"no key"}}"#,
                "cannot start: no key",
            ),
            (
                "{\"level\": \"ERROR\", \"message\": \"uncaught exception\", \n\"stacktrace\": [\"StartupException: no lock\", \"at x\"]}",
                "uncaught exception: StartupException: no lock",
            ),
        ] {
            assert_eq!(texts(log), [wanted], "{log}");
        }
        assert_eq!(
            texts("2026-11-27T03:57:18Z\tERROR\tcannot start\t{\"error\": \"no key\"}"),
            ["2026-11-27T03:57:18Z\tERROR\tcannot start: no key"]
        );
        assert_eq!(
            texts("level=error err=\"a\\nb\"\nplain"),
            ["a", "b", "plain"]
        );
        assert_eq!(
            texts("  error=\n  | Code: 403. Errors:\n  |\n  | * permission denied"),
            ["  error=", "Code: 403. Errors:", "", "* permission denied"]
        );
    }

    #[test]
    fn a_line_without_structure_stays() {
        for line in [
            "a=b",
            "Could not connect err=\"no route\"",
            "key = value, level=error",
            "{not json}",
            "{\"a\":1}",
            "",
        ] {
            let lines: Vec<&str> = line.lines().collect();
            assert_eq!(texts(line), lines, "{line}");
        }
    }

    #[test]
    fn the_level_is_that_of_the_entry() {
        let first = |log: &str| {
            let line = lines_of(log).remove(0);
            (line.is_fatal(), line.is_error(), line.is_below_error())
        };
        for (log, wanted) in [
            (r#"{"level":"fatal","msg":"x"}"#, (true, true, false)),
            (r#"{"s":"E","msg":"x"}"#, (false, true, false)),
            (r#"{"level":30,"msg":"ERROR: x"}"#, (false, false, true)),
            ("level=warn msg=\"ERROR: x\"", (false, false, true)),
            ("F1127 03:57:20.1 1 main.go:12] x", (true, false, false)),
            ("E1127 03:57:20.1 1 main.go:12] x", (false, true, false)),
            ("E112 x", (false, false, false)),
            ("Warning: x is not writable", (false, false, true)),
        ] {
            assert_eq!(first(log), wanted, "{log}");
        }
    }
}
