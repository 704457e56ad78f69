//! Messages from clap: usage errors, help and version.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{ErrorKind, Write};

use clap::error::{ContextKind, ContextValue};

use super::exit::Exit;
use crate::output::escape;

/// A usage error, or the help or version to print.
#[derive(Debug)]
pub struct Usage(clap::Error);

impl Usage {
    /// Returns the first line of the message.
    pub(super) fn message(&self) -> String {
        let text = self.0.to_string();
        let first = text.lines().next().unwrap_or_default();
        first.strip_prefix("error: ").unwrap_or(first).to_owned()
    }

    /// Prints the message, in color if the terminal supports it. Arguments with control characters are escaped, without
    /// color.
    pub fn report(mut self, args: &[OsString], stderr: &mut dyn Write) -> Exit {
        let error = &mut self.0;
        if !error.use_stderr() {
            // Help that could not be printed is no success, unless its reader has seen enough.
            return match error.print() {
                Err(failed) if failed.kind() != ErrorKind::BrokenPipe => Exit::Error,
                _ => Exit::Done,
            };
        }
        let safe = |arg: &OsString| matches!(escape(&arg.to_string_lossy()), Cow::Borrowed(_));
        if args.iter().all(safe) {
            let _ = error.print();
        } else {
            // A line break in an argument must not begin a line: a CI runner would take it for a command.
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

/// Returns the values in an error, with control characters escaped.
fn escaped(error: &clap::Error) -> Vec<(ContextKind, ContextValue)> {
    let text = |text: &String| escape(text).into_owned();
    let context = error.context().filter_map(|(kind, value)| {
        let value = match value {
            ContextValue::String(one) => ContextValue::String(text(one)),
            ContextValue::Strings(all) => ContextValue::Strings(all.iter().map(text).collect()),
            // Tips have one line each, and lose their colors.
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
