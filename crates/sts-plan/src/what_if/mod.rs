//! Questions about a plan beyond what happens: whether requirements hold all the way and in every order, what if a pod
//! fails, what if the partition were another.

mod branches;
mod exploration;
mod partitions;

use crate::lint::Scope;
use crate::plan::Plan;
use crate::report::{ReportBranches, ReportPartitions, ReportRequirement};
use crate::requirement;
use crate::requirement::Requirement;
use sts_controller::simulate::{Bounds, Driver, SequentialDriver};

pub use crate::plan::Failure;
pub use branches::{Failures, Recovery};
pub use exploration::{Explored, Searched, Verdict};
pub use partitions::PartitionsSkipped;

/// The questions to answer about a plan.
#[derive(Debug, Clone, Default)]
pub struct Questions {
    /// Requirements that must hold at every moment.
    pub requirements: Vec<Requirement>,
    /// Bounds for the search of every order of events; `None` not to search.
    pub explore: Option<Bounds>,
    /// The pods that may fail, to simulate the rollout if they do.
    pub failures: Failures,
    /// True to try every partition.
    pub partitions: bool,
    /// True to simulate what can be done now.
    pub options: bool,
    /// True to tell what each sync finds.
    pub observations: bool,
    /// The extent to which to look for findings.
    pub findings: Scope,
    /// True to estimate how long the plan may take, which costs two more simulations.
    pub eta: bool,
}

/// The answers.
#[derive(Debug, Default)]
pub struct WhatIfAnswers {
    /// Each requirement, and where it breaks.
    pub requirements: Vec<ReportRequirement>,
    /// The result of exploring, if it was asked for.
    pub exploration: Option<Explored>,
    /// The courses of the rollout if a pod never becomes ready, if they were asked for.
    pub branches: Option<ReportBranches>,
    /// The outcome of every partition, if it was asked for.
    pub partitions: Option<ReportPartitions>,
}

impl WhatIfAnswers {
    /// Answers what is asked of a plan.
    #[must_use]
    pub fn of(plan: &Plan, questions: &Questions) -> Self {
        WhatIfAnswers::with_driver(plan, questions, &mut SequentialDriver)
    }

    /// The same, with a driver for the search of every order.
    pub(crate) fn with_driver(plan: &Plan, questions: &Questions, driver: &mut dyn Driver) -> Self {
        let requirements = &questions.requirements;
        WhatIfAnswers {
            requirements: requirement::check(plan, requirements),
            exploration: questions
                .explore
                .map(|bounds| exploration::explore(plan, requirements, bounds, driver)),
            branches: (questions.failures != Failures::None)
                .then(|| branches::branches(plan, questions.failures)),
            partitions: questions.partitions.then(|| partitions::partitions(plan)),
        }
    }

    /// Reports whether something that was asked for is not so, or could not be shown to be though it was searched for.
    #[must_use]
    pub fn has_violation(&self) -> bool {
        let verdict = self.exploration.as_ref().map(Explored::verdict);
        self.requirements.iter().any(|checked| !checked.holds)
            || matches!(verdict, Some(Verdict::Broken | Verdict::Unknown))
    }
}
