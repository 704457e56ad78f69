//! The screen of `--interactive`: editable fields, the lanes of the resulting plan with a line at the selected step, and the
//! equivalent command line.

mod drawing;

use std::collections::BTreeSet;

use super::Key;
use super::fields::{Field, Fields, SetFields};
use super::image_line::{ImageLine, Typing};
use super::key_page::KeyPage;
use super::page::Scroll;
use super::theme::Theme;
use crate::output::html::Stops;
use crate::output::keys::KeyScreen;
use crate::output::lanes::Lanes;
use sts_plan::explain::quoted;
use sts_plan::report::timeline::Timeline;
use sts_plan::report::{PlanResult, Report};

/// The effect of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhatIfReply {
    /// The screen must be redrawn.
    Draw,
    /// The fields changed, and a new plan is needed.
    Plan,
    /// The user quits.
    Quit,
}

/// A plan, and the values of the set after each of its stages.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The plan.
    pub report: Report,
    /// The values after each stage that is reached.
    pub stages: Vec<SetFields>,
}

/// The selected field or pod.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Selection {
    Field(usize),
    Pod(String),
}

/// The screen of `--interactive`.
pub struct WhatIfScreen {
    theme: Theme,
    /// The command line without the flags of fields.
    command: String,
    /// The flags of each stage. Keys change the last one.
    stages: Vec<Fields>,
    /// The pods assumed to fail.
    failing: BTreeSet<String>,
    selected: Selection,
    /// The index of the container whose image can be entered.
    container: usize,
    image: Option<ImageLine>,
    /// The plan without the flags of fields.
    stored: Report,
    /// The values of the stored set, then those after each stage.
    known: Vec<SetFields>,
    /// The plan with the flags, or the error.
    plan: Result<Report, String>,
    /// The reason for ignoring a key.
    note: &'static str,
    /// The selected step; 0 is the start.
    stop: usize,
    /// True if the first pod is at the bottom; kept, so that rows do not move.
    goes_down: Option<bool>,
    scroll: Scroll,
    keys: KeyPage,
}

impl WhatIfScreen {
    /// Returns a screen with the plan without flags of fields.
    pub fn new(stored: Planned, command: &str, color: bool) -> Self {
        WhatIfScreen {
            theme: Theme { color },
            command: command.to_owned(),
            stages: vec![Fields::default()],
            failing: BTreeSet::new(),
            selected: Selection::Field(1),
            container: 0,
            image: None,
            plan: Ok(stored.report.clone()),
            note: "",
            goes_down: Timeline::new(&stored.report).goes_down(),
            stored: stored.report,
            known: stored.stages,
            stop: 0,
            scroll: Scroll::default(),
            keys: KeyPage::new(KeyScreen::Fields),
        }
    }

    /// Sets the initial stages and failing pods.
    pub fn begin(&mut self, stages: Vec<Fields>, failing: impl IntoIterator<Item = String>) {
        self.stages = stages;
        if self.stages.is_empty() {
            self.stages.push(Fields::default());
        }
        self.failing.extend(failing);
    }

    /// Returns the flags of the current plan.
    pub fn words(&self) -> Vec<String> {
        let failing = self.failing.iter();
        let mut words: Vec<String> = failing
            .flat_map(|pod| ["--assume".to_owned(), format!("{pod}=fails")])
            .collect();
        for (at, fields) in self.stages.iter().enumerate() {
            let flags = fields.words();
            // A new stage has no flags yet.
            if at > 0 && !flags.is_empty() {
                words.push("--then".to_owned());
            }
            words.extend(flags);
        }
        words
    }

    /// Sets the plan, or the error.
    pub fn show(&mut self, plan: Result<Planned, String>) {
        self.plan = plan.map(|plan| {
            let report = plan.report;
            self.stop = self.stop.min(stops(&report).len());
            self.goes_down = self
                .goes_down
                .or_else(|| Timeline::new(&report).goes_down());
            // Stages that are no longer reached keep their values.
            self.known.truncate(self.stages.len());
            for (at, fields) in plan.stages.into_iter().enumerate() {
                match self.known.get_mut(at + 1) {
                    Some(known) => *known = fields,
                    None => self.known.push(fields),
                }
            }
            report
        });
    }

