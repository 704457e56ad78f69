//! Values of names: `name=value`, `name: value`, `--name value`, elements, pairs of name and value, headers.

use std::ops::Range;

use super::names::{PROGRAMS, Rule, Value, is_password, is_spaced, rule};
use super::quote::Quote;
use super::{far, near};

/// Signs between a name and its value. After a colon, the value may also be an error message.
const SIGNS: [(&str, bool); 8] = [
    ("=>", true),
    (":=", true),
    ("=", true),
    ("%3D", true),
    ("%3d", true),
    ("%3A", true),
    ("%3a", true),
    (":", false),
];
/// Opening and closing brackets of elements, as written and escaped.
const BRACKETS: [(&str, &str); 4] = [
    ("<", ">"),
    ("&lt;", "&gt;"),
    ("\\u003c", "\\u003e"),
    ("\\x3c", "\\x3e"),
];
/// Values that are no credentials, in lower case.
const PLAIN: [&str; 9] = [
    "nil",
    "<nil>",
    "null",
    "none",
    "true",
    "false",
    "(hidden)",
    "redacted",
    "<redacted>",
];
/// Schemes of an Authorization header whose credential is a word, in lower case.
const SCHEMES: [&str; 13] = [
    "apikey",
    "api-key",
    "basic",
    "bearer",
    "ghtoken",
    "jwt",
    "key",
    "negotiate",
    "ntlm",
    "splunk",
    "ssws",
    "token",
    "x-auth",
];
/// Schemes whose credentials are pairs.
const SCHEMES_OF_PAIRS: [&str; 7] = [
    "aws4-hmac-sha256",
    "digest",
    "hawk",
    "hmac",
    "oauth",
    "scram-sha-256",
    "signature",
];
/// Sources of error messages, which Go puts before a colon: `getting the token: x509: …`.
const SOURCES: [&str; 6] = ["ec2", "h2", "http2", "oauth2", "s3", "x509"];
/// Minimum length of the commit in a version.
const MIN_COMMIT: usize = 10;
/// Minimum length of a text without spaces that is no word of a sentence.
const LONG: usize = 256;

/// Returns the credential that belongs to this word, if it is a name.
pub(super) fn of_word(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let name = &text[word.clone()];
    let found = match rule(name) {
        Some(Rule::Authorization) => return authorization(text, word).map(|it| whole(text, it)),
        Some(Rule::Cookie) => return cookie(text, word).map(|it| whole(text, it)),
        Some(Rule::Parameter) => {
            let is_assigned = ["=", "%3D", "%3d"]
                .iter()
                .any(|it| text[word.end..].starts_with(it));
            assigned(text, word).filter(|_| is_assigned)
        }
        Some(Rule::Credential) => element(text, word)
            .or_else(|| paired(text, word))
            .or_else(|| assigned(text, word)),
        None => None,
    };
    found
        .or_else(|| spaced(text, word))
        .or_else(|| of_program(text, word))
        .filter(|range| is_credential(&text[range.clone()]))
}

/// Extends the text of a header that ends where the search ended.
fn whole(text: &str, range: Range<usize>) -> Range<usize> {
    let ends = |c: char| c.is_whitespace() || "\"'`".contains(c);
    let rest = &text[range.end..];
    let length = rest.find(ends).unwrap_or(rest.len());
    match range.len() > LONG {
        true => range.start..range.end + length,
        false => range,
    }
}

fn is_credential(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_reference = ["$(", "${", "{{", "(hidden"]
        .iter()
        .any(|it| value.starts_with(it));
    !value.is_empty()
        && !PLAIN.contains(&&*lower)
        && !is_reference
        && !value.bytes().all(|byte| byte == b'*')
}

