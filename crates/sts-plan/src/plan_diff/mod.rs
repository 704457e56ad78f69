//! Comparison of two plans of one set: effects of a change on duration, availability and data. Both plans are read
//! from their JSON form, so they may differ in commit, date and version.

mod availability;
mod differences;
mod report;
mod saved;

pub use report::{DiffTopic, DiffVerdict, Impact, PlanDiff, PlanDiffList, PlanDifference};
pub use saved::ComparedPlan;

use crate::report::{ApiVersion, DocumentKind};

const NAMED: usize = 3;

/// Compares the second plan of a set with the first.
#[must_use]
pub fn compare(first: &ComparedPlan, second: &ComparedPlan) -> PlanDiff {
    let differences = differences::of(first, second);
    let is = |effect: Impact| differences.iter().any(|it| it.effect == effect);
    let verdict = match (is(Impact::Worse), is(Impact::Better)) {
        (true, true) => DiffVerdict::Mixed,
        (true, false) => DiffVerdict::Worse,
        (false, true) => DiffVerdict::Better,
        (false, false) if differences.is_empty() => DiffVerdict::Same,
        (false, false) => DiffVerdict::Different,
    };
    let named = differences.iter().take(NAMED);
    let named: Vec<&str> = named.map(|it| it.message.as_str()).collect();
    let summary = match differences.len().checked_sub(NAMED) {
        _ if differences.is_empty() => "no differences".to_owned(),
        Some(more @ 1..) => format!("{}, and {more} more", named.join(", ")),
        _ => named.join(", "),
    };
    diff(first, verdict, differences, summary)
}

/// Creates the difference for a set that only one of the two files contains.
#[must_use]
pub fn alone(plan: &ComparedPlan, verdict: DiffVerdict) -> PlanDiff {
    let place = match verdict {
        DiffVerdict::OnlyFirst => "first",
        _ => "second",
    };
    let summary = format!("only the {place} file contains a plan: {}", plan.summary);
    diff(plan, verdict, Vec::new(), summary)
}

fn diff(
    of: &ComparedPlan,
    verdict: DiffVerdict,
    differences: Vec<PlanDifference>,
    summary: String,
) -> PlanDiff {
    PlanDiff {
        api_version: ApiVersion::V1,
        kind: DocumentKind::PlanDiff,
        namespace: of.namespace.clone(),
        name: of.name.clone(),
        verdict,
        differences,
        summary,
    }
}
