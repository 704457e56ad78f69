//! The command line: docs/contract.md. Turns arguments and a policy into a [`Request`]. Only this module knows clap. Each
//! group of flags has a file.

mod assumptions;
mod causes;
mod change;
mod commands;
mod controller;
mod demo;
pub mod exit;
mod gate;
mod help;
mod input;
mod interactive;
mod kubectl_words;
mod next;
mod nodes;
mod number;
mod output;
#[cfg(test)]
mod page_flags;
mod partial;
mod plan;
pub mod policy;
mod questions;
mod record;
mod required;
mod selection;
mod set_names;
mod stages;
mod usage;
mod watch;
mod words;

use std::ffi::OsString;
use std::path::Path;

use clap::builder::StyledStr;
use clap::builder::styling::{AnsiColor, Styles};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser};

pub use commands::Command;
pub use help::{Topic, manual};
pub use partial::{Partial, commands, grammar, read_partial};
pub use plan::PlanArgs;
pub use stages::SCHEMA as STAGES_SCHEMA;
pub use usage::Usage;

use crate::request::Request;
use policy::Policy;
use required::{is_given, refuse_idle};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Yellow.on_default().bold())
    .usage(AnsiColor::Yellow.on_default().bold())
    .literal(AnsiColor::Green.on_default())
    .placeholder(AnsiColor::Cyan.on_default());

/// Tells why a StatefulSet is stuck, prints commands that it simulated as the fix, and foretells a rollout before it begins.
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-sts_plan",
    version,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    styles = STYLES,
    max_term_width = help::MAX_WIDTH
)]
pub struct Arguments {
    /// Subcommand.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Arguments of a plan.
    #[command(flatten)]
    pub plan: PlanArgs,
}

/// Returns the grammar of the command line.
pub fn command() -> clap::Command {
    Arguments::command()
}

/// Error of turning arguments into a request.
#[derive(Debug)]
pub enum CliError {
    /// A usage error, or the help or version to print.
    Usage(Box<Usage>),
    /// The arguments contradict each other, or the policy is invalid.
    Wrong(anyhow::Error),
}

impl From<clap::Error> for CliError {
    fn from(error: clap::Error) -> Self {
        CliError::Usage(Box::new(error.into()))
    }
}

impl From<anyhow::Error> for CliError {
    fn from(error: anyhow::Error) -> Self {
        CliError::Wrong(error)
    }
}

/// Parses the arguments, of which the first is the name of the program.
///
/// # Errors
/// When they ask for help or the version, are wrong, or name an invalid policy.
pub fn read(args: &[OsString]) -> Result<Request, CliError> {
    // Build the grammar once: it costs as much as a small plan.
    let mut command = command_named(args.first());
    let mut args = words::with_plain_flags(&command, args);
    let moved = words::with_command_first(&command, &mut args);
    let split = stages::split(&command, &args);
    let matches = match command.try_get_matches_from_mut(&split.first) {
        Ok(matches) => matches,
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            let command = command_named(args.first());
            return Err(help::requested(&command, &split.first).into());
        }
        Err(error) => return Err(refusal(error, moved, &args)),
    };
    let mut arguments = Arguments::from_arg_matches(&matches)?;
    match &mut arguments.command {
        None => arguments.plan.stages.read(&split)?,
        Some(Command::Demo(demo)) => demo.plan.stages.read(&split)?,
        Some(_) if split.later.is_empty() => {}
        Some(_) => {
            return Err(anyhow::anyhow!(
                "--then cannot be used with the command {:?}: omit one of them",
                matches.subcommand_name().unwrap_or_default()
            )
            .into());
        }
    }
    let own = matches.subcommand().map_or(&matches, |(_, own)| own);
    refuse_idle(own)?;
    match arguments.command {
        Some(chosen) => chosen.request(&mut command, own, &args),
        None => plan_or_watch(arguments.plan, &matches, &args),
    }
}

fn plan_or_watch(
    mut args: PlanArgs,
    matches: &clap::ArgMatches,
    words: &[OsString],
) -> Result<Request, CliError> {
    if let Some(refusal) = kubectl_words::command_refusal(&args.names) {
        return Err(CliError::Wrong(anyhow::anyhow!(refusal)));
    }
    if args.watch.watch {
        read_change(&mut args, matches)?;
        return Ok(Request::Watch(Box::new(watch::request(args, matches)?)));
    }
    if args.gate.policy.is_none() {
        let files = args.input.filename.iter().chain(&args.change.apply);
        let found = policy::find(files.map(String::as_str))?;
        args.gate.found = found;
    }
    plan_of(args, matches, words)
}

