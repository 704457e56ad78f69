//! The screen of `-w`: observed lanes to the left of the current time, predicted ones to the right, and views of the log, the
//! steps and the cause.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;

use super::Key;
use super::chart::Chart;
use super::event_log::{EventLog, PUNCTUAL};
use super::headline::{headline, overdue};
use super::key_page::KeyPage;
use super::page::{Page, Scroll, answer, laid_out, recorded, size, title};
use super::theme::Theme;
use crate::output::document::verification::stage_blocks;
use crate::output::document::{Part, Role, say};
use crate::output::keys::KeyScreen;
use crate::output::lanes::Lanes;
use crate::output::style::Tone;
use crate::output::verdict::{verdict, waits_for_user};
use crate::output::words::elapsed;
use crate::output::{Format, screen};
use sts_plan::report::timeline::{Timeline, Wait, waits};
use sts_plan::report::{HeadlineTopic, PlanResult, PodPeriod, Report};
use sts_plan::verify::{Verification, VerifiedStage};

/// Maximum number of commands of the next stage above the lanes.
const STAGE_COMMANDS: usize = 3;

/// Minimum number of lines of the log below the lanes.
const LEAST: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    Pods,
    Steps,
    Why,
    Log,
}

/// The views and their keys, in the order of the footer.
const VIEWS: [(View, &str); 4] = [
    (View::Pods, "p"),
    (View::Steps, "s"),
    (View::Why, "w"),
    (View::Log, "l"),
];

/// The effect of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchReply {
    /// The screen must be redrawn.
    Draw,
    /// The user quits.
    Quit,
}

/// The screen of a watch.
pub struct WatchScreen {
    theme: Theme,
    view: View,
    scroll: Scroll,
    /// The last plan, and its time.
    plan: Option<(Report, Timestamp)>,
    /// The start of the watch, and the end that the first plan predicted, in seconds.
    first: Option<(Timestamp, i64)>,
    /// The observed spans of each pod, in seconds since the start.
    observed: BTreeMap<String, Vec<PodPeriod>>,
    /// True if the first pod is at the bottom; kept, so that rows do not move.
    goes_down: Option<bool>,
    log: EventLog,
    /// The current stage of a change in stages.
    stage: Option<VerifiedStage>,
    note: String,
    keys: KeyPage,
}

impl WatchScreen {
    /// Returns a screen without a plan.
    pub fn new(color: bool) -> Self {
        WatchScreen {
            theme: Theme { color },
            view: View::Pods,
            scroll: Scroll::default(),
            plan: None,
            first: None,
            observed: BTreeMap::new(),
            goes_down: None,
            log: EventLog::default(),
            stage: None,
            note: String::new(),
            keys: KeyPage::new(KeyScreen::Watch),
        }
    }

    /// Sets the plan of that time, with the verification of the previous one.
    pub fn update(&mut self, report: Report, since: Option<&Verification>, now: Timestamp) {
        if let Some(since) = since {
            self.log.add(since, now);
        }
        let spec_changed = since.is_some_and(|since| since.stale.is_some());
        // After a change of the spec, the first prediction no longer applies.
        if spec_changed || self.first.is_none() {
            let began = self.first.map_or(now, |(began, _)| began);
            let end = now.duration_since(began).as_secs() + report.outcome.at;
            self.first = Some((began, end));
        }
        self.observe(&report, now);
        self.note.clear();
        self.plan = Some((report, now));
    }

    /// Sets the current stage.
    pub fn enter_stage(&mut self, stage: Option<&VerifiedStage>) {
        self.stage = stage.cloned();
    }

    /// Shows a note until the next plan.
    pub fn note(&mut self, text: &str, now: Timestamp) {
        self.note = text.to_owned();
        self.log.push(now, Tone::Busy, text.to_owned());
    }

    /// Returns the last plan.
    pub(super) fn report(&self) -> Option<&Report> {
        self.plan.as_ref().map(|(report, _)| report)
    }

    pub(super) fn into_report(self) -> Option<Report> {
        self.plan.map(|(report, _)| report)
    }

    /// Reports whether the page of keys is open.
    pub(super) fn shows_keys(&self) -> bool {
        self.keys.is_open
    }

