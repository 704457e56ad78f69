//! Removal of credentials from messages of conditions, containers and events.
//!
//! A message shows why a pod does not start, so every output format shows it, including those that are posted publicly.
//! Runtimes, webhooks and containers write these messages, and quote URLs, command lines and output. Anything that
//! looks like a credential is hidden when the object is read, so that no format has to do it.

use super::token_shape::{end_of_token, may_begin};
use std::borrow::Cow;
use std::ops::Range;

/// Replacement for a credential.
const HIDDEN: &str = "(hidden)";

/// Suffixes of credential names, in lower case, without dashes and underscores.
const NAMES: [&str; 13] = [
    "password",
    "passwd",
    "passphrase",
    "pass",
    "pwd",
    "token",
    "secret",
    "apikey",
    "accesskey",
    "accountkey",
    "secretkey",
    "privatekey",
    "credentials",
];
/// Query parameters of signed URLs, in the same form. The value after an equal sign is a credential; elsewhere the name
/// is a plain word.
const PARAMETERS: [&str; 3] = ["signature", "amzcredential", "googcredential"];
/// A parameter of that kind that is also a suffix of other words.
const SHARED_ACCESS: &str = "sig";
/// Headers whose whole value is a credential, in lower case.
const HEADERS: [&str; 2] = ["cookie", "set-cookie"];
/// Minimum length of a token: `Bearer realm` introduces none.
const MIN_TOKEN_LENGTH: usize = 8;

/// Returns the message without credentials: passwords in URLs, values after names such as `--db-password`, bearer
/// tokens.
#[must_use]
pub fn without_credentials(text: &str) -> Cow<'_, str> {
    let mut hidden = Vec::new();
    passwords_of_addresses(text, &mut hidden);
    passwords_before_hosts(text, &mut hidden);
    private_keys(text, &mut hidden);
    tokens(text, &mut hidden);
    for word in words(text) {
        hidden.extend(value_of(text, &word));
        hidden.extend(token(text, &word));
    }
    if hidden.is_empty() {
        return Cow::Borrowed(text);
    }
    hidden.sort_by_key(|range| range.start);
    let mut out = String::with_capacity(text.len());
    let mut shown = 0;
    for range in hidden {
        if range.start >= shown {
            out.push_str(&text[shown..range.start]);
            out.push_str(HIDDEN);
        }
        shown = shown.max(range.end);
    }
    out.push_str(&text[shown..]);
    Cow::Owned(out)
}

/// Finds `hunter2` in `postgres://web:hunter2@db/web`.
fn passwords_of_addresses(text: &str, hidden: &mut Vec<Range<usize>>) {
    for (at, mark) in text.match_indices("://") {
        let start = at + mark.len();
        let ends = |c: char| c.is_whitespace() || "/?#\"'<>,;".contains(c);
        let end = text[start..]
            .find(ends)
            .map_or(text.len(), |length| start + length);
        let Some((user, _)) = text[start..end].rsplit_once('@') else {
            continue;
        };
        if let Some(colon) = user.find(':') {
            hidden.push(start + colon + 1..start + user.len());
        }
    }
}

/// Finds `hunter2` in `web:hunter2@registry.example/app:1` and `web:hunter2@tcp(db:3306)/app`, which have no scheme.
/// After an image digest, as in `app:1@sha256:0f…`, neither a slash nor a parenthesis follows.
fn passwords_before_hosts(text: &str, hidden: &mut Vec<Range<usize>>) {
    let is_of_host = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    for (at, mark) in text.match_indices('@') {
        let after = &text[at + mark.len()..];
        let rest = after.trim_start_matches(is_of_host);
        if rest.len() == after.len() || !rest.starts_with(['/', '(']) {
            continue;
        }
        let ends = |c: char| c.is_whitespace() || "\"'`/".contains(c);
        let word = text[..at].rsplit(ends).next().unwrap_or_default();
        let start = at - word.len();
        // After a slash, the word is part of a URL or a path.
        let is_within = text[..start].ends_with('/');
        if let Some(colon) = word.find(':').filter(|_| !is_within) {
            hidden.push(start + colon + 1..at);
        }
    }
}

/// Finds the text between the first and last line of a PEM private key. Without a last line, finds the rest of the
/// text.
fn private_keys(text: &str, hidden: &mut Vec<Range<usize>>) {
    const DASHES: &str = "-----";
    for (at, begin) in text.match_indices("-----BEGIN ") {
        let label = at + begin.len();
        let Some(length) = text[label..].find(DASHES) else {
            continue;
        };
        if !text[label..label + length].contains("PRIVATE KEY") {
            continue;
        }
        let start = label + length + DASHES.len();
        let end = text[start..].find("-----END ");
        hidden.push(start..end.map_or(text.len(), |length| start + length));
    }
}

