//! Findings of a whole run: those of each plan, those across sets, and ignored ones.

use crate::lint;
use crate::lint::{SetSummary, Suppressions};
use crate::plan::Plan;
use crate::report::Report;

/// Collected plan summaries of a run.
pub struct Findings {
    silence: Suppressions,
    summaries: Vec<SetSummary>,
    suppressions: Vec<Suppressions>,
}

/// Summary of one plan, with its suppressions.
pub struct PlanFindings {
    silence: Suppressions,
    summary: SetSummary,
    unknown: Vec<String>,
}

impl PlanFindings {
    /// Reports whether findings are ignored and listed as such.
    #[must_use]
    pub fn ignores_some(&self) -> bool {
        self.silence != Suppressions::default()
    }
}

impl Findings {
    /// Creates a collection with the suppressions of a run.
    #[must_use]
    pub fn new(silence: Suppressions) -> Self {
        Findings {
            silence,
            summaries: Vec::new(),
            suppressions: Vec::new(),
        }
    }

    /// Summarizes a plan, with the additional suppressions of its set.
    #[must_use]
    pub fn of(&self, plan: &Plan, of_set: &Suppressions) -> PlanFindings {
        let (named, unknown) = lint::named_by_annotation(&plan.snapshot.set);
        PlanFindings {
            silence: self.silence.and(of_set).and(&named),
            summary: SetSummary::of(plan),
            unknown,
        }
    }

    /// Adds a plan, in the order of the reports. Returns the problems of the set's own suppressions.
    pub fn note(&mut self, noted: PlanFindings) -> Vec<String> {
        self.suppressions.push(noted.silence);
        self.summaries.push(noted.summary);
        noted.unknown
    }

    /// Completes the reports of all added plans.
    pub fn complete(&self, reports: &mut [Report]) {
        let cross_set = lint::cross_set_findings(&self.summaries);
        for ((report, found), silence) in reports.iter_mut().zip(cross_set).zip(&self.suppressions)
        {
            report.add_findings(found);
            report.suppress(silence);
        }
    }
}

/// Returns one line per ignored finding: `STS010 on prod/web`.
pub fn ignored_findings(reports: &[Report]) -> impl Iterator<Item = String> {
    reports.iter().flat_map(|report| {
        let set = &report.metadata;
        report.ignored.iter().map(move |ignored| {
            let (id, why) = (ignored.finding.id, ignored.why());
            format!("{id} on {}/{} ({why})", set.namespace, set.name)
        })
    })
}
