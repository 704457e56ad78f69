//! `-w`: starts a watch, and converts its end to an exit code.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use jiff::SignedDuration;

use super::display::Display;
use super::on_change::OnChange;
use super::stages::plan_stages;
use super::{Ended, Observer as _, Screen, Subject, sets, watch};
use crate::cli::exit::Exit;
use crate::commands::Context;
use crate::commands::terminal::{DrawnTerminal, Event, Events, Signals, gives_keys};
use crate::input::read::{Input, read_to_watch};
use crate::input::resolve;
use crate::output::screens::{WatchReply, WatchScreen};
use crate::output::{Format, escape};
use crate::request::{PlanRequest, WatchRequest};
use sts_plan::duration::spell;
use sts_plan::verify::SavedStages;

/// Watches the requested set until it is complete, blocked or gone; on a terminal also several sets, until the user
/// quits.
///
/// # Errors
/// When the cluster cannot be read or watched, on timeout, or when the output cannot be written.
pub fn run(request: &WatchRequest, context: &mut Context<'_>) -> Result<Exit> {
    let (plan, format, terminal) = (&request.plan, request.format, context.terminal);
    let has_lanes = (terminal.is_drawable)() && format == Format::Table;
    // These flags wait for the end of one rollout.
    let waits = request.timeout.is_some() || request.on_change.is_some();
    let takes_several = has_lanes && !waits && plan.stages.is_none();
    if plan.selection.all_namespaces && !takes_several {
        bail!("-w watches one set: replace -A with its name, and its namespace in -n");
    }
    let mut warnings = Vec::new();
    let plan_all = |_| plan_stages(plan, (context.clock)(), context.stdin, &mut warnings);
    let stages = plan.stages.as_ref().map(plan_all).transpose()?;
    for warning in warnings {
        writeln!(context.stderr, "warning: {}", escape(&warning))?;
    }
    let (cluster, input) = read_to_watch(plan, (context.clock)())?;
    if takes_several && are_several(plan, &input)? {
        return sets::run(plan, context, &cluster, input);
    }
    let mut subject = subject(plan, input, stages)?;
    let looks = || terminal.style(plan.output.display, format == Format::Table);
    let signals = cluster.block_on(async { Signals::catch() });
    let is_drawn = has_lanes && gives_keys();
    let display = match is_drawn {
        true => Display::Drawn {
            terminal: DrawnTerminal::enter(context.stdout)
                .context("cannot draw on the terminal")?,
            screen: Box::new(WatchScreen::new(looks().color)),
            last: Vec::new(),
        },
        false => Display::Lines(context.stdout),
    };
    let mut screen = Screen {
        display,
        stderr: context.stderr,
        format,
        style: &looks,
        clock: context.clock,
        silence: plan.gates.silence.clone(),
        shown_warnings: BTreeSet::new(),
        headline: String::new(),
        began: None,
        on_change: None,
    };
    let ended = cluster.block_on(async {
        let mut events = Events::new(signals, is_drawn);
        let command = request.on_change.as_ref();
        screen.on_change = command.map(|command| OnChange::new(command, events.sender()));
        screen.display.draw((context.clock)())?;
        let ended = watch(
            cluster.api(),
            &mut subject,
            request.timeout,
            &mut events,
            &mut screen,
        );
        let ended = ended.await;
        finish(&ended, &mut events, &mut screen).await?;
        ended
    });
    let took = match &ended {
        Ok(Ended::Complete) => took(&screen),
        _ => None,
    };
    let Screen {
        headline,
        stderr,
        mut display,
        ..
    } = screen;
    if let Some(took) = took {
        display.conclude(&took).context("cannot write the plan")?;
    }
    let left = display.leave().context("cannot write the plan");
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
        Ended::Interrupted => {
            let code = Exit::Interrupted as u8;
            writeln!(
                stderr,
                "exit code {code}: interrupted before StatefulSet {set} was complete"
            )?;
            Exit::Interrupted
        }
        Ended::Gone { foreseen } => {
            writeln!(stderr, "StatefulSet {set} is gone")?;
            if foreseen { Exit::Done } else { Exit::Error }
        }
        Ended::TimedOut => {
            let state = match headline.as_str() {
                "" => "no update received yet".to_owned(),
                headline => escape(headline).into_owned(),
            };
            bail!("timeout: StatefulSet {set} is not complete: {state}")
        }
    })
}

/// Compares the duration of the watched rollout with the first prediction; `None` for programs, and if there was no work.
fn took(screen: &Screen<'_>) -> Option<String> {
    let (began, predicted) = screen.began.filter(|(_, predicted)| *predicted > 0)?;
    if !matches!(screen.format, Format::Table | Format::Summary) {
        return None;
    }
    let took = (screen.clock)().duration_since(began).as_secs();
    let predicted = spell(SignedDuration::from_secs(predicted));
    let took = spell(SignedDuration::from_secs(took));
    Some(format!("took {took}, predicted {predicted}"))
}

/// Waits until the command has run for the last change, unless the user quits. Shows its errors.
async fn finish(ended: &Result<Ended>, events: &mut Events, screen: &mut Screen<'_>) -> Result<()> {
    let Some(on_change) = screen.on_change.take() else {
        return Ok(());
    };
    if matches!(ended, Ok(Ended::Interrupted)) {
        on_change.stop().await;
        return Ok(());
    }
    let finish = on_change.finish();
    tokio::pin!(finish);
    loop {
        tokio::select! {
            () = &mut finish => break,
            event = events.next() => if screen.event(event)? == WatchReply::Quit {
                return Ok(());
            },
        }
    }
    while let Some(event) = events.waiting() {
        if let Event::Message(text) = event {
            screen.note(&text)?;
        }
    }
    Ok(())
}

/// Reports whether several sets are requested.
fn are_several(request: &PlanRequest, input: &Input) -> Result<bool> {
    let Input {
        loaded, applied, ..
    } = input;
    let selected = resolve::select(&request.world, &request.selection, loaded, applied)?;
    Ok(request.selection.all_namespaces || selected.targets.len() > 1)
}

/// Returns the set to watch.
fn subject(request: &PlanRequest, input: Input, stages: Option<SavedStages>) -> Result<Subject> {
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
            "-w watches one set, found {}: name one of them",
            targets.len()
        );
    };
    let (namespace, name) = (target.namespace().to_owned(), target.name().to_owned());
    let snapshot = loaded
        .inventory
        .snapshot(&namespace, &name)
        .with_context(|| format!("StatefulSet {namespace}/{name} not found"))?;
    let source = Arc::clone(read.of(&namespace));
    Ok(Subject {
        uid: snapshot.set.meta.uid.to_string(),
        related: Arc::clone(&loaded.inventory.related()),
        namespace,
        name,
        conditions,
        source,
        stages,
    })
}
