//! `--interactive`: plans of one set with fields that the user turns, on a screen that answers keys.

use anyhow::{Context as _, Result, bail};

use super::Context;
use super::one_set::one_set;
use super::plan::SetRules;
use super::terminal::{DrawnTerminal, Event, Events, Signals, gives_keys};
use crate::cli::exit::Exit;
use crate::input::read::{Input, InputRequest, read};
use crate::input::resolve;
use crate::input::resolve::Target;
use crate::output::escape;
use crate::output::screens::{Fields, WhatIfReply, WhatIfScreen};
use crate::request::{Change, InteractiveRequest, Partition, PlanRequest};
use sts_plan::analysis::analyze;
use sts_plan::findings::Findings;
use sts_plan::report::Report;
use sts_plan::what_if::Questions;

/// Shows the plans of one set until the user has seen enough, and prints the command line of the last one.
///
/// # Errors
/// When standard output is no terminal, the input cannot be read, it is not one set that is asked for, or it cannot be
/// planned as it is.
pub fn run(request: &InteractiveRequest, context: &mut Context<'_>) -> Result<Exit> {
    let terminal = context.terminal;
    if !(terminal.is_drawable)() {
        bail!(
            "--interactive draws on a terminal, and standard output is none that can be drawn on"
        );
    }
    let plan = &request.plan;
    let mut parts = Vec::new();
    let wanted = InputRequest::of(plan, (context.clock)());
    read(&wanted, context.stdin, &mut |input| {
        parts.push(input);
        Ok(())
    })?;
    let (target, input) = one_set("--interactive", plan, &parts)?;
    let planner = Planner {
        request: plan,
        target: &target,
        input,
    };
    let given = Fields {
        replicas: plan.change.replicas,
        partition: match plan.change.partition {
            Some(Partition::Pods(pods)) => Some(pods),
            _ => None,
        },
        max_unavailable: plan.change.max_unavailable.clone(),
    };
    let color = terminal.style(plan.output.display, true).color;
    let mut screen = WhatIfScreen::new(
        planner.plan(&Fields::default())?,
        &request.command_line,
        color,
    );
    let first = planner.plan(&given)?;
    screen.show(given, Ok(first));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot wait for keys")?;
    let signals = runtime.block_on(async { Signals::catch() });
    if !gives_keys() {
        bail!("--interactive takes keys, and there is no terminal that gives them");
    }
    let drawn = DrawnTerminal::enter(context.stdout).context("cannot draw on the terminal")?;
    let interrupted = runtime.block_on(answer(drawn, signals, &mut screen, &planner))?;
    writeln!(context.stdout, "{}", escape(&screen.command_line()))?;
    Ok(if interrupted {
        Exit::Interrupted
    } else {
        Exit::Done
    })
}

/// Answers keys until one ends it; tells whether a signal did.
async fn answer(
    mut terminal: DrawnTerminal<'_>,
    signals: Signals,
    screen: &mut WhatIfScreen,
    planner: &Planner<'_>,
) -> Result<bool> {
    let mut events = Events::new(signals, true);
    loop {
        terminal
            .draw(|frame| screen.draw(frame))
            .context("cannot draw on the terminal")?;
        let mut next = Some(events.next().await);
        let mut is_planned = true;
        // Keys that wait already are one plan together.
        while let Some(event) = next {
            match event {
                Event::Key(key) => match screen.key(key) {
                    WhatIfReply::Draw => {}
                    WhatIfReply::Plan => is_planned = false,
                    WhatIfReply::Quit => {
                        terminal.leave(b"")?;
                        return Ok(false);
                    }
                },
                Event::Interrupted => {
                    terminal.leave(b"")?;
                    return Ok(true);
                }
                Event::Draw | Event::Told(_) => {}
            }
            next = events.waiting();
        }
        if !is_planned {
            let fields = screen.fields().clone();
            let plan = planner.plan(&fields).map_err(|error| format!("{error:#}"));
            screen.show(fields, plan);
        }
    }
}

/// Makes plans of one set, which differ in a few fields.
struct Planner<'p> {
    request: &'p PlanRequest,
    target: &'p Target<'p>,
    input: &'p Input,
}

impl Planner<'_> {
    fn plan(&self, fields: &Fields) -> Result<Report> {
        let request = self.request;
        let change = Change {
            replicas: fields.replicas,
            partition: fields.partition.map(Partition::Pods),
            max_unavailable: fields.max_unavailable.clone(),
            ..request.change.clone()
        };
        let rules = SetRules::of(request, self.target);
        // The server's remarks are about the manifest, and a plan that is printed tells them.
        let mut remarks = Vec::new();
        let plan = resolve::plan(
            self.target,
            &change,
            &self.input.loaded,
            &rules.conditions(&self.input.conditions),
            &mut remarks,
        )?;
        let plan = plan.of(self.input.read.of(self.target.namespace()));
        let questions = Questions {
            observations: true,
            ..rules.questions(&request.questions)
        };
        let mut report = Report::without_objects(&analyze(&plan, &questions));
        let mut findings = Findings::new(request.gates.silence.clone());
        findings.note(findings.of(&plan, &rules.suppress()));
        findings.complete(std::slice::from_mut(&mut report));
        Ok(report)
    }
}
