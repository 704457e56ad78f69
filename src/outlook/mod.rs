//! What is asked of a plan beyond what happens: whether requirements hold all the way, and in every order.

mod exploration;

use crate::plan::Plan;
use crate::require::{self, Checked, Requirement};
use crate::simulate::Bounds;

pub use exploration::{Explored, Verdict};

/// What is asked.
#[derive(Debug, Clone, Default)]
pub struct Questions {
    /// What has to hold at every moment.
    pub requirements: Vec<Requirement>,
    /// How far to search every order of events; `None` not to.
    pub explore: Option<Bounds>,
}

/// The answers.
#[derive(Debug, Default)]
pub struct Outlook {
    /// Each requirement, and where it breaks.
    pub requirements: Vec<Checked>,
    /// What exploring found, if it was asked for.
    pub exploration: Option<Explored>,
}

impl Outlook {
    /// Answers what is asked of a plan.
    #[must_use]
    pub fn of(plan: &Plan, questions: &Questions) -> Self {
        let requirements = &questions.requirements;
        Outlook {
            requirements: require::check(plan, requirements),
            exploration: questions
                .explore
                .map(|bounds| exploration::explore(plan, requirements, bounds)),
        }
    }

    /// Whether something that was asked for is not so, or could not be shown to be.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        let breaks = |checked: &Checked| checked.broken.is_some();
        self.requirements.iter().any(breaks)
            || self
                .exploration
                .as_ref()
                .is_some_and(|explored| explored.verdict() != Verdict::Holds)
    }
}
