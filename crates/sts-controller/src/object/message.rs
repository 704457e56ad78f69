//! What conditions, containers and events say, without the credentials that they quote.
//!
//! A message tells why a pod does not start, so every format shows it, those that are posted too. It is written by
//! runtimes, webhooks and the containers themselves, which quote addresses, command lines and output. What a credential
//! looks like is hidden as the object is read, so that no format can forget to.
use std::borrow::Cow;
use std::ops::Range;

/// What stands in the place of a credential.
const HIDDEN: &str = "(hidden)";

/// How names of credentials end, in lower case, without dashes and underscores.
const NAMES: [&str; 12] = [
    "password",
    "passwd",
    "passphrase",
    "pass",
    "pwd",
    "token",
    "secret",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "credentials",
];
/// A token is no shorter: `Bearer realm` introduces none.
const SHORTEST_TOKEN: usize = 8;

/// The message without credentials: passwords of addresses, values after names such as `--db-password`, bearer tokens.
pub(super) fn without_credentials(text: &str) -> Cow<'_, str> {
    let mut hidden = Vec::new();
    passwords_of_addresses(text, &mut hidden);
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

/// `hunter2` of `postgres://web:hunter2@db/web`.
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

/// Names and numbers, with the dashes, underscores and dots in them.
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

/// What stands after the name of a credential: `name=value`, `name: value`, `"name": "value"`, `--name value`.
fn value_of(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let name = &text[word.clone()];
    if !is_credential(name) {
        return None;
    }
    let after = &text[word.end..];
    let (before_value, is_sure) = if let Some(rest) = after.strip_prefix('=') {
        (rest, true)
    } else if let Some(rest) = after.strip_prefix(':') {
        (rest.trim_start_matches(' '), false)
    } else if let Some(rest) = unquoted(after) {
        // A name in quotes is the name of something, unless its value is in quotes too.
        let rest = rest.trim_start_matches(' ').strip_prefix(':')?;
        let rest = rest.trim_start_matches(' ');
        unquoted(rest)?;
        (rest, true)
    } else {
        let rest = after.strip_prefix(' ')?;
        let is_flag = name.starts_with("--") && !rest.starts_with('-');
        (rest, is_flag.then_some(true)?)
    };
    let value = unquoted(before_value).unwrap_or(before_value);
    let is_quoted = value.len() < before_value.len();
    let ends = |c: char| match is_quoted {
        true => matches!(c, '"' | '\'' | '\\'),
        false => c.is_whitespace() || ",;&)]}\"'\\".contains(c),
    };
    let length = value.find(ends).unwrap_or(value.len());
    let start = text.len() - value.len();
    // `getting the token: context deadline exceeded` tells what went wrong.
    let is_sure = is_sure || value[..length].bytes().any(|byte| byte.is_ascii_digit());
    (length > 0 && is_sure).then_some(start..start + length)
}

fn is_credential(name: &str) -> bool {
    let mut name = name.to_ascii_lowercase();
    name.retain(|c| !matches!(c, '-' | '_' | '.'));
    NAMES.iter().any(|end| name.ends_with(end))
}

/// The rest behind a quote, which may be escaped.
fn unquoted(text: &str) -> Option<&str> {
    let text = text.strip_prefix('\\').unwrap_or(text);
    text.strip_prefix(['"', '\''])
}

/// What stands after `Bearer` and `Basic`, and JSON web tokens wherever they stand.
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
        length >= SHORTEST_TOKEN && value[..length].bytes().any(|byte| byte.is_ascii_digit());
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
        ] {
            assert_eq!(without_credentials(text), shown);
        }
    }

    #[test]
    fn everything_else_is_said() {
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
            "a Bearer realm=x is asked for, Basic auth",
            "exec: \"/app --token\": not found",
        ] {
            assert!(
                matches!(without_credentials(text), Cow::Borrowed(_)),
                "{text}"
            );
        }
    }
}
