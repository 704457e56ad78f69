//! Default pull policy of an image, which depends on whether its reference means `latest`.
//!
//! A reference is `[registry/]path[:tag][@digest]`. Without tag and digest it means `latest`. An invalid reference does
//! not count as `latest`: the server leaves the error to validation.

use crate::version::Defaulting;

/// Returns the default pull policy of an image.
pub(super) fn pull_policy(reference: &str, rules: &Defaulting) -> &'static str {
    if is_latest(reference, rules).unwrap_or(false) {
        "Always"
    } else {
        "IfNotPresent"
    }
}

/// Returns whether the reference means `latest`; `None` if it is invalid.
fn is_latest(reference: &str, rules: &Defaulting) -> Option<bool> {
    const ID_LENGTH: usize = 64;
    if reference.len() == ID_LENGTH && reference.bytes().all(is_lower_hex) {
        return None;
    }
    let (registry, rest) = split_registry(reference, rules);
    let (rest, digest) = match rest.split_once('@') {
        Some((rest, digest)) => (rest, Some(digest)),
        None => (rest, None),
    };
    let (path, tag) = match rest.split_once(':') {
        Some((path, tag)) => (path, Some(tag)),
        None => (rest, None),
    };
    let implied = if registry == DOCKER && !path.contains('/') {
        "library/"
    } else {
        ""
    };
    const MAX_NAME_LENGTH: usize = 255;
    let name_length = registry.len() + 1 + implied.len() + path.len();
    let readable = name_length <= MAX_NAME_LENGTH
        && (is_registry(registry, rules) || is_path_part(registry))
        && path.split('/').all(is_path_part)
        && tag.is_none_or(is_tag)
        && digest.is_none_or(is_digest);
    readable.then(|| match tag {
        Some(tag) => tag == "latest",
        None => digest.is_none(),
    })
}

/// Registry of names without one.
const DOCKER: &str = "docker.io";

/// Splits off the registry. The first part is a registry if it cannot be a path.
fn split_registry<'a>(reference: &'a str, rules: &Defaulting) -> (&'a str, &'a str) {
    let Some((first, rest)) = reference.split_once('/') else {
        return (DOCKER, reference);
    };
    let capital = rules.wide_registries && first.to_lowercase() != first;
    if !first.contains(['.', ':']) && first != "localhost" && !capital {
        return (DOCKER, reference);
    }
    (
        if first == "index.docker.io" {
            DOCKER
        } else {
            first
        },
        rest,
    )
}

/// Reports whether the text is a host name or address, with or without a port.
fn is_registry(text: &str, rules: &Defaulting) -> bool {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    };
    let label = |label: &str| {
        let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !label.is_empty()
            && label.bytes().all(inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let address = |host: &str| {
        let inner = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        let part = |byte: u8| byte.is_ascii_hexdigit() || byte == b':';
        inner.is_some_and(|inner| !inner.is_empty() && inner.bytes().all(part))
    };
    port.is_none_or(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
        && (host.split('.').all(label) || rules.wide_registries && address(host))
}

/// Reports whether the text is lower-case letters and digits with single separators: a dot, one or two underscores, or
/// dashes.
fn is_path_part(text: &str) -> bool {
    let alphanumeric = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        let word = bytes[at..]
            .iter()
            .take_while(|byte| alphanumeric(**byte))
            .count();
        if word == 0 {
            return false;
        }
        at += word;
        if at == bytes.len() {
            return true;
        }
        let separator = bytes[at..]
            .iter()
            .take_while(|byte| !alphanumeric(**byte))
            .count();
        let separator = &bytes[at..at + separator];
        if !matches!(separator, b"." | b"_" | b"__") && separator.iter().any(|byte| *byte != b'-') {
            return false;
        }
        at += separator.len();
    }
}

fn is_tag(text: &str) -> bool {
    const MAX_TAG_LENGTH: usize = 128;
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = text.as_bytes();
    bytes.len() <= MAX_TAG_LENGTH
        && bytes.first().is_some_and(|first| word(*first))
        && bytes
            .iter()
            .all(|byte| word(*byte) || matches!(byte, b'.' | b'-'))
}

/// Reports whether the text is a digest that the server can verify.
fn is_digest(text: &str) -> bool {
    let Some((algorithm, hex)) = text.split_once(':') else {
        return false;
    };
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return false,
    };
    hex.len() == length && hex.bytes().all(is_lower_hex)
}

fn is_lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}
