//! The command line: docs/contract.md. Arguments, and a policy where one is named, become a [`Request`];
//! what clap makes of them stays in here. One file for each group of flags.

mod assumptions;
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
mod learn;
mod next;
mod nodes;
mod output;
mod page_link;
mod partial;
mod plan;
pub mod policy;
mod questions;
mod record;
mod selection;
mod set_names;
mod stages;
mod usage;
mod watch;
mod words;

use std::ffi::OsString;
use std::path::Path;

use clap::builder::styling::{AnsiColor, Styles};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches, Parser};

pub use commands::Command;
pub use help::{Topic, manual};
pub use partial::{Partial, commands, grammar, read_partial};
pub use plan::PlanArgs;
pub use stages::SCHEMA as STAGES_SCHEMA;
pub use usage::Usage;

use crate::request::Request;
use policy::Policy;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Yellow.on_default().bold())
    .usage(AnsiColor::Yellow.on_default().bold())
    .literal(AnsiColor::Green.on_default())
    .placeholder(AnsiColor::Cyan.on_default());

/// Predicts what the StatefulSet controller does next, and the rollout after it.
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-sts_plan",
    version,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_long_help = help::manual(),
    styles = STYLES,
    max_term_width = 80
)]
pub struct Arguments {
    /// Something else than planning.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Planning.
    #[command(flatten)]
    pub plan: PlanArgs,
}

/// The command line's grammar.
#[must_use]
pub fn command() -> clap::Command {
    Arguments::command()
}

/// The reasons for which arguments make no request.
#[derive(Debug)]
pub enum CliError {
    /// The usage is wrong; or it is help, or the version, that is asked for.
    Usage(Box<Usage>),
    /// The arguments contradict each other, or the policy cannot be used.
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

/// Returns the request that the arguments make, the first of which is the program's own name.
///
/// # Errors
/// When they ask for help or the version, are wrong, or name a policy that cannot be used.
pub fn read(args: &[OsString]) -> Result<Request, CliError> {
    // Once for all that asks it: to make the grammar costs as much as a small plan.
    let mut command = command_called(args.first());
    let mut args = words::without_log_levels(&command, args);
    let moved = words::with_command_first(&command, &mut args);
    let split = stages::split(&command, &args).map_err(|why| anyhow::anyhow!(why))?;
    let matches = match command.try_get_matches_from_mut(&split.first) {
        Ok(matches) => matches,
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            return Err(help::asked(&command_called(args.first()), &args).into());
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
                "--then is of a plan: leave it out, or the command {:?}",
                matches.subcommand_name().unwrap_or_default()
            )
            .into());
        }
    }
    match arguments.command {
        Some(chosen) => {
            let own = matches.subcommand().map_or(&matches, |(_, own)| own);
            chosen.request(&mut command, own, &args)
        }
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
        let found = policy::find(files.map(String::as_str)).map_err(anyhow::Error::from)?;
        args.gate.found = found;
    }
    plan_of(args, matches, words)
}

/// Returns the request for a plan, under the policy that is named or was found.
fn plan_of(
    mut args: PlanArgs,
    matches: &clap::ArgMatches,
    words: &[OsString],
) -> Result<Request, CliError> {
    read_change(&mut args, matches)?;
    let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let policy = args.gate.policy.as_ref().or(args.gate.found.as_ref());
    if let Some(path) = policy.filter(|path| path.as_os_str() != "none") {
        let policy = Policy::read(path).map_err(anyhow::Error::from)?;
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
    let page = args.output.link_page.take();
    let mut request = args.request(record::command_line(words))?;
    request.output.page_link = page
        .map(|url| page_link::request(url, &mut request, matches))
        .transpose()?;
    Ok(Request::Plan(Box::new(request)))
}

/// Reads the stages of a file, and refuses what makes no sense with stages.
fn read_change(args: &mut PlanArgs, matches: &clap::ArgMatches) -> Result<(), CliError> {
    let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
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
    if let Some(refusal) = stages::refusal(args) {
        return Err(CliError::Wrong(anyhow::anyhow!(refusal)));
    }
    args.change.read_piped();
    Ok(())
}

/// The command under the name that the user called it by.
fn command_called(program: Option<&OsString>) -> clap::Command {
    let name = program.and_then(|program| Path::new(program).file_stem()?.to_str());
    let shown = name_called_by(name.unwrap_or("kubectl-sts_plan"));
    command().bin_name(&shown).display_name(&shown)
}

/// Returns the words that run an executable of that name: kubectl runs `kubectl-sts_plan` for `kubectl sts-plan`.
fn name_called_by(executable: &str) -> String {
    match executable.strip_prefix("kubectl-") {
        Some(plugin) => format!("kubectl {}", plugin.replace('_', "-")),
        None => executable.to_owned(),
    }
}

/// The refusal of wrong arguments. For words of kubectl it says what to type instead; and where flags before a command are
/// none of that command, a set of that name may be meant.
fn refusal(mut error: clap::Error, moved: bool, args: &[OsString]) -> CliError {
    if let (ErrorKind::UnknownArgument, Some(ContextValue::String(argument))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
        && let Some(refusal) = kubectl_words::flag_refusal(argument)
            .or_else(|| kubectl_words::command_refusal(&words::before_flags(args)))
    {
        return CliError::Wrong(anyhow::anyhow!(refusal));
    }
    if let (true, ErrorKind::UnknownArgument, Some(name)) = (moved, error.kind(), args.get(1)) {
        let name = name.to_string_lossy();
        let tip = format!("to plan a set that is called {name:?}, write sts/{name}");
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
    }
    error.into()
}
