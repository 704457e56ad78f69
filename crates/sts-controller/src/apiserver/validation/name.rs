//! Syntax of names, keys and values, with the server's messages for invalid ones.

use crate::version::Validation;

/// Maximum length of pod names, host names and label values.
pub(super) const LABEL_LENGTH: usize = 63;
pub(super) const DNS_SUBDOMAIN_LENGTH: usize = 253;
const PORT_NAME_LENGTH: usize = 15;

/// Returns the maximum length of a set's name with which it can create pods, for a given length of revision hashes (at
/// most 10).
///
/// A pod has the name of its revision, `NAME-HASH`, as a label value, which is limited to 63 bytes. Servers still
/// accept longer names (quirk Q41).
#[must_use]
pub fn longest_usable_name(hash_length: usize) -> usize {
    LABEL_LENGTH.saturating_sub(hash_length + "-".len())
}

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const QUALIFIED: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const QUALIFIED_WORDS: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

fn is_lower_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

/// Reports whether the text is one or more bytes of `edge` or `inner`, with `edge` at both ends.
pub(super) fn is_word(text: &str, edge: fn(u8) -> bool, inner: &[u8]) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|byte| edge(*byte))
        && bytes.last().is_some_and(|byte| edge(*byte))
        && bytes.iter().all(|byte| edge(*byte) || inner.contains(byte))
}

fn is_label(text: &str) -> bool {
    is_word(text, is_lower_alphanumeric, b"-")
}

fn is_subdomain(text: &str) -> bool {
    text.split('.').all(is_label)
}

fn is_qualified(text: &str) -> bool {
    is_word(text, |byte| byte.is_ascii_alphanumeric(), b"-_.")
}

/// Returns the error for a text that is too long. The message says characters, but the server counts bytes.
pub(super) fn too_long(length: usize) -> String {
    format!("must be no more than {length} characters")
}

/// Returns the error for a part of a label that is too long. Later versions say bytes.
fn label_too_long(length: usize, rules: &Validation) -> String {
    if rules.label_lengths_in_bytes {
        format!("must be no more than {length} bytes")
    } else {
        too_long(length)
    }
}

/// `RegexError`, including its odd spaces.
pub(super) fn no_match(words: &str, expression: &str, examples: &[&str]) -> String {
    let examples: Vec<String> = examples.iter().map(|text| format!("'{text}', ")).collect();
    format!(
        "{words} (e.g. {}regex used for validation is '{expression}')",
        examples.join(" or ")
    )
}

/// Returns the errors in a DNS label.
pub(super) fn dns_label(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    if text.len() > LABEL_LENGTH {
        out.push(too_long(LABEL_LENGTH));
    }
    if is_label(text) {
    } else if is_subdomain(text) {
        out.push("must not contain dots".to_owned());
    } else {
        out.push(no_match(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
            LABEL,
            &["my-name", "123-abc"],
        ));
    }
    out
}

/// Returns the errors in a DNS subdomain.
pub(super) fn dns_subdomain(text: &str) -> Vec<String> {
    subdomain(text, too_long(DNS_SUBDOMAIN_LENGTH))
}

fn subdomain(text: &str, too_long: String) -> Vec<String> {
    let mut out = Vec::new();
    if text.len() > DNS_SUBDOMAIN_LENGTH {
        out.push(too_long);
    }
    if !is_subdomain(text) {
        out.push(no_match(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
            SUBDOMAIN,
            &["example.com"],
        ));
    }
    out
}

/// Returns the errors in a DNS subdomain that may end in a dash, since the server treats it as a prefix.
pub(super) fn dns_subdomain_prefix(text: &str) -> Vec<String> {
    dns_subdomain(&masked(text))
}

/// Replaces a final dash, and the character before it, by a letter, as the server does for a prefix.
fn masked(text: &str) -> String {
    match text.strip_suffix('-') {
        Some(start) if start.is_ascii() && !start.is_empty() => {
            format!("{}a", &start[..start.len() - 1])
        }
        _ => text.to_owned(),
    }
}

