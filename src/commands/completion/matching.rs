//! Candidates that continue the current word.

use std::borrow::Cow;

use clap_complete::engine::CompletionCandidate;

use crate::output::{OutputSpec, escape};
use sts_plan::lint;

/// Returns the output formats, with their arguments.
pub(super) fn formats() -> impl Iterator<Item = (String, String)> {
    // Nobody can guess the text after the `=`.
    OutputSpec::names()
        .into_iter()
        .map(|name| match name.split_once('=') {
            Some((name, takes)) => (format!("{name}="), takes.to_owned()),
            None => (name, String::new()),
        })
}

/// Splits a text after its last comma.
pub(super) fn listed(current: &str) -> (&str, &str) {
    let comma = current.rfind(',').map_or(0, |comma| comma + 1);
    current.split_at(comma)
}

/// Returns the rules that are not listed yet, by id, with a prefix.
pub(super) fn rules(current: &str, prefix: &str, given: &[&str]) -> Vec<CompletionCandidate> {
    let rules = lint::RULES
        .iter()
        .filter(|rule| !given.contains(&rule.id.name()));
    matching(
        current,
        rules.map(|rule| (format!("{prefix}{}", rule.id), rule.title)),
    )
}

/// Returns the candidates that continue the current word, with their descriptions.
pub(super) fn matching<V: Into<String>, H: Into<String>>(
    current: &str,
    candidates: impl IntoIterator<Item = (V, H)>,
) -> Vec<CompletionCandidate> {
    candidates
        .into_iter()
        .map(|(value, help)| (value.into(), help.into()))
        // Nobody types names with control characters.
        .filter(|(value, _)| {
            value.starts_with(current) && matches!(escape(value), Cow::Borrowed(_))
        })
        .map(|(value, help)| {
            let help = (!help.is_empty()).then(|| escape(&help).into_owned().into());
            CompletionCandidate::new(value).help(help)
        })
        .collect()
}
