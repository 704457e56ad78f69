//! Flags for watching: docs/contract.md, "Flags of every kubectl user".

use anyhow::{Result, bail};
use clap::{ArgMatches, Args, ValueHint};
use jiff::SignedDuration;

use super::PlanArgs;
use super::required::is_given;
use crate::output::Format;
use crate::request::{ChangeCommand, ChangeState, WatchRequest};
use kubectl_config::parse_duration;

/// Watching: a new plan on every change in the cluster.
#[derive(Debug, Args)]
#[command(next_help_heading = "Watching")]
pub struct Watch {
    /// Watch a rollout and compare it with its plan
    ///
    /// Prints a line for each change, or the whole new plan with -v, and at the end how long the rollout took. Ends when
    /// the set is complete (exit code 0), blocked (3), or gone (0 if the watch saw its deletion, else 1). With -o json,
    /// each plan is one line, with -o summary its result. With
    /// --then, --stages or --grow, shows the current stage and whether the next one can begin, and ends with the last
    /// stage. On a terminal, -A, -l or several names show all sets on one screen, stuck ones first, until you press q.
    #[arg(short, long)]
    pub watch: bool,

    /// Stop watching after this time, with exit code 1
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub timeout: Option<SignedDuration>,

    /// Run a command on every change, or only if it is blocked or done
    ///
    /// 'blocked,done=CMD' runs CMD when the rollout becomes blocked or is done; blocked=CMD and done=CMD are for one of
    /// them. The shell (sh -c; cmd /C on Windows) gets the plan on standard input, as one line of -o json, and the change as
    /// a sentence in STS_PLAN_MESSAGE. The first plan is not a change; a late step is. Runs do not overlap: after
    /// several changes during a run, the next run gets the latest. A failed run prints a warning, and the watch
    /// continues.
    #[arg(long, value_name = "[WHEN=]CMD", value_hint = ValueHint::CommandString, value_parser = parse_on_change)]
    pub on_change: Option<OnChange>,

    /// Timeout for each run of --on-change
    ///
    /// Also terminates all processes that the run started.
    #[arg(
        long,
        value_name = "DURATION",
        value_parser = parse_duration,
        default_value = "1m"
    )]
    pub on_change_timeout: SignedDuration,
}

/// The value of `--on-change`.
#[derive(Debug, Clone)]
pub struct OnChange {
    on: Vec<ChangeState>,
    line: String,
}

/// Parses `CMD` or `WHEN=CMD`. Any other word before `=` belongs to the command.
fn parse_on_change(text: &str) -> Result<OnChange, String> {
    let state = |word: &str| match word.trim() {
        "blocked" => Some(ChangeState::Blocked),
        "done" => Some(ChangeState::Done),
        _ => None,
    };
    let (on, line) = text
        .split_once('=')
        .and_then(|(words, line)| Some((words.split(',').map(state).collect::<Option<_>>()?, line)))
        .unwrap_or((Vec::new(), text));
    match line.trim() {
        "" => Err("missing command: write CMD or blocked,done=CMD".to_owned()),
        _ => Ok(OnChange {
            on,
            line: line.to_owned(),
        }),
    }
}

/// Argument groups that do not apply to a watch. With stages, the first one does.
const UNUSED: [&str; 5] = ["Change", "Nodes", "Questions", "Gate", "Output"];
/// Flags of these groups that do apply.
const USED: [&str; 2] = ["output", "ignore"];

/// Returns the request of `-w`.
///
/// # Errors
/// When a flag does not apply to a watch.
pub(super) fn request(args: PlanArgs, matches: &ArgMatches) -> Result<WatchRequest> {
    if !args.input.filename.is_empty() {
        bail!("-w watches a live cluster and cannot be combined with -f: use only one of them");
    }
    if args.moment.now.is_some() {
        bail!("-w uses the current time: omit --now");
    }
    // With stages, the flags of a change are the first stage.
    let first_unused = usize::from(!args.stages.is_empty());
    if let Some((group, flag)) = unused(matches, &UNUSED[first_unused..], &USED) {
        if group == "Change" || group == "Nodes" {
            bail!(
                "-w watches the live cluster, and --{flag} is a planned change: make the change and watch, or plan it \
                 with --save and verify it later"
            );
        }
        bail!("--{flag} cannot be used with -w");
    }
    if !args.assumptions.more_nodes().is_empty() {
        bail!("-w watches the live cluster: omit --assume nodes+N=NODE");
    }
    if let Some(grant) = args.assumptions.grants().next() {
        bail!("-w watches the live cluster: omit --assume {grant}");
    }
    let asked = args.output.output.clone();
    let Some(format @ (Format::Table | Format::Summary | Format::Json | Format::Yaml)) =
        asked.plain()
    else {
        bail!("unsupported format with -w: -o {asked}; use table, summary, json or yaml");
    };
    let given = |id: &str| is_given(matches, id);
    if let Some(refusal) = args.change.needs_server_side(given) {
        bail!(refusal);
    }
    let timeout = args.watch.timeout.map(SignedDuration::unsigned_abs);
    let on_change = args.watch.on_change.clone().map(|it| ChangeCommand {
        line: it.line,
        on: it.on,
        timeout: args.watch.on_change_timeout.unsigned_abs(),
    });
    Ok(WatchRequest {
        plan: args.request(Vec::new())?,
        format,
        timeout,
        on_change,
    })
}

/// Returns the first flag on the command line that is in one of these groups and not in `used`, with its group.
pub(super) fn unused(
    matches: &ArgMatches,
    groups: &[&str],
    used: &[&str],
) -> Option<(String, String)> {
    let command = super::command();
    let all = command.get_groups();
    for group in all.filter(|group| groups.contains(&group.get_id().as_str())) {
        for id in group.get_args().map(clap::Id::as_str) {
            if is_given(matches, id) && !used.contains(&id) {
                let argument = command.get_arguments().find(|one| one.get_id() == id);
                let flag = argument.and_then(clap::Arg::get_long).unwrap_or(id);
                return Some((group.get_id().to_string(), flag.to_owned()));
            }
        }
    }
    None
}
