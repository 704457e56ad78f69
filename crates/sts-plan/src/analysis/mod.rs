//! Complete analysis of a plan, computed once. Exit code, gates, headline, summary, JSON and graphics read it and
//! compute nothing themselves.

mod age;
pub mod headline;
mod template_change;
mod template_diff;
mod verdict;

use jiff::Timestamp;

pub use crate::input_check::{InputCheck, NotChecked};
pub use crate::remedy::Diagnosis;
pub use age::age_assumption;
pub use template_diff::{FieldDiff, TemplateDiff};
pub use verdict::Verdict;

use crate::cause::{Cause, PodLoop, loops};
use crate::lint;
use crate::lint::Finding;
use crate::plan::{Eta, Obstacle, Outcome, Plan, PodFates, Unobserved};
use crate::remedy::{Remedy, diagnoses};
use crate::what_if::{Diagnosed, Questions, WhatIfAnswers};

use sts_controller::simulate::{Driver, SequentialDriver, SyncObservation};

/// Maximum number of observed steps, which exceeds what a reader steps through.
pub const MOST_OBSERVED: usize = 1_000;

/// Complete analysis of a plan.
pub struct Analysis<'p> {
    /// Analyzed plan.
    pub plan: &'p Plan,
    /// State of the set.
    pub verdict: Verdict,
    /// Fate of each pod.
    pub fates: PodFates<'p>,
    /// Obstacles with causes and remedies; empty unless the plan is blocked.
    pub diagnoses: Vec<Diagnosis<'p>>,
    /// Pods that do not stay up; empty for a plan of a change or of actions.
    pub loops: Vec<PodLoop>,
    /// Remedies if a change is rejected and its workaround is blocked.
    pub workaround: Vec<Remedy>,
    /// Template differences of outdated pods.
    pub template: Vec<TemplateDiff>,
    /// Estimated duration range; `None` if not requested or not available.
    pub eta: Option<Eta>,
    /// Gaps in the input.
    pub input: InputCheck,
    /// Findings of the rules for this plan alone.
    pub findings: Vec<Finding>,
    /// Answers to the what-if questions.
    pub what_if: WhatIfAnswers,
    /// Observations of each sync; empty unless requested.
    pub observations: Vec<SyncObservation>,
}

/// Analyzes a plan.
#[must_use]
pub fn analyze<'p>(plan: &'p Plan, questions: &Questions) -> Analysis<'p> {
    analyze_driven(plan, questions, &mut SequentialDriver)
}

/// Analyzes a plan with a custom driver for the exploration.
#[must_use]
pub fn analyze_driven<'p>(
    plan: &'p Plan,
    questions: &Questions,
    driver: &mut dyn Driver,
) -> Analysis<'p> {
    let input = InputCheck::of(plan);
    let successor = plan.workaround.as_deref();
    let diagnoses = diagnoses(plan);
    let diagnosed = Diagnosed {
        diagnoses: &diagnoses,
        is_contradictory: input.is_contradictory(),
    };
    let what_if = WhatIfAnswers::with_driver(plan, diagnosed, questions, driver);
    Analysis {
        plan,
        verdict: match input.decisive {
            true => Verdict::IncompleteInput,
            false => Verdict::of(plan),
        },
        fates: PodFates::new(plan),
        diagnoses,
        loops: loops_of(plan),
        workaround: successor.map_or_else(Vec::new, |plan| {
            plan.remedies(1).into_iter().flatten().collect()
        }),
        template: template_change::template_changes(plan),
        eta: questions.eta.then(|| plan.eta()).flatten(),
        findings: lint::findings(plan, &input, questions.findings),
        input,
        what_if,
        observations: match questions.observations {
            true => plan.observations(MOST_OBSERVED),
            false => Vec::new(),
        },
    }
}

/// Returns the loops of a plan. A change or an action of the user is judged by itself.
fn loops_of(plan: &Plan) -> Vec<PodLoop> {
    let is_of_user = plan.is_about_actions() || !plan.change.is_empty();
    match &plan.outcome {
        Outcome::Rejected(_) | Outcome::Livelock => Vec::new(),
        _ if is_of_user || plan.deletion().is_some() => Vec::new(),
        _ => loops(plan),
    }
}

impl Analysis<'_> {
    /// Returns the cause of a stuck set, if the objects show one: of a pod that fails rather than of one that is assumed
    /// to.
    #[must_use]
    pub fn cause(&self) -> Option<&Cause> {
        if self.inactive().is_some() {
            return None;
        }
        let causes = || self.diagnoses.iter().filter_map(|it| it.cause.as_ref());
        causes()
            .find(|cause| cause.foretold.is_none())
            .or_else(|| causes().next())
    }

    /// Returns the change that the controller has not observed, if it does not act.
    fn inactive(&self) -> Option<&Unobserved> {
        match self.diagnoses.first()?.obstacle {
            Obstacle::Inactive(unobserved) => Some(unobserved),
            _ => None,
        }
    }

    /// Returns the start of the stuck or waiting state, the earliest among its pods, if known.
    #[must_use]
    pub fn since(&self) -> Option<Timestamp> {
        if let Some(inactive) = self.inactive() {
            return self.plan.conditions.now.checked_sub(inactive.age?).ok();
        }
        let causes = self.diagnoses.iter().filter_map(|it| it.cause.as_ref());
        verdict::since(self.verdict, causes)
    }
}
