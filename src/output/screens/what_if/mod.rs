//! The screen of `--interactive`: the lanes of a plan with a line at the step that is looked at, fields that can be turned
//! up and down, and the command line that gives the plan on the screen.

mod drawing;

use std::collections::BTreeSet;

use super::Key;
use super::fields::{Field, Fields, SetFields};
use super::image_line::{ImageLine, Typing};
use super::key_page::KeyPage;
use super::page::Scroll;
use super::pod_lanes::PodLanes;
use super::theme::Theme;
use crate::output::html::Stops;
use crate::output::keys::KeyScreen;
use sts_plan::explain::quoted;
use sts_plan::report::timeline::Timeline;
use sts_plan::report::{PlanResult, Report};

/// The effect of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhatIfReply {
    /// The screen may look different.
    Draw,
    /// The fields are others, and the plan is to be made of those.
    Plan,
    /// The user has seen enough.
    Quit,
}

/// A plan, and the fields of the set from each of its stages on.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The plan.
    pub report: Report,
    /// The fields from each stage on that is reached.
    pub stages: Vec<SetFields>,
}

/// The field or the pod that keys are for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Chosen {
    Field(usize),
    Pod(String),
}

/// The screen of plans with other fields.
pub struct WhatIfScreen {
    theme: Theme,
    /// The command line without the flags that keys turn.
    command: String,
    /// The fields of each stage: keys turn those of the last.
    stages: Vec<Fields>,
    /// The pods that are assumed to fail.
    failing: BTreeSet<String>,
    chosen: Chosen,
    /// The container whose image can be typed, by its place.
    container: usize,
    image: Option<ImageLine>,
    /// The plan without the flags of the fields.
    stored: Report,
    /// The fields of the set as it is stored, then from each stage on.
    known: Vec<SetFields>,
    /// The plan with them, or why there is none.
    plan: Result<Report, String>,
    /// The reason that a key did nothing.
    note: &'static str,
    /// The step that is looked at, 0 for the beginning.
    stop: usize,
    /// True if the first pod stands at the bottom; kept, so that rows stay where they are.
    goes_down: Option<bool>,
    scroll: Scroll,
    keys: KeyPage,
}