    /// Returns the command line of the current plan.
    pub fn command_line(&self) -> String {
        let words = self.words();
        let words = words.iter().map(|word| match word.starts_with("--") {
            true => format!(" {word}"),
            false => format!(" {}", quoted(word)),
        });
        self.command.clone() + &words.collect::<String>()
    }

    /// Returns the values before the last stage.
    fn before(&self) -> Option<&SetFields> {
        let at = self.stages.len() - 1;
        self.known.get(at).or(self.known.last())
    }

    /// Returns the container whose image can be entered.
    fn container(&self) -> String {
        let mut containers = self.before().into_iter().flat_map(SetFields::containers);
        containers
            .nth(self.container)
            .unwrap_or_default()
            .to_owned()
    }

    /// Returns the lanes in the order of the screen.
    fn lanes(&self) -> Option<Lanes> {
        let lanes = Lanes::predicted(self.plan.as_ref().ok()?, 0);
        Some(lanes.top_down(self.goes_down))
    }

    /// Handles a key.
    pub fn key(&mut self, key: Key) -> WhatIfReply {
        if let Some(line) = self.image.as_mut().filter(|_| key != Key::Interrupt) {
            let Typing::Ends(image) = line.key(key) else {
                return WhatIfReply::Draw;
            };
            let container = line.container.clone();
            self.image = None;
            return match image {
                Some(image) => self.set(Field::Image, &container, Some(image)),
                None => WhatIfReply::Draw,
            };
        }
        if self.keys.key(key) {
            return WhatIfReply::Draw;
        }
        self.note = "";
        let last = self.plan.as_ref().map_or(0, |plan| stops(plan).len());
        match key {
            Key::Char('q' | 'Q') | Key::Escape | Key::Interrupt => return WhatIfReply::Quit,
            Key::Left => self.stop = self.stop.saturating_sub(1),
            Key::Right => self.stop = (self.stop + 1).min(last),
            Key::Home => self.stop = 0,
            Key::End => self.stop = last,
            Key::Up => self.select(-1),
            Key::Down => self.select(1),
            Key::Tab => {
                let next = match self.selected {
                    Selection::Field(at) => (at + 1) % Field::ALL.len(),
                    Selection::Pod(_) => 0,
                };
                self.selected = Selection::Field(next);
            }
            Key::PageUp | Key::PageDown => {
                self.scroll.key(key);
            }
            Key::Char('+' | '=') => return self.step(1),
            Key::Char('-' | '_') => return self.step(-1),
            Key::Backspace => return self.reset(),
            Key::Enter => match self.selected {
                Selection::Field(at) if Field::ALL[at] == Field::Image => self.enter_image(),
                _ => {}
            },
            Key::Char('f') => return self.toggle_failure(),
            Key::Char('n') => self.end_stage(),
            Key::Char('b') => return self.remove_stage(),
            Key::Char(typed) => {
                let mut fields = Field::ALL.iter();
                if let Some(at) = fields.position(|field| field.key() == typed) {
                    self.selected = Selection::Field(at);
                    if Field::ALL[at] == Field::Image {
                        self.enter_image();
                    }
                }
            }
        }
        WhatIfReply::Draw
    }

    /// Returns the selectable pods in the order of the screen; without a plan, those assumed to fail.
    fn pods(&self) -> Vec<String> {
        match self.lanes() {
            Some(lanes) => lanes.pods.into_iter().map(|lane| lane.pod).collect(),
            None => self.failing.iter().cloned().collect(),
        }
    }

