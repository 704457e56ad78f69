//! Where updates go: a terminal that is redrawn, or a stream of lines.

use std::io::{self, Write};

/// How updates are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Each replaces the one before, on the alternate screen, which is left at the end.
    Redraw,
    /// One after the other.
    Append,
}

/// A terminal or a file, and what is on it.
pub struct LiveDisplay<'d> {
    mode: Mode,
    out: &'d mut dyn Write,
    /// How many rows the terminal has at this moment.
    rows: &'d dyn Fn() -> Option<usize>,
    /// The last update whole: it is what stays when the screen is left.
    last: Vec<u8>,
    drawn: bool,
}

/// Another screen, without wrapping of lines, and back.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?7l";
const LEAVE: &[u8] = b"\x1b[?7h\x1b[?1049l";
/// From the top, with nothing below.
const CLEAR: &[u8] = b"\x1b[H\x1b[J";

impl<'d> LiveDisplay<'d> {
    /// A display with nothing on it.
    pub fn new(mode: Mode, out: &'d mut dyn Write, rows: &'d dyn Fn() -> Option<usize>) -> Self {
        LiveDisplay {
            mode,
            out,
            rows,
            last: Vec::new(),
            drawn: false,
        }
    }

    /// Shows an update.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn show(&mut self, update: Vec<u8>) -> io::Result<()> {
        match self.mode {
            Mode::Append => self.out.write_all(&update)?,
            Mode::Redraw => {
                if !self.drawn {
                    self.out.write_all(ENTER)?;
                    self.drawn = true;
                }
                self.out.write_all(CLEAR)?;
                let rows = (self.rows)().unwrap_or(usize::MAX);
                self.out.write_all(&fitted(&update, rows))?;
                self.last = update;
            }
        }
        self.out.flush()
    }

    /// Puts a line above what is drawn, until the next update. False where nothing is drawn.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn note(&mut self, text: &str) -> io::Result<bool> {
        if !self.drawn {
            return Ok(false);
        }
        let rows = (self.rows)().unwrap_or(usize::MAX);
        let mut noted = format!("warning: {text}\n").into_bytes();
        noted.extend(&self.last);
        self.out.write_all(CLEAR)?;
        self.out.write_all(&fitted(&noted, rows))?;
        self.out.flush()?;
        Ok(true)
    }

    /// Leaves the screen as it was before, and the last update on it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn leave(&mut self) -> io::Result<()> {
        if self.drawn {
            self.drawn = false;
            self.out.write_all(LEAVE)?;
            self.out.write_all(&self.last)?;
        }
        self.out.flush()
    }
}

/// As many lines as there are rows; the last one tells how many are not shown.
fn fitted(update: &[u8], rows: usize) -> Vec<u8> {
    let lines: Vec<&[u8]> = update.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.len() < rows {
        return update.to_vec();
    }
    // The last row stays free: a line break there would scroll.
    let shown = rows.saturating_sub(2);
    let mut out = lines[..shown].concat();
    // Whatever a cut line leaves on in colour ends here.
    out.extend(format!("\x1b[0m({} more lines)\n", lines.len() - shown).into_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_that_is_too_small_says_so() {
        let update = b"a\nb\nc\nd\n";
        assert_eq!(fitted(update, 5), update);
        assert_eq!(fitted(update, 4), b"a\nb\n\x1b[0m(2 more lines)\n");
        assert_eq!(fitted(update, 0), b"\x1b[0m(4 more lines)\n");
    }

    #[test]
    fn what_was_drawn_last_stays() {
        let mut out = Vec::new();
        let mut display = LiveDisplay::new(Mode::Redraw, &mut out, &|| Some(10));
        display.show(b"one\n".to_vec()).unwrap();
        display.show(b"two\n".to_vec()).unwrap();
        display.leave().unwrap();
        display.leave().unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.matches("\x1b[?1049h").count(), 1);
        assert!(text.ends_with("\x1b[?1049ltwo\n"), "{text:?}");
    }
}
