//! Candidates that go on from what is on the line.

use std::borrow::Cow;

use clap_complete::engine::CompletionCandidate;

use crate::output::{OutputSpec, escape};
use sts_plan::lint;

/// The output formats, with what they take.
pub(super) fn formats() -> impl Iterator<Item = (String, String)> {
    // Nobody can guess the text after the sign of equality.
    OutputSpec::names()
        .into_iter()
        .map(|name| match name.split_once('=') {
            Some((name, takes)) => (format!("{name}="), takes.to_owned()),
            None => (name, String::new()),
        })
}

/// Splits the text behind its last comma, which stays with the first part.
pub(super) fn listed(current: &str) -> (&str, &str) {
    let comma = current.rfind(',').map_or(0, |comma| comma + 1);
    current.split_at(comma)
}

/// The rules that are not given yet, by id, after what is there already.
pub(super) fn rules(current: &str, prefix: &str, given: &[&str]) -> Vec<CompletionCandidate> {
    let rules = lint::RULES
        .iter()
        .filter(|rule| !given.contains(&rule.id.name()));
    matching(
        current,
        rules.map(|rule| (format!("{prefix}{}", rule.id), rule.title)),
    )
}

/// The candidates that go on from what is there, with what they mean.
pub(super) fn matching<V: Into<String>, H: Into<String>>(
    current: &str,
    candidates: impl IntoIterator<Item = (V, H)>,
) -> Vec<CompletionCandidate> {
    candidates
        .into_iter()
        .map(|(value, help)| (value.into(), help.into()))
        // Whatever would do something to a terminal is not a name that anybody types.
        .filter(|(value, _)| {
            value.starts_with(current) && matches!(escape(value), Cow::Borrowed(_))
        })
        .map(|(value, help)| {
            let help = (!help.is_empty()).then(|| escape(&help).into_owned().into());
            CompletionCandidate::new(value).help(help)
        })
        .collect()
}
