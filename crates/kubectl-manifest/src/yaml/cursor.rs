//! Position in a YAML text that moves forward by characters.

use super::lines::Lines;
use crate::error::Mark;

/// Position of the scanner. Columns count characters, as the limits on indentation and key length do.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    /// Byte offset in the text.
    pub(super) offset: usize,
    /// Number of line breaks before it.
    pub(super) line: u32,
    /// Number of characters since the last line break.
    pub(super) column: u32,
}

/// Kinds of line breaks.
#[derive(Clone, Copy, PartialEq)]
enum Break {
    /// `\r\n`: two characters, one break.
    Pair,
    /// `\n`, `\r` or NEL, which all become `\n`, with its length in bytes.
    Line(usize),
    /// LS or PS, which stay unchanged.
    Separator,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Cursor {
            text,
            offset: 0,
            line: 0,
            column: 0,
        }
    }

    /// Returns the rest of the text, for reading by lines.
    pub(super) fn lines(&self) -> Lines<'a> {
        Lines::new(self.text, self.offset, self.column as usize)
    }

    /// Returns the position in the text.
    #[inline]
    pub(super) fn mark(&self) -> Mark {
        Mark {
            line: self.line,
            column: self.column,
            // Inputs are limited to well below 4 GiB.
            offset: u32::try_from(self.offset).unwrap_or(u32::MAX),
        }
    }

    /// Returns the byte `ahead` bytes from here; 0 after the end. The scanner refuses a real 0 earlier.
    #[inline]
    pub(super) fn byte(&self, ahead: usize) -> u8 {
        self.text
            .as_bytes()
            .get(self.offset + ahead)
            .copied()
            .unwrap_or(0)
    }

    /// Returns the text between two offsets, both on character boundaries.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    pub(super) fn at_end(&self) -> bool {
        self.offset >= self.text.len()
    }

    #[inline]
    fn break_kind(&self, ahead: usize) -> Option<Break> {
        match self.byte(ahead) {
            b'\n' => Some(Break::Line(1)),
            b'\r' if self.byte(ahead + 1) == b'\n' => Some(Break::Pair),
            b'\r' => Some(Break::Line(1)),
            0xC2 if self.byte(ahead + 1) == 0x85 => Some(Break::Line(2)),
            0xE2 if self.byte(ahead + 1) == 0x80 && matches!(self.byte(ahead + 2), 0xA8 | 0xA9) => {
                Some(Break::Separator)
            }
            _ => None,
        }
    }

    #[inline]
    pub(super) fn is_break(&self, ahead: usize) -> bool {
        self.break_kind(ahead).is_some()
    }

    #[inline]
    pub(super) fn is_blank(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), b' ' | b'\t')
    }

    /// Reports whether a space, a tab, a line break or the end is there.
    #[inline]
    pub(super) fn is_gap(&self, ahead: usize) -> bool {
        match self.byte(ahead) {
            0 | b' ' | b'\t' | b'\n' | b'\r' => true,
            0xC2 | 0xE2 => self.is_break(ahead),
            _ => false,
        }
    }

    /// Reports whether a line break or the end is here.
    #[inline]
    pub(super) fn is_line_end(&self) -> bool {
        self.byte(0) == 0 || self.is_break(0)
    }

    /// Reports whether `---` or `...` is alone at the start of a line here.
    pub(super) fn is_document_indicator(&self) -> bool {
        self.column == 0
            && matches!(
                [self.byte(0), self.byte(1), self.byte(2)],
                [b'-', b'-', b'-'] | [b'.', b'.', b'.']
            )
            && self.is_gap(3)
    }

    /// Skips a character that is not a line break.
    #[inline]
    pub(super) fn skip(&mut self) {
        let width = match self.byte(0) {
            0..0xC0 => 1,
            0xC0..0xE0 => 2,
            0xE0..0xF0 => 3,
            0xF0.. => 4,
        };
        self.offset = (self.offset + width).min(self.text.len());
        self.column += 1;
    }

    pub(super) fn skip_many(&mut self, characters: usize) {
        for _ in 0..characters {
            self.skip();
        }
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.is_blank(0) {
            self.skip();
        }
    }

    /// Skips a comment.
    pub(super) fn skip_comment(&mut self) {
        if self.byte(0) == b'#' {
            while !self.is_line_end() {
                self.skip();
            }
        }
    }

    /// Skips a line break, if any, and returns its replacement.
    pub(super) fn read_break(&mut self) -> &'static str {
        let Some(kind) = self.break_kind(0) else {
            return "";
        };
        let (width, text) = match kind {
            Break::Pair => (2, "\n"),
            Break::Line(width) => (width, "\n"),
            Break::Separator if self.byte(2) == 0xA8 => (3, "\u{2028}"),
            Break::Separator => (3, "\u{2029}"),
        };
        self.offset += width;
        self.line += 1;
        self.column = 0;
        text
    }
}
