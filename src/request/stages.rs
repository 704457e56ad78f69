//! A change in several steps.

use sts_plan::grow::Growth;
use sts_plan::requirement::Requirement;
use sts_plan::stages::Begins;

use super::Change;

/// The stages of a change in several steps. The change of the first is the change of the request.
#[derive(Debug, Clone, Default)]
pub struct Stages {
    /// The terms of the first stage.
    pub first: StageTerms,
    /// The stages after it.
    pub later: Vec<LaterStage>,
    /// The claim templates whose claims grow: the stages of that take the place of all others.
    pub grow: Vec<Growth>,
}

/// The terms of a stage.
#[derive(Debug, Clone, Default)]
pub struct StageTerms {
    /// Its name; empty for none.
    pub name: String,
    /// When it begins.
    pub begins: Begins,
    /// The people who have to agree before it begins; empty for nobody.
    pub approval: String,
    /// The requirements while it goes on.
    pub requirements: Vec<Requirement>,
}

/// A stage that begins after another one.
#[derive(Debug, Clone)]
pub struct LaterStage {
    /// Its terms.
    pub terms: StageTerms,
    /// Its change.
    pub change: Change,
}