/// Returns the value after a sign.
fn assigned(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let name = &text[word.clone()];
    let after = &text[word.end..];
    let is_flag = name.starts_with('-');
    let (is_quoted, rest) = match Quote::opening(after) {
        Some((_, rest)) => (true, rest),
        None => (false, after),
    };
    let trimmed = rest.trim_start_matches([' ', '\t']);
    let is_spaced = trimmed.len() < rest.len();
    let sign = SIGNS.iter().find(|(sign, _)| trimmed.starts_with(sign));
    let (value, is_sure, is_tight) = match sign {
        Some(_) if trimmed.starts_with("==") => return None,
        Some((sign, is_sure)) => {
            let value = &trimmed[sign.len()..];
            let rest = value.trim_start_matches([' ', '\t']);
            let is_next_pair =
                rest.len() < value.len() && !is_spaced && *is_sure && begins_pair(rest);
            let value = if is_next_pair { value } else { rest };
            (value, *is_sure, rest.len() == value.len() && !is_spaced)
        }
        // Lists of arguments: ["--token", "x"], [--token, x], and Go's [--token x].
        None if is_flag => {
            let rest = trimmed.strip_prefix(',').unwrap_or(trimmed);
            let value = rest.trim_start_matches(' ');
            let is_separate = value.len() < trimmed.len() || is_spaced;
            if !is_separate || value.starts_with('-') || value.starts_with("\"-") {
                return None;
            }
            (value, true, false)
        }
        None => return None,
    };
    let start = text.len() - value.len();
    let around = Quote::before(&text[..word.start]).map(|(quote, _)| quote);
    let around = around.filter(|_| !is_quoted && rest.starts_with('='));
    let (range, value_is_quoted) = value_at(text, start, around);
    let value = &text[range.clone()];
    let ends_pair = text[range.end..]
        .trim_start_matches(['\\', '"', '\'', '`'])
        .trim_start_matches(' ')
        .chars()
        .next()
        .is_none_or(|c| matches!(c, ',' | ';' | '}' | ']' | ')' | '\n' | '\r'));
    let is_member = text[..word.start]
        .trim_end_matches(['"', '\'', '`', '\\'])
        .trim_end_matches(' ')
        .ends_with(['{', ',', '[', '(', '&', '\n'])
        || word.start == 0;
    let is_sure = is_sure
        || (name
            .get(..2)
            .is_some_and(|it| it.eq_ignore_ascii_case("x-")))
        || (value_is_quoted && (is_quoted || ends_pair))
        || (is_tight && is_member && ends_pair)
        || (is_tight && name.eq_ignore_ascii_case("pass"))
        || value.len() > LONG
        || (!value.contains("://") && !SOURCES.contains(&value) && is_mixed(value))
        || is_line(text, word, &range);
    // `https://reg.example/v2/token: 403 Forbidden` is an answer of that address.
    let is_answer = is_address(text, word) && is_http_status(value);
    let is_public = is_answer || (is_tight && is_plugin(name, value));
    (is_sure && !is_public).then_some(range)
}

/// Reports whether name and value are a plugin of Jenkins and its version: `credentials:1087.v16065d268466`,
/// `credentials:2.6.1`.
fn is_plugin(name: &str, value: &str) -> bool {
    let (number, commit) = value.split_once(".v").unwrap_or((value, ""));
    let is_digit = |c: char| c.is_ascii_digit();
    let is_hash = |c: char| matches!(c, '0'..='9' | 'a'..='f' | '_');
    let is_number = number.starts_with(is_digit) && number.chars().all(|c| is_digit(c) || c == '.');
    let is_commit = commit.len() >= MIN_COMMIT && commit.chars().all(is_hash);
    let is_release = commit.is_empty()
        && value.contains('.')
        && !value.contains(".v")
        && name.to_ascii_lowercase().contains("credentials");
    is_number && (is_commit || is_release)
}

