//! Preprocessing of the command line: finds the command, and moves it before the flags.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command};

/// Moves a command before the flags in front of it, as kubectl allows: `-n prod verify plan.json` becomes
/// `verify -n prod plan.json`. Returns true if the command was moved.
///
/// The first word is the name of the program.
pub(super) fn with_command_first(command: &Command, args: &mut [OsString]) -> bool {
    match command_at(command, args) {
        Some(at) if at > 1 => {
            args[1..=at].rotate_right(1);
            true
        }
        _ => false,
    }
}

/// Returns the index of the command: the first word that is neither a flag nor a value of one.
pub(super) fn command_at(command: &Command, args: &[OsString]) -> Option<usize> {
    let mut at = 1;
    while let Some(word) = args.get(at) {
        let word = word.to_string_lossy();
        if word == "--" {
            return None;
        }
        if !word.starts_with('-') || word == "-" {
            return command.find_subcommand(&*word).map(|_| at);
        }
        at += 1 + usize::from(awaits_value(command, &word));
    }
    None
}

/// Returns the words before the first flag, without the name of the program.
pub(super) fn before_flags(args: &[OsString]) -> Vec<String> {
    let words = args.iter().skip(1).map(|word| word.to_string_lossy());
    let words = words.take_while(|word| !word.starts_with('-'));
    words.map(std::borrow::Cow::into_owned).collect()
}

/// Replaces kubectl's spellings of flags. Log levels become the flag for more detail: `-v=6`, `-v 6` and `--v=6` are
/// `-v`, and level 0 is removed. A flag without a value may have one: `--watch=true` is `--watch`, and `-w=false` is
/// removed.
pub(super) fn with_plain_flags(command: &Command, args: &[OsString]) -> Vec<OsString> {
    let level = |text: &str| text.parse::<u8>().ok();
    let mut kept: Vec<OsString> = Vec::new();
    let mut left = args.iter().peekable();
    kept.extend(left.next().cloned());
    while let Some(arg) = left.next() {
        let word = arg.to_string_lossy();
        if word == "--" {
            kept.push(arg.clone());
            break;
        }
        if let Some((flag, is_set)) = switch(command, &word) {
            kept.extend(is_set.then(|| flag.into()));
            continue;
        }
        let attached = ["-v=", "--v=", "-v"].iter();
        let mut attached = attached.filter_map(|flag| word.strip_prefix(flag));
        let asked = attached.find_map(level).or_else(|| {
            let next = left.peek().filter(|_| word == "-v" || word == "--v")?;
            let asked = level(&next.to_string_lossy())?;
            left.next();
            Some(asked)
        });
        match asked {
            Some(0) => {}
            Some(_) => kept.push("-v".into()),
            None => kept.push(arg.clone()),
        }
        if asked.is_none() && word.starts_with('-') && awaits_value(command, &word) {
            kept.extend(left.next().cloned());
        }
    }
    kept.extend(left.cloned());
    kept
}

/// Returns a flag without a value and the boolean that is attached to it.
fn switch<'w>(command: &Command, word: &'w str) -> Option<(&'w str, bool)> {
    let (flag, value) = word.split_once('=')?;
    let value = value.parse().ok()?;
    let mut letters = flag.strip_prefix('-')?.chars();
    let letter = letters.next().filter(|_| letters.as_str().is_empty());
    let long = flag.strip_prefix("--");
    let is_it = |argument: &Arg| {
        matches!(argument.get_action(), ArgAction::SetTrue)
            && ((letter.is_some() && argument.get_short() == letter)
                || (long.is_some() && argument.get_long() == long))
    };
    command.get_arguments().any(is_it).then_some((flag, value))
}

/// Returns the argument of a flag that takes a value or is long, and whether its value is the next word.
pub(super) fn argument<'c>(command: &'c Command, word: &str) -> Option<(&'c Arg, bool)> {
    let takes = |argument: &Arg| argument.get_action().takes_values();
    let awaits = |argument: &Arg| takes(argument) && !argument.is_require_equals_set();
    let mut arguments = command.get_arguments();
    if let Some(long) = word.strip_prefix("--") {
        let found = arguments.find(|argument| {
            let aliases = argument.get_all_aliases().unwrap_or_default();
            argument.get_long() == Some(long) || aliases.contains(&long)
        });
        return found.map(|argument| (argument, awaits(argument)));
    }
    // Among several letters, the first that takes a value consumes the rest of the word.
    let mut letters = word.strip_prefix('-')?.chars();
    let found = letters.find_map(|letter| {
        let mut arguments = command.get_arguments();
        arguments.find(|argument| argument.get_short() == Some(letter) && takes(argument))
    })?;
    Some((found, awaits(found) && letters.as_str().is_empty()))
}

/// Reports whether the value of a flag is the next word.
fn awaits_value(command: &Command, word: &str) -> bool {
    argument(command, word).is_some_and(|(_, awaits)| awaits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(line: &str) -> String {
        let mut args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        with_command_first(&crate::cli::command(), &mut args);
        let words: Vec<_> = args.iter().map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    #[test]
    fn flags_of_kubectl_have_one_spelling() {
        for (line, wanted) in [
            ("p -v=6 web", "p -v web"),
            ("p -v 6 web", "p -v web"),
            ("p -v6 web", "p -v web"),
            ("p --v=9", "p -v"),
            ("p --v 9", "p -v"),
            ("p -v=0 web", "p web"),
            ("p --watch=false web", "p web"),
            ("p -w=false --no-headers=true", "p --no-headers"),
            ("p -A=true", "p -A"),
            // Not a boolean, and a flag with a value.
            ("p --watch=no", "p --watch=no"),
            ("p --output=true", "p --output=true"),
            ("p --set -w=false", "p --set -w=false"),
            ("p -- -w=false", "p -- -w=false"),
            // The value of another flag, a name, and words after `--`.
            ("p --set -v=6", "p --set -v=6"),
            ("p -v web", "p -v web"),
            ("p -v=x", "p -v=x"),
            ("p -- -v=6", "p -- -v=6"),
        ] {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let kept = with_plain_flags(&crate::cli::command(), &args);
            let kept: Vec<_> = kept.iter().map(|word| word.to_string_lossy()).collect();
            assert_eq!(kept.join(" "), wanted);
        }
    }

    #[test]
    fn flags_can_precede_a_command() {
        for (line, wanted) in [
            ("p -n prod verify plan.json", "p verify -n prod plan.json"),
            ("p --namespace=prod verify x", "p verify --namespace=prod x"),
            ("p -nprod -v verify x", "p verify -nprod -v x"),
            ("p -vn prod verify x", "p verify -vn prod x"),
            ("p -f - explain", "p explain -f -"),
            ("p --delete verify", "p verify --delete"),
            // A value, a name with its kind, a second name, and words after `--`.
            ("p -n verify web", "p -n verify web"),
            ("p --context verify", "p --context verify"),
            ("p -v sts/verify", "p -v sts/verify"),
            ("p -v web verify", "p -v web verify"),
            ("p -v -- verify", "p -v -- verify"),
            ("p", "p"),
        ] {
            assert_eq!(moved(line), wanted);
        }
    }
}
