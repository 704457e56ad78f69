//! Credentials in addresses, also in those that are no valid URLs.

use std::ops::Range;

use super::near;
use super::quote::Quote;

/// Passwords that mark the user name as a token.
const MARKS: [&str; 4] = ["x-oauth-basic", "x-oauth", "api_token", ""];
/// Minimum length of a user name without a password that is a token.
const TOKEN: usize = 20;

/// Finds `hunter2` in `postgres://web:hunter2@db/web`. The last at sign ends the password, which may have any
/// character if the program that prints it could not parse it.
pub(super) fn of_urls(text: &str, hidden: &mut Vec<Range<usize>>) {
    let mut from = 0;
    for (at, mark) in text.match_indices("://") {
        let start = at + mark.len();
        if start < from {
            continue;
        }
        let is_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let before = text[..at].trim_end_matches(is_scheme);
        let rest = &text[start..];
        let quoted = Quote::before(before).and_then(|(quote, _)| quote.closing(rest));
        let ends = |c: char| c.is_whitespace() || "\"'`<>".contains(c);
        let length = quoted.unwrap_or_else(|| rest.find(ends).unwrap_or(rest.len()));
        from = start + length;
        hidden.extend(user(text, start..from));
    }
}

/// Returns the credential before the host of an address.
fn user(text: &str, address: Range<usize>) -> Option<Range<usize>> {
    let start = address.start;
    let address = &text[address];
    let authority = address.find(['/', '?', '#']).unwrap_or(address.len());
    let last = address.rfind('@')?;
    let Some(colon) = address[..last].find(':').filter(|colon| *colon < authority) else {
        // A user name alone may be a token.
        let name = &address[..address[..authority].find('@')?];
        let is_token = name.len() >= TOKEN && name.bytes().any(|byte| byte.is_ascii_digit());
        return is_token.then_some(start..start + name.len());
    };
    let port = &address[colon + 1..authority.max(colon + 1)];
    // https://10.0.0.1:8080/x@y has a port and no user.
    if !address[..authority].contains('@') && port.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let password = &address[colon + 1..last];
    let begin = match MARKS.contains(&password) {
        true => 0,
        false => colon + 1,
    };
    Some(start + begin..start + last)
}

/// Finds `hunter2` in `web:hunter2@registry.example/app:1`, `web:hunter2@tcp(db:3306)/app` and `web:hunter2@db:5432`,
/// which have no scheme. After an image digest, as in `app:1@sha256:0f…`, neither a slash nor a port follows.
pub(super) fn before_hosts(text: &str, hidden: &mut Vec<Range<usize>>) {
    let is_of_host = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    for (at, mark) in text.match_indices('@') {
        let after = &text[at + mark.len()..];
        let rest = after.trim_start_matches(is_of_host);
        let host = &after[..after.len() - rest.len()];
        let has_port = || {
            let port = host.split_once(':').map_or("", |(_, port)| port);
            let is_port = port.parse::<u16>().is_ok();
            is_port && !host.starts_with("sha") && !rest.starts_with('@')
        };
        if host.is_empty() || !(rest.starts_with(['/', '(']) || has_port()) {
            continue;
        }
        let ends = |c: char| c.is_whitespace() || "\"'`/".contains(c);
        let word = text[near(text, at)..at]
            .rsplit(ends)
            .next()
            .unwrap_or_default();
        let start = at - word.len();
        // After a slash, the word is part of a URL or a path.
        let is_within = text[..start].ends_with('/');
        if let Some(colon) = word.find(':').filter(|_| !is_within) {
            let begin = match MARKS.contains(&&word[colon + 1..]) {
                true => 0,
                false => colon + 1,
            };
            hidden.push(start + begin..at);
        }
    }
}

/// Finds the parts of an address that Go quotes alone if it cannot parse them: `invalid port ":hunter2" after host`.
pub(super) fn fragments(text: &str, hidden: &mut Vec<Range<usize>>) {
    for mark in ["invalid port ", "invalid URL escape "] {
        for (at, _) in text.match_indices(mark) {
            let Some((quote, inner)) = Quote::opening(&text[at + mark.len()..]) else {
                continue;
            };
            let start = text.len() - inner.len();
            let length = quote.closing(inner).unwrap_or(inner.len());
            let port = inner[..length].trim_start_matches(':');
            if !port.bytes().all(|byte| byte.is_ascii_digit()) {
                hidden.push(start..start + length);
            }
        }
    }
}