    /// Selects the next or previous field or pod.
    fn select(&mut self, by: isize) {
        let pods = self.pods();
        let fields = Field::ALL.len();
        let now = match &self.selected {
            Selection::Field(at) => *at,
            Selection::Pod(selected) => {
                let at = pods.iter().position(|pod| pod == selected);
                at.map_or(fields, |at| fields + at)
            }
        };
        let next = now.saturating_add_signed(by);
        let next = next.min(fields + pods.len() - 1);
        self.selected = match next.checked_sub(fields) {
            Some(at) => Selection::Pod(pods[at].clone()),
            None => Selection::Field(next),
        };
    }

    /// Changes the selected field by a step. For images, selects another container.
    fn step(&mut self, by: i32) -> WhatIfReply {
        let Selection::Field(at) = self.selected else {
            self.note = "press f to mark a pod as failing; + and - change a field";
            return WhatIfReply::Draw;
        };
        if Field::ALL[at] == Field::Image {
            let count = self.before().map_or(0, |it| it.containers().len());
            let next = self.container.saturating_add_signed(by as isize);
            self.container = next.min(count.saturating_sub(1));
            return WhatIfReply::Draw;
        }
        self.change(|fields, before| fields.step(Field::ALL[at], by, before))
    }

    /// Resets the selected field or pod.
    fn reset(&mut self) -> WhatIfReply {
        match &self.selected {
            Selection::Field(at) => {
                let (field, container) = (Field::ALL[*at], self.container());
                self.set(field, &container, None)
            }
            Selection::Pod(pod) => match self.failing.remove(pod) {
                true => WhatIfReply::Plan,
                false => WhatIfReply::Draw,
            },
        }
    }

    fn set(&mut self, field: Field, container: &str, value: Option<String>) -> WhatIfReply {
        self.change(|fields, before| fields.set(field, container, value, before))
    }

    /// Changes the flags of the last stage.
    fn change(&mut self, change: impl FnOnce(&mut Fields, &SetFields)) -> WhatIfReply {
        let before = self.before().cloned();
        let (Some(fields), Some(before)) = (self.stages.last_mut(), before) else {
            return WhatIfReply::Draw;
        };
        let old = fields.clone();
        change(fields, &before);
        match *fields == old {
            true => WhatIfReply::Draw,
            false => WhatIfReply::Plan,
        }
    }

    fn enter_image(&mut self) {
        let container = self.container();
        let given = self.stages.last();
        let given = given.and_then(|fields| fields.given(Field::Image, &container));
        let stored = || Some(self.before()?.value(Field::Image, &container));
        let image = given.or_else(stored).unwrap_or_default();
        self.image = Some(ImageLine::new(container, image));
    }

    /// Marks the selected pod as failing, or unmarks it.
    fn toggle_failure(&mut self) -> WhatIfReply {
        let Selection::Pod(pod) = &self.selected else {
            self.note = "select a pod first (arrow down)";
            return WhatIfReply::Draw;
        };
        if !self.failing.remove(pod) {
            self.failing.insert(pod.clone());
        }
        WhatIfReply::Plan
    }

    /// Starts the next stage.
    fn end_stage(&mut self) {
        let is_rejected = |plan: &Report| plan.outcome.result == PlanResult::Rejected;
        let is_empty = self.stages.last() == Some(&Fields::default());
        if self.plan.as_ref().map_or(true, is_rejected) {
            self.note = "the change is rejected: correct or reset it first";
        } else if self.stages.len() > 1 && is_empty {
            self.note = "this stage is empty: change a field first";
        } else {
            self.stages.push(Fields::default());
        }
    }

    fn remove_stage(&mut self) -> WhatIfReply {
        match self.stages.len() {
            1 => {
                self.note = "there is only one stage (press n to add one)";
                WhatIfReply::Draw
            }
            _ => {
                let removed = self.stages.pop();
                match removed == Some(Fields::default()) {
                    true => WhatIfReply::Draw,
                    false => WhatIfReply::Plan,
                }
            }
        }
    }
}

/// Returns the selectable steps. Updates of the status belong to the previous step.
fn stops(report: &Report) -> Stops {
    Stops::new(report, usize::MAX)
}
