//! Sinks for lines of toned text: a writer with or without colors, or a recorder that a screen replays. Every sink escapes
//! control characters, so that no format can forget to.

use std::io::{self, Write};

use owo_colors::{AnsiColors, OwoColorize as _, Style as Ansi};

use super::style::{Style, Tone, visible};
use super::words::wrap;

/// A receiver of lines of text in tones.
pub(super) trait Sink {
    /// Adds text to the line.
    fn text(&mut self, tone: Tone, text: &str) -> io::Result<()>;
    fn end_line(&mut self) -> io::Result<()>;
}

/// A sink that writes, with or without colors. The text is the same.
pub(super) struct Painter<'w> {
    pub(super) color: bool,
    pub(super) out: &'w mut dyn Write,
}

impl Sink for Painter<'_> {
    fn text(&mut self, tone: Tone, text: &str) -> io::Result<()> {
        let text = visible(text);
        let ansi = Ansi::new();
        let ansi = match tone {
            _ if !self.color || text.is_empty() => return self.out.write_all(text.as_bytes()),
            Tone::Plain => return self.out.write_all(text.as_bytes()),
            Tone::Strong => ansi.bold(),
            Tone::Good => ansi.color(AnsiColors::Green),
            Tone::Busy => ansi.color(AnsiColors::Yellow),
            Tone::Bad => ansi.color(AnsiColors::Red).bold(),
            Tone::Typed => ansi.color(AnsiColors::Cyan),
            Tone::Faint => ansi.dimmed(),
        };
        write!(self.out, "{}", text.style(ansi))
    }

    fn end_line(&mut self) -> io::Result<()> {
        writeln!(self.out)
    }
}

/// A sink that keeps the lines, to be drawn on a screen.
#[derive(Default)]
pub(super) struct Recorder {
    /// The completed lines, each in pieces.
    pub(super) lines: Vec<Vec<(Tone, String)>>,
    line: Vec<(Tone, String)>,
}

impl Sink for Recorder {
    fn text(&mut self, tone: Tone, text: &str) -> io::Result<()> {
        self.line.push((tone, visible(text).into_owned()));
        Ok(())
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.lines.push(std::mem::take(&mut self.line));
        Ok(())
    }
}

/// A sink with a style.
pub(super) struct Terminal<'s> {
    pub(super) style: &'s Style,
    pub(super) sink: &'s mut dyn Sink,
}

/// Calls `write` with a terminal of this style.
pub(super) fn to_terminal(
    style: &Style,
    out: &mut dyn Write,
    write: impl FnOnce(&mut Terminal<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let mut sink = Painter {
        color: style.color,
        out,
    };
    write(&mut Terminal {
        style,
        sink: &mut sink,
    })
}

impl Terminal<'_> {
    /// Returns the same sink with another style.
    pub(super) fn with<'t>(&'t mut self, style: &'t Style) -> Terminal<'t> {
        Terminal {
            style,
            sink: &mut *self.sink,
        }
    }

    /// Writes a line of one tone.
    pub(super) fn line(&mut self, tone: Tone, text: &str) -> io::Result<()> {
        self.pieces(&[(tone, text)])
    }

    /// Writes a line of pieces.
    pub(super) fn pieces(&mut self, pieces: &[(Tone, &str)]) -> io::Result<()> {
        for (tone, text) in pieces {
            self.sink.text(*tone, text)?;
        }
        self.sink.end_line()
    }

    /// Writes an empty line.
    pub(super) fn blank(&mut self) -> io::Result<()> {
        self.sink.end_line()
    }

    /// Writes lines of prose in one tone; all but the first have an indent.
    pub(super) fn prose(&mut self, text: &str, tone: Tone, indent: usize) -> io::Result<()> {
        for line in wrap(&visible(text), self.style.width, indent) {
            self.line(tone, &line)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(color: bool, tone: Tone, text: &str) -> String {
        let mut out = Vec::new();
        let mut sink = Painter {
            color,
            out: &mut out,
        };
        sink.text(tone, text).unwrap();
        sink.end_line().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_words_are_the_same_without_color() {
        assert_eq!(painted(false, Tone::Bad, "BLOCKED"), "BLOCKED\n");
        let colored = painted(true, Tone::Bad, "BLOCKED");
        assert!(colored.starts_with("\u{1b}[") && colored.contains("BLOCKED"));
        assert_eq!(painted(true, Tone::Plain, "ready"), "ready\n");
    }

    #[test]
    fn every_sink_escapes() {
        let foreign = "\u{1b}[31mred\nline\u{202e}";
        let shown = r"\x1b[31mred\nline\u{202e}";
        assert_eq!(painted(false, Tone::Plain, foreign), format!("{shown}\n"));
        assert!(painted(true, Tone::Bad, foreign).contains(shown));
        let mut recorder = Recorder::default();
        let mut terminal = Terminal {
            style: &Style::default(),
            sink: &mut recorder,
        };
        terminal.line(Tone::Busy, foreign).unwrap();
        terminal.prose(foreign, Tone::Plain, 2).unwrap();
        let expected = [(Tone::Busy, shown), (Tone::Plain, shown)];
        let expected = expected.map(|(tone, text)| vec![(tone, text.to_owned())]);
        assert_eq!(recorder.lines, expected);
    }
}
