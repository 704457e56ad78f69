//! The screen of `--interactive`: the lanes of a plan with a line at the step that is looked at, fields that can be turned
//! up and down, and the command line that gives the plan on the screen.

use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use super::Key;
use super::chart::Chart;
use super::fields::{Field, Fields};
use super::key_page::KeyPage;
use super::page::{Page, Scroll, answer, prose, title};
use super::pod_lanes::PodLanes;
use super::theme::Theme;
use crate::output::html::Stops;
use crate::output::keys::KeyScreen;
use crate::output::step_text;
use crate::output::style::{Tone, escape};
use crate::output::verdict::verdict;
use crate::output::words::{elapsed, spaced};
use sts_plan::report::timeline::{Timeline, waits};
use sts_plan::report::{HeadlineTopic, Report};

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

/// The screen of plans with other fields.
pub struct WhatIfScreen {
    theme: Theme,
    /// The command line without the flags of the fields.
    command: String,
    fields: Fields,
    chosen: usize,
    /// The plan without the flags of the fields.
    stored: Report,
    /// The plan with them, or why there is none.
    plan: Result<Report, String>,
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
    pub fn new(stored: Report, command: &str, color: bool) -> Self {
        WhatIfScreen {
            theme: Theme { color },
            command: command.to_owned(),
            fields: Fields::default(),
            chosen: 1,
            plan: Ok(stored.clone()),
            goes_down: Timeline::new(&stored).goes_down(),
            stored,
            stop: 0,
            scroll: Scroll::default(),
            keys: KeyPage::new(KeyScreen::Fields),
        }
    }

    /// The fields that are to be planned.
    #[must_use]
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// Takes in the plan of these fields, or why there is none.
    pub fn show(&mut self, fields: Fields, plan: Result<Report, String>) {
        self.fields = fields;
        if let Ok(report) = &plan {
            self.stop = self.stop.min(stops(report).len());
            self.goes_down = self.goes_down.or_else(|| Timeline::new(report).goes_down());
        }
        self.plan = plan;
    }

    /// The command line that gives the plan on the screen.
    #[must_use]
    pub fn command_line(&self) -> String {
        format!("{}{}", self.command, self.fields.flags())
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key) -> WhatIfReply {
        if self.keys.key(key) {
            return WhatIfReply::Draw;
        }
        let last = self.plan.as_ref().map_or(0, |plan| stops(plan).len());
        match key {
            Key::Char('q' | 'Q') | Key::Escape | Key::Interrupt => return WhatIfReply::Quit,
            Key::Left => self.stop = self.stop.saturating_sub(1),
            Key::Right => self.stop = (self.stop + 1).min(last),
            Key::Home => self.stop = 0,
            Key::End => self.stop = last,
            Key::Up => self.chosen = self.chosen.saturating_sub(1),
            Key::Down => self.chosen = (self.chosen + 1).min(Field::ALL.len() - 1),
            Key::Tab => self.chosen = (self.chosen + 1) % Field::ALL.len(),
            Key::PageUp | Key::PageDown => {
                self.scroll.key(key);
            }
            Key::Char('+' | '=') => return self.turn(1),
            Key::Char('-' | '_') => return self.turn(-1),
            Key::Backspace => return self.leave_out(),
            Key::Enter => {}
            Key::Char(typed) => {
                let mut fields = Field::ALL.iter();
                if let Some(at) = fields.position(|field| field.key() == typed) {
                    self.chosen = at;
                }
            }
        }
        WhatIfReply::Draw
    }

    /// Turns the chosen field.
    fn turn(&mut self, by: i32) -> WhatIfReply {
        let before = self.fields.clone();
        self.fields
            .turn(Field::ALL[self.chosen], by, &self.stored.set);
        self.reply(&before)
    }

    /// The chosen field as it is stored.
    fn leave_out(&mut self) -> WhatIfReply {
        let before = self.fields.clone();
        self.fields.leave_out(Field::ALL[self.chosen]);
        self.reply(&before)
    }

    fn reply(&self, before: &Fields) -> WhatIfReply {
        match self.fields == *before {
            true => WhatIfReply::Draw,
            false => WhatIfReply::Plan,
        }
    }

