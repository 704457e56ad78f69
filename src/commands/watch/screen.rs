//! Observer of a watch: converts plans to text for the display, and for the command of `--on-change`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Write;

use anyhow::{Context, Result};
use jiff::Timestamp;

use super::display::Display;
use super::on_change::OnChange;
use super::{Event, Observer};
use crate::output::screens::WatchReply;
use crate::output::{Format, Style, escape, json_tree, message, render_update};
use sts_plan::analysis::analyze;
use sts_plan::fleet::Findings;
use sts_plan::lint::Suppressions;
use sts_plan::plan::Plan;
use sts_plan::report::Report;
use sts_plan::verify::{Prediction, Update, Verification, VerifiedStage};
use sts_plan::what_if::Questions;

/// A display with its settings.
pub struct Screen<'s> {
    /// Display of updates.
    pub display: Display<'s>,
    /// Stream for notes outside of updates.
    pub stderr: &'s mut dyn Write,
    /// Format of updates.
    pub format: Format,
    /// Returns the current style of text.
    pub style: &'s dyn Fn() -> Style,
    pub clock: fn() -> Timestamp,
    /// Ignored findings.
    pub silence: Suppressions,
    /// Warnings that were shown already.
    pub shown_warnings: BTreeSet<String>,
    /// Next step, or the reason that there is none, from the last update.
    pub headline: String,
    /// Time of the first plan with work, and the seconds that it took in the prediction.
    pub began: Option<(Timestamp, i64)>,
    /// Command to run on every change.
    pub on_change: Option<OnChange>,
}

impl Observer for Screen<'_> {
    fn now(&self) -> Timestamp {
        (self.clock)()
    }

    fn update(
        &mut self,
        plan: &Plan,
        since: Option<&Verification>,
        stage: Option<&VerifiedStage>,
    ) -> Result<Option<Prediction>> {
        let mut findings = Findings::new(self.silence.clone());
        let warnings = findings.note(findings.of(plan, &Suppressions::default()));
        let questions = Questions {
            observations: matches!(self.display, Display::Drawn { .. }),
            eta: true,
            ..Questions::default()
        };
        let mut report = Report::from(&analyze(plan, &questions));
        findings.complete(std::slice::from_mut(&mut report));
        for warning in warnings {
            if self.shown_warnings.insert(warning.clone()) {
                self.note(&warning)?;
            }
        }
        let value = json_tree(&report).context("cannot make JSON of the plan")?;
        // A plan that cannot be compared later is still shown.
        let prediction = Prediction::from_json(&value).ok();
        let update = Update {
            plan: Cow::Borrowed(&report),
            since: since.map(Cow::Borrowed),
            stage: stage.map(Cow::Borrowed),
        };
        // A change that is made during the watch begins a rollout.
        if self.began.is_none_or(|(_, predicted)| predicted == 0) {
            self.began = Some(((self.clock)(), report.outcome.at));
        }
        let on_change = self.on_change.as_mut();
        let on_change = on_change.and_then(|it| it.enters(&report).then_some(it));
        // The first plan is the initial state, not a change.
        if let (Some(on_change), Some(_)) = (on_change, since) {
            let mut json = Vec::new();
            render_update(Format::Json, &update, true, &Style::default(), &mut json)
                .context("cannot make JSON of the plan")?;
            on_change.send(json, message(&update));
        }
        let mut text = Vec::new();
        let style = (self.style)();
        // The plan remains on a terminal after the screen is left.
        let is_whole = style.verbose || matches!(self.display, Display::Drawn { .. });
        render_update(self.format, &update, is_whole, &style, &mut text)
            .context("cannot write the plan")?;
        let headline = stage.map_or(&report.next.summary, |stage| &stage.message);
        self.headline.clone_from(headline);
        self.display
            .show(report, (since, stage), text, (self.clock)())
            .context("cannot write the plan")?;
        Ok(prediction)
    }

    fn note(&mut self, text: &str) -> Result<()> {
        let text = escape(text);
        let shown = self.display.note(&text, (self.clock)());
        if !shown.context("cannot write the plan")? {
            writeln!(self.stderr, "warning: {text}").context("cannot write a warning")?;
        }
        Ok(())
    }

    fn event(&mut self, event: Event) -> Result<WatchReply> {
        let now = self.now();
        let reply = match event {
            Event::Key(key) => self.display.key(key, now),
            Event::Draw => self.display.draw(now).map(|()| WatchReply::Draw),
            Event::Message(text) => return self.note(&text).map(|()| WatchReply::Draw),
            Event::Interrupted => return Ok(WatchReply::Quit),
        };
        reply.context("cannot write the plan")
    }
}
