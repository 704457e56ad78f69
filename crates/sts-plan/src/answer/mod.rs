//! Answers to questions, for people: sentences, tables, lists and commands as data, without a layout. Each part of a report
//! that answers a question is an [`Answer`], and formats lay out its blocks.

mod advice;
mod block;
mod check;
mod table;
mod words;

pub use crate::words::capitalized;
pub use advice::{Advice, AdviceKind};
pub use block::{AnswerBlock, AnswerList, Role, RunbookStage, Sentence, Tone};
pub use check::{Check, CheckResult, CheckRule};
pub use table::{AnswerRow, AnswerTable, Cell, Column, Look, ShrinkPriority};
pub use words::{count, elapsed, full_name, or_dash, quorum, short_revision, spaced};

/// Subject of an answer.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'s> {
    /// Name of the set; empty for all sets of a run.
    pub set: &'s str,
    /// True if the set has claim templates.
    pub has_claims: bool,
}

/// Place of an answer in a document, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Before the headline of the plan.
    First,
    /// Before the objects and the operations.
    Course,
    /// After the operations.
    Last,
}

/// Part of a report that answers a question.
pub trait Answer {
    /// Returns the place in a document.
    fn place(&self) -> Place {
        Place::Last
    }

    /// Returns the blocks for people, in parts with a gap between two.
    fn parts(&self, about: &Subject<'_>) -> Vec<Vec<AnswerBlock>>;

    /// Returns the expectations whose violation fails a run.
    fn checks(&self) -> Vec<Check> {
        Vec::new()
    }

    /// Returns the answer in a sentence if it fails a run as a blocked plan does.
    fn failure(&self) -> Option<&str> {
        None
    }

    /// Reports whether a document about many sets has these blocks for each of them.
    fn is_shown_for_each_set(&self) -> bool {
        false
    }
}

/// Returns the answer to a question that was asked.
pub(crate) fn asked<'r>(answer: Option<impl Answer + 'r>) -> Option<Box<dyn Answer + 'r>> {
    answer.map(|answer| Box::new(answer) as Box<dyn Answer + 'r>)
}