    /// Draws it.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let (width, height) = (
            usize::from(frame.area().width),
            usize::from(frame.area().height),
        );
        let mut page = Page {
            head: self.head((width, height)),
            foot: self.foot(width),
            ..Page::default()
        };
        let room = page.room(height);
        page.body = match &self.plan {
            _ if self.keys.is_open => self.keys.lines(self.theme),
            Ok(report) => {
                let mut lanes = PodLanes::of(report);
                if self.goes_down == Some(true) {
                    lanes.pods.reverse();
                }
                let drawing = Drawing {
                    report,
                    lanes,
                    theme: self.theme,
                };
                drawing.lines(self.stop, &mut self.scroll, width, room)
            }
            Err(error) => prose(
                &format!("error: {error}"),
                self.theme.tone(Tone::Bad),
                width,
            ),
        };
        let mut within = Scroll::default();
        let scroll = match self.keys.is_open {
            true => &mut self.keys.scroll,
            false => &mut within,
        };
        page.draw(frame, scroll, self.theme);
    }

    /// Returns the set, its fields, and the outcome of the plan.
    fn head(&self, (width, height): (usize, usize)) -> Vec<Line<'static>> {
        let theme = self.theme;
        let report = self.plan.as_ref().unwrap_or(&self.stored);
        let mut lines = vec![title(report, "", width, theme)];
        for (at, field) in Field::ALL.into_iter().enumerate() {
            lines.push(self.field(field, at == self.chosen));
        }
        if let Ok(report) = &self.plan {
            let verdict = verdict(report);
            let mut text = verdict.capitalised();
            let is_turned = self.fields != Fields::default();
            if is_turned {
                let without = crate::output::verdict::verdict(&self.stored);
                text += &format!(" (without these flags: {})", without.text);
            }
            // The answer says it.
            if is_turned || report.next.topic != HeadlineTopic::Stuck {
                lines.extend(prose(&text, theme.tone(verdict.tone), width));
            }
            lines.extend(answer(report, (width, height), theme));
        }
        lines.push(Line::default());
        lines
    }

    fn field(&self, field: Field, is_chosen: bool) -> Line<'static> {
        let stored = field.stored(&self.stored.set);
        let given = self.fields.given(field);
        let mark = if is_chosen { "> " } else { "  " };
        let name = format!("{mark}{:15}", field.name());
        let (value, was) = match given {
            Some(given) => (
                escape(&given).into_owned(),
                format!(" (now {})", escape(&stored)),
            ),
            None => (escape(&stored).into_owned(), String::new()),
        };
        let style = match is_chosen {
            true => self.theme.chosen(),
            false => self.theme.tone(Tone::Plain),
        };
        Line::from(vec![
            Span::raw(name),
            Span::styled(format!(" {value} "), style),
            Span::styled(was, self.theme.tone(Tone::Busy)),
        ])
    }

    /// The command line and the keys.
    fn foot(&self, width: usize) -> Vec<Line<'static>> {
        let command = self.command_line();
        let mut lines = vec![Line::default()];
        lines.extend(prose(&command, self.theme.tone(Tone::Typed), width));
        lines.push(self.keys.foot(|_| false, self.theme));
        lines
    }
}

/// The steps that the keys go to: writes of the status alone are part of what they follow.
fn stops(report: &Report) -> Stops {
    Stops::new(report, usize::MAX)
}

/// A plan as it is drawn.
struct Drawing<'r> {
    report: &'r Report,
    lanes: PodLanes,
    theme: Theme,
}

impl Drawing<'_> {
    /// The lanes, and below them what happens at a step.
    fn lines(
        &self,
        stop: usize,
        scroll: &mut Scroll,
        width: usize,
        room: usize,
    ) -> Vec<Line<'static>> {
        let (report, lanes) = (self.report, &self.lanes);
        let stops = stops(report);
        let first = stops.steps(report, stop).first().filter(|_| stop > 0);
        let at = first.map_or(0, |step| step.at);
        let chart = Chart::new(lanes, report, at, width, self.theme);
        let all_waits = waits(report);
        let waits = chart.waits(&all_waits, 0);
        let mut below = vec![chart.axis(), chart.unavailable()];
        below.extend(chart.legend(width, "the step below"));
        below.push(Line::default());
        let count = format!("Step {} of {}", spaced(stop), spaced(stops.len()));
        let what = match first {
            None if stops.len() == 0 => "nothing happens".to_owned(),
            None => "0s: the beginning".to_owned(),
            Some(step) => format!(
                "{}: {}: {}",
                elapsed(at),
                step_text::actor(step),
                step_text::step(report, step)
            ),
        };
        let text = format!("{count}  {what}");
        below.extend(prose(&text, self.theme.tone(Tone::Strong), width));
        let mut held = all_waits.iter().rev();
        let held = held.find(|wait| wait.from <= at && wait.to.is_none_or(|to| at < to));
        if let Some(hold) = held.and_then(|wait| wait.hold()) {
            let text = format!("then {}", hold.message);
            below.extend(prose(&text, self.theme.tone(Tone::Faint), width));
        }
        let for_rows = room
            .saturating_sub(usize::from(waits.is_some()) + below.len())
            .max(1);
        let mut lines: Vec<Line<'static>> = waits.into_iter().collect();
        lines.extend(chart.lanes(for_rows, scroll));
        lines.extend(below);
        lines.truncate(room.max(1));
        lines
    }
}
