//! Unfinished command lines, for completion.

use std::collections::BTreeMap;
use std::ffi::OsString;

use clap::{Args as _, FromArgMatches as _};

use super::plan::world;
use super::{Arguments, Command, PlanArgs, command, words};
use crate::request::World;
use sts_controller::version::Version;

/// Program name in completion.
const NAME: &str = "kubectl-sts_plan";

/// Parts of an unfinished command line that completion needs.
#[derive(Debug, Default)]
pub struct Partial {
    /// Words that are not flags: names of sets, or arguments of the command.
    pub names: Vec<String>,
    /// Sources of objects.
    pub world: World,
    /// True for the sets of all namespaces.
    pub all_namespaces: bool,
    /// Version of the controller.
    pub version: Option<Version>,
    /// True if a command is among the words.
    pub has_command: bool,
}

/// Returns the grammar for these words: that of planning, with the one command that is among them. Any other command
/// name is the name of a set, or the value of a flag.
pub fn grammar(args: &[OsString]) -> clap::Command {
    let planning = PlanArgs::augment_args(clap::Command::new(NAME)).disable_help_subcommand(true);
    let whole = command();
    let found = words::command_at(&whole, args)
        .and_then(|at| whole.find_subcommand(&*args[at].to_string_lossy()));
    match found {
        Some(found) => planning.subcommand(found.clone()),
        None => planning,
    }
}

/// Parses as many words as possible. The first is the name of the program.
pub fn read_partial(args: &[OsString]) -> Option<Partial> {
    let mut args = args.to_vec();
    words::with_command_first(&command(), &mut args);
    let lenient = command()
        .ignore_errors(true)
        // Missing arguments may still follow.
        .mut_subcommand("verify", |verify| {
            verify.mut_arg("file", |file| file.required(false).default_value("-"))
        })
        .mut_subcommand("diff", |diff| {
            let lenient = |plan: clap::Arg| plan.required(false).default_value("-");
            diff.mut_arg("first", lenient).mut_arg("second", lenient)
        })
        .mut_subcommand("completion", |completion| {
            completion.mut_arg("shell", |shell| shell.required(false).default_value("bash"))
        });
    let matches = lenient.try_get_matches_from(args).ok()?;
    let arguments = Arguments::from_arg_matches(&matches).ok()?;
    let has_command = arguments.command.is_some();
    let of_plan = |plan: PlanArgs| Partial {
        names: plan.names,
        world: world(plan.input, plan.connection, plan.namespace, true),
        all_namespaces: plan.selection.all_namespaces,
        version: plan.controller.kubernetes_version,
        has_command,
    };
    let partial = match arguments.command {
        None => of_plan(arguments.plan),
        Some(Command::Demo(demo)) => {
            let mut plan = demo.plan;
            plan.input.demo = demo.demo;
            of_plan(plan)
        }
        Some(Command::Verify(verify)) => Partial {
            world: world(verify.input, verify.connection, verify.namespace, true),
            ..Partial::default()
        },
        Some(Command::Dump(dump)) => Partial {
            names: dump.names,
            world: world(dump.input, dump.connection, dump.namespace, true),
            all_namespaces: dump.selection.all_namespaces,
            ..Partial::default()
        },
        Some(Command::Rbac(rbac)) => Partial {
            world: rbac.request().world,
            ..Partial::default()
        },
        Some(Command::Explain(explain)) => Partial {
            names: explain.ids,
            ..Partial::default()
        },
        Some(
            Command::Schema(_)
            | Command::Diff(_)
            | Command::Versions(_)
            | Command::Completion(_)
            | Command::Help(_),
        ) => Partial::default(),
    };
    Some(Partial {
        has_command,
        ..partial
    })
}

/// Returns the commands in alphabetical order, each with its description.
pub fn commands() -> BTreeMap<String, String> {
    let command = command();
    let commands = command.get_subcommands();
    commands
        .map(|command| {
            let about = command.get_about().map(ToString::to_string);
            (command.get_name().to_owned(), about.unwrap_or_default())
        })
        .collect()
}
