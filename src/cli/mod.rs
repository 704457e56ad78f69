//! The command line: docs/contract.md. Arguments, and a policy where one is named, become a [`Request`];
//! what clap makes of them stays in here. One file for each group of flags.

mod assumptions;
mod change;
mod commands;
mod connection;
mod controller;
mod duration;
pub mod exit;
pub mod fail_on;
mod gate;
mod help;
mod input;
mod output;
mod partial;
mod plan;
pub mod policy;
mod questions;
mod selection;
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
pub use partial::{Partial, commands, grammar, read_partial};
pub use plan::PlanArgs;
pub use usage::Usage;

use crate::request::Request;
use policy::Policy;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Yellow.on_default().bold())
    .usage(AnsiColor::Yellow.on_default().bold())
    .literal(AnsiColor::Green.on_default())
    .placeholder(AnsiColor::Cyan.on_default());

const EXAMPLES: &str = "\
Examples:
  # What happens next to a set of the cluster, and then
  kubectl sts-plan web -n prod

  # What if, live: another partition; a chart that is about to be applied
  kubectl sts-plan web -n prod --partition 2
  helm template . | kubectl sts-plan -n prod --apply -

  # All sets of the cluster, one row each, those that are stuck first
  kubectl sts-plan -A

  # What happens next in a dump of a cluster, and then
  kubectl get sts,po,pvc,controllerrevisions -o yaml | kubectl sts-plan -f -

  # The first rollout of a manifest
  kubectl sts-plan -f web.yaml

  # What if: another partition, another image
  kubectl sts-plan -f dump.yaml web --partition 2
  kubectl sts-plan -f dump.yaml web --image app=registry.example/app:2

  # What if: a pod is deleted; the set is deleted without its pods and created anew
  kubectl sts-plan -f dump.yaml web --delete-pod web-1
  kubectl sts-plan -f dump.yaml --delete=orphan --apply new.yaml

  # What applying a manifest would do
  helm template . | kubectl sts-plan -f dump.yaml --apply -

  # Follow a rollout to its end: the plan with every change, against what was predicted
  kubectl sts-plan web -n prod -w --timeout 10m

  # What has become of a plan: save it, let things happen, and compare (or with -f later.yaml)
  kubectl sts-plan web -n prod --save plan.json
  kubectl sts-plan verify plan.json

  # As the controller of another version would do it, in a CI job
  kubectl sts-plan -f dump.yaml --kubernetes-version 1.27.4 --detailed-exitcode

  # Fail a pull request that would lose data or go down; what a finding means
  helm template . | kubectl sts-plan -f dump.yaml --apply - --fail-on blocked,rejected,data-loss,downtime
  kubectl sts-plan explain STS003";

/// Predicts what the StatefulSet controller does next, and the whole rollout after it. Read-only.
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-sts_plan",
    version,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "Connection flags, examples and exit codes: --help",
    after_long_help = format!("{EXAMPLES}\n\n{}\n\n{}", exit::of_plan(), exit::of_watch()),
    styles = STYLES,
    max_term_width = 110
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

/// Why there is no request.
#[derive(Debug)]
pub enum NoRequest {
    /// The usage is wrong; or it is help, or the version, that is asked for.
    Usage(Box<Usage>),
    /// The arguments contradict each other, or the policy cannot be used.
    Wrong(anyhow::Error),
}

impl From<clap::Error> for NoRequest {
    fn from(error: clap::Error) -> Self {
        NoRequest::Usage(Box::new(error.into()))
    }
}

impl From<anyhow::Error> for NoRequest {
    fn from(error: anyhow::Error) -> Self {
        NoRequest::Wrong(error)
    }
}

/// What the arguments ask for, the first of which is the program's own name.
///
/// # Errors
/// When they ask for help or the version, are wrong, or name a policy that cannot be used.
pub fn read(args: &[OsString]) -> Result<Request, NoRequest> {
    let mut args = args.to_vec();
    let moved = words::with_command_first(&command(), &mut args);
    let mut command = command_called(args.first());
    let matches = command
        .try_get_matches_from_mut(&args)
        .map_err(|error| with_tip(error, moved, &args))?;
    let arguments = Arguments::from_arg_matches(&matches)?;
    match arguments.command {
        Some(chosen) => chosen.request(&mut command),
        None => plan_or_watch(arguments.plan, &matches),
    }
}

fn plan_or_watch(mut args: PlanArgs, matches: &clap::ArgMatches) -> Result<Request, NoRequest> {
    if args.watch.watch {
        return Ok(Request::Watch(Box::new(watch::request(args, matches)?)));
    }
    if let Some(path) = &args.gate.policy {
        let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let policy = Policy::read(path).map_err(anyhow::Error::from)?;
        policy.fill(&mut args, given);
    }
    Ok(Request::Plan(Box::new(args.request()?)))
}

/// The command under the name that the user called it by.
fn command_called(program: Option<&OsString>) -> clap::Command {
    let name = program
        .and_then(|program| Path::new(program).file_stem()?.to_str())
        .unwrap_or("kubectl-sts_plan");
    let shown = if name.starts_with("kubectl-") {
        "kubectl sts-plan"
    } else {
        name
    };
    command().bin_name(shown).display_name(shown)
}

/// Where flags before a command are none of that command, a set of that name may be meant.
fn with_tip(mut error: clap::Error, moved: bool, args: &[OsString]) -> clap::Error {
    if let (true, ErrorKind::UnknownArgument, Some(name)) = (moved, error.kind(), args.get(1)) {
        let name = name.to_string_lossy();
        let tip = format!("to plan a set that is called {name:?}, write sts/{name}");
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
    }
    error
}
