//! Turns the arguments of a plan with `--interactive` into a request.

use std::borrow::Cow;
use std::ffi::OsString;

use anyhow::{Result, bail};
use clap::ArgMatches;

use super::watch::unused;
use super::{PlanArgs, name_called_by, record};
use crate::request::{InteractiveRequest, Partition};
use sts_plan::explain::quoted;

/// The groups of flags that a screen has no use for.
const UNUSED: [&str; 5] = ["Nodes", "Questions", "Gate", "Output", "Watch"];
/// The flags of them that it has.
const USED: [&str; 4] = ["interactive", "require", "ignore", "policy"];
/// The flags that keys turn, and the one that asks for the screen.
const TURNED: [&str; 3] = ["--replicas", "--partition", "--max-unavailable"];
const INTERACTIVE: &str = "--interactive";

/// Returns the request that the arguments make.
///
/// # Errors
/// When they contradict each other, or there are flags that a screen has no use for.
pub(super) fn request(
    args: PlanArgs,
    matches: &ArgMatches,
    words: &[OsString],
) -> Result<InteractiveRequest> {
    if let Some((_, flag)) = unused(matches, &UNUSED, &USED) {
        bail!(
            "--{flag} has no use with {INTERACTIVE}: give it to the command line that is printed"
        );
    }
    if !args.assumptions.more_nodes().is_empty() {
        bail!("--assume nodes+N=NODE has no use with {INTERACTIVE}: leave it out");
    }
    if args.change.delete.is_some() {
        bail!("--delete leaves no field to turn: leave it out, or {INTERACTIVE}");
    }
    if let Some(Partition::Share(_)) = args.change.partition {
        bail!("keys turn the partition by one pod: give {INTERACTIVE} a number for --partition");
    }
    let words = record::command_line(words);
    let command_line = shell_line(&words);
    Ok(InteractiveRequest {
        plan: args.request(words)?,
        command_line,
    })
}

/// The words as a shell takes them, without the flags that the screen adds itself.
fn shell_line(words: &[String]) -> String {
    let program = words.first().map_or("", String::as_str);
    let program = program.strip_suffix(".exe").unwrap_or(program);
    let mut line = name_called_by(program);
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        if word == INTERACTIVE {
            continue;
        }
        if TURNED.contains(&word.as_str()) {
            rest.next();
            continue;
        }
        let name = word.split_once('=').map_or("", |(name, _)| name);
        if !TURNED.contains(&name) {
            line += &format!(" {}", typed(word));
        }
    }
    line
}

/// A word as it is typed: quotes stand around what a shell would not take as it is.
fn typed(word: &str) -> Cow<'_, str> {
    match quoted(word.trim_start_matches('-')) {
        Cow::Borrowed(_) => Cow::Borrowed(word),
        Cow::Owned(_) => quoted(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_what_keys_do_not_turn() {
        let words = "/x/kubectl-sts_plan web --partition 2 --interactive --replicas=5 -n prod --set a[b=c].d=1 --token x";
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        let line = shell_line(&record::command_line(&words));
        assert_eq!(
            line,
            "kubectl sts-plan web -n prod --set 'a[b=c].d=1' --token '***'"
        );
    }
}
