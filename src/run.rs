//! The one place that sees every stage: arguments in, a plan out. Reads the clock and the terminal, once.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use clap::{CommandFactory, FromArgMatches};
use jiff::Timestamp;

use crate::args::{Args, Color, ReadyAfter};
use crate::controller::{Gates, Rules, Version};
use crate::exit::Exit;
use crate::load::{self, Loaded, Reader};
use crate::plan::{Conditions, Plan, VersionSource};
use crate::render::{self, Format, Style, escape};
use crate::report::Report;
use crate::snapshot::{Selector, Set, Snapshot};
use crate::versions;

/// Words in the place of a name that stand for something else than a set of that name.
const RESERVED: [&str; 5] = ["completion", "schema", "rbac", "explain", "verify"];
/// The kinds that a set's name may be given with.
const SET_KINDS: [&str; 4] = ["sts", "statefulset", "statefulsets", "statefulsets.apps"];

/// Runs the program with these arguments, the first of which is its own name.
pub fn run(
    args: impl IntoIterator<Item = OsString>,
    stdin: &mut dyn Read,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> Exit {
    let args: Vec<OsString> = args.into_iter().collect();
    let matches = match command(args.first()).try_get_matches_from(&args) {
        Ok(matches) => matches,
        Err(error) => {
            report_usage(&error, &args, stderr);
            return if error.use_stderr() {
                Exit::Error
            } else {
                Exit::Done
            };
        }
    };
    let result = Args::from_arg_matches(&matches)
        .map_err(anyhow::Error::from)
        .and_then(|args| execute(&args, stdin, stdout, stderr));
    match result {
        Ok(exit) => exit,
        // Whoever reads the output has seen enough of it.
        Err(error) if is_broken_pipe(&error) => Exit::Done,
        Err(error) => {
            let _ = writeln!(stderr, "error: {}", escape(&format!("{error:#}")));
            Exit::Error
        }
    }
}

/// Prints what clap has to say: in colour where the terminal has it, unless that would hand it characters which
/// do something to it.
fn report_usage(error: &clap::Error, args: &[OsString], stderr: &mut dyn Write) {
    let safe = |arg: &OsString| matches!(escape(&arg.to_string_lossy()), Cow::Borrowed(_));
    if !error.use_stderr() || args.iter().all(safe) {
        let _ = error.print();
        return;
    }
    for line in error.render().to_string().lines() {
        let _ = writeln!(stderr, "{}", escape(line));
    }
}

/// The command under the name that the user called it by.
fn command(program: Option<&OsString>) -> clap::Command {
    let name = program
        .and_then(|program| std::path::Path::new(program).file_stem()?.to_str())
        .unwrap_or("kubectl-sts_plan");
    let shown = if name.starts_with("kubectl-") {
        "kubectl sts-plan"
    } else {
        name
    };
    Args::command().bin_name(shown).display_name(shown)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn execute(
    args: &Args,
    stdin: &mut dyn Read,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> Result<Exit> {
    if args.names == ["versions"] {
        versions::print(!args.no_headers, stdout)?;
        return Ok(Exit::Done);
    }
    if let Some(name) = args
        .names
        .first()
        .filter(|name| RESERVED.contains(&name.as_str()))
    {
        bail!("{name:?} comes in a later version; to plan a set of that name, write sts/{name}");
    }
    let names = set_names(&args.names)?;
    if args.filename.is_empty() {
        bail!(
            "live clusters come in the next version: give the objects with -f, such as kubectl get \
             sts,po,pvc,controllerrevisions -o yaml | kubectl sts-plan -f -"
        );
    }
    let conditions = conditions(args)?;
    let loaded = load(args, &conditions, stdin)?;
    for warning in &loaded.warnings {
        writeln!(stderr, "warning: {}", escape(warning))?;
    }
    if args.verbose {
        for (kind, count) in &loaded.skipped {
            writeln!(stderr, "skipped: {count} of kind {}", escape(kind))?;
        }
    }
    let snapshots = select(args, &names, &loaded)?;
    let plans: Vec<Plan> = snapshots
        .into_iter()
        .map(|snapshot| Plan::new(snapshot, conditions.clone()))
        .collect();
    let reports: Vec<Report> = plans.iter().map(Report::new).collect();
    let mut out = io::BufWriter::new(stdout);
    render::render(args.output, &reports, &style(args), &mut out)
        .context("cannot write the plan")?;
    out.flush().context("cannot write the plan")?;
    let worst = plans.iter().map(Exit::of).max().unwrap_or(Exit::Done);
    Ok(if args.detailed_exitcode {
        worst
    } else {
        Exit::Done
    })
}

/// The names of sets without the kinds that they may be given with.
fn set_names(given: &[String]) -> Result<Vec<String>> {
    given
        .iter()
        .map(|text| match text.split_once('/') {
            None => Ok(text.clone()),
            Some((kind, name)) if SET_KINDS.contains(&kind.to_ascii_lowercase().as_str()) => {
                Ok(name.to_owned())
            }
            Some((kind, _)) => Err(anyhow!(
                "{text:?} is no StatefulSet: {kind:?} is another kind; write a name, or sts/NAME"
            )),
        })
        .collect()
}

/// The controller, the clock and the kubelet that were asked for.
fn conditions(args: &Args) -> Result<Conditions> {
    let asked = args.kubernetes_version.unwrap_or(Version::NEWEST);
    // A version from the future behaves as the newest one known, as far as anyone can tell.
    let known = asked.or_newest();
    let gates = Gates::new(known, &args.gates())?;
    let rules = Rules {
        version: asked,
        ..Rules::new(known, &gates)
    };
    Ok(Conditions {
        now: args.now.unwrap_or_else(current_time),
        rules,
        gates,
        version_source: if args.kubernetes_version.is_some() {
            VersionSource::Flag
        } else {
            VersionSource::Default
        },
        ready_after: match args.ready_after {
            ReadyAfter::Auto => None,
            ReadyAfter::Fixed(after) => Some(after),
        },
        gone_after: args.gone_after,
        assumptions: args.assumptions(),
    })
}

/// The current time, to the second, as the API has its timestamps.
#[expect(clippy::disallowed_methods, reason = "the one reading of the clock")]
fn current_time() -> Timestamp {
    let now = std::time::SystemTime::now();
    let seconds = Timestamp::try_from(now).map_or(0, |now| now.as_second());
    Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn load(args: &Args, conditions: &Conditions, stdin: &mut dyn Read) -> Result<Loaded> {
    let reading = load::read_paths(&args.filename, args.recursive, stdin)?;
    let namespace = args.namespace.as_deref().unwrap_or("default");
    Ok(load::load(
        reading,
        &Reader {
            namespace,
            api: &conditions.rules.api,
        },
    )?)
}

/// The sets that were asked for.
fn select(args: &Args, names: &[String], loaded: &Loaded) -> Result<Vec<Snapshot>> {
    let selector: Option<Selector> = args
        .selector
        .as_deref()
        .map(|text| text.parse().with_context(|| format!("--selector {text:?}")))
        .transpose()?;
    let namespace = args.namespace.as_deref().filter(|_| !args.all_namespaces);
    let candidates: Vec<_> = loaded
        .inventory
        .sets()
        .filter(|set| namespace.is_none_or(|namespace| &*set.meta.namespace == namespace))
        .filter(|set| {
            selector
                .as_ref()
                .is_none_or(|selector| selector.matches(&set.meta.labels))
        })
        .collect();
    let mut chosen = Vec::new();
    for name in names {
        let found: Vec<_> = candidates
            .iter()
            .copied()
            .filter(|set| *set.meta.name == **name)
            .collect();
        match found.as_slice() {
            [] => bail!("{}", not_found(name, namespace, loaded)),
            [set] => chosen.push(*set),
            several => {
                let namespaces: Vec<&str> =
                    several.iter().map(|set| &*set.meta.namespace).collect();
                bail!(
                    "StatefulSet {name:?} is in several namespaces ({}): choose one with -n",
                    namespaces.join(", ")
                );
            }
        }
    }
    if names.is_empty() {
        chosen = candidates;
    }
    if chosen.is_empty() {
        bail!("{}", nothing_found(args, loaded));
    }
    let snapshot = |set: &Arc<Set>| {
        loaded
            .inventory
            .snapshot(&set.meta.namespace, &set.meta.name)
            .ok_or_else(|| anyhow!("StatefulSet {:?} is not in the input", &*set.meta.name))
    };
    chosen.into_iter().map(snapshot).collect()
}

fn not_found(name: &str, namespace: Option<&str>, loaded: &Loaded) -> String {
    let there: Vec<String> = loaded
        .inventory
        .sets()
        .take(5)
        .map(|set| format!("{}/{}", set.meta.namespace, set.meta.name))
        .collect();
    let within = namespace
        .map(|namespace| format!(" in namespace {namespace:?}"))
        .unwrap_or_default();
    let there = if there.is_empty() {
        "none at all".to_owned()
    } else {
        there.join(", ")
    };
    format!("StatefulSet {name:?} is not in the input{within}; there is {there}")
}

fn nothing_found(args: &Args, loaded: &Loaded) -> String {
    let all = loaded.inventory.sets().count();
    if all > 0 {
        let mut filters = Vec::new();
        filters.extend(
            args.namespace
                .as_ref()
                .map(|namespace| format!("-n {namespace}")),
        );
        filters.extend(
            args.selector
                .as_ref()
                .map(|selector| format!("-l {selector}")),
        );
        let filters = filters.join(" ");
        return match all {
            1 => format!("the one StatefulSet of the input does not match {filters}"),
            _ => format!("none of the {all} StatefulSets of the input matches {filters}"),
        };
    }
    let skipped: usize = loaded.skipped.values().sum();
    match skipped {
        0 => "there is no StatefulSet in the input".to_owned(),
        _ => format!(
            "there is no StatefulSet in the input, only {} ({})",
            match skipped {
                1 => "1 object of another kind".to_owned(),
                _ => format!("{skipped} objects of other kinds"),
            },
            loaded
                .skipped
                .keys()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}

/// How text may look where it goes.
fn style(args: &Args) -> Style {
    let terminal = io::stdout();
    let color = match args.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => anstream::AutoStream::choice(&terminal) != anstream::ColorChoice::Never,
    };
    let width = terminal
        .is_terminal()
        .then(terminal_size::terminal_size)
        .flatten()
        .map(|(width, _)| usize::from(width.0));
    Style {
        color: color && args.output == Format::Table,
        width,
        headers: !args.no_headers,
        verbose: args.verbose,
    }
}
