//! Durations, counts and names in answers.

use jiff::SignedDuration;

use crate::duration::spell;

/// Formats seconds: `45s`, `1h0m20s`.
#[must_use]
pub fn elapsed(seconds: i64) -> String {
    spell(SignedDuration::from_secs(seconds))
}

/// Formats a count: `1 pod`, `9 960 pods`.
#[must_use]
pub fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", spaced(number))
}

/// Formats a number with separated thousands.
#[must_use]
pub fn spaced(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// Returns a dash for empty text.
#[must_use]
pub fn or_dash(text: String) -> String {
    match text.is_empty() {
        true => "-".to_owned(),
        false => text,
    }
}

/// Returns the name of a set with its namespace: `prod/web`.
#[must_use]
pub fn full_name(namespace: &str, name: &str) -> String {
    match namespace {
        "" => name.to_owned(),
        namespace => format!("{namespace}/{name}"),
    }
}

/// Returns the state of a quorum, which smaller sets do not have.
#[must_use]
pub fn quorum(replicas: i32, is_lost: bool) -> Option<&'static str> {
    match (replicas, is_lost) {
        (..=2, _) => None,
        (_, true) => Some("LOST"),
        (_, false) => Some("kept"),
    }
}

/// Returns a revision's hash, or its full name if it does not begin with the set's name.
#[must_use]
pub fn short_revision<'r>(revision: &'r str, set: &str) -> &'r str {
    let hash = revision
        .strip_prefix(set)
        .and_then(|rest| rest.strip_prefix('-'));
    hash.filter(|hash| !hash.is_empty()).unwrap_or(revision)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_counts() {
        for (seconds, text) in [(0, "0s"), (45, "45s"), (80, "1m20s"), (3620, "1h0m20s")] {
            assert_eq!(elapsed(seconds), text);
        }
        assert_eq!(count(1, "pod"), "1 pod");
        assert_eq!(count(9960, "pod"), "9 960 pods");
        assert_eq!(spaced(1_234_567), "1 234 567");
    }
}
