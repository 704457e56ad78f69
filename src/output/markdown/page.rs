//! A page of limited size: whatever does not fit is counted.

use super::text::Markdown;
use crate::output::words::count;

/// Maximum length of a comment on GitHub in characters. Bytes are counted instead, which are never fewer.
pub(super) const MOST: usize = 65_536;
/// Bytes reserved for notes on omissions, and for closing tags.
const RESERVE: usize = 1_500;
/// Maximum size of a row in bytes.
const LONGEST_ROW: usize = 12_000;

pub(super) struct Page {
    out: String,
    /// Current limit of its size in bytes.
    budget: usize,
    /// True if anything was omitted.
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

    /// Limits the next content to so many bytes, and returns the limit before.
    pub(super) fn allow(&mut self, bytes: usize) -> usize {
        let before = self.budget;
        self.budget = (self.out.len() + bytes).min(MOST - RESERVE);
        before
    }

    /// Restores the limit that [`Page::allow`] returned.
    pub(super) fn restore(&mut self, budget: usize) {
        self.budget = budget;
    }

    /// Returns the remaining number of bytes.
    pub(super) fn left(&self) -> usize {
        self.budget.saturating_sub(self.out.len())
    }

    /// Adds mandatory content. The caller limits its length.
    pub(super) fn push(&mut self, text: &Markdown) {
        self.out.push_str(text.as_str());
    }

    /// Adds optional content. Returns false if it does not fit.
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

    /// Adds rows while they fit, and returns the number of omitted ones.
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

    /// Adds a note on omitted things.
    pub(super) fn leave_out(&mut self, number: usize, thing: &str) {
        self.cut = true;
        let more = count(number, &format!("more {thing}"));
        self.push(&Markdown::default().raw("\n… and ").text(&more).raw(".\n"));
    }

    pub(super) fn finish(self) -> String {
        self.out
    }
}
