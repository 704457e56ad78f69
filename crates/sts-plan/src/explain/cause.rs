//! One-clause descriptions of causes.

use super::fact::Teller;
use super::last_words::{last_words, quoted, quoted_end, quoted_line, whole_parts};
use super::own_words::{own_words, words_of_gate};
use crate::catalogue::Fact;
use crate::catalogue::with_names;
use crate::cause::{Cause, ContainerFailure, OtherFailure, Rank, Symptom};
use crate::words::uncapitalized;

/// A cause in one clause, in parts that a headline can leave out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CauseClause {
    /// The pod and what is wrong, in the words of the catalogue if it knows the cause:
    /// `pg-2 crash-loops: the data on the volume is damaged`.
    pub lead: String,
    /// The container and its state: `postgres, exit 1, 17 restarts`. Empty if the lead has them.
    pub details: String,
    /// The container alone, if other containers of the pod fail too; empty otherwise.
    pub container: String,
    /// The component's own words; empty if the lead has them, or there are none.
    pub reported: String,
    /// The component's own words at the length of a line of their own; empty if there are none.
    pub says: String,
    /// The parts of those words that tell the failure on their own, the first one best: of what a process says, and of a
    /// refusal of Pod Security.
    pub parts: Vec<String>,
    /// The holder of a volume, and other failures.
    pub rest: String,
    /// The same without the reasons of the other failures.
    pub short_rest: String,
    /// True if the lead says the cause, so that the component's words only add to it.
    pub is_told: bool,
    /// The place in those words from which on their beginning says most: 0 for those of a process. Most other messages
    /// end with the reason.
    pub reason_at: Option<usize>,
}

impl CauseClause {
    /// Returns the whole clause.
    #[must_use]
    pub fn whole(&self) -> String {
        let (lead, reported) = (self.with_details(), &self.reported);
        let separator = match self.is_told {
            _ if reported.is_empty() => "",
            true => "; ",
            false => ": ",
        };
        format!("{lead}{separator}{reported}{}", self.rest)
    }

    /// Reports whether the whole clause has the component's words in full.
    #[must_use]
    pub fn has_all_words(&self) -> bool {
        !["...", "…"].iter().any(|cut| self.reported.ends_with(cut))
    }

    /// Returns the clause without the component's words, then without the details, which the evidence of the pod has too,
    /// and then without the reasons of its other failures.
    #[must_use]
    pub fn shorter(&self) -> [String; 3] {
        [
            self.with_details() + &self.rest,
            self.named() + &self.rest,
            self.named() + &self.short_rest,
        ]
    }

    /// Returns the clause without the details, and without the component's words unless only they say the cause.
    #[must_use]
    pub fn in_brief(&self) -> String {
        let lead = self.named();
        match self.is_told || self.reported.is_empty() {
            true => lead,
            false => format!("{lead}: {}", self.reported),
        }
    }

    /// Returns the clauses without the details that have the words of a process, or the parts of them that tell the
    /// failure on their own, if those only add to a cause that the lead says.
    #[must_use]
    pub fn with_words(&self) -> Vec<String> {
        let words =
            (!self.reported.is_empty() && self.reason_at == Some(0)).then_some(&self.reported);
        let all = words.into_iter().chain(&self.parts);
        let told = all.map(|words| format!("{}; {words}{}", self.named(), self.rest));
        told.filter(|_| self.is_told).collect()
    }

    /// The lead, with the container if others fail too.
    fn named(&self) -> String {
        match self.container.as_str() {
            "" => self.lead.clone(),
            container => format!("{} ({container})", self.lead),
        }
    }

    /// Returns the clause as leads, the longer one first, and the words whose beginning says most, if only they say the
    /// cause.
    #[must_use]
    pub fn reason(&self) -> Option<([String; 2], &str)> {
        let words = self.reported.get(self.reason_at?..)?;
        let leads = || [self.with_details(), self.lead.clone()];
        (!self.is_told && !words.is_empty()).then(|| (leads(), words))
    }

    fn with_details(&self) -> String {
        match self.details.as_str() {
            "" => self.lead.clone(),
            details => format!("{} ({details})", self.lead),
        }
    }
}

