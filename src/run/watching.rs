//! `-w`: from flags to a watch, and from how it ends to an exit code.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use jiff::SignedDuration;

use super::{current_time, refuse_flags, style};
use crate::cli::Args;
use crate::cli::exit::Exit;
use crate::input::gather::{Gathered, gather_to_watch};

use crate::commands::watch::{Desk, Ended, Mode, Screen, Subject, watch};
use crate::input::resolve;
use crate::output::{Format, escape};

/// What a watch has a use for, besides all that says which set of which cluster it is and how it is planned.
const FLAGS: [&str; 6] = [
    "names",
    "output",
    "no_headers",
    "color",
    "verbose",
    "ignore",
];
const HEADINGS: [&str; 5] = [
    "Assumptions",
    "Connection",
    "Controller",
    "Selection",
    "Watching",
];

/// A terminal, as far as it matters to a watch.
pub(super) struct Terminal<'t> {
    /// Whether it can be drawn on anew.
    pub(super) redraws: bool,
    /// How many rows it has at this moment.
    pub(super) rows: &'t dyn Fn() -> Option<usize>,
}

/// Watches the one set that the command line names.
pub(super) fn execute(
    args: &Args,
    matches: &clap::ArgMatches,
    terminal: &Terminal<'_>,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> Result<Exit> {
    if !args.input.filename.is_empty() {
        bail!("-w watches a cluster, and nothing happens in files: leave -f out, or -w");
    }
    if args.assumptions.now.is_some() {
        bail!("-w goes by the clock: leave --now out");
    }
    refuse_flags(matches, &FLAGS, &HEADINGS, |flag, heading| match heading {
        "Change" => format!(
            "-w watches what happens, and --{flag} asks what would: make the change and watch, or plan it with \
             --save and verify it later"
        ),
        _ => format!("--{flag} has no use with -w"),
    })?;
    if args.selection.all_namespaces {
        bail!("-w watches one set: leave -A out and name it, with its namespace in -n");
    }
    let asked = &args.output.output;
    let Some(format @ (Format::Table | Format::Json | Format::Yaml)) = asked.plain() else {
        bail!("-o {asked} is of one moment: -w writes table, json or yaml");
    };
    let (cluster, gathered) = gather_to_watch(args, current_time())?;
    let subject = subject(args, gathered)?;
    let looks = || style(args, format == Format::Table);
    let redraws = terminal.redraws && format == Format::Table;
    let mode = if redraws { Mode::Redraw } else { Mode::Append };
    let mut screen = Screen {
        desk: Desk::new(mode, stdout, terminal.rows),
        stderr,
        format,
        style: &looks,
        clock: current_time,
        silence: args.gate.silence(),
        told: BTreeSet::new(),
        headline: String::new(),
    };
    let timeout = args.watch.timeout.map(SignedDuration::unsigned_abs);
    let ended = cluster.block_on(watch(cluster.link(), &subject, timeout, &mut screen));
    let left = screen.desk.leave().context("cannot write the plan");
    let Screen {
        headline, stderr, ..
    } = screen;
    let ended = ended?;
    left?;
    let set = format!("{}/{}", subject.namespace, subject.name);
    let set = escape(&set);
    Ok(match ended {
        Ended::Complete => Exit::Done,
        Ended::Blocked => Exit::Blocked,
        Ended::Interrupted => Exit::Interrupted,
        Ended::Gone { foreseen } => {
            writeln!(stderr, "StatefulSet {set} is gone")?;
            if foreseen { Exit::Done } else { Exit::Error }
        }
        Ended::TimedOut => {
            let state = match headline.as_str() {
                "" => "nothing was seen of it yet".to_owned(),
                headline => escape(headline).into_owned(),
            };
            bail!("timed out, and StatefulSet {set} is not complete: {state}")
        }
    })
}

/// The one set to watch.
fn subject(args: &Args, gathered: Gathered) -> Result<Subject> {
    let Gathered {
        conditions,
        loaded,
        applied,
        source,
    } = gathered;
    let selected = resolve::select(args, &loaded, &applied)?;
    if let Some(missing) = selected.missing.into_iter().next() {
        return Err(missing.error);
    }
    let targets = selected.targets;
    let [target] = &targets[..] else {
        bail!(
            "-w watches one set, and {} were asked for: name one of them",
            targets.len()
        );
    };
    let (namespace, name) = (target.namespace().to_owned(), target.name().to_owned());
    let snapshot = loaded
        .inventory
        .snapshot(&namespace, &name)
        .with_context(|| format!("StatefulSet {namespace}/{name} is not there"))?;
    Ok(Subject {
        uid: snapshot.set.meta.uid.to_string(),
        surroundings: Arc::clone(&loaded.inventory.surroundings()),
        namespace,
        name,
        conditions,
        source,
    })
}
