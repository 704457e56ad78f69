//! Set of a run, as the caller reads and changes it.

use std::fmt;

use serde_json::Value;

use super::{FailOn, SetName};
use crate::lint::Suppressions;
use crate::plan::{Conditions, Plan};
use crate::report::FieldPlace;
use crate::stages::Staged;
use crate::what_if::Questions;

/// Set of a run: how it is planned, and the questions and rules that concern it.
pub trait FleetSet: Sync {
    /// Reason why the set cannot be planned.
    type Error: fmt::Display + Send;

    /// Returns the name of the set.
    fn name(&self) -> SetName;

    /// Returns the number of replicas in the plan, as far as it is known before planning.
    fn replicas(&self) -> i64;

    /// Returns the conditions of the plan. The run adds the evictions of a drain.
    fn conditions(&self) -> Conditions;

    /// Plans the set under these conditions. Adds the warnings of the API server to `warnings`. A run with actions on
    /// nodes plans each set twice.
    ///
    /// # Errors
    /// When the set cannot be planned.
    fn plan(
        &self,
        conditions: &Conditions,
        warnings: &mut Vec<String>,
    ) -> Result<SetCourse, Self::Error>;

    /// Reports whether an error concerns the whole input, so that the run ends.
    fn is_fatal(error: &Self::Error) -> bool {
        let _ = error;
        false
    }

    /// Receives a plan before it is analyzed.
    fn planned(&self, plan: &Plan) {
        let _ = plan;
    }

    /// Returns the locations of fields of a plan's manifest, in the order of their paths.
    fn fields_at(&self, plan: &Plan, paths: &[&str]) -> Vec<Option<FieldPlace>> {
        let _ = (plan, paths);
        Vec::new()
    }

    /// Returns the manifest that creates or changes the set; `None` for the stored set.
    fn manifest(&self) -> Option<&Value> {
        None
    }

    /// Returns the questions about the plan.
    fn questions(&self) -> Questions {
        Questions {
            eta: true,
            ..Questions::default()
        }
    }

    /// Returns the findings to ignore, in addition to those of the run.
    fn suppressions(&self) -> Suppressions {
        Suppressions::default()
    }

    /// Returns the conditions that fail the run.
    fn fail_on(&self) -> Vec<FailOn> {
        Vec::new()
    }
}

/// Course of a set.
pub enum SetCourse {
    /// One plan.
    Plan(Box<Plan>),
    /// The plans of a change in several stages.
    Stages(Staged),
}
