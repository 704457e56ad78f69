//! The commands: planning and the subcommands. Each has a file with a `run` function.

#[cfg(not(target_family = "wasm"))]
pub mod completion;
pub mod demo;
pub mod diff;
pub mod dump;
pub mod explain;
mod gathering;
#[cfg(not(target_family = "wasm"))]
pub mod interactive;
pub mod next;
mod one_set;
pub mod plan;
#[cfg(not(target_family = "wasm"))]
pub mod rbac;
pub mod schema;
#[cfg(not(target_family = "wasm"))]
mod terminal;
pub mod verify;
pub mod versions;
#[cfg(not(target_family = "wasm"))]
pub mod watch;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use jiff::Timestamp;

use crate::output::Style;
use crate::request::{Color, Display};

/// Environment of a command: standard streams, clock and terminal.
pub struct Context<'c> {
    /// Standard input.
    pub stdin: &'c mut dyn Read,
    /// Standard output, only for the requested output.
    pub stdout: &'c mut dyn Write,
    /// Standard error, for everything else.
    pub stderr: &'c mut dyn Write,
    /// Returns the current time in whole seconds.
    pub clock: fn() -> Timestamp,
    /// Terminal of standard output.
    pub terminal: Terminal,
}

/// Terminal of standard output, with its current properties.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// Reports whether standard output is a terminal.
    pub is_there: fn() -> bool,
    /// Reports whether the terminal can be redrawn.
    pub is_drawable: fn() -> bool,
    /// Reports whether the terminal supports color.
    pub wants_color: fn() -> bool,
    /// Returns the width in columns.
    pub columns: fn() -> Option<usize>,
    /// Returns the file that standard output is redirected to.
    pub file: fn() -> Option<std::fs::File>,
}

impl Terminal {
    /// Refuses to read the file that standard output is redirected to.
    ///
    /// # Errors
    /// When it is one of the inputs.
    pub fn refuse_inputs(&self, inputs: &[PathBuf]) -> Result<()> {
        let Some(out) = (self.file)() else {
            return Ok(());
        };
        match inputs.iter().find(|input| is_same_file(&out, input)) {
            Some(input) => bail!(
                "standard output goes to {}, which is also an input: redirect it to another file",
                input.display()
            ),
            None => Ok(()),
        }
    }

    /// Returns the style of text.
    pub fn style(&self, display: Display, has_colors: bool) -> Style {
        let color = match display.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => (self.wants_color)(),
        };
        Style {
            color: color && has_colors,
            verbose: display.verbose,
            full_names: false,
            whole_tables: false,
            idle_sets: display.idle_sets,
            each_set: display.each_set,
            verbatim: !(self.is_there)(),
            show_values: false,
            ..self.plain_style(display.headers)
        }
    }

    /// Returns the style of text without color.
    pub fn plain_style(&self, headers: bool) -> Style {
        Style {
            width: (self.is_there)().then(self.columns).flatten(),
            headers,
            ..Style::default()
        }
    }
}

/// Reports whether an open file and a path are the same regular file.
#[cfg(unix)]
fn is_same_file(open: &std::fs::File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (open.metadata(), std::fs::metadata(path)) {
        (Ok(a), Ok(b)) => a.is_file() && (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

/// Windows does not allow reading a file that is open for writing.
#[cfg(not(unix))]
fn is_same_file(_: &std::fs::File, _: &Path) -> bool {
    false
}
