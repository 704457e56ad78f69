//! The observer that a terminal shows: plans become text, and text goes to the display.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::{Context, Result};
use jiff::Timestamp;

use super::Observer;
use super::live_display::LiveDisplay;
use crate::output::{Format, Style, escape, render_update};
use sts_plan::analysis::analyze;
use sts_plan::diff::Prediction;
use sts_plan::findings::Findings;
use sts_plan::lint::Suppressions;
use sts_plan::plan::Plan;
use sts_plan::report::{Report, Update, Verification};
use sts_plan::what_if::Questions;

/// A display, and what it takes to fill it.
pub struct Screen<'s> {
    /// Where updates go.
    pub display: LiveDisplay<'s>,
    /// Where notes go that belong to no update.
    pub stderr: &'s mut dyn Write,
    /// The format of updates.
    pub format: Format,
    /// How text may look at this moment.
    pub style: &'s dyn Fn() -> Style,
    /// The one clock.
    pub clock: fn() -> Timestamp,
    /// The rules that are not to be mentioned.
    pub silence: Suppressions,
    /// The warnings that were given already.
    pub told: BTreeSet<String>,
    /// What is to be done next or why nothing is, as of the last update.
    pub headline: String,
}

impl Observer for Screen<'_> {
    fn now(&self) -> Timestamp {
        (self.clock)()
    }

    fn update(&mut self, plan: &Plan, since: Option<&Verification>) -> Result<Option<Prediction>> {
        let mut findings = Findings::new(self.silence.clone());
        let warnings = findings.note(findings.of(plan, &Suppressions::default()));
        let mut report = Report::from(&analyze(plan, &Questions::default()));
        findings.complete(std::slice::from_mut(&mut report));
        for warning in warnings {
            if self.told.insert(warning.clone()) {
                self.note(&warning)?;
            }
        }
        let value = serde_json::to_value(&report).context("cannot make JSON of the plan")?;
        // A plan of which nothing can be said later is shown all the same.
        let prediction = Prediction::from_json(&value).ok();
        let update = Update {
            plan: &report,
            since,
        };
        let mut text = Vec::new();
        render_update(self.format, &update, &(self.style)(), &mut text)
            .and_then(|()| self.display.show(text))
            .context("cannot write the plan")?;
        self.headline.clone_from(&report.next.summary);
        Ok(prediction)
    }

    fn note(&mut self, text: &str) -> Result<()> {
        let text = escape(text);
        let shown = self.display.note(&text).context("cannot write the plan")?;
        if !shown {
            writeln!(self.stderr, "warning: {text}").context("cannot write a warning")?;
        }
        Ok(())
    }
}