/// Finds tokens by their shape, at any position.
fn tokens(text: &str, hidden: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut from = 0;
    for (start, byte) in bytes.iter().enumerate() {
        let is_within_word = start > 0 && bytes[start - 1].is_ascii_alphanumeric();
        if start < from || is_within_word || !may_begin(*byte) {
            continue;
        }
        if let Some(end) = end_of_token(text, start) {
            hidden.push(start..end);
            from = end;
        }
    }
}

/// Returns words, including inner dashes, underscores and dots.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text[from..].find(is_part)?;
        let length = text[start..].find(|c| !is_part(c));
        from = length.map_or(text.len(), |length| start + length);
        Some(start..from)
    })
}

/// Finds the value after the name of a credential: `name=value`, `name: value`, `"name": "value"`, `--name value`,
/// `"--name", "value"`.
fn value_of(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let name = &text[word.clone()];
    let after = &text[word.end..];
    if HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
        let value = after.strip_prefix(':')?.trim_start_matches(' ');
        let start = text.len() - value.len();
        let length = value.find(['"', '\'', '\n', '\r']).unwrap_or(value.len());
        let has_pair = value[..length].contains('=');
        return has_pair.then_some(start..start + length);
    }
    let mut plain = name.to_ascii_lowercase();
    plain.retain(|c| !matches!(c, '-' | '_' | '.'));
    let ends_with = |ends: &[&str]| ends.iter().any(|end| plain.ends_with(end));
    let is_parameter = after.starts_with('=') && (plain == SHARED_ACCESS || ends_with(&PARAMETERS));
    if !is_parameter && !ends_with(&NAMES) {
        return None;
    }
    let is_flag = name.starts_with("--");
    let (before_value, is_sure) = if let Some(rest) = after.strip_prefix('=') {
        (rest, true)
    } else if let Some(rest) = after.strip_prefix(':') {
        (rest.trim_start_matches(' '), false)
    } else if let Some((rest, _)) = unquoted(after) {
        // A quoted name is no assignment, unless its value is quoted too.
        let rest = rest.trim_start_matches(' ');
        let next = rest.strip_prefix(':');
        let next = next.or_else(|| rest.strip_prefix(',').filter(|_| is_flag));
        // Go prints a list of strings without commas.
        let rest = next.or(is_flag.then_some(rest))?.trim_start_matches(' ');
        unquoted(rest)?;
        (rest, true)
    } else {
        let rest = after.strip_prefix(' ')?;
        let is_value = is_flag && !rest.starts_with('-');
        (rest, is_value.then_some(true)?)
    };
    // The value, or name and value together, may be in quotes, which may be escaped.
    let quoted = unquoted(before_value);
    let around = text[..word.start].chars().next_back();
    let around = around.filter(|before| after.starts_with('=') && "\"'".contains(*before));
    let value = quoted.map_or(before_value, |(value, _)| value);
    let ends = |c: char| match quoted.map(|(_, quote)| quote).or(around) {
        Some(quote) => c == quote,
        None => c.is_whitespace() || ",;&)]}\"'\\".contains(c),
    };
    let length = value.find(ends).unwrap_or(value.len());
    // After an escaped opening quote, the closing quote is escaped as well.
    let length = value[..length].trim_end_matches('\\').len();
    let start = text.len() - value.len();
    // `getting the token: context deadline exceeded` is an error message, not an assignment.
    let is_sure = is_sure || value[..length].bytes().any(|byte| byte.is_ascii_digit());
    // `https://reg.example/v2/token: 403 Forbidden` is an answer of that address.
    let is_answer = is_address(text, word) && is_http_status(&value[..length]);
    (length > 0 && is_sure && !is_answer).then_some(start..start + length)
}

