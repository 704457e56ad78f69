//! Turns the arguments of a plan with `--interactive` into a request.

use std::borrow::Cow;
use std::ffi::OsString;

use anyhow::{Result, bail};
use clap::ArgMatches;

use super::assumptions::{Assumed, parse_assumption};
use super::change::Change;
use super::watch::unused;
use super::{CliError, PlanArgs, name_called_by, record, stages};
use crate::request::{ExtendedPlan, InteractiveRequest, Request};
use sts_controller::apiserver::apply::Edit;
use sts_plan::explain::quoted;

/// Argument groups that do not apply to the screen.
const UNUSED: [&str; 5] = ["Nodes", "Questions", "Gate", "Output", "Watch"];
/// Flags of these groups that do apply.
const USED: [&str; 4] = ["interactive", "require", "ignore", "policy"];
/// Flags whose values can be changed on the screen.
const EDITABLE: [&str; 5] = [
    "--replicas",
    "--partition",
    "--max-unavailable",
    "--update-strategy",
    "--image",
];
const ASSUME: &str = "--assume";
const INTERACTIVE: &str = "--interactive";

/// Returns the request.
///
/// # Errors
/// When the arguments contradict each other, or a flag does not apply to the screen.
pub(super) fn request(
    args: PlanArgs,
    matches: &ArgMatches,
    words: &[OsString],
) -> Result<InteractiveRequest> {
    if let Some((_, flag)) = unused(matches, &UNUSED, &USED) {
        bail!("--{flag} cannot be used with {INTERACTIVE}: add it to the printed command line");
    }
    if !args.assumptions.more_nodes().is_empty() {
        bail!("--assume nodes+N=NODE cannot be used with {INTERACTIVE}: omit it");
    }
    if args.change.delete.is_some() {
        bail!("--delete leaves no field to change: omit --delete or {INTERACTIVE}");
    }
    if args.stages.are_fixed() {
        bail!(
            "{INTERACTIVE} can only change the stages of --then: omit --stages, --grow or {INTERACTIVE}"
        );
    }
    let is_share = |change: &Change| matches!(change.partition, Some(Edit::PartitionShare(_)));
    if is_share(&args.change) || args.stages.later_changes().any(is_share) {
        bail!("{INTERACTIVE} changes the partition by one pod: use a number for --partition");
    }
    let split = stages::split(&super::command(), words);
    for later in &split.later {
        if let Some(word) = FixedWords::new(later).words.first() {
            bail!(
                "{INTERACTIVE} cannot change {} in a later stage: omit one of them",
                word.to_string_lossy()
            );
        }
    }
    let FixedWords {
        words: base,
        failing,
    } = FixedWords::new(&split.first);
    let command_line = shell_line(&record::command_line(&base));
    let extended = move |more: &[String]| {
        let more = more.iter().map(OsString::from);
        let words: Vec<OsString> = base.iter().cloned().chain(more).collect();
        match super::read(&words) {
            Ok(Request::Plan(plan)) => Ok(*plan),
            Ok(_) => Err("the command line is not a plan".to_owned()),
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

/// Command line without the flags that can be changed on the screen.
struct FixedWords {
    words: Vec<OsString>,
    /// Pods that the removed flags assume to fail.
    failing: Vec<String>,
}

impl FixedWords {
    fn new(words: &[OsString]) -> Self {
        let (mut rest, mut failing) = (Vec::new(), Vec::new());
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            let (flag, attached) = match text.split_once('=') {
                Some((flag, value)) => (flag, Some(value.to_owned())),
                None => (&*text, None),
            };
            if EDITABLE.contains(&flag) {
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
                // Drop `--`, so that more flags can follow.
                rest.push(word.clone());
            }
        }
        FixedWords {
            words: rest,
            failing,
        }
    }
}

/// Formats the words for a shell.
fn shell_line(words: &[String]) -> String {
    let program = words.first().map_or("", String::as_str);
    let program = program.strip_suffix(".exe").unwrap_or(program);
    let mut line = name_called_by(program);
    for word in words.iter().skip(1) {
        line += &format!(" {}", typed(word));
    }
    line
}

/// Quotes a word if a shell requires it.
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
    fn the_line_omits_editable_flags() {
        let words = "/x/kubectl-sts_plan --partition 2 --interactive --image a:2 --replicas=5 --update-strategy OnDelete \
                     --assume=web-1=fails --assume web-2=recovers -n prod --set a[b=c].d=1 --token x -- web";
        let words: Vec<OsString> = words.split_whitespace().map(OsString::from).collect();
        let fixed = FixedWords::new(&words);
        assert_eq!(
            shell_line(&record::command_line(&fixed.words)),
            "kubectl sts-plan --assume web-2=recovers -n prod --set 'a[b=c].d=1' --token '***' web"
        );
        assert_eq!(fixed.failing, ["web-1"]);
    }
}
