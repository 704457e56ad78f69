//! Protocol of kubectl for plugin completion, which is that of cobra. It runs `kubectl_complete-sts_plan` with the
//! words after `kubectl sts-plan`, the last of which is to be completed. The output has a candidate per line with a
//! tab and its description, and then a colon and a directive.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::{Arg, Command, ValueHint};
use clap_complete::engine::complete;

use super::{EXECUTABLE, command};

/// Directives of cobra, which are added up.
const DEFAULT: u8 = 0;
const NO_SPACE: u8 = 2;
const NO_FILES: u8 = 4;

/// Prints the candidates for the last word.
///
/// # Errors
/// When `out` cannot be written.
pub(super) fn answer(
    words: &[OsString],
    folder: Option<&Path>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut command = command(words);
    command.build();
    if takes_a_path(&command, words) {
        // The shell completes files better.
        return writeln!(out, ":{DEFAULT}");
    }
    // No word after the plugin's name is the same as an empty word.
    let nothing = [OsString::new()];
    let words = if words.is_empty() { &nothing } else { words };
    let all: Vec<OsString> = std::iter::once(OsString::from(EXECUTABLE))
        .chain(words.iter().cloned())
        .collect();
    let last = all.len() - 1;
    let candidates = complete(&mut command, all, last, folder).unwrap_or_default();
    // As in kubectl, flags are only offered after a dash.
    let dashed = words
        .last()
        .is_some_and(|word| word.to_string_lossy().starts_with('-'));
    let (mut offered, mut going_on) = (0, 0);
    for candidate in candidates {
        let value = candidate.get_value().to_string_lossy();
        if candidate.is_hide_set() || (value.starts_with('-') && !dashed) {
            continue;
        }
        let help = candidate.get_help().map(ToString::to_string);
        let help = help.as_deref().and_then(|help| help.lines().next());
        match help.filter(|help| !help.is_empty()) {
            Some(help) => writeln!(out, "{value}\t{help}")?,
            None => writeln!(out, "{value}")?,
        }
        offered += 1;
        going_on += u32::from(value.ends_with(['=', ':', '<', '>', '/', '+']));
    }
    let directive = if offered > 0 && offered == going_on {
        NO_FILES | NO_SPACE
    } else {
        NO_FILES
    };
    writeln!(out, ":{directive}")
}

/// Reports whether the last word is a path: the value of such a flag, or such an argument.
fn takes_a_path(command: &Command, words: &[OsString]) -> bool {
    // The grammar has only the command that is among the words.
    let command = command.get_subcommands().next().unwrap_or(command);
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let [before @ .., last] = &words[..] else {
        return false;
    };
    if let Some((flag, _)) = last.split_once('=') {
        return flag_of(command, flag).is_some_and(has_path);
    }
    if last.starts_with('-') && last.len() > 1 {
        return false;
    }
    let awaiting = before
        .last()
        .and_then(|flag| flag_of(command, flag))
        .filter(|flag| flag.get_action().takes_values() && !flag.is_require_equals_set());
    match awaiting {
        Some(flag) => has_path(flag),
        None => command.get_positionals().any(has_path),
    }
}

/// Returns the argument of a flag such as `--filename` or `-f`.
fn flag_of<'c>(command: &'c Command, word: &str) -> Option<&'c Arg> {
    let long = word.strip_prefix("--");
    let short = word.strip_prefix('-').filter(|_| long.is_none());
    command.get_arguments().find(|argument| {
        long.is_some_and(|long| argument.get_long() == Some(long))
            || short.is_some_and(|short| {
                argument
                    .get_short()
                    .is_some_and(|letter| short.ends_with(letter))
            })
    })
}

fn has_path(argument: &Arg) -> bool {
    argument.get_action().takes_values()
        && matches!(
            argument.get_value_hint(),
            ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath
        )
}
