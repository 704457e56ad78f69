//! Watching a set: docs/contract.md, "Flags of every kubectl user".

use anyhow::{Result, bail};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, ValueHint};
use jiff::SignedDuration;

use super::PlanArgs;
use crate::output::Format;
use crate::request::{ChangeCommand, WatchRequest};
use kubectl_config::parse_duration;

/// Repetition: one plan, or a new one with each change of the cluster.
#[derive(Debug, Args)]
#[command(next_help_heading = "Watching")]
pub struct Watch {
    /// Watch a rollout against its plan
    ///
    /// The plan is computed anew at every change of the set in the cluster, with what happened against what was
    /// predicted. Ends when the set is complete (exit code 0), blocked (3), or gone (0 if its deletion was seen, else
    /// 1). With -o json, each plan is one line. With --then, --stages or --grow it names the stage that the cluster is in and
    /// whether the next may begin, and ends with the last. On a terminal, -A, -l or several names show all their sets on one screen,
    /// the stuck ones on top, until q.
    #[arg(short, long)]
    pub watch: bool,

    /// End a watch after this time, with exit code 1
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, requires = "watch")]
    pub timeout: Option<SignedDuration>,

    /// Run a command on each change of the plan
    ///
    /// The shell runs it (sh -c; cmd /C on Windows) with the plan as one line of JSON on standard input, as -o json
    /// writes it, and the change in one sentence in STS_PLAN_MESSAGE. The first plan is no change; a step that is late is
    /// one. Runs do not overlap: of several changes during a run, the next one gets the newest. A run that fails is a
    /// warning, and the watch goes on.
    #[arg(long, value_name = "CMD", value_hint = ValueHint::CommandString, requires = "watch")]
    pub on_change: Option<String>,

    /// End a run of --on-change that takes longer
    ///
    /// With everything that it has started.
    #[arg(
        long,
        value_name = "DURATION",
        value_parser = parse_duration,
        default_value = "1m",
        requires = "on_change"
    )]
    pub on_change_timeout: SignedDuration,
}

/// The groups of flags that a watch has no use for; the first of them only without stages.
const UNUSED: [&str; 5] = ["Change", "Nodes", "Questions", "Gate", "Output"];
/// The flags of them that it has.
const USED: [&str; 2] = ["output", "ignore"];

/// Returns the request that the arguments of a plan make with `-w`.
///
/// # Errors
/// When there are flags that a watch has no use for.
pub(super) fn request(args: PlanArgs, matches: &ArgMatches) -> Result<WatchRequest> {
    if !args.input.filename.is_empty() {
        bail!("-w watches a cluster, and nothing happens in files: leave -f out, or -w");
    }
    if args.moment.now.is_some() {
        bail!("-w goes by the clock: leave --now out");
    }
    // Those of the first stage are of a change that is planned.
    let first_unused = usize::from(!args.stages.is_empty());
    if let Some((group, flag)) = unused(matches, &UNUSED[first_unused..], &USED) {
        if group == "Change" || group == "Nodes" {
            bail!(
                "-w watches what happens, and --{flag} asks what would: make the change and watch, or plan it with \
                 --save and verify it later"
            );
        }
        bail!("--{flag} has no use with -w");
    }
    if !args.assumptions.more_nodes().is_empty() {
        bail!("-w watches what happens: leave --assume nodes+N=NODE out");
    }
    if let Some(grant) = args.assumptions.grants().next() {
        bail!("-w watches what happens: leave --assume {grant} out");
    }
    let asked = args.output.output.clone();
    let Some(format @ (Format::Table | Format::Json | Format::Yaml)) = asked.plain() else {
        bail!("-o {asked} is of one moment: -w writes table, json or yaml");
    };
    let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    if let Some(refusal) = args.change.needs_server_side(given) {
        bail!(refusal);
    }
    let timeout = args.watch.timeout.map(SignedDuration::unsigned_abs);
    let on_change = args.watch.on_change.clone().map(|line| ChangeCommand {
        line,
        timeout: args.watch.on_change_timeout.unsigned_abs(),
    });
    let plan = args.request(Vec::new())?;
    Ok(WatchRequest {
        world: plan.world.clone(),
        selection: plan.selection.clone(),
        controller: plan.controller.clone(),
        assumptions: plan.assumptions.clone(),
        silence: plan.gates.silence.clone(),
        format,
        display: plan.output.display,
        timeout,
        on_change,
        stages: plan.stages.is_some().then(|| Box::new(plan)),
    })
}

/// The first flag that was given of these groups and is not one of those that are used, with its group.
pub(super) fn unused(
    matches: &ArgMatches,
    groups: &[&str],
    used: &[&str],
) -> Option<(String, String)> {
    let command = super::command();
    let all = command.get_groups();
    for group in all.filter(|group| groups.contains(&group.get_id().as_str())) {
        for id in group.get_args().map(clap::Id::as_str) {
            let given = matches.value_source(id) == Some(ValueSource::CommandLine);
            if given && !used.contains(&id) {
                let argument = command.get_arguments().find(|one| one.get_id() == id);
                let flag = argument.and_then(clap::Arg::get_long).unwrap_or(id);
                return Some((group.get_id().to_string(), flag.to_owned()));
            }
        }
    }
    None
}