impl WhatIfScreen {
    /// A screen with the plan that no flag of a field changes.
    #[must_use]
    pub fn new(stored: Planned, command: &str, color: bool) -> Self {
        WhatIfScreen {
            theme: Theme { color },
            command: command.to_owned(),
            stages: vec![Fields::default()],
            failing: BTreeSet::new(),
            chosen: Chosen::Field(1),
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

    /// Begins with the fields of these stages and with pods that fail.
    pub fn begin(&mut self, stages: Vec<Fields>, failing: impl IntoIterator<Item = String>) {
        self.stages = stages;
        if self.stages.is_empty() {
            self.stages.push(Fields::default());
        }
        self.failing.extend(failing);
    }

    /// The words that are added to the command line for the plan on the screen.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let failing = self.failing.iter();
        let mut words: Vec<String> = failing
            .flat_map(|pod| ["--assume".to_owned(), format!("{pod}=fails")])
            .collect();
        for (at, fields) in self.stages.iter().enumerate() {
            let turned = fields.words();
            // A stage that was just begun changes nothing yet.
            if at > 0 && !turned.is_empty() {
                words.push("--then".to_owned());
            }
            words.extend(turned);
        }
        words
    }

    /// Takes in the plan of these words, or why there is none.
    pub fn show(&mut self, plan: Result<Planned, String>) {
        self.plan = plan.map(|plan| {
            let report = plan.report;
            self.stop = self.stop.min(stops(&report).len());
            self.goes_down = self
                .goes_down
                .or_else(|| Timeline::new(&report).goes_down());
            // What a stage that is not reached any more begins with stays as it was.
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

    /// The command line that gives the plan on the screen.
    #[must_use]
    pub fn command_line(&self) -> String {
        let words = self.words();
        let words = words.iter().map(|word| match word.starts_with("--") {
            true => format!(" {word}"),
            false => format!(" {}", quoted(word)),
        });
        self.command.clone() + &words.collect::<String>()
    }

    /// The fields before the last stage: what its flags change.
    fn before(&self) -> Option<&SetFields> {
        let at = self.stages.len() - 1;
        self.known.get(at).or(self.known.last())
    }

    /// The container whose image can be typed.
    fn container(&self) -> String {
        let mut containers = self.before().into_iter().flat_map(SetFields::containers);
        containers
            .nth(self.container)
            .unwrap_or_default()
            .to_owned()
    }

    /// The lanes as they stand on the screen.
    fn lanes(&self) -> Option<PodLanes> {
        let mut lanes = PodLanes::of(self.plan.as_ref().ok()?);
        if self.goes_down == Some(true) {
            lanes.pods.reverse();
        }
        Some(lanes)
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key) -> WhatIfReply {
        if let Some(line) = self.image.as_mut().filter(|_| key != Key::Interrupt) {
            let Typing::Ends(image) = line.key(key) else {
                return WhatIfReply::Draw;
            };
            let container = line.container.clone();
            self.image = None;
            return match image {
                Some(image) => self.put(Field::Image, &container, Some(image)),
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
            Key::Up => self.choose(-1),
            Key::Down => self.choose(1),
            Key::Tab => {
                let next = match self.chosen {
                    Chosen::Field(at) => (at + 1) % Field::ALL.len(),
                    Chosen::Pod(_) => 0,
                };
                self.chosen = Chosen::Field(next);
            }
            Key::PageUp | Key::PageDown => {
                self.scroll.key(key);
            }
            Key::Char('+' | '=') => return self.turn(1),
            Key::Char('-' | '_') => return self.turn(-1),
            Key::Backspace => return self.leave_out(),
            Key::Enter => match self.chosen {
                Chosen::Field(at) if Field::ALL[at] == Field::Image => self.type_image(),
                _ => {}
            },
            Key::Char('f') => return self.fail(),
            Key::Char('n') => self.end_stage(),
            Key::Char('b') => return self.take_stage_back(),
            Key::Char(typed) => {
                let mut fields = Field::ALL.iter();
                if let Some(at) = fields.position(|field| field.key() == typed) {
                    self.chosen = Chosen::Field(at);
                    if Field::ALL[at] == Field::Image {
                        self.type_image();
                    }
                }
            }
        }
        WhatIfReply::Draw
    }

    /// The pods that can be chosen, as they stand on the screen: without a plan those that are assumed to fail.
    fn pods(&self) -> Vec<String> {
        match self.lanes() {
            Some(lanes) => lanes.pods.into_iter().map(|lane| lane.pod).collect(),
            None => self.failing.iter().cloned().collect(),
        }
    }

    /// Chooses the next field or pod, or the one before.
    fn choose(&mut self, by: isize) {
        let pods = self.pods();
        let fields = Field::ALL.len();
        let now = match &self.chosen {
            Chosen::Field(at) => *at,
            Chosen::Pod(chosen) => {
                let at = pods.iter().position(|pod| pod == chosen);
                at.map_or(fields, |at| fields + at)
            }
        };
        let next = now.saturating_add_signed(by);
        let next = next.min(fields + pods.len() - 1);
        self.chosen = match next.checked_sub(fields) {
            Some(at) => Chosen::Pod(pods[at].clone()),
            None => Chosen::Field(next),
        };
    }

    /// Turns the chosen field. Of the images another one can be typed.
    fn turn(&mut self, by: i32) -> WhatIfReply {
        let Chosen::Field(at) = self.chosen else {
            self.note = "f lets the chosen pod fail; + and - turn a field";
            return WhatIfReply::Draw;
        };
        if Field::ALL[at] == Field::Image {
            let count = self.before().map_or(0, |it| it.containers().len());
            let next = self.container.saturating_add_signed(by as isize);
            self.container = next.min(count.saturating_sub(1));
            return WhatIfReply::Draw;
        }
        self.change(|fields, before| fields.turn(Field::ALL[at], by, before))
    }

    /// Returns the chosen field, or the chosen pod, to what it was.
    fn leave_out(&mut self) -> WhatIfReply {
        match &self.chosen {
            Chosen::Field(at) => {
                let (field, container) = (Field::ALL[*at], self.container());
                self.put(field, &container, None)
            }
            Chosen::Pod(pod) => match self.failing.remove(pod) {
                true => WhatIfReply::Plan,
                false => WhatIfReply::Draw,
            },
        }
    }

    fn put(&mut self, field: Field, container: &str, value: Option<String>) -> WhatIfReply {
        self.change(|fields, before| fields.put(field, container, value, before))
    }

    /// Changes the fields of the last stage.
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

    fn type_image(&mut self) {
        let container = self.container();
        let given = self.stages.last();
        let given = given.and_then(|fields| fields.given(Field::Image, &container));
        let stored = || Some(self.before()?.value(Field::Image, &container));
        let image = given.or_else(stored).unwrap_or_default();
        self.image = Some(ImageLine::new(container, image));
    }

    /// Lets the chosen pod fail, or takes that back.
    fn fail(&mut self) -> WhatIfReply {
        let Chosen::Pod(pod) = &self.chosen else {
            self.note = "choose a pod first: the down arrow goes on to the pods";
            return WhatIfReply::Draw;
        };
        if !self.failing.remove(pod) {
            self.failing.insert(pod.clone());
        }
        WhatIfReply::Plan
    }

    /// Ends the last stage, so that another one can be turned.
    fn end_stage(&mut self) {
        let is_refused = |plan: &Report| plan.outcome.result == PlanResult::Rejected;
        let is_empty = self.stages.last() == Some(&Fields::default());
        if self.plan.as_ref().map_or(true, is_refused) {
            self.note = "a refused change comes to no end: change it, or take it back";
        } else if self.stages.len() > 1 && is_empty {
            self.note = "this stage changes nothing yet: turn a field first";
        } else {
            self.stages.push(Fields::default());
        }
    }

    fn take_stage_back(&mut self) -> WhatIfReply {
        match self.stages.len() {
            1 => {
                self.note = "there is one stage only; n begins another";
                WhatIfReply::Draw
            }
            _ => {
                let taken = self.stages.pop();
                match taken == Some(Fields::default()) {
                    true => WhatIfReply::Draw,
                    false => WhatIfReply::Plan,
                }
            }
        }
    }
}

/// The steps that the keys go to: writes of the status alone are part of what they follow.
fn stops(report: &Report) -> Stops {
    Stops::new(report, usize::MAX)
}
