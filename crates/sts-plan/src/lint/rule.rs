//! Rules and their findings.

use super::cross_set::NamespaceSets;
pub(super) use super::id::RuleId;
use crate::input_check::InputCheck;
use crate::plan::Plan;
use crate::report::Finding;
use sts_controller::version::Behaviour;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter)]
pub enum Severity {
    /// Good to know.
    Info,
    /// Probably not what is wanted.
    Warning,
    /// Harm is done.
    Error,
}

impl Severity {
    /// All of them, the least first.
    pub const ALL: [Severity; 3] = [Severity::Info, Severity::Warning, Severity::Error];

    /// The severity of that name.
    #[must_use]
    pub fn called(name: &str) -> Option<Severity> {
        let mut all = Severity::ALL.into_iter();
        all.find(|severity| severity.name().eq_ignore_ascii_case(name))
    }

    /// The severity's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// The extent to which rules look. What no output shows need not be simulated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// For errors.
    Errors,
    /// For what is so, or comes to be.
    Actual,
    /// Also for what would come of a pod that fails, which is true of most rollouts.
    #[default]
    Hypothetical,
}

/// A rule with its page.
pub struct Rule {
    /// Its stable id.
    pub id: RuleId,
    /// Its name, in words with dashes.
    pub name: &'static str,
    /// Summary of what it finds, in a line.
    pub title: &'static str,
    /// The reason that it matters, in sentences.
    pub why: &'static str,
    /// The severities that its findings may have, the least first.
    pub severities: &'static [Severity],
    /// In which controllers it can happen; `None` for all.
    pub happens: Option<fn(&Behaviour) -> bool>,
    /// Advice on what to do.
    pub remedy: &'static str,
    /// Public issues and documents, the most telling first; at least one.
    pub links: &'static [&'static str],
    pub(super) check: Check,
}

/// The function that looks for findings, by what it looks at.
#[derive(Clone, Copy)]
pub(super) enum Check {
    /// At one plan.
    Plan(fn(&Plan) -> Vec<Found>),
    /// At one plan, as far as is asked.
    Scoped(fn(&Plan, Scope) -> Vec<Found>),
    /// At what the input of a plan lacks.
    Input(fn(&Plan, &InputCheck) -> Vec<Found>),
    /// At all sets of a namespace: what it finds, each with the place of its set.
    Across(fn(&NamespaceSets<'_>) -> Vec<(usize, Found)>),
}

/// A finding, before its rule puts its name to it.
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

    /// The same, which holds for so many other objects.
    pub(super) fn and_others(self, others: usize) -> Self {
        Found { others, ..self }
    }

    /// On the set of a plan.
    pub(super) fn on_set(severity: Severity, plan: &Plan, message: String) -> Self {
        let object = format!("statefulset/{}", plan.snapshot.set.meta.name);
        Found::new(severity, object, message)
    }

    /// On a pod.
    pub(super) fn on_pod(severity: Severity, pod: &str, message: String) -> Self {
        Found::new(severity, format!("pod/{pod}"), message)
    }

    /// On a claim.
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

/// A few names, and how many more there are: `web-2, web-1 and 3 more`.
pub(super) fn list<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    list_of(names.len(), names)
}

/// The same of so many names, of which only the first are looked at.
pub(super) fn list_of<'n>(count: usize, names: impl IntoIterator<Item = &'n str>) -> String {
    const SHOWN: usize = 4;
    let shown = if count > SHOWN { SHOWN - 1 } else { SHOWN };
    let names: Vec<&str> = names.into_iter().take(shown).collect();
    match count.checked_sub(names.len()) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names.join(", ")),
    }
}

/// `1 pod`, `2 pods`.
pub(super) fn count(number: usize, thing: &str) -> String {
    match number {
        1 => format!("1 {thing}"),
        _ => format!("{number} {thing}s"),
    }
}
