//! Runs a command from its arguments. Only this module reads the clock and the terminal.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};

use anyhow::Result;
use jiff::Timestamp;

use crate::cli;
use crate::cli::CliError;
use crate::cli::exit::Exit;
use crate::closing::UntilClosed;
use crate::commands::{
    Context, Terminal, demo, diff, dump, explain, next, plan, schema, verify, versions,
};
#[cfg(not(target_family = "wasm"))]
use crate::commands::{completion, interactive, rbac, watch};
use crate::output::escape;
use crate::request::Request;

/// Runs the program, or answers the completion request of a shell. The first argument is the program's name.
pub fn run(
    args: impl IntoIterator<Item = OsString>,
    stdin: &mut dyn Read,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> Exit {
    let args: Vec<OsString> = args.into_iter().collect();
    #[cfg(not(target_family = "wasm"))]
    match completion::answer(&args, std::env::current_dir().ok().as_deref(), stdout) {
        Ok(true) => return Exit::Done,
        Ok(false) => {}
        // A failed completion leaves the command line unchanged.
        Err(_) => return Exit::Error,
    }
    run_at(current_time, args, stdin, stdout, stderr)
}

/// Runs the program with another clock.
pub fn run_at(
    clock: fn() -> Timestamp,
    args: impl IntoIterator<Item = OsString>,
    stdin: &mut dyn Read,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> Exit {
    let args: Vec<OsString> = args.into_iter().collect();
    let result = match cli::read(&args) {
        Ok(request) => {
            let mut kept_stdout;
            let mut kept_stderr = UntilClosed::new(stderr);
            // A watch ends with its reader. Any other command goes on to its exit code.
            let stdout: &mut dyn Write = match ends_with_reader(&request) {
                true => stdout,
                false => {
                    kept_stdout = UntilClosed::new(stdout);
                    &mut kept_stdout
                }
            };
            let mut context = Context {
                stdin,
                stdout,
                stderr: &mut kept_stderr,
                clock,
                terminal: TERMINAL,
            };
            dispatch(&request, &mut context)
        }
        Err(CliError::Usage(error)) => return error.report(&args, stderr),
        Err(CliError::Wrong(error)) => Err(error),
    };
    match result {
        Ok(exit) => exit,
        // The reader of a watch has closed the pipe before the rollout was over.
        Err(error) if is_broken_pipe(&error) => Exit::Interrupted,
        Err(error) => {
            let _ = writeln!(stderr, "error: {}", escape(&format!("{error:#}")));
            Exit::Error
        }
    }
}

fn dispatch(request: &Request, context: &mut Context<'_>) -> Result<Exit> {
    match request {
        Request::Plan(request) => plan::run(request, context),
        Request::Next(request) => next::run(request, context),
        Request::Diff(request) => diff::run(request, context),
        Request::Versions { headers } => versions::run(*headers, context),
        _ => dispatch_beyond_page(request, context),
    }
}

/// Runs a command that the interactive page (`playground/`) does not have: the page plans, compares plans and lists
/// versions.
#[cfg(not(target_family = "wasm"))]
fn dispatch_beyond_page(request: &Request, context: &mut Context<'_>) -> Result<Exit> {
    match request {
        Request::Plan(_) | Request::Next(_) | Request::Diff(_) | Request::Versions { .. } => {
            Ok(Exit::Done)
        }
        Request::Verify(request) => verify::run(request, context),
        Request::Demos => demo::run(context),
        Request::Dump(request) => dump::run(request, context),
        Request::Explain { ids, catalogue } => explain::run(ids, *catalogue, context),
        Request::Schema(of) => schema::run(*of, context),
        Request::VersionDiff(request) => versions::diff(request, context),
        Request::Interactive(request) => interactive::run(request, context),
        Request::Watch(request) => watch::run(request, context),
        Request::Rbac(request) => rbac::run(request, context),
        Request::Completion(shell) => completion::run(*shell, context),
    }
}

/// Refuses a command that the interactive page does not have.
#[cfg(target_family = "wasm")]
fn dispatch_beyond_page(_: &Request, _: &mut Context<'_>) -> Result<Exit> {
    anyhow::bail!(
        "unsupported command on this page, which only plans files, compares plans and lists versions: run it in a shell"
    )
}

/// Reports whether a command is over when nobody reads its output any more.
#[cfg(not(target_family = "wasm"))]
fn ends_with_reader(request: &Request) -> bool {
    matches!(request, Request::Watch(_) | Request::Interactive(_))
}

/// The interactive page has neither watches nor pipes.
#[cfg(target_family = "wasm")]
fn ends_with_reader(_: &Request) -> bool {
    false
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Returns the current time in whole seconds, as in API timestamps.
#[expect(
    clippy::disallowed_methods,
    reason = "the only place that reads the clock"
)]
fn current_time() -> Timestamp {
    let now = std::time::SystemTime::now();
    let seconds = Timestamp::try_from(now).map_or(0, |now| now.as_second());
    Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Returns the width of the terminal.
#[cfg(not(target_family = "wasm"))]
fn columns() -> Option<usize> {
    /// Maximum width: a terminal may report more than any screen has.
    const MAX_COLUMNS: usize = 1000;
    let size = terminal_size::terminal_size();
    size.map(|(width, _)| usize::from(width.0).min(MAX_COLUMNS))
}

/// WebAssembly has no terminal.
#[cfg(target_family = "wasm")]
fn columns() -> Option<usize> {
    None
}

/// Returns standard output as a separate file.
#[cfg(unix)]
fn standard_output() -> Option<std::fs::File> {
    use std::os::fd::AsFd as _;
    let out = io::stdout().as_fd().try_clone_to_owned().ok()?;
    Some(out.into())
}

/// Returns standard output as a separate file.
#[cfg(not(unix))]
fn standard_output() -> Option<std::fs::File> {
    None
}

/// The terminal of standard output.
const TERMINAL: Terminal = Terminal {
    is_there: || io::stdout().is_terminal(),
    is_drawable: || {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        io::stdout().is_terminal() && !dumb
    },
    wants_color: || anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never,
    columns,
    file: standard_output,
};
