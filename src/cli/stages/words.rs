//! Splitting of a command line into stages.

use std::ffi::OsString;

use clap::Command;

use crate::cli::words::argument;

/// Flag that begins a stage.
const THEN: &str = "--then";
/// Heading of the flags that belong to a stage.
const CHANGE: &str = "Change";

/// A command line split into stages.
#[derive(Debug, Default)]
pub(in crate::cli) struct Split {
    /// Words of the first stage, and all flags that do not belong to a stage.
    pub(in crate::cli) first: Vec<OsString>,
    /// Words of each later stage.
    pub(in crate::cli) later: Vec<Vec<OsString>>,
}

/// Assigns the flags of a change to the stage that they appear in, and all other words to the whole plan.
pub(in crate::cli) fn split(command: &Command, args: &[OsString]) -> Split {
    let mut out = Split::default();
    let mut words = args.iter();
    out.first.extend(words.next().cloned());
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if text == "--" {
            out.first.push(word.clone());
            out.first.extend(words.cloned());
            break;
        }
        if text == THEN {
            out.later.push(Vec::new());
            continue;
        }
        let (flag, has_value) = match text.split_once('=') {
            Some((flag, _)) => (flag, true),
            None => (&*text, false),
        };
        let argument = argument(command, flag);
        let is_change = argument.is_some_and(|(it, _)| it.get_help_heading() == Some(CHANGE));
        let into = match out.later.last_mut() {
            Some(stage) if is_change => stage,
            _ => &mut out.first,
        };
        into.push(word.clone());
        if !has_value && argument.is_some_and(|(_, awaits)| awaits) {
            into.extend(words.next().cloned());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_of(line: &str) -> String {
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let split = split(&crate::cli::command(), &args);
        let text = |words: &[OsString]| {
            let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
            words.join(" ")
        };
        let later = split.later.iter();
        let later = later.map(|words| format!(" | {}", text(words)));
        text(&split.first) + &later.collect::<String>()
    }

    #[test]
    fn change_flags_belong_to_their_stage_and_others_to_the_plan() {
        for (line, wanted) in [
            ("p web --image a:2", "p web --image a:2"),
            (
                "p web --image a:2 --partition 4 --then --partition 2 --then --partition=0",
                "p web --image a:2 --partition 4 | --partition 2 | --partition=0",
            ),
            (
                "p --then --partition 2 -o json web -n prod --delete --then --restart",
                "p -o json web -n prod | --partition 2 --delete | --restart",
            ),
            ("p --then --replicas=0 -nprod", "p -nprod | --replicas=0"),
            (
                "p --set a=b --then --set --then --then --set c=d -v",
                "p --set a=b -v | --set --then | --set c=d",
            ),
            ("p --then -- --then", "p -- --then | "),
        ] {
            assert_eq!(split_of(line), wanted, "{line}");
        }
    }
}
