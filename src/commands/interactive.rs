//! `--interactive`: plans of one set with fields that can be changed on a screen.

use anyhow::{Context as _, Result, bail};

use super::Context;
use super::one_set::one_set;
use super::plan::SetRules;
use super::terminal::{DrawnTerminal, Event, Events, Signals, gives_keys};
use serde_json::Value;

use crate::cli::exit::Exit;
use crate::input::read::{Input, read_parts};
use crate::input::resolve;
use crate::input::resolve::{LaterManifests, Target, UnmatchedPods};
use crate::output::escape;
use crate::output::screens::{Fields, Planned, SetFields, WhatIfReply, WhatIfScreen};
use crate::request::{Change, InteractiveRequest};
use sts_controller::apiserver::apply::Edit;
use sts_plan::analysis::analyze;
use sts_plan::fleet::Findings;
use sts_plan::plan::{Conditions, Plan};
use sts_plan::report::Report;
use sts_plan::what_if::Questions;

/// Shows the screen until the user quits, and prints the command line of the last plan.
///
/// # Errors
/// When standard output is not a terminal, the input cannot be read, there is not exactly one set, or it cannot be
/// planned.
pub fn run(request: &InteractiveRequest, context: &mut Context<'_>) -> Result<Exit> {
    let terminal = context.terminal;
    if !(terminal.is_drawable)() {
        bail!(
            "--interactive requires a terminal, but standard output is not one that can be drawn on"
        );
    }
    let parts = read_parts(&request.plan, (context.clock)(), context.stdin)?;
    let planner = Planner::of(request, &parts)?;
    let color = terminal.style(request.plan.output.display, true).color;
    let mut screen = planner.screen(color)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot wait for keys")?;
    let signals = runtime.block_on(async { Signals::catch() });
    if !gives_keys() {
        bail!("--interactive requires a terminal for keyboard input");
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

/// Handles keys until the screen is closed. Returns true after a signal.
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
        // Pending keys share one plan.
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
                Event::Draw | Event::Message(_) => {}
            }
            next = events.waiting();
        }
        if !is_planned {
            let plan = planner.plan(&screen.words());
            screen.show(plan.map_err(|error| format!("{error:#}")));
        }
    }
}

/// Plans one set, with arguments appended to the command line.
pub struct Planner<'p> {
    request: &'p InteractiveRequest,
    target: Target<'p>,
    input: &'p Input,
}

impl<'p> Planner<'p> {
    /// Returns the planner of the requested set.
    ///
    /// # Errors
    /// When there is not exactly one set.
    pub fn of(request: &'p InteractiveRequest, parts: &'p [Input]) -> Result<Self> {
        let (target, input) = one_set("--interactive", &request.plan, parts)?;
        Ok(Planner {
            request,
            target,
            input,
        })
    }

    /// Returns the screen with the first plan.
    ///
    /// # Errors
    /// When that plan is not possible.
    pub fn screen(&self, color: bool) -> Result<WhatIfScreen> {
        let stored = self.plan(&[])?;
        let request = &self.request.plan;
        let later = request.stages.iter().flat_map(|stages| &stages.later);
        let changes = std::iter::once(&request.change).chain(later.map(|stage| &stage.change));
        let first = stored.stages.first();
        let only = first.and_then(|fields| fields.containers().next());
        let stages = changes.map(|change| fields_of(change, only.unwrap_or_default()));
        let stages = stages.collect();
        let mut screen = WhatIfScreen::new(stored, &self.request.command_line, color);
        screen.begin(stages, self.request.failing.clone());
        screen.show(Ok(self.plan(&screen.words())?));
        Ok(screen)
    }

    /// Plans the command line with these arguments appended.
    ///
    /// # Errors
    /// When the command line is invalid.
    pub fn plan(&self, words: &[String]) -> Result<Planned> {
        let request = &(self.request.extended.0)(words).map_err(anyhow::Error::msg)?;
        let (target, loaded) = (&self.target, &self.input.loaded);
        let rules = SetRules::of(request, target);
        let conditions = rules.conditions(&Conditions {
            assumptions: request.assumptions.by_pod.clone(),
            grants: request.assumptions.grants.as_slice().into(),
            ..self.input.conditions.clone()
        });
        let questions = Questions {
            observations: true,
            ..rules.questions(&request.questions)
        };
        let source = self.input.read.of(target.namespace());
        let mut missing = UnmatchedPods::new(
            &request.change,
            request.stages.as_ref(),
            &request.assumptions,
        );
        let mut report_of = |plan: &Plan| {
            missing.find_in(plan);
            let report = Report::without_objects(&analyze(plan, &questions));
            let fields = SetFields::new(&report.set, &plan.snapshot.set.template);
            (report, fields)
        };
        let mut findings = Findings::new(request.gates.silence.clone());
        // The server's warnings are about the manifest, and a printed plan has them.
        let mut remarks = Vec::new();
        let (mut report, stages) = match &request.stages {
            None => {
                let change = &request.change;
                let plan = resolve::plan(target, change, loaded, &conditions, &mut remarks)?;
                let plan = plan.of(source);
                findings.note(findings.of(&plan, &rules.suppress()));
                let (report, fields) = report_of(&plan);
                (report, vec![fields])
            }
            Some(stages) => {
                let manifests = LaterManifests::read(request, self.input)?;
                let (first, all) = (&request.change, (stages, &manifests));
                let mut staged =
                    resolve::staged(target, first, all, loaded, &conditions, &mut remarks)?;
                for stage in &mut staged.stages {
                    stage.plan.source = source.clone();
                }
                if let Some(first) = staged.stages.first() {
                    findings.note(findings.of(&first.plan, &rules.suppress()));
                }
                let planned = staged.stages.iter();
                let (reports, fields) = planned.map(|stage| report_of(&stage.plan)).unzip();
                let report = Report::of_stages(&staged, reports);
                (report.context("no stage to plan")?, fields)
            }
        };
        missing.check()?;
        findings.complete(std::slice::from_mut(&mut report));
        Ok(Planned { report, stages })
    }
}

/// Returns the fields that change flags set. An image without a container belongs to the only one.
fn fields_of(change: &Change, only: &str) -> Fields {
    let mut fields = Fields::default();
    for edit in &change.edits {
        let rolling = |member| edit.value_at(&["spec", "updateStrategy", "rollingUpdate", member]);
        if let Some(replicas) = edit.scales_to() {
            fields.replicas = i32::try_from(replicas).ok();
        } else if let Some(pods) = rolling("partition").and_then(Value::as_i64) {
            fields.partition = i32::try_from(pods).ok();
        } else if let Some(most) = rolling("maxUnavailable") {
            let text = most
                .as_str()
                .map_or_else(|| most.to_string(), str::to_owned);
            fields.max_unavailable = Some(text);
        } else if let Some(kind) = edit.strategy() {
            fields.update_strategy = Some(kind.to_owned());
        } else if let Edit::Image { container, image } = edit {
            let container = container.as_deref().unwrap_or(only);
            fields.images.insert(container.to_owned(), image.clone());
        }
    }
    fields
}
