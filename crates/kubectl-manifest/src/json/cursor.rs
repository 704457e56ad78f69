//! Walks JSON without building a tree. It counts no lines and reports no errors: `None` means that [`super::reader::Reader`]
//! has to find the error.
//!
//! Inlined functions are the inner loop of reading a dump. Rare cases take the cursor by value: a borrowed one would
//! always have to be in memory.

use super::lexical::{end_of_number, end_of_plain, escape, word};
use crate::words;

/// Position in a text.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) text: &'a str,
    pub(super) offset: usize,
}

/// Range of a string between its quotes.
#[derive(Clone, Copy)]
pub(super) struct Quoted {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) has_escapes: bool,
}

impl<'a> Cursor<'a> {
    #[inline(always)]
    pub(super) fn byte(self) -> u8 {
        self.text.as_bytes().get(self.offset).copied().unwrap_or(0)
    }

    /// Skips blanks. Most often there are none, or one space.
    #[inline(always)]
    pub(super) fn blanks(&mut self) {
        self.offset += usize::from(self.byte() == b' ');
        if self.byte() <= b' ' {
            self.offset = self.after_blanks();
        }
    }

    #[inline(always)]
    pub(super) fn after_blanks(self) -> usize {
        after_blanks(self.text.as_bytes(), self.offset)
    }

    /// Moves from the end of a key to its value.
    #[inline(always)]
    pub(super) fn go_to_value(&mut self) -> Option<()> {
        if self.byte() != b':' {
            self.offset = self.after_blanks();
            (self.byte() == b':').then_some(())?;
        }
        self.offset += 1;
        self.blanks();
        Some(())
    }

    /// Skips a string.
    #[inline(always)]
    pub(super) fn quoted(&mut self) -> Option<Quoted> {
        let start = self.offset + 1;
        let (mut end, ended_by) = end_of_plain(self.text.as_bytes(), start);
        let has_escapes = ended_by == b'\\';
        if has_escapes {
            end = self.end_of_escaped(end)?;
        } else if ended_by != b'"' {
            return None;
        }
        self.offset = end + 1;
        Some(Quoted {
            start,
            end,
            has_escapes,
        })
    }

    /// Returns the end of a string, starting at its first backslash.
    #[inline(never)]
    fn end_of_escaped(self, mut end: usize) -> Option<usize> {
        let mut ended_by = b'\\';
        while ended_by == b'\\' {
            let (_, length) = escape(self.text.get(end..)?).ok()?;
            (end, ended_by) = end_of_plain(self.text.as_bytes(), end + length);
        }
        (ended_by == b'"').then_some(end)
    }

    /// Returns the raw text of a string.
    #[inline(always)]
    pub(super) fn raw(self, quoted: Quoted) -> Option<&'a str> {
        self.text.get(quoted.start..quoted.end)
    }

    /// Returns the end of the number or literal that starts here.
    pub(super) fn end_of_bare(self) -> Option<usize> {
        let bytes = self.text.as_bytes();
        match self.byte() {
            b'-' | b'0'..=b'9' => end_of_number(bytes, self.offset).ok(),
            _ => word(bytes.get(self.offset..)?).map(|(length, _)| self.offset + length),
        }
    }
}

#[inline(never)]
fn after_blanks(text: &[u8], mut offset: usize) -> usize {
    while matches!(text.get(offset), Some(b'\n' | b' ' | b'\t' | b'\r')) {
        offset = words::after_spaces(text, offset + 1);
    }
    offset
}