    /// Returns the predicted end of the plan.
    pub(super) fn ends_at(&self, now: Timestamp) -> Option<Timestamp> {
        let (report, made) = self.plan.as_ref()?;
        let after = report.outcome.at + overdue(report, *made, now);
        made.checked_add(SignedDuration::from_secs(after)).ok()
    }

    /// Returns the lanes at a time, and their start.
    pub(super) fn lanes_at(&self, report: &Report, now: Timestamp) -> Option<(Timestamp, Lanes)> {
        let (_, made) = self.plan.as_ref()?;
        let (began, _) = self.first?;
        let late = overdue(report, *made, now);
        let lanes = Lanes::predicted(report, late).after(&self.observed, self.seconds(*made));
        Some((began, lanes))
    }

    /// Handles a key.
    pub fn key(&mut self, key: Key) -> WatchReply {
        let key = key.moving();
        if self.keys.key(key) {
            return WatchReply::Draw;
        }
        match key {
            Key::Char('q' | 'Q') | Key::Escape | Key::Interrupt => return WatchReply::Quit,
            Key::Tab => {
                let at = VIEWS.iter().position(|(view, ..)| *view == self.view);
                let next = at.map_or(0, |at| (at + 1) % VIEWS.len());
                self.switch_to(VIEWS[next].0);
            }
            Key::Char(typed) => {
                let mut views = VIEWS.iter();
                let found = views.find(|(_, key)| key.starts_with(typed.to_ascii_lowercase()));
                if let Some((view, _)) = found {
                    self.switch_to(*view);
                }
            }
            key => {
                self.scroll.key(key);
            }
        }
        WatchReply::Draw
    }

    fn switch_to(&mut self, view: View) {
        self.view = view;
        self.scroll = Scroll::default();
    }

    /// Draws the screen at a time.
    pub fn draw(&mut self, frame: &mut Frame<'_>, now: Timestamp) {
        let (width, height) = size(frame);
        let mut page = Page {
            foot: self.foot(width),
            ..Page::default()
        };
        let Some((mut report, made)) = self.plan.take() else {
            page.head
                .push(Line::raw("Loading the StatefulSet and related objects ..."));
            return page.draw(frame, &mut self.scroll, self.theme);
        };
        page.head = self.head(&mut report, made, now, (width, height));
        page.body = match self.view {
            _ if self.keys.is_open => self.keys.lines(self.theme),
            View::Pods => self.pods(&report, made, now, width, page.room(height)),
            View::Steps => self.text(&report, &[Part::Operations], width),
            View::Why => self.text(&report, &Part::WHY, width),
            View::Log => self.log.lines(width, usize::MAX, self.theme),
        };
        self.plan = Some((report, made));
        // The lanes scroll within the page.
        let mut within = Scroll::default();
        let scroll = match self.view {
            _ if self.keys.is_open => &mut self.keys.scroll,
            View::Pods => &mut within,
            View::Steps | View::Why | View::Log => &mut self.scroll,
        };
        page.draw(frame, scroll, self.theme);
    }

    /// Records the current state of each pod.
    fn observe(&mut self, report: &Report, now: Timestamp) {
        let at = self.seconds(now);
        self.goes_down = self.goes_down.or_else(|| Timeline::new(report).goes_down());
        for spans in self.observed.values_mut() {
            if let Some(last) = spans.last_mut() {
                last.to = last.to.or(Some(at));
            }
        }
        for lane in &Timeline::new(report).lanes {
            // The current state, before any step.
            let Some(now) = lane.after(0) else { continue };
            let span = PodPeriod {
                state: now.state,
                revision: now.revision.to_owned(),
                from: at,
                to: None,
            };
            let spans = self.observed.entry(lane.pod.clone()).or_default();
            match spans.last_mut() {
                Some(last) if last.continues_in(&span) => last.to = None,
                _ => spans.push(span),
            }
        }
    }

    /// Returns the seconds since the start of the watch.
    fn seconds(&self, now: Timestamp) -> i64 {
        let began = self.first.map_or(now, |(began, _)| began);
        now.duration_since(began).as_secs().max(0)
    }