/// Reports whether a word is the end of a URL.
fn is_address(text: &str, word: &Range<usize>) -> bool {
    text[..word.end]
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

/// Returns the text after a quote, which may be escaped, and the quote.
fn unquoted(text: &str) -> Option<(&str, char)> {
    let text = text.trim_start_matches('\\');
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    Some((&text[quote.len_utf8()..], quote))
}

/// Finds the token after `Bearer` and `Basic`, and JSON web tokens at any position.
fn token(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let name = &text[word.clone()];
    if name.starts_with("eyJ") && name.contains('.') {
        return Some(word.clone());
    }
    if !name.eq_ignore_ascii_case("bearer") && !name.eq_ignore_ascii_case("basic") {
        return None;
    }
    let value = text[word.end..].strip_prefix(' ')?;
    let ends = |c: char| c.is_whitespace() || ",;\"'\\".contains(c);
    let length = value.find(ends).unwrap_or(value.len());
    let start = word.end + 1;
    let is_one =
        length >= MIN_TOKEN_LENGTH && value[..length].bytes().any(|byte| byte.is_ascii_digit());
    is_one.then_some(start..start + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_hidden() {
        for (text, shown) in [
            (
                r#"exec: "/app --db-password hunter2 --verbose": no such file"#,
                r#"exec: "/app --db-password (hidden) --verbose": no such file"#,
            ),
            ("--token=hunter2,--port=1", "--token=(hidden),--port=1"),
            ("PGPASSWORD='hunter 2' psql", "PGPASSWORD='(hidden)' psql"),
            (
                r#"body {"api_key": "hunter2", "a": 1}"#,
                r#"body {"api_key": "(hidden)", "a": 1}"#,
            ),
            (
                r#"body {\"secret\":\"hunter\"}"#,
                r#"body {\"secret\":\"(hidden)\"}"#,
            ),
            (
                "GET https://reg.example/v2/token: 403 Forbidden, and token: 403",
                "GET https://reg.example/v2/token: 403 Forbidden, and token: (hidden)",
            ),
            (
                "login failed, password: hunter2.",
                "login failed, password: (hidden)",
            ),
            (
                "dial postgres://web:hunter2@db:5432/web?x=1 and redis://:p@r",
                "dial postgres://web:(hidden)@db:5432/web?x=1 and redis://:(hidden)@r",
            ),
            (
                "got Authorization: Bearer hunter2.abc",
                "got Authorization: Bearer (hidden)",
            ),
            (
                "jwt eyJhbGciOi.eyJzdWIi.x is expired",
                "jwt (hidden) is expired",
            ),
            ("token=\u{e9}\u{e9} secret=", "token=(hidden) secret="),
            (
                "image \"web:hunter2@r.example:5000/a/b:1\" and root:p=w@tcp(db:3306)/x",
                "image \"web:(hidden)@r.example:5000/a/b:1\" and root:(hidden)@tcp(db:3306)/x",
            ),
            // Values of several words.
            (
                r#"["--db-password=correct horse", "-v"]"#,
                r#"["--db-password=(hidden)", "-v"]"#,
            ),
            (
                r#"["--db-password", "correct horse", "-v"]"#,
                r#"["--db-password", "(hidden)", "-v"]"#,
            ),
            (
                r#"exec: "sh -c \"login --password=\\\"it's two\\\"\"""#,
                r#"exec: "sh -c \"login --password=\\\"(hidden)\\\"\"""#,
            ),
            ("password=\"it's two\" x", "password=\"(hidden)\" x"),
            // Cloud storage and signed URLs.
            (
                "AccountName=a;AccountKey=aGVsbG8=;EndpointSuffix=b",
                "AccountName=a;AccountKey=(hidden);EndpointSuffix=b",
            ),
            (
                "GET https://b.s3/o?X-Amz-Credential=AB%2F1&X-Amz-Date=1&X-Amz-Signature=0ff1ce: 403",
                "GET https://b.s3/o?X-Amz-Credential=(hidden)&X-Amz-Date=1&X-Amz-Signature=(hidden) 403",
            ),
            (
                "https://a.blob/c?sv=1&sig=Zm9v%3D&se=2",
                "https://a.blob/c?sv=1&sig=(hidden)&se=2",
            ),
            (
                "request had Cookie: a=1; session=hunter2\nand failed",
                "request had Cookie: (hidden)\nand failed",
            ),
            (
                "key -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- is bad",
                "key -----BEGIN RSA PRIVATE KEY-----(hidden)-----END RSA PRIVATE KEY----- is bad",
            ),
            (
                "-----BEGIN PRIVATE KEY-----\\nMIIE",
                "-----BEGIN PRIVATE KEY-----(hidden)",
            ),
            (
                "clone with ghp_0123456789abcdefghijABCDEFGHIJ012345 failed",
                "clone with (hidden) failed",
            ),
        ] {
            assert_eq!(without_credentials(text), shown);
        }
    }

    #[test]
    fn other_messages_are_unchanged() {
        for text in [
            "",
            "0/3 nodes are available: 1 Insufficient memory, 2 node(s) had untolerated taint {a: b}.",
            "exceeded quota: q, requested: count/secrets=1, used: count/secrets=9",
            "couldn't find key password in Secret prod/db",
            "secret \"db-password\" not found",
            "MountVolume.SetUp failed for volume \"token\": configmap \"a\" not found",
            "failed to fetch anonymous token: context deadline exceeded",
            "failed to sync secret cache: timed out waiting for the condition",
            "Get https://10.0.0.1:8080/x@y: dial tcp: connection refused",
            "image web:1.27@sha256:0f1e2d3c, r.example:5000/web:1@sha256:0f1e2d3c and git@host:a/b",
            "a Bearer realm=x is asked for, Basic auth",
            "exec: \"/app --token\": not found",
            "x509: certificate signature: unknown algorithm",
            "no image for kubernetes/sig-storage, config=web",
            "a cookie: see the documentation",
            "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
            "ghp_short and risk-adapted",
        ] {
            assert!(
                matches!(without_credentials(text), Cow::Borrowed(_)),
                "{text}"
            );
        }
    }
}