/// Reports whether name and value are one of several lines.
fn is_line(text: &str, word: &Range<usize>, value: &Range<usize>) -> bool {
    let before = text[..word.start].trim_end_matches([' ', '\t']);
    let after = &text[value.end..];
    (before.is_empty() || before.ends_with('\n'))
        && (after.is_empty() || after.starts_with(['\n', '\r']))
        && before.len() + after.len() > 0
}

/// Reports whether a text has characters that an English word has not.
fn is_mixed(text: &str) -> bool {
    let is_camel = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    text.bytes()
        .any(|byte| byte.is_ascii_digit() || b"!@#$%^&*+=~?|".contains(&byte))
        || text.as_bytes().windows(2).any(is_camel)
}

/// Returns the value that starts here, and whether it is quoted. `around` is a quote around name and value.
fn value_at(text: &str, start: usize, around: Option<Quote>) -> (Range<usize>, bool) {
    let rest = &text[start..];
    if let Some((quote, inner)) = Quote::opening(rest) {
        let start = text.len() - inner.len();
        let line = || inner.find('\n').unwrap_or(inner.len());
        let length = quote.closing(inner).unwrap_or_else(line);
        return (start..start + length, true);
    }
    if let Some(length) = around.and_then(|quote| quote.closing(rest)) {
        return (start..start + length, false);
    }
    (start..start + unquoted_length(rest), false)
}

/// Returns the length of a value without quotes. Punctuation belongs to it unless something else begins there.
fn unquoted_length(text: &str) -> usize {
    let mut rest = text.char_indices();
    while let Some((at, c)) = rest.next() {
        let after = rest.as_str();
        let next = after.chars().next();
        let ends = match c {
            _ if c.is_whitespace() || c == '<' => true,
            ',' | ';' | '&' => {
                next.is_none_or(|next| next.is_whitespace() || "\"'`[{(-\\<".contains(next))
                    || begins_pair(after)
            }
            ')' | ']' | '}' | '>' | '"' | '\'' | '`' => {
                next.is_none_or(|next| !next.is_alphanumeric())
            }
            '\\' => next.is_none_or(|next| "\"'`\\nrtu".contains(next)),
            ':' => next.is_none_or(char::is_whitespace),
            '%' => after.starts_with("26"),
            _ => false,
        };
        if ends {
            return at;
        }
    }
    text.len()
}

/// Reports whether a text begins with a name and a sign.
fn begins_pair(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let rest = text.trim_start_matches(is_part);
    rest.len() < text.len() && text.len() - rest.len() < 64 && rest.starts_with(['=', ':'])
}

/// Returns the text of `<name>text</name>`.
fn element(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let before = &text[..word.start];
    let name = &text[word.clone()];
    // A prefix of the name space ends with a colon.
    let before = match before.strip_suffix(':') {
        Some(prefix) => prefix.trim_end_matches(|c: char| c.is_alphanumeric()),
        None => before,
    };
    let near = before.len().saturating_sub(8);
    let near = before.get(near..).unwrap_or(before);
    let (open, close) = BRACKETS.iter().find(|(open, _)| {
        let inner = open.trim_start_matches('\\');
        near.ends_with(open) || (near.ends_with('\\') && name.starts_with(inner))
    })?;
    let after = &text[word.end..];
    let tag = text[word.end..far(text, word.end)].find(close)?;
    if after[..tag].contains(open) || after[..tag].ends_with('/') {
        return None;
    }
    let start = word.end + tag + close.len();
    let (start, open) = match text[start..].strip_prefix("<![CDATA[") {
        Some(inner) => (text.len() - inner.len(), "]]>"),
        None => (start, *open),
    };
    let value = &text[start..far(text, start)];
    let Some(length) = value.find(open) else {
        return Some(start..text.len());
    };
    // <token> and <b> are no elements.
    let is_closed =
        !BRACKETS.iter().any(|it| it.0 == open) || value[length + open.len()..].starts_with('/');
    is_closed.then_some(start..start + length)
}

