//! Watching a set: docs/contract.md, "Flags of every kubectl user".

use anyhow::{Result, bail};
use clap::Args;
use clap::parser::ValueSource;
use jiff::SignedDuration;

use super::PlanArgs;
use super::duration::parse_duration;
use super::plan::world;
use crate::output::Format;
use crate::request::WatchRequest;

/// Whether the plan is made once, or again and again.
#[derive(Debug, Args)]
#[command(next_help_heading = "Watching")]
pub struct Watch {
    /// Watch a rollout against its plan
    ///
    /// The plan is computed anew at every change of the set in the cluster, with what happened against what was
    /// predicted. Ends when the set is complete (exit code 0), blocked (3), or gone (0 if its deletion was seen, else
    /// 1). With -o json, each plan is one line.
    #[arg(short, long)]
    pub watch: bool,

    /// End a watch after this time, with exit code 1
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, requires = "watch")]
    pub timeout: Option<SignedDuration>,
}

/// The groups of flags that a watch has no use for, but for [`USED`].
const UNUSED: [&str; 4] = ["Change", "Questions", "Gate", "Output"];
const USED: [&str; 2] = ["output", "ignore"];

/// What the arguments of a plan ask for with `-w`.
///
/// # Errors
/// When there are flags that a watch has no use for.
pub(super) fn request(args: PlanArgs, matches: &clap::ArgMatches) -> Result<WatchRequest> {
    if !args.input.filename.is_empty() {
        bail!("-w watches a cluster, and nothing happens in files: leave -f out, or -w");
    }
    if args.moment.now.is_some() {
        bail!("-w goes by the clock: leave --now out");
    }
    refuse_unused(matches)?;
    if args.selection.all_namespaces {
        bail!("-w watches one set: leave -A out and name it, with its namespace in -n");
    }
    let asked = args.output.output;
    let Some(format @ (Format::Table | Format::Json | Format::Yaml)) = asked.plain() else {
        bail!("-o {asked} is of one moment: -w writes table, json or yaml");
    };
    let silence = args.gate.suppress();
    Ok(WatchRequest {
        world: world(args.input, args.connection, args.namespace, true),
        selection: args.selection.of(args.names),
        controller: args.controller.into(),
        assumptions: args.assumptions.into(),
        silence,
        format,
        display: args.display.into(),
        timeout: args.watch.timeout.map(SignedDuration::unsigned_abs),
    })
}

/// Refuses the first flag that a watch has no use for.
fn refuse_unused(matches: &clap::ArgMatches) -> Result<()> {
    let command = super::command();
    for group in command.get_groups() {
        let group_id = group.get_id().as_str();
        if !UNUSED.contains(&group_id) {
            continue;
        }
        for id in group.get_args().map(clap::Id::as_str) {
            let given = matches.value_source(id) == Some(ValueSource::CommandLine);
            if !given || USED.contains(&id) {
                continue;
            }
            let argument = command.get_arguments().find(|one| one.get_id() == id);
            let flag = argument.and_then(clap::Arg::get_long).unwrap_or(id);
            if group_id == "Change" {
                bail!(
                    "-w watches what happens, and --{flag} asks what would: make the change and watch, or plan it \
                     with --save and verify it later"
                );
            }
            bail!("--{flag} has no use with -w");
        }
    }
    Ok(())
}
