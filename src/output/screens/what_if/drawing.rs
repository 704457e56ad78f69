//! The drawing of the screen: fields, verdict, lanes, selected step, and command line.

use std::collections::BTreeSet;

use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use super::{Selection, WhatIfScreen, stops};
use crate::output::lanes::Lanes;
use crate::output::screens::chart::Chart;
use crate::output::screens::fields::Field;
use crate::output::screens::page::{Page, Scroll, answer, prose, size, title};
use crate::output::screens::theme::Theme;
use crate::output::step_text;
use crate::output::style::{Tone, columns_of, escape};
use crate::output::verdict::verdict;
use crate::output::words::{elapsed, spaced};
use sts_plan::report::timeline::waits;
use sts_plan::report::{HeadlineTopic, Report};

/// Width of the left of two fields in a line.
const LEFT: usize = 36;
/// Minimum width for two fields in a line.
const TWO: usize = 76;

impl WhatIfScreen {
    /// Draws the screen.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let (width, height) = size(frame);
        let mut page = Page {
            head: self.head((width, height)),
            foot: self.foot(width),
            ..Page::default()
        };
        let room = page.room(height);
        page.body = match &self.plan {
            _ if self.keys.is_open => self.keys.lines(self.theme),
            Ok(report) => {
                let drawing = Drawing {
                    report,
                    lanes: self.lanes().unwrap_or_default(),
                    selected: match &self.selected {
                        Selection::Pod(pod) => Some(pod),
                        Selection::Field(_) => None,
                    },
                    failing: &self.failing,
                    theme: self.theme,
                };
                drawing.lines(self.stop, &mut self.scroll, width, room)
            }
            Err(error) => self.error(error, width),
        };
        let mut within = Scroll::default();
        let scroll = match self.keys.is_open {
            true => &mut self.keys.scroll,
            false => &mut within,
        };
        page.draw(frame, scroll, self.theme);
    }

    /// Returns the title, the fields, and the answer of the plan.
    fn head(&self, (width, height): (usize, usize)) -> Vec<Line<'static>> {
        let theme = self.theme;
        let report = self.plan.as_ref().unwrap_or(&self.stored);
        let mut lines = vec![title(report, "", width, theme)];
        lines.extend(self.fields(width));
        if let Ok(report) = &self.plan {
            let verdict = verdict(report);
            let mut text = verdict.capitalized();
            let is_changed = !self.words().is_empty();
            if is_changed {
                let without = crate::output::verdict::verdict(&self.stored);
                text += &format!(" (without these flags: {})", without.text);
            }
            // The answer states it.
            if is_changed || report.next.topic != HeadlineTopic::Stuck {
                lines.extend(prose(&text, theme.tone(verdict.tone), width));
            }
            lines.extend(answer(report, (width, height), theme));
        }
        lines.push(Line::default());
        lines
    }

    /// Returns the fields, two in a line if there is room; the image has its own line.
    fn fields(&self, width: usize) -> Vec<Line<'static>> {
        let mut lines: Vec<Line<'static>> = Vec::new();
        for (at, field) in Field::ALL.iter().copied().enumerate() {
            let is_right = matches!(field, Field::Partition | Field::Strategy);
            match lines.last_mut().filter(|_| is_right && width >= TWO) {
                Some(line) => {
                    let taken: usize = line.spans.iter().map(|it| columns_of(&it.content)).sum();
                    let gap = LEFT.saturating_sub(taken);
                    line.push_span(Span::raw(" ".repeat(gap)));
                    line.spans.extend(self.field(field, at, 9));
                }
                None => lines.push(Line::from(self.field(field, at, 15).to_vec())),
            }
        }
        lines
    }

    fn field(&self, field: Field, at: usize, wide: usize) -> [Span<'static>; 3] {
        let is_selected = self.selected == Selection::Field(at);
        let container = self.container();
        let before = self.before();
        let stored = before.map_or_else(String::new, |set| set.value(field, &container));
        let given = self.stages.last();
        let given = given.and_then(|fields| fields.given(field, &container));
        let count = before.map_or(0, |set| set.containers().len());
        let mark = if is_selected { "> " } else { "  " };
        let of = match field {
            Field::Image if count > 1 => {
                let place = self.container + 1;
                format!("{} ({place} of {count})  ", escape(&container))
            }
            _ => String::new(),
        };
        let name = format!("{mark}{:wide$}{of}", field.name());
        let (value, was) = match given {
            Some(given) => {
                let when = if self.stages.len() > 1 {
                    "before"
                } else {
                    "was"
                };
                (given, format!(" ({when} {})", escape(&stored)))
            }
            None => (stored, String::new()),
        };
        let style = match is_selected {
            true => self.theme.selected(),
            false => self.theme.tone(Tone::Plain),
        };
        [
            Span::raw(name),
            Span::styled(format!(" {} ", escape(&value)), style),
            Span::styled(was, self.theme.tone(Tone::Busy)),
        ]
    }

    /// Returns the error instead of a plan, and the pods marked as failing.
    fn error(&self, error: &str, width: usize) -> Vec<Line<'static>> {
        let tone = self.theme.tone(Tone::Bad);
        let mut lines = prose(&format!("error: {error}"), tone, width);
        lines.extend(self.failing.iter().map(|pod| {
            let style = match self.selected == Selection::Pod(pod.clone()) {
                true => self.theme.selected(),
                false => tone,
            };
            Line::styled(format!("{}!", escape(pod)), style)
        }));
        lines
    }

    /// Returns the command line and the keys, or the input line.
    fn foot(&self, width: usize) -> Vec<Line<'static>> {
        let count = self.stages.len();
        let first = match (self.note, count) {
            ("", 1) => Line::default(),
            ("", _) => {
                let text =
                    format!("Stage {count} of {count}: starts when the previous stage completes");
                Line::styled(text, self.theme.tone(Tone::Strong))
            }
            (note, _) => Line::styled(note, self.theme.tone(Tone::Busy)),
        };
        let mut lines = vec![first];
        if let Some(image) = &self.image {
            lines.extend(image.lines(self.theme, width));
            return lines;
        }
        let command = self.command_line();
        lines.extend(prose(&command, self.theme.tone(Tone::Typed), width));
        lines.push(self.keys.brief(|_| false, self.theme));
        lines
    }
}

