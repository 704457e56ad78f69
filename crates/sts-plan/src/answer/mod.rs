//! Answers to questions, for people: sentences, tables, lists and commands as data, without a layout. Each part of a report
//! that answers a question is an [`Answer`], and formats lay out its blocks.

mod block;
mod check;
mod table;
mod words;

pub use block::{AdviceKind, AnswerAdvice, AnswerBlock, AnswerList, Role, Sentence, Tone};
pub use check::{Check, CheckResult, CheckRule};
pub use table::{AnswerRow, AnswerTable, Cell, Column, Look, ShrinkPriority};
pub use words::{count, elapsed, or_dash, quorum, short_revision, spaced};

/// Subject of an answer.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'s> {
    /// Name of the set; empty for all sets of a run.
    pub set: &'s str,
    /// True if the set has claim templates.
    pub has_claims: bool,
}

/// Part of a report that answers a question.
pub trait Answer {
    /// Returns the blocks for people, in parts with a gap between two.
    fn parts(&self, about: &Subject<'_>) -> Vec<Vec<AnswerBlock>>;

    /// Returns the expectations whose violation fails a run.
    fn checks(&self) -> Vec<Check> {
        Vec::new()
    }

    /// Reports whether a document about many sets has these blocks for each of them.
    fn is_shown_for_each_set(&self) -> bool {
        false
    }
}

impl<A: Answer + ?Sized> Answer for &A {
    fn parts(&self, about: &Subject<'_>) -> Vec<Vec<AnswerBlock>> {
        A::parts(self, about)
    }

    fn checks(&self) -> Vec<Check> {
        A::checks(self)
    }

    fn is_shown_for_each_set(&self) -> bool {
        A::is_shown_for_each_set(self)
    }
}