/// Returns the errors in the name of a set. With `prefix`, a random suffix will be appended, so the name may end in a
/// dash.
pub(super) fn set_name(text: &str, prefix: bool, rules: &Validation) -> Vec<String> {
    let masked = if prefix {
        masked(text)
    } else {
        text.to_owned()
    };
    if rules.name_is_label {
        dns_label(&masked)
    } else {
        dns_subdomain(&masked)
    }
}

/// Returns the errors in a name with an optional domain prefix: keys of labels and annotations, finalizers.
pub(super) fn qualified(text: &str, rules: &Validation) -> Vec<String> {
    let mut out = Vec::new();
    let words = || {
        no_match(
            QUALIFIED_WORDS,
            QUALIFIED,
            &["MyName", "my.name", "123-abc"],
        )
    };
    let parts: Vec<&str> = text.split('/').collect();
    let name = match parts.as_slice() {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                out.push("prefix part must be non-empty".to_owned());
            } else {
                let complaints =
                    subdomain(prefix, label_too_long(DNS_SUBDOMAIN_LENGTH, rules)).into_iter();
                out.extend(complaints.map(|complaint| format!("prefix part {complaint}")));
            }
            name
        }
        _ => {
            let what = if rules.label_keys_named {
                "a valid label key"
            } else {
                "a qualified name"
            };
            return vec![format!(
                "{what} {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
                words()
            )];
        }
    };
    if name.is_empty() {
        out.push("name part must be non-empty".to_owned());
    } else if name.len() > LABEL_LENGTH {
        out.push(format!("name part {}", label_too_long(LABEL_LENGTH, rules)));
    }
    if !is_qualified(name) {
        out.push(format!("name part {}", words()));
    }
    out
}

/// Reports whether a text is such a name.
pub(super) fn is_qualified_name(text: &str) -> bool {
    let (prefix, name) = match text.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, text),
    };
    let prefix = prefix.is_none_or(|p| p.len() <= DNS_SUBDOMAIN_LENGTH && is_subdomain(p));
    prefix && name.len() <= LABEL_LENGTH && is_qualified(name)
}

/// Returns the errors in the value of a label.
pub(super) fn label_value(text: &str, rules: &Validation) -> Vec<String> {
    let mut out = Vec::new();
    if text.len() > LABEL_LENGTH {
        out.push(label_too_long(LABEL_LENGTH, rules));
    }
    if !text.is_empty() && !is_qualified(text) {
        out.push(no_match(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
            &format!("({QUALIFIED})?"),
            &["MyValue", "my_value", "12345"],
        ));
    }
    out
}

/// Returns the errors in the name of a port.
pub(super) fn port_name(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut complain = |wrong: bool, words: &str| {
        if wrong {
            out.push(words.to_owned());
        }
    };
    let bytes = text.as_bytes();
    let allowed = |byte: &u8| is_lower_alphanumeric(*byte) || *byte == b'-';
    let long = too_long(PORT_NAME_LENGTH);
    complain(text.len() > PORT_NAME_LENGTH, &long);
    complain(
        !bytes.iter().all(allowed) || bytes.is_empty(),
        "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
    );
    complain(
        !bytes.iter().any(u8::is_ascii_lowercase),
        "must contain at least one letter (a-z)",
    );
    complain(text.contains("--"), "must not contain consecutive hyphens");
    complain(
        text.starts_with('-') || text.ends_with('-'),
        "must not begin or end with a hyphen",
    );
    out
}

/// Returns the number of a percentage such as `10%`; `None` for any other text.
pub(super) fn percentage(text: &str) -> Option<u64> {
    let digits = text.strip_suffix('%')?;
    let numeric = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    numeric.then(|| digits.parse().unwrap_or(u64::MAX))
}

/// Returns the error for a text that is not a percentage.
pub(super) fn no_percentage() -> String {
    no_match(
        "a valid percent string must be a numeric string followed by an ending '%'",
        "[0-9]+%",
        &["1%", "93%"],
    )
}
