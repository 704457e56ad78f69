//! Rules for some sets: policy entries by name or label.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::SignedDuration;

use sts_controller::object::{Labels, Selector};
use sts_controller::simulate::Assumption;
use sts_plan::fleet::FailOn;
use sts_plan::lint::Suppressions;
use sts_plan::requirement::Requirement;

/// A rule for matching sets. Its settings replace the general ones; ignored findings add up.
#[derive(Debug, Clone, Default)]
pub struct SetRule {
    /// Sets to which the rule applies.
    pub sets: SetMatch,
    /// Conditions that fail a run.
    pub fail_on: Option<Vec<FailOn>>,
    /// Requirements at every step.
    pub requirements: Option<Vec<Requirement>>,
    /// Ignored findings.
    pub silence: Suppressions,
    /// Time a new pod takes to become ready.
    pub ready_after: Option<SignedDuration>,
    /// Time a deleted pod takes to terminate.
    pub gone_after: Option<SignedDuration>,
    /// Assumptions about single pods, by name.
    pub by_pod: BTreeMap<String, Assumption>,
    /// Revisions whose pods are assumed to become ready, by name or hash.
    pub working: BTreeSet<Arc<str>>,
}

/// Conditions on a set; all have to match.
#[derive(Debug, Clone, Default)]
pub struct SetMatch {
    /// Names: `web`, `prod/web`, with `*` for any part. One has to match.
    pub names: Vec<String>,
    pub labels: Option<Selector>,
}

impl SetMatch {
    /// Reports whether a set matches.
    pub fn is(&self, namespace: &str, name: &str, labels: &Labels) -> bool {
        let is_named = |pattern: &String| match pattern.split_once('/') {
            Some((in_namespace, pattern)) => {
                is_like(in_namespace, namespace) && is_like(pattern, name)
            }
            None => is_like(pattern, name),
        };
        (self.names.is_empty() || self.names.iter().any(is_named))
            && self
                .labels
                .as_ref()
                .is_none_or(|selector| selector.matches(labels))
    }
}

/// Reports whether a string matches a pattern, in which `*` matches anything.
pub fn is_like(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    // Matching each part at its first position leaves the most for the parts after it.
    for part in parts {
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    text.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_whole_and_with_stars() {
        for (pattern, namespace, name, is) in [
            ("web", "prod", "web", true),
            ("web", "prod", "web-2", false),
            ("prod/web", "prod", "web", true),
            ("prod/web", "dev", "web", false),
            ("*/web", "dev", "web", true),
            ("team-*/kafka-*", "team-a", "kafka-eu", true),
            ("*a*b*", "x", "xaxbx", true),
            ("*a*b", "x", "ba", false),
            ("a*a", "x", "a", false),
        ] {
            let sets = SetMatch {
                names: vec![pattern.to_owned()],
                labels: None,
            };
            let found = sets.is(namespace, name, &Labels::new());
            assert_eq!(found, is, "{pattern} {namespace}/{name}");
        }
    }
}
