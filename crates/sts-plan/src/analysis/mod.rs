//! Everything that can be said of a plan, worked out once. Exit code, gates, headline, summary, JSON and every picture
//! read it, and work nothing out again.

mod diagnosis;
mod template_change;
mod verdict;

use jiff::Timestamp;

pub use crate::input_check::{InputCheck, NotChecked};
pub use diagnosis::Diagnosis;
pub use verdict::Verdict;

use crate::cause::Cause;
use crate::lint;
use crate::options::{PlanOptions, history, options};
use crate::plan::{Eta, Plan, PodFates};
use crate::remedy::Remedy;
use crate::report::{Finding, ReportHistory, TemplateDiff};
use crate::what_if::{Questions, WhatIfAnswers};

use sts_controller::simulate::{Driver, SequentialDriver, SyncObservation};

/// Maximum number of steps to observe: more than a reader goes through one by one.
pub const MOST_OBSERVED: usize = 1_000;

/// Everything that can be said of a plan.
pub struct Analysis<'p> {
    /// The plan.
    pub plan: &'p Plan,
    /// The verdict on the set.
    pub verdict: Verdict,
    /// The fate of each pod.
    pub fates: PodFates<'p>,
    /// The obstacles that keep the plan from completing; empty unless it is blocked.
    pub diagnoses: Vec<Diagnosis<'p>>,
    /// Of a rejected change: what helps where its way round is blocked.
    pub way_round: Vec<Remedy>,
    /// Differences between the template and those that outdated pods were made of.
    pub template: Vec<TemplateDiff>,
    /// The range of time that the plan may take; `None` if there is none to tell, or it was not asked for.
    pub eta: Option<Eta>,
    /// The gaps in the input.
    pub input: InputCheck,
    /// The findings of the rules in this plan alone.
    pub findings: Vec<Finding>,
    /// The answers to what was asked beyond what happens.
    pub what_if: WhatIfAnswers,
    /// The options that there are now, if they were asked for.
    pub options: Option<PlanOptions>,
    /// The revisions of the set, if the options were asked for.
    pub history: Option<Box<ReportHistory>>,
    /// The observations of each sync; empty unless they were asked for.
    pub observations: Vec<SyncObservation>,
}

/// Works out everything that can be said of a plan.
#[must_use]
pub fn analyze<'p>(plan: &'p Plan, questions: &Questions) -> Analysis<'p> {
    analyze_driven(plan, questions, &mut SequentialDriver)
}

/// The same, with a driver for the search of every order.
#[must_use]
pub fn analyze_driven<'p>(
    plan: &'p Plan,
    questions: &Questions,
    driver: &mut dyn Driver,
) -> Analysis<'p> {
    let input = InputCheck::of(plan);
    let successor = plan.way_round.as_deref();
    let diagnoses = diagnosis::diagnoses(plan);
    let options = questions
        .options
        .then(|| options(plan, &diagnoses, input.is_contradictory()));
    Analysis {
        plan,
        verdict: match input.is_contradictory() {
            true => Verdict::IncompleteInput,
            false => Verdict::of(plan),
        },
        fates: PodFates::new(plan),
        diagnoses,
        options,
        history: questions.options.then(|| Box::new(history(plan))),
        way_round: successor.map_or_else(Vec::new, |plan| {
            plan.remedies(1).into_iter().flatten().collect()
        }),
        template: template_change::template_changes(plan),
        eta: questions.eta.then(|| plan.eta()).flatten(),
        findings: lint::findings(plan, &input, questions.findings),
        input,
        what_if: WhatIfAnswers::with_driver(plan, questions, driver),
        observations: match questions.observations {
            true => plan.observations(MOST_OBSERVED),
            false => Vec::new(),
        },
    }
}

impl Analysis<'_> {
    /// Returns the cause of the set being stuck, where the objects tell.
    #[must_use]
    pub fn cause(&self) -> Option<&Cause> {
        self.diagnoses.iter().find_map(|it| it.cause.as_ref())
    }

    /// Since when it is stuck or waits, the longest of its pods, where anything says so.
    #[must_use]
    pub fn since(&self) -> Option<Timestamp> {
        let causes = self.diagnoses.iter().filter_map(|it| it.cause.as_ref());
        verdict::since(self.verdict, causes)
    }
}
