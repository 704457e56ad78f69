//! Stages of a change.

use sts_plan::grow::Growth;
use sts_plan::requirement::Requirement;
use sts_plan::stages::Begins;

use super::Change;

/// Stages of a change. The change of the first one is in the plan request.
#[derive(Debug, Clone, Default)]
pub struct Stages {
    pub first: StageTerms,
    pub later: Vec<LaterStage>,
    /// Claim templates to grow; the stages of that replace all others.
    pub grow: Vec<Growth>,
}

#[derive(Debug, Clone, Default)]
pub struct StageTerms {
    /// Name; may be empty.
    pub name: String,
    /// Condition that begins the stage.
    pub begins: Begins,
    /// People who have to approve the stage; empty for nobody.
    pub approval: String,
    /// Requirements during the stage.
    pub requirements: Vec<Requirement>,
}

/// A stage after the first.
#[derive(Debug, Clone)]
pub struct LaterStage {
    pub terms: StageTerms,
    /// Change of the stage.
    pub change: Change,
}
