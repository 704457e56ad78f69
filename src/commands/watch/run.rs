//! `-w`: from a request to a watch, and from how it ends to an exit code.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};

use super::{Ended, LiveDisplay, Mode, Screen, Subject, watch};
use crate::cli::exit::Exit;
use crate::commands::Context;
use crate::input::read::{Input, read_to_watch};
use crate::input::resolve;
use crate::output::{Format, escape};
use crate::request::WatchRequest;

/// Watches the one set that is asked for, until it is complete, blocked or gone.
///
/// # Errors
/// When the cluster cannot be read or watched, time is up, or the output cannot be written.
pub fn run(request: &WatchRequest, context: &mut Context<'_>) -> Result<Exit> {
    let (format, terminal) = (request.format, context.terminal);
    let (cluster, input) = read_to_watch(request, (context.clock)())?;
    let subject = subject(request, input)?;
    let looks = || terminal.style(request.display, format == Format::Table);
    let redraws = (terminal.is_drawable)() && format == Format::Table;
    let mode = if redraws { Mode::Redraw } else { Mode::Append };
    let mut screen = Screen {
        display: LiveDisplay::new(mode, context.stdout, &terminal.rows),
        stderr: context.stderr,
        format,
        style: &looks,
        clock: context.clock,
        silence: request.silence.clone(),
        told: BTreeSet::new(),
        headline: String::new(),
    };
    let ended = cluster.block_on(watch(cluster.api(), &subject, request.timeout, &mut screen));
    let left = screen.display.leave().context("cannot write the plan");
    let Screen {
        headline, stderr, ..
    } = screen;
    let ended = ended?;
    left?;
    let set = format!("{}/{}", subject.namespace, subject.name);
    let set = escape(&set);
    Ok(match ended {
        Ended::Complete => Exit::Done,
        Ended::Blocked => {
            let code = Exit::Blocked as u8;
            writeln!(stderr, "exit code {code}: StatefulSet {set} is blocked")?;
            Exit::Blocked
        }
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
fn subject(request: &WatchRequest, input: Input) -> Result<Subject> {
    let Input {
        conditions,
        loaded,
        applied,
        read,
        ..
    } = input;
    let selected = resolve::select(&request.world, &request.selection, &loaded, &applied)?;
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
    let source = Arc::clone(read.of(&namespace));
    Ok(Subject {
        uid: snapshot.set.meta.uid.to_string(),
        related: Arc::clone(&loaded.inventory.related()),
        namespace,
        name,
        conditions,
        source,
    })
}
