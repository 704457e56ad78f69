//! A page that must not get too long: what does not fit is counted.

use super::text::Markdown;
use crate::output::words::count;

/// Maximum length of a comment on GitHub in characters, of which a text never has more than bytes.
pub(super) const MOST: usize = 65_536;
/// Bytes that are kept free for the words that tell what was left out, and for closing what is open.
const RESERVE: usize = 1_500;
/// The most bytes of one row.
const LONGEST_ROW: usize = 12_000;

/// A page in the making.
pub(super) struct Page {
    out: String,
    /// Number of bytes of it that may be used so far.
    budget: usize,
    /// True if anything was left out.
    pub(super) cut: bool,
}

impl Page {
    pub(super) fn new() -> Self {
        Page {
            out: String::new(),
            budget: MOST - RESERVE,
            cut: false,
        }
    }

    /// Lets what comes next use so much of the whole, and returns what was allowed before.
    pub(super) fn allow(&mut self, bytes: usize) -> usize {
        let before = self.budget;
        self.budget = (self.out.len() + bytes).min(MOST - RESERVE);
        before
    }

    /// Goes back to what [`Page::allow`] returned.
    pub(super) fn allow_again(&mut self, budget: usize) {
        self.budget = budget;
    }

    /// Returns the number of bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.budget.saturating_sub(self.out.len())
    }

    /// Adds what has to be there. The caller bounds its length.
    pub(super) fn push(&mut self, text: &Markdown) {
        self.out.push_str(text.as_str());
    }

    /// Adds what may be left out. False when it does not fit.
    pub(super) fn offer(&mut self, text: &Markdown) -> bool {
        let text = text.as_str();
        let fits = text.len() <= self.left();
        if fits {
            self.out.push_str(text);
        } else {
            self.cut = true;
        }
        fits
    }

    /// Adds rows as long as they fit, and returns how many were left out.
    pub(super) fn rows(&mut self, rows: impl Iterator<Item = Markdown>) -> usize {
        let mut left_out = 0;
        for row in rows {
            let too_long = row.as_str().len() > LONGEST_ROW;
            if left_out > 0 || too_long || !self.offer(&row) {
                left_out += 1;
                self.cut = true;
            }
        }
        left_out
    }

    /// Says that so many things are left out.
    pub(super) fn leave_out(&mut self, number: usize, thing: &str) {
        self.cut = true;
        let more = count(number, &format!("more {thing}"));
        self.push(&Markdown::default().raw("\n… and ").text(&more).raw(".\n"));
    }

    pub(super) fn finish(self) -> String {
        self.out
    }
}
