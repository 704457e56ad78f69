//! Syntax of strings in a pod other than names: variables, keys, headers, paths and the like.

use super::name::{DNS_SUBDOMAIN_LENGTH, is_word, no_match, too_long};
use crate::version::Validation;

/// Returns the errors in the name of a variable. Until 1.31 it may have letters, digits and a few signs; from 1.32 on
/// anything printable.
pub(super) fn variable(text: &str, rules: &Validation) -> Vec<String> {
    let mut out = Vec::new();
    if rules.pod.relaxed_variable_names {
        if text.is_empty() {
            out.push("environment variable name must be non-empty".to_owned());
        }
        let printable = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'=';
        if !text.bytes().all(printable) {
            out.push(
                "a valid environment variable name must consist only of printable ASCII characters other than '='"
                    .to_owned(),
            );
        }
        return out;
    }
    let letter = |byte: u8| byte.is_ascii_alphabetic() || b"-._".contains(&byte);
    let fits = text.bytes().next().is_some_and(letter)
        && text
            .bytes()
            .all(|byte| letter(byte) || byte.is_ascii_digit());
    if !fits {
        out.push(no_match(
            "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
            "[-._a-zA-Z][-._a-zA-Z0-9]*",
            &["my.env-name", "MY_ENV.NAME", "MyEnvName1"],
        ));
    }
    out.extend(leaves_directory(text));
    out
}

/// Returns the errors in a key of a ConfigMap or a Secret.
pub(super) fn config_key(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    if text.len() > DNS_SUBDOMAIN_LENGTH {
        out.push(too_long(DNS_SUBDOMAIN_LENGTH));
    }
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    if text.is_empty() || !text.bytes().all(fits) {
        out.push(no_match(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
            "[-._a-zA-Z0-9]+",
            &["key.name", "KEY_NAME", "key-name"],
        ));
    }
    out.extend(leaves_directory(text));
    out
}

/// Returns the error of a key that would name another directory as a file.
fn leaves_directory(text: &str) -> Option<String> {
    match text {
        "." => Some("must not be '.'".to_owned()),
        ".." => Some("must not be '..'".to_owned()),
        _ if text.starts_with("..") => Some("must not start with '..'".to_owned()),
        _ => None,
    }
}

/// Returns the errors in the name of an HTTP header.
pub(super) fn http_header(text: &str) -> Vec<String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if !text.is_empty() && text.bytes().all(fits) {
        return Vec::new();
    }
    vec![no_match(
        "a valid HTTP header must consist of alphanumeric characters or '-'",
        "[-A-Za-z0-9]+",
        &["X-Header-Name"],
    )]
}

/// Reports whether a text can name a kernel parameter: words separated by dots or slashes.
pub(super) fn is_sysctl(text: &str) -> bool {
    let lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.len() <= DNS_SUBDOMAIN_LENGTH
        && text
            .split(['.', '/'])
            .all(|part| is_word(part, lower, b"-_"))
}

/// Returns the parameter in its dotted form, `net/ipv4/tcp_syncookies` as `net.ipv4.tcp_syncookies`. If the first
/// separator is a slash, dots and slashes are swapped.
pub(super) fn dotted_sysctl(text: &str) -> String {
    let slashes = text
        .find(['.', '/'])
        .is_some_and(|first| text[first..].starts_with('/'));
    if !slashes {
        return text.to_owned();
    }
    let swap = |character| match character {
        '.' => '/',
        '/' => '.',
        other => other,
    };
    text.chars().map(swap).collect()
}

/// Returns the error in the name of an iSCSI node.
pub(super) fn iscsi_name(text: &str) -> Option<&'static str> {
    let alphanumeric = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    // The server's patterns have a dot, which matches any character, after the type.
    let after = |kind: &str| text.strip_prefix(kind).and_then(skip_character);
    let fits = if text.starts_with("iqn") {
        is_iscsi_qualified(text)
    } else if text.starts_with("eui") {
        after("eui").is_some_and(|rest| alphanumeric(rest, 16))
    } else if text.starts_with("naa") {
        after("naa").is_some_and(|rest| alphanumeric(rest, 32))
    } else {
        return Some("must be valid format starting with iqn, eui, or naa");
    };
    (!fits).then_some("must be valid format")
}

fn skip_character(text: &str) -> Option<&str> {
    let mut characters = text.chars();
    characters.next().filter(|first| *first != '\n')?;
    Some(characters.as_str())
}

/// Matches `iqn.2001-04.com.example:storage`, anywhere in the text but up to its end.
fn is_iscsi_qualified(text: &str) -> bool {
    text.match_indices("iqn.").any(|(start, found)| {
        let rest = &text[start + found.len()..];
        let digits = |range: std::ops::Range<usize>| {
            rest.get(range)
                .is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let dated = digits(0..4)
            && rest.get(4..5) == Some("-")
            && digits(5..7)
            && rest.get(7..8) == Some(".");
        let Some(name) = rest.get(8..).filter(|_| dated) else {
            return false;
        };
        let authority = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
        let Some((host, own)) = name.split_once(':') else {
            return false;
        };
        let allowed = |character: char| !",;*&$|".contains(character) && !is_blank(character);
        !host.is_empty()
            && host.bytes().all(authority)
            && !own.is_empty()
            && own.chars().all(allowed)
    })
}

fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

/// Returns the errors in a path that must not leave its directory.
pub(super) fn no_backsteps(path: &str) -> Vec<String> {
    if path.split('/').any(|part| part == "..") {
        vec!["must not contain '..'".to_owned()]
    } else {
        Vec::new()
    }
}

/// Returns the errors in a path below a directory.
pub(super) fn inner_path(path: &str) -> Vec<String> {
    let mut out = Vec::new();
    if path.starts_with('/') {
        out.push("must be a relative path".to_owned());
    }
    out.extend(no_backsteps(path));
    out
}

/// Returns the errors in a path below a directory whose names with two dots belong to the kubelet.
pub(super) fn own_path(path: &str) -> Vec<String> {
    let mut out = inner_path(path);
    if path.starts_with("..") && !path.starts_with("../") {
        out.push("must not start with '..'".to_owned());
    }
    out
}

/// Returns the errors in a DNS search domain. From 1.33 on it may have underscores.
pub(super) fn search_domain(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    if text.len() > DNS_SUBDOMAIN_LENGTH {
        out.push(too_long(DNS_SUBDOMAIN_LENGTH));
    }
    let lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let label = |part: &str| is_word(part.strip_prefix('_').unwrap_or(part), lower, b"-_");
    if !text.split('.').all(label) {
        out.push(no_match(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
            r"_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*",
            &["example.com"],
        ));
    }
    out
}