/// Returns the value of a pair: `{"name": "DB_PASSWORD", "value": "x"}`, `EnvVar{Name:DB_PASSWORD,Value:x,...}`.
fn paired(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let mut rest = &text[word.end..];
    rest = Quote::opening(rest).map_or(rest, |(_, rest)| rest);
    if let Some(tag) = rest.strip_prefix("</") {
        rest = &tag[tag.find('>')? + 1..];
    }
    let key = rest.trim_start_matches([',', ';', ' ', '\t', '\n', '\r']);
    let key = key
        .strip_prefix("\\n")
        .map_or(key, |key| key.trim_start_matches(' '));
    if key.len() < rest.len() || key.starts_with('<') {
        let start = text.len() - key.len();
        if let Some(found) = value_member(text, start) {
            return Some(found);
        }
    }
    value_before(text, word)
}

/// Returns the value of a member named `value` that starts here.
fn value_member(text: &str, start: usize) -> Option<Range<usize>> {
    let key = &text[start..];
    let key = key.strip_prefix('<').unwrap_or(key);
    let key = Quote::opening(key).map_or(key, |(_, key)| key);
    let rest = key.get("value".len()..)?;
    if !key[..key.len() - rest.len()].eq_ignore_ascii_case("value") {
        return None;
    }
    if let Some(value) = rest.strip_prefix('>') {
        let start = text.len() - value.len();
        return Some(start..start + value.find('<').unwrap_or(value.len()));
    }
    let rest = Quote::opening(rest).map_or(rest, |(_, rest)| rest);
    let value = rest.trim_start_matches(' ').strip_prefix([':', '='])?;
    let value = value.trim_start_matches(' ');
    let start = text.len() - value.len();
    // Go prints the members of a variable without quotes.
    if let Some(length) = text[start..far(text, start)].find(",ValueFrom:") {
        return Some(start..start + length);
    }
    Some(value_at(text, start, None).0)
}

/// Returns the value of a pair whose name follows: `{"value": "x", "name": "DB_PASSWORD"}`.
fn value_before(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let mut before =
        Quote::before(&text[..word.start]).map_or(&text[..word.start], |(_, rest)| rest);
    before = before
        .trim_end_matches(' ')
        .strip_suffix([':', '='])?
        .trim_end_matches(' ');
    before = Quote::before(before).map_or(before, |(_, rest)| rest);
    let is_key = |key: &str| {
        before.len() >= key.len()
            && before
                .get(before.len() - key.len()..)
                .is_some_and(|it| it.eq_ignore_ascii_case(key))
    };
    let key = ["name", "key"].into_iter().find(|key| is_key(key))?;
    let before = &before[..before.len() - key.len()];
    let before = Quote::before(before).map_or(before, |(_, rest)| rest);
    let near = near(before, before.len());
    let at = near + before[near..].to_ascii_lowercase().rfind("value")?;
    let start = Quote::before(&before[..at]).map_or(at, |(_, rest)| rest.len());
    let found = value_member(text, start)?;
    let between = text.get(found.end..before.len())?;
    let is_between = |c: char| c.is_whitespace() || ",;\"'`\\".contains(c);
    between.chars().all(is_between).then_some(found)
}

/// Returns the value that only a space separates from its name.
fn spaced(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let name = &text[word.clone()];
    let value = text[word.end..].strip_prefix(' ')?;
    let start = text.len() - value.len();
    let is_of_sql = is_password(name) && value.trim_start_matches('\\').starts_with('\'');
    (is_of_sql || is_spaced(name, &text[..word.start])).then(|| value_at(text, start, None).0)
}

