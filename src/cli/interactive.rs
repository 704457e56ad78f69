//! Turns the arguments of a plan with `--interactive` into a request.

use std::borrow::Cow;
use std::ffi::OsString;

use anyhow::{Result, anyhow, bail};
use clap::ArgMatches;

use super::assumptions::{Assumed, parse_assumption};
use super::change::Change;
use super::watch::unused;
use super::{CliError, PlanArgs, name_called_by, record, stages};
use crate::request::{ExtendedPlan, InteractiveRequest, Partition, Request};
use sts_plan::explain::quoted;
use sts_plan::stages::Begins;

/// The groups of flags that a screen has no use for.
const UNUSED: [&str; 5] = ["Nodes", "Questions", "Gate", "Output", "Watch"];
/// The flags of them that it has.
const USED: [&str; 4] = ["interactive", "require", "ignore", "policy"];
/// The flags that keys turn, and the one that asks for the screen.
const TURNED: [&str; 5] = [
    "--replicas",
    "--partition",
    "--max-unavailable",
    "--update-strategy",
    "--image",
];
const ASSUME: &str = "--assume";
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
    if args.stages.are_fixed() {
        bail!("keys turn the stages of --then: leave out --stages or --grow, or {INTERACTIVE}");
    }
    let is_share = |change: &Change| matches!(change.partition, Some(Partition::Share(_)));
    if is_share(&args.change) || args.stages.later_changes().any(is_share) {
        bail!("keys turn the partition by one pod: give {INTERACTIVE} a number for --partition");
    }
    let split = stages::split(&super::command(), words).map_err(|why| anyhow!(why))?;
    for (begins, later) in &split.later {
        let rest = Unturned::of(later).words;
        match (begins, rest.first()) {
            (Begins::After(_), _) => bail!(
                "keys begin a stage when the one before is at rest: leave out --then-after, or {INTERACTIVE}"
            ),
            (_, Some(word)) => bail!(
                "no key turns {} in a later stage: leave it out, or {INTERACTIVE}",
                word.to_string_lossy()
            ),
            _ => {}
        }
    }
    let Unturned {
        words: base,
        failing,
    } = Unturned::of(&split.first);
    let command_line = shell_line(&record::command_line(&base));
    let extended = move |more: &[String]| {
        let more = more.iter().map(OsString::from);
        let words: Vec<OsString> = base.iter().cloned().chain(more).collect();
        match super::read(&words) {
            Ok(Request::Plan(plan)) => Ok(*plan),
            Ok(_) => Err("the command line asks for no plan".to_owned()),
            Err(CliError::Wrong(error)) => Err(format!("{error:#}")),
            Err(CliError::Usage(usage)) => Err(usage.message()),
        }
    };
    Ok(InteractiveRequest {
        plan: args.request(record::command_line(words))?,
        command_line,
        failing,
        extended: ExtendedPlan(Box::new(extended)),
    })
}

/// Words of a command line without those that keys turn.
struct Unturned {
    words: Vec<OsString>,
    /// The pods that are assumed to fail by words that were left out.
    failing: Vec<String>,
}

impl Unturned {
    fn of(words: &[OsString]) -> Self {
        let (mut rest, mut failing) = (Vec::new(), Vec::new());
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            let (flag, attached) = match text.split_once('=') {
                Some((flag, value)) => (flag, Some(value.to_owned())),
                None => (&*text, None),
            };
            if TURNED.contains(&flag) {
                if attached.is_none() {
                    words.next();
                }
            } else if flag == ASSUME {
                let next = || Some(words.next()?.to_string_lossy().into_owned());
                let value = attached.or_else(next).unwrap_or_default();
                match parse_assumption(&value) {
                    Ok((pod, Assumed::Fails)) => failing.push(pod),
                    _ => rest.extend([ASSUME.into(), value.into()]),
                }
            } else if text != INTERACTIVE && text != "--" {
                // Without the end of flags, more of them can follow.
                rest.push(word.clone());
            }
        }
        Unturned {
            words: rest,
            failing,
        }
    }
}

/// The words as a shell takes them.
fn shell_line(words: &[String]) -> String {
    let program = words.first().map_or("", String::as_str);
    let program = program.strip_suffix(".exe").unwrap_or(program);
    let mut line = name_called_by(program);
    for word in words.iter().skip(1) {
        line += &format!(" {}", typed(word));
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
        let words = "/x/kubectl-sts_plan --partition 2 --interactive --image a:2 --replicas=5 --update-strategy OnDelete \
                     --assume=web-1=fails --assume web-2=recovers -n prod --set a[b=c].d=1 --token x -- web";
        let words: Vec<OsString> = words.split_whitespace().map(OsString::from).collect();
        let unturned = Unturned::of(&words);
        assert_eq!(
            shell_line(&record::command_line(&unturned.words)),
            "kubectl sts-plan --assume web-2=recovers -n prod --set 'a[b=c].d=1' --token '***' web"
        );
        assert_eq!(unturned.failing, ["web-1"]);
    }
}