/// Describes a cause in one clause.
#[must_use]
pub fn cause(cause: &Cause) -> CauseClause {
    let teller = Teller { cause, plan: None };
    let symptom = cause.symptom.entry();
    let is_titled = symptom.sentence.contains("{title}") && teller.fact(Fact::Title).is_some();
    let lead = teller.told(&symptom.sentence);
    // The title says what the reason announces.
    let details = with_names(&symptom.details, &|key| match key.parse().ok()? {
        Fact::Reason if is_titled => None,
        fact => teller.fact(fact),
    });
    let words = teller.told(&symptom.reported);
    let after = symptom.reason_after.iter();
    let after = after.filter_map(|text| Some(words.rfind(text.as_str())? + text.len()));
    let reason_at = match is_of_process(cause) {
        true => Some(0),
        false if cause.symptom == Symptom::GateNotMet => Some(words_of_gate(&words)),
        false => after.max().map(|at| own_words(&words, at)),
    };
    let says = match (&cause.facts.failure, is_of_process(cause)) {
        (Some(failure), true) => quoted_line(cause.entry(), failure),
        _ => match reason_at {
            Some(at) => quoted(&words[at..]),
            None => quoted_end(&words),
        },
    };
    let reported = match words {
        words if lead.contains(&words) => String::new(),
        words => words,
    };
    let container = cause.facts.container().filter(|_| !cause.also.is_empty());
    CauseClause {
        container: container
            .filter(|_| !details.is_empty())
            .cloned()
            .unwrap_or_default(),
        details,
        reason_at,
        says,
        parts: match (&cause.facts.failure, is_of_process(cause)) {
            (Some(failure), true) => whole_parts(cause.entry(), failure),
            _ => fields_of_pod_security(&reported).into_iter().collect(),
        },
        reported,
        lead,
        rest: rest(teller, also),
        short_rest: rest(teller, |other| format!("{} fails too", other.container)),
        is_told: is_titled || symptom.reported.is_empty(),
    }
}

/// Returns a refusal of Pod Security that names several fields without the containers in brackets that have to set them.
fn fields_of_pod_security(reported: &str) -> Option<String> {
    let (_, fields) = reported.split_once("violates PodSecurity")?;
    if fields.matches('(').count() < 2 {
        return None;
    }
    let mut depth = 0_usize;
    let kept = fields.chars().filter(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    });
    let kept: String = kept.collect();
    let fields = kept.replace(" ,", ",");
    Some(format!("violates PodSecurity{}", fields.trim_end()))
}

/// Reports whether the reported words are those of a process, not of a check of the kubelet.
fn is_of_process(cause: &Cause) -> bool {
    let failure = cause.facts.failure.as_ref();
    cause.symptom == Symptom::CrashLoop && failure.is_some_and(|failure| !failure.is_unstarted)
}

/// Describes the holder of a volume, an unmet readiness gate, the pod's other failures, and a pod that is assumed to
/// fail in the same way.
fn rest(teller: Teller<'_>, also: impl Fn(&OtherFailure) -> String) -> String {
    let cause = teller.cause;
    let mut text = teller.told(&cause.symptom.entry().rest);
    for other in &cause.also {
        text.push_str(&format!("; and {}", also(other)));
    }
    if let Some(other) = &cause.foretold {
        text.push_str(&format!("; {other} is assumed to fail in the same way"));
    }
    text
}

/// Describes another failing container: `ImagePullBackOff (exporter, exporter:2)`, `the name db does not resolve in DNS (web,
/// exit 1, 9 restarts)`, `web is not ready: Readiness probe failed: HTTP probe failed with statuscode: 404`.
fn also(other: &OtherFailure) -> String {
    let name = &other.container;
    let recognized = other.recognized.as_ref();
    let title = recognized
        .filter(|found| found.entry.rank != Rank::Generic || other.failure.is_none())
        .map(|found| uncapitalized(&other.named("", &found.entry.title)));
    let Some(failure) = &other.failure else {
        let why = title.unwrap_or_else(|| other.probe.clone());
        return format!("{name} is not ready: {why}");
    };
    let reason = &failure.reason;
    match (&**reason, title) {
        ("CrashLoopBackOff", Some(title)) => format!("{title} ({})", ended(failure)),
        ("CrashLoopBackOff", None) => {
            let said = match last_words(None, failure) {
                words if words.is_empty() => words,
                words => format!(": {words}"),
            };
            format!("{reason} ({}){said}", ended(failure))
        }
        _ => format!("{reason} ({name}, {})", failure.image),
    }
}

/// `postgres, exit 1, 17 restarts`.
fn ended(failure: &ContainerFailure) -> String {
    let mut parts = vec![failure.container.clone()];
    parts.extend(failure.exit_code.map(|code| format!("exit {code}")));
    parts.extend((failure.restarts >= 0).then(|| failure.restarts_text()));
    parts.join(", ")
}
