//! Messages from clap: that the usage is wrong, or the help or version that was asked for.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::Write;

use clap::error::{ContextKind, ContextValue};

use super::exit::Exit;
use crate::output::escape;

/// The reason for which arguments make no request.
#[derive(Debug)]
pub struct Usage(clap::Error);

impl Usage {
    /// The message in one line.
    pub(super) fn message(&self) -> String {
        let text = self.0.to_string();
        let first = text.lines().next().unwrap_or_default();
        first.strip_prefix("error: ").unwrap_or(first).to_owned()
    }

    /// Prints it: in colour where the terminal has it, unless that would hand it characters which do something to
    /// it.
    pub fn report(mut self, args: &[OsString], stderr: &mut dyn Write) -> Exit {
        let error = &mut self.0;
        if !error.use_stderr() {
            let _ = error.print();
            return Exit::Done;
        }
        let safe = |arg: &OsString| matches!(escape(&arg.to_string_lossy()), Cow::Borrowed(_));
        if args.iter().all(safe) {
            let _ = error.print();
        } else {
            // A line break in an argument begins no line of its own: a runner would take that for a command.
            for (kind, value) in escaped(error) {
                error.insert(kind, value);
            }
            for line in error.render().to_string().lines() {
                let _ = writeln!(stderr, "{}", escape(line));
            }
        }
        Exit::Error
    }
}

/// Returns the values in an error, with everything in them written out that could steer a terminal.
fn escaped(error: &clap::Error) -> Vec<(ContextKind, ContextValue)> {
    let text = |text: &String| escape(text).into_owned();
    let context = error.context().filter_map(|(kind, value)| {
        let value = match value {
            ContextValue::String(one) => ContextValue::String(text(one)),
            ContextValue::Strings(all) => ContextValue::Strings(all.iter().map(text).collect()),
            // Tips, each of one line; without their colors.
            ContextValue::StyledStrs(all) => ContextValue::StyledStrs(
                all.iter()
                    .map(|tip| text(&tip.to_string()).into())
                    .collect(),
            ),
            _ => return None,
        };
        Some((kind, value))
    });
    context.collect()
}

impl From<clap::Error> for Usage {
    fn from(error: clap::Error) -> Self {
        Usage(error)
    }
}
