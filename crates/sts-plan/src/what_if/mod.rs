//! Questions about a plan: requirements throughout and in every order of events, failing pods, other partitions.

mod exploration;
mod failures;
mod partitions;

use crate::input_check::InputCheck;
use crate::options::{self, ReportHistory, ReportOptions};
use crate::plan::Plan;
use crate::remedy::{Diagnosis, diagnoses};
use crate::requirement;
use crate::requirement::{ReportRequirement, Requirement};
use crate::scope::Scope;
use sts_controller::simulate::{Bounds, Driver, SequentialDriver};

pub use crate::plan::Failure;
pub use exploration::{ChosenEvent, Counterexample, ExploredEvent, ReportExploration, Verdict};
pub use failures::{FailedPod, Failures, Recovery, ReportBranch, ReportBranches};
pub use partitions::{PartitionsSkipped, ReportPartition, ReportPartitions, ReportRestingPod};

/// Maximum number of replicas of a set whose steps have branches.
const MOST_REPLICAS_IN_STEPS: i32 = 20;

/// Questions about a plan.
#[derive(Debug, Clone, Default)]
pub struct Questions {
    /// Requirements that must hold at all times.
    pub requirements: Vec<Requirement>,
    /// Bounds for the exploration; `None` to skip it.
    pub explore: Option<Bounds>,
    /// Pod failures to simulate.
    pub failures: Failures,
    /// True to simulate, if `failures` are none and the set is small, each pod that the plan makes ready: the table of
    /// steps has a column for it.
    pub step_branches: bool,
    /// True to simulate every partition.
    pub partitions: bool,
    /// True to simulate the options available now.
    pub options: bool,
    /// True to record the observations of each sync.
    pub observations: bool,
    /// Extent of the findings.
    pub findings: Scope,
    /// True to estimate the duration range, which costs two more simulations.
    pub eta: bool,
}

/// Diagnosis of a plan, which the options start from.
#[derive(Clone, Copy)]
pub(crate) struct Diagnosed<'d> {
    /// Obstacles, with causes and remedies.
    pub(crate) diagnoses: &'d [Diagnosis<'d>],
    /// True if the input contradicts itself.
    pub(crate) is_contradictory: bool,
}

/// Answers to the questions.
#[derive(Debug, Default)]
pub struct WhatIfAnswers {
    /// Results of the requirements.
    pub requirements: Vec<ReportRequirement>,
    /// Result of the exploration, if requested.
    pub exploration: Option<Box<ReportExploration>>,
    /// Courses of the rollout with failing pods, if requested.
    pub branches: Option<ReportBranches>,
    /// Courses of the rollout for the table of steps, if requested.
    pub step_branches: Option<ReportBranches>,
    /// Outcome for every partition, if requested.
    pub partitions: Option<ReportPartitions>,
    /// Options available now, if requested.
    pub options: Option<Box<ReportOptions>>,
    /// Revision history of the set, if options were requested.
    pub history: Option<Box<ReportHistory>>,
}

impl WhatIfAnswers {
    /// Answers the questions about a plan.
    #[must_use]
    pub fn of(plan: &Plan, questions: &Questions) -> Self {
        let diagnosed = Diagnosed {
            diagnoses: &diagnoses(plan),
            is_contradictory: InputCheck::of(plan).is_contradictory(),
        };
        WhatIfAnswers::with_driver(plan, diagnosed, questions, &mut SequentialDriver)
    }

    /// Answers the questions with a custom driver for the exploration.
    pub(crate) fn with_driver(
        plan: &Plan,
        diagnosed: Diagnosed<'_>,
        questions: &Questions,
        driver: &mut dyn Driver,
    ) -> Self {
        let requirements = &questions.requirements;
        WhatIfAnswers {
            requirements: requirement::check(plan, requirements),
            exploration: questions
                .explore
                .map(|bounds| Box::new(exploration::explore(plan, requirements, bounds, driver))),
            branches: (questions.failures != Failures::None)
                .then(|| failures::branches(plan, questions.failures)),
            step_branches: (questions.step_branches
                && questions.failures == Failures::None
                && plan.snapshot.set.replicas <= MOST_REPLICAS_IN_STEPS)
                .then(|| failures::branches(plan, Failures::Starts)),
            partitions: questions.partitions.then(|| partitions::partitions(plan)),
            options: questions.options.then(|| {
                let Diagnosed {
                    diagnoses,
                    is_contradictory,
                } = diagnosed;
                Box::new(options::options(plan, diagnoses, is_contradictory))
            }),
            history: questions.options.then(|| Box::new(options::history(plan))),
        }
    }
}