    /// Returns the title, the answer, the stage, the forecast, and the late event.
    fn head(
        &self,
        report: &mut Report,
        made: Timestamp,
        now: Timestamp,
        (width, height): (usize, usize),
    ) -> Vec<Line<'static>> {
        let theme = self.theme;
        let clock = format!("{} UTC", now.strftime("%H:%M:%S"));
        let mut lines = vec![title(report, &clock, width, theme)];
        report.next.summary = headline(report, made, now);
        lines.extend(answer(report, (width, height), theme));
        let mut blocks = Vec::new();
        if let Some(stage) = &self.stage {
            let tone = match stage.next.as_ref().is_some_and(|next| next.may_begin) {
                true => Tone::Good,
                false => Tone::Plain,
            };
            blocks.extend(stage_blocks(stage, tone, STAGE_COMMANDS));
        }
        let forecast = self.forecast(report, made, now);
        let late = self.log.late(now);
        blocks.extend(forecast.map(|text| say(Role::Remark, Tone::Plain, "", text)));
        blocks.extend(late.map(|text| say(Role::Remark, Tone::Busy, "", text)));
        lines.extend(laid_out(&blocks, width, theme));
        lines.push(Line::default());
        lines
    }

    /// Returns the predicted end, and its change since the start of the watch.
    fn forecast(&self, report: &Report, made: Timestamp, now: Timestamp) -> Option<String> {
        let (_, first) = self.first?;
        let end = self.seconds(made) + report.outcome.at + overdue(report, made, now);
        // The answer states it.
        if report.next.topic == HeadlineTopic::Stuck {
            return None;
        }
        let is_over = report.steps.is_empty();
        let left = end - self.seconds(now);
        let mut text = match (report.outcome.result, is_over) {
            (PlanResult::Complete, true) if waits_for_user(report) => return None,
            (PlanResult::Complete, true) => format!("Complete after {}", elapsed(end)),
            (PlanResult::Complete, false) if left >= 0 => {
                format!("Completes in {}", elapsed(left))
            }
            (PlanResult::Complete, false) => {
                format!("Overdue by {}", elapsed(-left))
            }
            _ => return Some(verdict(report).capitalized()),
        };
        match end - first {
            by @ PUNCTUAL.. => text += &format!(", {} later than first predicted", elapsed(by)),
            by if by <= -PUNCTUAL => {
                text += &format!(", {} earlier than first predicted", elapsed(-by));
            }
            _ => text += ", as first predicted",
        }
        Some(text)
    }

    /// Returns the lanes, and the log if there is room.
    fn pods(
        &mut self,
        report: &Report,
        made: Timestamp,
        now: Timestamp,
        width: usize,
        room: usize,
    ) -> Vec<Line<'static>> {
        let before = self.seconds(made);
        let late = overdue(report, made, now);
        let lanes = Lanes::predicted(report, late).after(&self.observed, before);
        let mut lanes = lanes.top_down(self.goes_down);
        // An overdue plan extends the axis.
        lanes.end = lanes.end.max(self.seconds(now));
        let chart = Chart::new(&lanes, report, self.seconds(now), width, self.theme);
        let waits = waits(report).into_iter().map(|wait| Wait {
            from: match wait.look.steps {
                0 => wait.from,
                _ => wait.from + late,
            },
            to: wait.to.map(|to| to + late),
            ..wait
        });
        let waits = chart.waits(&waits.collect::<Vec<_>>(), before);
        let mut below = vec![chart.axis(), chart.unavailable()];
        below.extend(chart.legend(width, "now"));
        let fixed = usize::from(waits.is_some()) + below.len() + 1;
        let least = LEAST.min(self.log.len() + 1);
        let for_rows = room.saturating_sub(fixed + least).max(1);
        let mut lines: Vec<Line<'static>> = waits.into_iter().collect();
        lines.extend(chart.lanes(for_rows, &mut self.scroll));
        lines.extend(below);
        let left = room.saturating_sub(lines.len() + 1);
        if left > 0 && self.log.len() > 0 {
            lines.push(Line::default());
            lines.extend(self.log.lines(width, left, self.theme));
        }
        lines.truncate(room.max(1));
        lines
    }

    /// Returns parts of the document as lines.
    fn text(&self, report: &Report, parts: &[Part], width: usize) -> Vec<Line<'static>> {
        recorded(width, self.theme, |out| {
            screen::parts(report, parts, Format::Table, out)
        })
    }

    /// Returns the note and the keys.
    fn foot(&self, width: usize) -> Vec<Line<'static>> {
        let is_active = |key: &str| VIEWS.contains(&(self.view, key));
        self.keys.foot(&self.note, is_active, width, self.theme)
    }
}