/// Returns the request for a plan, with the policy that was named or found.
fn plan_of(
    mut args: PlanArgs,
    matches: &clap::ArgMatches,
    words: &[OsString],
) -> Result<Request, CliError> {
    read_change(&mut args, matches)?;
    let given = |id: &str| is_given(matches, id);
    let policy = args.gate.policy.as_ref().or(args.gate.found.as_ref());
    if let Some(path) = policy.filter(|path| path.as_os_str() != "none") {
        let policy = Policy::read(path)?;
        args.gate.read = Some(path.clone());
        policy.fill(&mut args, given);
    }
    if let Some(refusal) = args.change.needs_server_side(given) {
        return Err(CliError::Wrong(anyhow::anyhow!(refusal)));
    }
    if args.questions.interactive {
        let request = interactive::request(args, matches, words)?;
        return Ok(Request::Interactive(Box::new(request)));
    }
    if args.questions.next {
        return Ok(Request::Next(Box::new(next::request(args, matches)?)));
    }
    let request = args.request(record::command_line(words))?;
    Ok(Request::Plan(Box::new(request)))
}

/// Reads the stages file, and refuses flags that do not support stages.
fn read_change(args: &mut PlanArgs, matches: &clap::ArgMatches) -> Result<(), CliError> {
    let given = |id: &str| is_given(matches, id);
    if args.stages.stages.is_some() || !args.stages.grow.is_empty() {
        let flags = command();
        let flags = flags.get_arguments();
        let flags = flags.filter(|it| it.get_help_heading() == Some("Change"));
        let given: Vec<&str> = flags
            .filter(|argument| given(argument.get_id().as_str()))
            .filter_map(clap::Arg::get_long)
            .collect();
        if let Some(refusal) = stages::grow_refusal(&args.stages, &given) {
            return Err(CliError::Wrong(anyhow::anyhow!(refusal)));
        }
        if let Some(change) = args.stages.read_file(&given)? {
            args.change = change;
        }
    }
    if let Some(refusal) = stages::refusal(&args.stages, matches) {
        return Err(CliError::Wrong(anyhow::anyhow!(refusal)));
    }
    args.change.read_piped();
    Ok(())
}

/// Returns the grammar, with the name that the user called the program by.
fn command_named(program: Option<&OsString>) -> clap::Command {
    let name = program.and_then(|program| Path::new(program).file_stem()?.to_str());
    let shown = name_called_by(name.unwrap_or("kubectl-sts_plan"));
    command().bin_name(&shown).display_name(&shown)
}

/// Returns the command that runs an executable: `kubectl sts-plan` runs `kubectl-sts_plan`.
fn name_called_by(executable: &str) -> String {
    match executable.strip_prefix("kubectl-") {
        Some(plugin) => format!("kubectl {}", plugin.replace('_', "-")),
        None => executable.to_owned(),
    }
}

/// Returns the error for a flag that a command does not have, but people type.
fn refusal_of_command(argument: &str, args: &[OsString]) -> Option<String> {
    match args.get(1)?.to_str()? {
        "diff" => kubectl_words::diff_refusal(argument),
        "verify" => kubectl_words::verify_refusal(argument),
        _ => None,
    }
}

/// Improves a usage error. Names the replacement of kubectl words; if the flags before a command do not belong to it,
/// suggests that the command may be the name of a set.
fn refusal(mut error: clap::Error, moved: bool, args: &[OsString]) -> CliError {
    if let (ErrorKind::UnknownArgument, Some(ContextValue::String(argument))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
        && let Some(refusal) = refusal_of_command(argument, args)
            .or_else(|| kubectl_words::command_refusal(&words::before_flags(args)))
            .or_else(|| kubectl_words::flag_refusal(argument))
    {
        return CliError::Wrong(anyhow::anyhow!(refusal));
    }
    // Clap's tip to write -- before a flag makes it the name of a set.
    if let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested) {
        let is_name = |tip: &StyledStr| tip.to_string().starts_with("to pass ");
        let kept: Vec<StyledStr> = tips.iter().filter(|tip| !is_name(tip)).cloned().collect();
        error.remove(ContextKind::Suggested);
        if !kept.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(kept));
        }
    }
    if let (true, ErrorKind::UnknownArgument, Some(name)) = (moved, error.kind(), args.get(1)) {
        let name = name.to_string_lossy();
        let tip = format!("to plan a set named {name:?}, use sts/{name}");
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
    }
    error.into()
}