/// The drawing of a plan.
struct Drawing<'r> {
    report: &'r Report,
    lanes: Lanes,
    selected: Option<&'r String>,
    failing: &'r BTreeSet<String>,
    theme: Theme,
}

impl Drawing<'_> {
    /// Returns the lanes, and the selected step below.
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
        let mut chart = Chart::new(lanes, report, at, width, self.theme);
        chart.selected = self.selected.map(String::as_str);
        chart.failing = Some(self.failing);
        let all_waits = waits(report);
        let waits = chart.waits(&all_waits, 0);
        let mut below = vec![chart.axis(), chart.unavailable()];
        below.extend(chart.legend(width, "selected event"));
        let blank = below.len();
        let count = format!("Event {} of {}", spaced(stop), spaced(stops.len()));
        let what = match first {
            None if stops.len() == 0 && !report.outcome.blocked_by.is_empty() => {
                "no step is possible".to_owned()
            }
            None if stops.len() == 0 => "nothing to do".to_owned(),
            None => "0s: start".to_owned(),
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
        let mut lines: Vec<Line<'static>> = chart.stages().into_iter().chain(waits).collect();
        let for_rows = room.saturating_sub(lines.len() + below.len()).max(1);
        // The blank line is optional.
        if lanes.pods.len() < for_rows {
            below.insert(blank, Line::default());
        }
        let for_rows = room.saturating_sub(lines.len() + below.len()).max(1);
        lines.extend(chart.lanes(for_rows, scroll));
        lines.extend(below);
        lines.truncate(room.max(1));
        lines
    }
}
