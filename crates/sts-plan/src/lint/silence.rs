//! Findings that nobody wants to hear of: by flag, by policy, or by an annotation of the set.

use std::collections::BTreeSet;

use super::{RULES, RuleId, rules_called};
use sts_controller::object::Set;

/// The annotation that names the rules which are silent for a set.
pub const ANNOTATION: &str = "sts-plan/ignore";

/// Ids of rules that are silent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Silence(BTreeSet<RuleId>);

impl Silence {
    /// Reads a list of ids and names of rules.
    ///
    /// # Errors
    /// The first id that is none, with those that there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (silence, unknown) = split(text);
        match unknown.first() {
            None => Ok(silence),
            Some(unknown) => Err(unknown_id(unknown)),
        }
    }

    /// Whether a rule is silent.
    #[must_use]
    pub fn covers(&self, id: RuleId) -> bool {
        self.0.contains(&id)
    }

    /// The ids of both.
    #[must_use]
    pub fn and(&self, other: &Silence) -> Self {
        Silence(self.0.union(&other.0).copied().collect())
    }
}

/// What the annotation of a set silences, and a sentence on each id in it that is none.
#[must_use]
pub fn named_by_annotation(set: &Set) -> (Silence, Vec<String>) {
    let text = set.annotations.as_ref();
    let text = text.and_then(|annotations| annotations.get(ANNOTATION)?.as_str());
    let (silence, unknown) = split(text.unwrap_or_default());
    let name = &set.meta.name;
    let unknown = unknown.iter().map(|id| {
        format!("StatefulSet {name}: annotation {ANNOTATION} names no rule with {id:?}: see kubectl sts-plan explain")
    });
    (silence, unknown.collect())
}

fn split(text: &str) -> (Silence, Vec<&str>) {
    let mut silence = Silence::default();
    let mut unknown = Vec::new();
    for id in text.split(',').map(str::trim).filter(|id| !id.is_empty()) {
        let called = rules_called(id);
        if called.is_empty() {
            unknown.push(id);
        }
        silence.0.extend(called.iter().map(|rule| rule.id));
    }
    (silence, unknown)
}

/// A sentence on an id that is none, with those that there are.
#[must_use]
pub fn unknown_id(id: &str) -> String {
    let known: Vec<&str> = RULES.iter().map(|rule| rule.id.name()).collect();
    format!(
        "there is no rule {id:?}; there are {}, and their names, such as data-loss",
        known.join(", ")
    )
}