/// Returns the value of a flag of a known program.
fn of_program(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let name = &text[word.clone()];
    let program = PROGRAMS
        .iter()
        .find(|program| program.names.contains(&name))?;
    let near = &text[word.end..far(text, word.end)];
    let line = near.find(['\n', '|', ';']).unwrap_or(near.len());
    let is_space = |c: char| c.is_whitespace() || "\"'`,[]\\".contains(c);
    let mut from = word.end;
    let mut after_flag = false;
    while from < word.end + line {
        let skipped = text[from..].find(|c| !is_space(c))?;
        let start = from + skipped;
        let length = text[start..].find(is_space).unwrap_or(text.len() - start);
        let (end, argument) = (start + length, &text[start..start + length]);
        from = end;
        if after_flag {
            let start = match program.value {
                Value::AfterColon => start + argument.find(':')? + 1,
                _ => start,
            };
            return Some(start..end);
        }
        for flag in program.flags {
            match argument.strip_prefix(flag) {
                Some("") => after_flag = program.value != Value::AttachedOnly,
                Some(_) if matches!(program.value, Value::Attached | Value::AttachedOnly) => {
                    return Some(start + flag.len()..end);
                }
                _ => {}
            }
        }
    }
    None
}

/// Returns the text of a header, and whether quotes or brackets surround it.
fn header(text: &str, word: &Range<usize>) -> Option<(Range<usize>, bool)> {
    let after = &text[word.end..];
    let rest = Quote::opening(after).map_or(after, |(_, rest)| rest);
    let rest = rest.trim_start_matches(' ');
    let sign = [":", "=", ",", "%3A"]
        .into_iter()
        .find(|sign| rest.starts_with(sign))?;
    let value = rest[sign.len()..].trim_start_matches(' ');
    let (value, is_list) = match value.strip_prefix('[') {
        Some(value) => (value, true),
        None => (value, false),
    };
    let start = text.len() - value.len();
    if Quote::opening(value).is_some() {
        return Some((value_at(text, start, None).0, true));
    }
    let around = Quote::before(&text[..word.start]).map(|(quote, _)| quote);
    if let Some(length) = around.and_then(|quote| quote.closing(value)) {
        return Some((start..start + length, true));
    }
    let ends = |c: char| "\"'`\n\r".contains(c) || (is_list && c == ']');
    let value = &text[start..far(text, start)];
    let length = value.find(ends).unwrap_or(value.len());
    let length = value[..length].trim_end_matches('\\').len();
    Some((start..start + length, is_list))
}

fn cookie(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let (value, _) = header(text, word)?;
    text[value.clone()].contains('=').then_some(value)
}

fn authorization(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let (value, is_delimited) = header(text, word)?;
    let inner = &text[value.clone()];
    let scheme = inner.split(char::is_whitespace).next().unwrap_or_default();
    let rest = inner[scheme.len()..].trim_start();
    let start = value.end - rest.len();
    let lower = scheme.to_ascii_lowercase();
    if SCHEMES_OF_PAIRS.contains(&&*lower) && !rest.is_empty() {
        let line = &text[start..far(text, start)];
        let end = line
            .find(['\n', '\r'])
            .map_or(start + line.len(), |length| start + length);
        return Some(start..if is_delimited { value.end } else { end });
    }
    let word_at = |start: usize| start..start + unquoted_length(&text[start..value.end]);
    if SCHEMES.contains(&&*lower) && !rest.is_empty() {
        return Some(word_at(start));
    }
    if is_delimited {
        return Some(value);
    }
    let is_token = |text: &str| is_mixed(text) || text.len() >= 16;
    let first = word_at(value.start);
    let second = word_at(start);
    [first, second]
        .into_iter()
        .find(|range| is_token(&text[range.clone()]))
}

/// Reports whether a word is the end of a URL.
fn is_address(text: &str, word: &Range<usize>) -> bool {
    text[near(text, word.start)..word.end]
        .rsplit(char::is_whitespace)
        .next()
        .is_some_and(|word| word.contains("://"))
}

fn is_http_status(text: &str) -> bool {
    text.len() == 3
        && text
            .parse()
            .is_ok_and(|code: u16| (100..600).contains(&code))
}
