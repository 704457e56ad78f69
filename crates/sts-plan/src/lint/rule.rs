//! Rules and their findings.

use super::Finding;
use super::cross_set::NamespaceSets;
pub(super) use super::id::RuleId;
use crate::input_check::InputCheck;
use crate::plan::Plan;
use crate::scope::Scope;
pub(super) use crate::words::count;
use sts_controller::version::Behaviour;

/// The severity of a finding.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter, strum::IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Severity {
    /// For information.
    Info,
    /// Probably unintended.
    Warning,
    /// Harmful.
    Error,
}

serialized!(by_name: Severity);

impl Severity {
    /// All severities, lowest first.
    pub const ALL: [Severity; 3] = [Severity::Info, Severity::Warning, Severity::Error];

    /// Returns the severity with that name, ignoring case.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Severity> {
        let mut all = Severity::ALL.into_iter();
        all.find(|severity| severity.name().eq_ignore_ascii_case(name))
    }
}

/// A rule with its page.
pub struct Rule {
    /// Stable id.
    pub id: RuleId,
    /// Name, in words with dashes.
    pub name: &'static str,
    /// One-line summary.
    pub title: &'static str,
    /// Reason that it matters.
    pub why: &'static str,
    /// Severities of its findings, lowest first.
    pub severities: &'static [Severity],
    /// Test for affected controllers; `None` for all.
    pub happens: Option<fn(&Behaviour) -> bool>,
    /// Advice in the imperative.
    pub remedy: &'static str,
    /// Public issues and documents, the most relevant first; at least one.
    pub links: &'static [&'static str],
    pub(super) check: Check,
}

/// The check of a rule, by its input.
#[derive(Clone, Copy)]
pub(super) enum Check {
    /// One plan.
    Plan(fn(&Plan) -> Vec<Found>),
    /// One plan, within a scope.
    Scoped(fn(&Plan, Scope) -> Vec<Found>),
    /// The completeness of a plan's input.
    Input(fn(&Plan, &InputCheck) -> Vec<Found>),
    /// All sets of a namespace. Returns each finding with the index of its set.
    Across(fn(&NamespaceSets<'_>) -> Vec<(usize, Found)>),
}

/// A finding without its rule.
pub(super) struct Found {
    severity: Severity,
    object: String,
    message: String,
    others: usize,
}

impl Found {
    pub(super) fn new(severity: Severity, object: String, message: String) -> Self {
        Found {
            severity,
            object,
            message,
            others: 0,
        }
    }

    /// Sets the number of other objects with the same finding.
    pub(super) fn and_others(self, others: usize) -> Self {
        Found { others, ..self }
    }

    /// Creates a finding on the set of a plan.
    pub(super) fn on_set(severity: Severity, plan: &Plan, message: String) -> Self {
        let object = format!("statefulset/{}", plan.snapshot.set.meta.name);
        Found::new(severity, object, message)
    }

    /// Creates a finding on a pod.
    pub(super) fn on_pod(severity: Severity, pod: &str, message: String) -> Self {
        Found::new(severity, format!("pod/{pod}"), message)
    }

    /// Creates a finding on a claim.
    pub(super) fn on_claim(severity: Severity, claim: &str, message: String) -> Self {
        Found::new(severity, format!("persistentvolumeclaim/{claim}"), message)
    }
}

impl Rule {
    pub(super) fn finding(&self, found: Found) -> Finding {
        Finding {
            id: self.id,
            severity: found.severity,
            message: found.message,
            object: found.object,
            in_headline: false,
            docs: self.links.first().copied().unwrap_or_default().to_owned(),
            source: None,
            others: found.others,
        }
    }
}

/// Lists a few names and counts the rest: `web-2, web-1 and 3 more`.
pub(super) fn list<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    list_of(names.len(), names)
}

/// Lists the first of `count` names, like [`list`].
pub(super) fn list_of<'n>(count: usize, names: impl IntoIterator<Item = &'n str>) -> String {
    const SHOWN: usize = 4;
    let shown = if count > SHOWN { SHOWN - 1 } else { SHOWN };
    let names: Vec<&str> = names.into_iter().take(shown).collect();
    match count.checked_sub(names.len()) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names.join(", ")),
    }
}
