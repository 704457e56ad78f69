//! The findings of a whole run: those of each plan, those that concern several sets, and those that are
//! ignored.

use crate::lint;
use crate::lint::{SetSummary, Suppressions};
use crate::plan::Plan;
use crate::report::Report;

/// The summaries of a run's plans, kept until all are made.
pub struct Findings {
    silence: Suppressions,
    summaries: Vec<SetSummary>,
    suppressions: Vec<Suppressions>,
}

/// The summary of one plan, with the findings that are ignored for it.
pub struct PlanFindings {
    silence: Suppressions,
    summary: SetSummary,
    unknown: Vec<String>,
}

impl PlanFindings {
    /// Reports whether some findings are ignored, and listed as such.
    #[must_use]
    pub fn ignores_some(&self) -> bool {
        self.silence != Suppressions::default()
    }
}

impl Findings {
    /// Of a run in which these rules are silent.
    #[must_use]
    pub fn new(silence: Suppressions) -> Self {
        Findings {
            silence,
            summaries: Vec::new(),
            suppressions: Vec::new(),
        }
    }

    /// Notes a plan, for the set of which `of_set` is ignored besides.
    #[must_use]
    pub fn of(&self, plan: &Plan, of_set: &Suppressions) -> PlanFindings {
        let (named, unknown) = lint::named_by_annotation(&plan.snapshot.set);
        PlanFindings {
            silence: self.silence.and(of_set).and(&named),
            summary: SetSummary::of(plan),
            unknown,
        }
    }

    /// Takes note of a plan, in the order of the reports; returns what is wrong with the set's own wishes.
    pub fn note(&mut self, noted: PlanFindings) -> Vec<String> {
        self.suppressions.push(noted.silence);
        self.summaries.push(noted.summary);
        noted.unknown
    }

    /// Completes the reports of all plans that were noted.
    pub fn complete(&self, reports: &mut [Report]) {
        let cross_set = lint::cross_set_findings(&self.summaries);
        for ((report, found), silence) in reports.iter_mut().zip(cross_set).zip(&self.suppressions)
        {
            report.add_findings(found);
            report.suppress(silence);
        }
    }
}

/// A line for each finding that is ignored: `STS010 on prod/web`.
pub fn ignored(reports: &[Report]) -> impl Iterator<Item = String> {
    reports.iter().flat_map(|report| {
        let set = &report.metadata;
        report.ignored.iter().map(move |ignored| {
            let (id, why) = (ignored.finding.id, ignored.why());
            format!("{id} on {}/{} ({why})", set.namespace, set.name)
        })
    })
}
