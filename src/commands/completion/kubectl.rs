//! The protocol by which kubectl completes its plugins, which is cobra's: it runs `kubectl_complete-sts_plan` with the
//! words after `kubectl sts-plan`, the last of them the one to complete, and reads a candidate a line, a tab and what
//! it means, and at last a colon and a number that tells how to go on.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::{Arg, Command, ValueHint};
use clap_complete::engine::complete;

use super::{EXECUTABLE, command};

/// Cobra's directives, which add up.
const DEFAULT: u8 = 0;
const NO_SPACE: u8 = 2;
const NO_FILES: u8 = 4;

/// Answers kubectl: the candidates for the last of the words.
///
/// # Errors
/// When `out` takes no more.
pub(super) fn answer(
    words: &[OsString],
    folder: Option<&Path>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut command = command(words);
    command.build();
    if takes_a_path(&command, words) {
        // The shell knows files better.
        return writeln!(out, ":{DEFAULT}");
    }
    // Nothing after the plugin's name is as good as an empty word.
    let nothing = [OsString::new()];
    let words = if words.is_empty() { &nothing } else { words };
    let all: Vec<OsString> = std::iter::once(OsString::from(EXECUTABLE))
        .chain(words.iter().cloned())
        .collect();
    let last = all.len() - 1;
    let candidates = complete(&mut command, all, last, folder).unwrap_or_default();
    // Flags are offered when a dash is there, as kubectl does it.
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

/// Reports whether the last word is the path of a file or folder: the value of a flag that takes one, or what follows a
/// word that does.
fn takes_a_path(command: &Command, words: &[OsString]) -> bool {
    // The grammar has no other command than the one that is among the words.
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

/// The argument that a word such as `--filename` or `-f` stands for.
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
