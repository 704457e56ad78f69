//! The one place that sees every stage: arguments in, a plan out. Reads the clock and the terminal, once.

mod watching;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};

use anyhow::{Context, Result, bail};
use clap::FromArgMatches;
use clap::parser::ValueSource;
use jiff::Timestamp;

use crate::cli;
use crate::cli::exit::Exit;
use crate::cli::fail_on;
use crate::cli::policy;
use crate::cli::policy::Policy;
use crate::cli::{Args, Color};
use crate::commands::completion;
use crate::commands::plan::Plans;
use crate::commands::{rbac, verify, versions};
use crate::input::gather;
use crate::input::gather::{gather, gather_sets};
use crate::output;
use crate::output::atomic;
use crate::output::files::Outputs;
use crate::output::{Format, Style, escape};
use sts_plan::findings;
use sts_plan::lint;
use sts_plan::report::{ReportList, plan_schema};

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
        .map(Args::without_empty)
        .map_err(anyhow::Error::from)
        .and_then(|args| with_policy(args, &matches))
        .and_then(|args| match args.names.first() {
            Some(name) if name == verify::COMMAND => {
                let about = |flag: &str, _: &str| {
                    format!("--{flag} is for making a plan: verify takes the plan as it was saved")
                };
                refuse_flags(&matches, &VERIFY_FLAGS, &VERIFY_HEADINGS, about)?;
                execute_verify(&args, stdin, stdout, stderr)
            }
            _ if args.watch.watch => {
                let terminal = watching::Terminal {
                    redraws: is_drawable(),
                    rows: &rows,
                };
                watching::execute(&args, &matches, &terminal, stdout, stderr)
            }
            _ => execute(&args, stdin, stdout, stderr),
        });
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

/// The arguments with what a policy says where the command line says nothing.
fn with_policy(mut args: Args, matches: &clap::ArgMatches) -> Result<Args> {
    if let Some(path) = &args.gate.policy {
        let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        Policy::read(path)?.fill(&mut args, given);
    }
    Ok(args)
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
    cli::command().bin_name(shown).display_name(shown)
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
        versions::print(!args.output.no_headers, stdout)?;
        return Ok(Exit::Done);
    }
    match args.names.split_first() {
        Some((word, rest)) if word == "completion" => return print_completion(rest, stdout),
        Some((word, rest)) if word == "schema" => return print_schema(rest, stdout),
        Some((word, ids)) if word == "explain" => return explain_rules(ids, stdout),
        Some((word, [])) if word == "rbac" => {
            rbac::print(&gather::grant(args)?, stdout)?;
            return Ok(Exit::Done);
        }
        Some((word, _)) if word == "rbac" => {
            bail!("rbac takes no names: a role is for a namespace (-n), or for all of them (-A)")
        }
        _ => {}
    }
    if args.selection.all_namespaces && !args.names.is_empty() {
        bail!(
            "-A plans all sets of all namespaces: leave the names out, or choose a namespace with -n"
        );
    }
    let outputs = Outputs::new(&args.output)?;
    let now = args.assumptions.now.unwrap_or_else(current_time);
    let mut plans = Plans::new(args, outputs.needs(), style(args, false).width);
    gather(args, now, stdin, &mut |gathered| plans.take(&gathered))?;
    plans.complete()?;
    let (failed, reasons) = fail_on::judge(&args.gate.fail_on, &plans.reports);
    let worst = plans.worst.worse(failed);
    for warning in &plans.warnings {
        writeln!(stderr, "warning: {}", escape(warning))?;
    }
    if args.output.verbose {
        for (kind, count) in &plans.skipped {
            writeln!(stderr, "skipped: {count} of kind {}", escape(kind))?;
        }
        for line in findings::silenced(&plans.reports) {
            writeln!(stderr, "silenced: {}", escape(&line))?;
        }
    }
    for error in &plans.errors {
        let set = error.set();
        let message = &error.outcome.message;
        writeln!(stderr, "error: {}: {}", escape(&set), escape(message))?;
    }
    for reason in &reasons {
        writeln!(stderr, "failed on {}", escape(reason))?;
    }
    if let Some(path) = &args.output.save {
        save_plans(
            path,
            ReportList::new(&plans.saved).with_errors(&plans.errors),
        )?;
        if args.output.verbose {
            writeln!(stderr, "saved: {}", escape(&path.to_string_lossy()))?;
        }
    }
    let list = ReportList::new(&plans.reports).with_errors(&plans.errors);
    outputs.write(list, &style(args, outputs.has_colors()), stdout)?;
    Ok(worst)
}

