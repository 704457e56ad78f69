//! Blocks of an answer: each has a meaning, and no layout.

use super::{Advice, AnswerTable};

/// Meaning of a piece of text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tone {
    /// No emphasis.
    #[default]
    Plain,
    /// Emphasized.
    Strong,
    /// Success.
    Good,
    /// Progress, or a warning.
    Busy,
    /// A failure, or a loss.
    Bad,
    /// A command to type.
    Typed,
    /// Secondary.
    Faint,
}

/// Role of a sentence in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The next operation, or why there is none.
    Headline,
    /// A violated requirement, or a loss.
    Alarm,
    /// An obstacle.
    Obstacle,
    /// A further obstacle.
    Further,
    /// A note on the block above.
    Note,
    /// A remark.
    Remark,
    /// The answer to a question.
    Verdict,
    /// The plan in one line.
    Summary,
}

/// Sentence with a label.
#[derive(Debug, Clone)]
pub struct Sentence {
    /// Role in the document.
    pub role: Role,
    /// Meaning.
    pub tone: Tone,
    /// Text before the colon; empty for none.
    pub label: String,
    /// Text.
    pub text: String,
}

/// List of an answer.
#[derive(Debug, Clone)]
pub struct AnswerList {
    /// Title.
    pub title: &'static str,
    /// Label in formats without titles; empty for none.
    pub label: &'static str,
    /// Singular noun for an entry.
    pub thing: &'static str,
    /// Entries.
    pub items: Vec<(Tone, String)>,
    /// True if the entries are in chronological order.
    pub numbered: bool,
    /// True if a format may show the first entries and count the others.
    pub may_end_early: bool,
}

impl AnswerList {
    /// Returns a list of all these entries, without a label.
    #[must_use]
    pub fn new(title: &'static str, thing: &'static str, items: Vec<(Tone, String)>) -> Self {
        AnswerList {
            title,
            label: "",
            thing,
            items,
            numbered: false,
            may_end_early: false,
        }
    }
}

/// Stage of a runbook.
#[derive(Debug, Clone, Default)]
pub struct RunbookStage {
    /// Title, such as `Stage 2: half`.
    pub title: String,
    /// Condition or time of its start.
    pub begins: String,
    /// People who must approve it; empty for nobody.
    pub approval: String,
    /// Commands that save the set for a rollback; empty for none.
    pub before: Vec<String>,
    /// Commands that start it.
    pub commands: Vec<String>,
    /// Result, duration and cost.
    pub takes: String,
    /// True if it fails, loses data or violates a requirement.
    pub is_bad: bool,
    /// Expected state before the next stage; empty for a stage that is not reached.
    pub check: String,
    /// Commands that show the state.
    pub check_commands: Vec<String>,
    /// Cost of a rollback; empty for a stage that is not reached.
    pub back: String,
    /// Commands of the rollback.
    pub back_commands: Vec<String>,
}

/// Block of an answer.
#[derive(Debug, Clone)]
pub enum AnswerBlock {
    /// Sentence with a label.
    Sentence(Sentence),
    /// Suggested action.
    Advice(Advice),
    /// List of sentences.
    List(AnswerList),
    /// Table.
    Table(AnswerTable),
    /// Runbook.
    Runbook {
        /// Stages, in order.
        stages: Vec<RunbookStage>,
        /// True if only complete formats have it.
        is_detail: bool,
    },
}

impl AnswerBlock {
    /// Returns a sentence.
    pub(crate) fn say(role: Role, tone: Tone, label: &str, text: impl Into<String>) -> Self {
        AnswerBlock::Sentence(Sentence {
            role,
            tone,
            label: label.to_owned(),
            text: text.into(),
        })
    }
}