/// `explain [ID]...`: the pages of rules, or all of them in a line each.
fn explain_rules(ids: &[String], stdout: &mut dyn Write) -> Result<Exit> {
    if ids.is_empty() {
        for rule in lint::RULES {
            writeln!(stdout, "{}  {:<31}{}", rule.id, rule.name, rule.title)?;
        }
        return Ok(Exit::Done);
    }
    let rules: Result<Vec<_>> = ids
        .iter()
        .map(|id| lint::rule(id).with_context(|| lint::unknown_id(id)))
        .collect();
    let pages: Vec<String> = rules?.into_iter().map(lint::page).collect();
    write!(stdout, "{}", pages.join("\n"))?;
    Ok(Exit::Done)
}

/// `completion SHELL`.
fn print_completion(shells: &[String], stdout: &mut dyn Write) -> Result<Exit> {
    let [shell] = shells else {
        bail!("write completion and one shell: bash, zsh, fish or powershell");
    };
    completion::print_script(shell.parse()?, stdout)?;
    Ok(Exit::Done)
}

/// `schema [plan|policy]`.
fn print_schema(of: &[String], stdout: &mut dyn Write) -> Result<Exit> {
    let of: Vec<&str> = of.iter().map(String::as_str).collect();
    let schema = match of[..] {
        [] | ["plan"] => plan_schema(),
        ["policy"] => policy::schema(),
        _ => bail!(
            "there are the schema of a plan and of a policy: write schema plan or schema policy"
        ),
    };
    writeln!(stdout, "{schema:#}").context("cannot write the schema")?;
    Ok(Exit::Done)
}

/// What `verify` has a use for, besides all that says where the world is.
const VERIFY_FLAGS: [&str; 7] = [
    "names",
    "namespace",
    "now",
    "output",
    "color",
    "verbose",
    "detailed_exitcode",
];
const VERIFY_HEADINGS: [&str; 2] = ["Input", "Connection"];

/// Refuses every flag but these and those under these headings, with what `why` makes of flag and heading.
fn refuse_flags(
    matches: &clap::ArgMatches,
    flags: &[&str],
    headings: &[&str],
    why: impl Fn(&str, &str) -> String,
) -> Result<()> {
    for arg in cli::command().get_arguments() {
        let id = arg.get_id().as_str();
        let given = matches.value_source(id) == Some(ValueSource::CommandLine);
        let heading = arg.get_help_heading().unwrap_or_default();
        if given && !flags.contains(&id) && !headings.contains(&heading) {
            bail!("{}", why(arg.get_long().unwrap_or(id), heading));
        }
    }
    Ok(())
}

fn execute_verify(
    args: &Args,
    stdin: &mut dyn Read,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> Result<Exit> {
    let file = verify::plan_file(args)?;
    let from_stdin = args
        .input
        .filename
        .iter()
        .filter(|path| *path == "-")
        .count();
    if from_stdin + usize::from(file == "-") > 1 {
        bail!("standard input can be read only once: give '-' once");
    }
    let plans = verify::read_plans(file, stdin)?;
    let sets: Vec<_> = plans
        .iter()
        .map(|plan| (plan.namespace.as_str(), plan.name.as_str()))
        .collect();
    let now = args.assumptions.now.unwrap_or_else(current_time);
    let loaded = gather_sets(args, now, &sets, stdin)?;
    verify::warn(&loaded, stderr)?;
    let mut out = io::BufWriter::new(stdout);
    let style = style(args, args.output.output.plain() == Some(Format::Table));
    let exit = verify::verify(&plans, &loaded, now, args, &style, &mut out)?;
    out.flush().context("cannot write the verification")?;
    Ok(exit)
}

/// Saves plans as JSON.
fn save_plans(path: &std::path::Path, plans: ReportList<'_>) -> Result<()> {
    let mut text = Vec::new();
    output::render(Format::Json, plans, &Style::default(), &mut text)?;
    atomic::write_file(path, &text)
        .with_context(|| format!("cannot save the plan to {}", path.display()))
}

/// The current time, to the second, as the API has its timestamps.
#[expect(clippy::disallowed_methods, reason = "the one reading of the clock")]
fn current_time() -> Timestamp {
    let now = std::time::SystemTime::now();
    let seconds = Timestamp::try_from(now).map_or(0, |now| now.as_second());
    Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Whether standard output is a terminal that can be drawn on anew.
fn is_drawable() -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdout().is_terminal() && !dumb
}

/// How many rows the terminal has.
fn rows() -> Option<usize> {
    terminal_size::terminal_size().map(|(_, height)| usize::from(height.0))
}

/// How text may look where it goes.
fn style(args: &Args, has_colors: bool) -> Style {
    let terminal = io::stdout();
    let color = match args.output.color {
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
        color: color && has_colors,
        width,
        headers: !args.output.no_headers,
        verbose: args.output.verbose,
        full_names: false,
        verbatim: !terminal.is_terminal(),
    }
}
