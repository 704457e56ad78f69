//! The screen of `-w` with several sets: a lane for each set, the stuck ones on top, and the screen of the opened one.

use std::collections::BTreeMap;

use jiff::Timestamp;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use super::Key;
use super::key_page::KeyPage;
use super::page::{Page, Scroll, size};
use super::set_lanes::{SetLanes, legend};
use super::theme::Theme;
use super::watch::{WatchReply, WatchScreen};
use crate::output::fleet::state;
use crate::output::fleet::state::{age_at, cause_of};
use crate::output::fleet::tally;
use crate::output::keys::KeyScreen;
use crate::output::overview::ready;
use crate::output::style::{Tone, columns_of, escape};
use crate::output::words::{count, cut, set_name};
use sts_plan::fleet::{Tally, urgency};
use sts_plan::report::{Report, SetState};
use sts_plan::verify::Verification;

/// Maximum width of a name.
const NAME: usize = 32;
/// The widths of ready pods, and of the state with its age.
const READY: usize = 8;
const STATE: usize = 28;
/// Number of sets that PgUp and PgDn skip.
const SCREEN: usize = 10;

/// A set's namespace and name.
pub type SetKey = (String, String);

/// The screen of several sets.
pub struct AllSetsScreen {
    theme: Theme,
    sets: BTreeMap<SetKey, WatchScreen>,
    selected: Option<SetKey>,
    open: Option<SetKey>,
    shows_idle: bool,
    /// Text that the names of the visible sets have.
    filter: String,
    /// True while the filter is typed.
    types_filter: bool,
    /// The time of the first plan.
    began: Option<Timestamp>,
    note: String,
    keys: KeyPage,
}

impl AllSetsScreen {
    /// Returns a screen without plans.
    pub fn new(color: bool) -> Self {
        AllSetsScreen {
            theme: Theme { color },
            sets: BTreeMap::new(),
            selected: None,
            open: None,
            shows_idle: false,
            filter: String::new(),
            types_filter: false,
            began: None,
            note: String::new(),
            keys: KeyPage::new(KeyScreen::AllSets),
        }
    }

    /// Adds a plan of that time, with the verification of the previous one.
    pub fn update(&mut self, report: Report, since: Option<&Verification>, now: Timestamp) {
        self.began.get_or_insert(now);
        let key = (
            report.metadata.namespace.clone(),
            report.metadata.name.clone(),
        );
        let color = self.theme.color;
        let screen = self.sets.entry(key);
        let screen = screen.or_insert_with(|| WatchScreen::new(color));
        screen.update(report, since, now);
    }

    /// Removes a set.
    pub fn remove(&mut self, key: &SetKey) {
        self.sets.remove(key);
        if self.open.as_ref() == Some(key) {
            self.open = None;
            self.note = format!("StatefulSet {}/{} was deleted", key.0, key.1);
        }
    }

    /// Shows a note until the next key.
    pub fn note(&mut self, text: &str) {
        text.clone_into(&mut self.note);
    }

    /// Returns the last plan of every set.
    pub fn into_reports(self) -> Vec<Report> {
        let screens = self.sets.into_values();
        screens.filter_map(WatchScreen::into_report).collect()
    }

    /// Handles a key.
    pub fn key(&mut self, key: Key) -> WatchReply {
        self.note.clear();
        if let Some(open) = self.open.as_ref().and_then(|open| self.sets.get_mut(open)) {
            match key {
                Key::Escape if !open.shows_keys() => self.open = None,
                key => return open.key(key),
            }
            return WatchReply::Draw;
        }
        if self.types_filter {
            return self.type_filter(key);
        }
        let key = key.moving();
        if self.keys.key(key) {
            return WatchReply::Draw;
        }
        match key {
            Key::Escape if !self.filter.is_empty() => self.filter.clear(),
            Key::Char('/') => self.types_filter = true,
            Key::Char('q' | 'Q') | Key::Escape | Key::Interrupt => return WatchReply::Quit,
            Key::Char('a' | 'A') => self.shows_idle = !self.shows_idle,
            Key::Enter => self.open = self.selected(),
            Key::Up => self.select(|at| at.saturating_sub(1)),
            Key::Down | Key::Tab => self.select(|at| at + 1),
            Key::PageUp => self.select(|at| at.saturating_sub(SCREEN)),
            Key::PageDown => self.select(|at| at + SCREEN),
            Key::Home => self.select(|_| 0),
            Key::End => self.select(|_| usize::MAX),
            Key::Left | Key::Right | Key::Backspace | Key::Char(_) => {}
        }
        WatchReply::Draw
    }

    /// Handles a key of the filter's line.
    fn type_filter(&mut self, key: Key) -> WatchReply {
        match key {
            Key::Interrupt => return WatchReply::Quit,
            Key::Char(typed) => self.filter.push(typed),
            Key::Backspace => drop(self.filter.pop()),
            Key::Enter => self.types_filter = false,
            Key::Escape => {
                self.filter.clear();
                self.types_filter = false;
            }
            Key::Up => self.select(|at| at.saturating_sub(1)),
            Key::Down | Key::Tab => self.select(|at| at + 1),
            _ => {}
        }
        WatchReply::Draw
    }

    /// Returns the visible sets, the most urgent first.
    fn shown(&self) -> Vec<(SetState, &SetKey)> {
        let reports = self.reports();
        let mut shown: Vec<(&SetKey, &Report)> = reports
            .filter(|(key, report)| match self.filter.is_empty() {
                true => self.shows_idle || report.state != SetState::UpToDate,
                // Whoever names a set wants to see it, whatever its state is.
                false => shown_name(key).contains(&self.filter),
            })
            .collect();
        shown.sort_by_key(|(_, report)| urgency(report));
        let shown = shown.into_iter();
        shown.map(|(key, report)| (report.state, key)).collect()
    }

    fn reports(&self) -> impl Iterator<Item = (&SetKey, &Report)> {
        let sets = self.sets.iter();
        sets.filter_map(|(key, screen)| Some((key, screen.report()?)))
    }

    /// Returns the selected set, by default the first.
    fn selected(&self) -> Option<SetKey> {
        let shown = self.shown();
        shown.get(self.place(&shown)).map(|(_, key)| (*key).clone())
    }

    /// Returns the position of the selected set.
    fn place(&self, shown: &[(SetState, &SetKey)]) -> usize {
        let mut shown = shown.iter();
        let place = shown.position(|(_, key)| self.selected.as_ref() == Some(key));
        place.unwrap_or(0)
    }

    fn select(&mut self, next: impl FnOnce(usize) -> usize) {
        let shown = self.shown();
        let next = next(self.place(&shown)).min(shown.len().saturating_sub(1));
        self.selected = shown.get(next).map(|(_, key)| (*key).clone());
    }

    /// Draws the screen at a time.
    pub fn draw(&mut self, frame: &mut Frame<'_>, now: Timestamp) {
        if let Some(open) = self.open.as_ref().and_then(|open| self.sets.get_mut(open)) {
            return open.draw(frame, now);
        }
        let (width, height) = size(frame);
        let mut page = Page {
            head: self.head(now, width),
            foot: self.foot(width),
            ..Page::default()
        };
        let room = page.room(height);
        page.body = match self.keys.is_open {
            true => self.keys.lines(self.theme),
            false => self.lanes(now, width, room),
        };
        let mut within = Scroll::default();
        let scroll = match self.keys.is_open {
            true => &mut self.keys.scroll,
            false => &mut within,
        };
        page.draw(frame, scroll, self.theme);
    }

    /// Returns the number of sets by state, and the time.
    fn head(&self, now: Timestamp, width: usize) -> Vec<Line<'static>> {
        let clock = format!("{} UTC", now.strftime("%H:%M:%S"));
        let counted = Tally::of(self.reports().map(|(_, it)| it.state));
        let text = match counted.sets == 0 {
            true => "Loading StatefulSets and related objects ...".to_owned(),
            false => tally(&counted),
        };
        let text = match self.types_filter || !self.filter.is_empty() {
            true => format!("/{}  {text}", escape(&self.filter)),
            false => text,
        };
        let text = cut(&text, width.saturating_sub(clock.len() + 2));
        let gap = width.saturating_sub(columns_of(&text) + clock.len());
        let line = Line::from(vec![
            Span::styled(text, self.theme.tone(Tone::Strong)),
            Span::raw(" ".repeat(gap)),
            Span::styled(clock, self.theme.tone(Tone::Faint)),
        ]);
        vec![line, Line::default()]
    }

    /// Returns the sets with their lanes. A line for the cause follows urgent sets, or all sets if there is room.
    fn lanes(&self, now: Timestamp, width: usize, room: usize) -> Vec<Line<'static>> {
        let shown = self.shown();
        if shown.is_empty() {
            let text = match self.sets.len() {
                _ if !self.filter.is_empty() => "no set has this text in its name".to_owned(),
                0 => String::new(),
                sets => format!("{} up to date", count(sets, "set")),
            };
            return vec![Line::styled(text, self.theme.tone(Tone::Faint))];
        }
        let place = self.place(&shown);
        let for_sets = room.saturating_sub(3).max(1);
        let has_room = 2 * shown.len() <= for_sets;
        let lines_of = |state: SetState| match has_room || state::tone(state) == Tone::Bad {
            true => 2,
            false => 1,
        };
        // The selected set is always visible.
        let mut first = 0;
        let mut used: usize = shown[..=place].iter().map(|(it, _)| lines_of(*it)).sum();
        while used > for_sets && first < place {
            used -= lines_of(shown[first].0);
            first += 1;
        }
        let names = shown.iter().map(|(_, key)| columns_of(&shown_name(key)));
        let name = names.max().unwrap_or(0).min(NAME).min(width / 3);
        let screens = shown.iter().filter_map(|(_, key)| self.sets.get(*key));
        let ends = screens.filter_map(|screen| screen.ends_at(now));
        let began = self.began.unwrap_or(now);
        let time = SetLanes::new((began, now), ends, width, name + READY + STATE + 4);
        let mut lines = Vec::new();
        let mut end = first;
        for (at, (state, key)) in shown.iter().enumerate().skip(first) {
            if lines.len() + lines_of(*state) > for_sets && at > place {
                break;
            }
            end = at + 1;
            let Some(screen) = self.sets.get(*key) else {
                continue;
            };
            lines.extend(self.set(screen, at == place, (lines_of(*state), width), name, &time));
        }
        let hidden = shown.len() - (end - first);
        let more = match hidden {
            0 => String::new(),
            more => format!("({}: ↑↓)", count(more, "more set")),
        };
        lines.push(Line::styled(more, self.theme.tone(Tone::Faint)));
        lines.push(time.axis(self.theme));
        lines.push(legend(self.theme));
        lines
    }

    /// Returns the row of a set, and the line for the cause.
    fn set(
        &self,
        screen: &WatchScreen,
        is_selected: bool,
        (lines, width): (usize, usize),
        wide: usize,
        time: &SetLanes,
    ) -> Vec<Line<'static>> {
        let Some(report) = screen.report() else {
            return Vec::new();
        };
        let theme = self.theme;
        let state = report.state;
        let (mark, style) = match is_selected {
            true => ("> ", theme.selected()),
            false => ("  ", theme.tone(Tone::Strong)),
        };
        let name = cut(&set_name(&report.metadata), wide);
        let gap = wide.saturating_sub(columns_of(&name)) + 2;
        let age = match age_at(report, time.now) {
            none if none == "-" => String::new(),
            age => format!(" {age}"),
        };
        let words = cut(&format!("{}{age}", state::words(state)), STATE - 2);
        let mut line = Line::from(vec![
            Span::raw(mark),
            Span::styled(name, style),
            Span::raw(format!("{:gap$}{:READY$}", "", ready(report))),
            Span::styled(format!("{words:STATE$}"), theme.tone(state::tone(state))),
        ]);
        if let Some((began, lanes)) = screen.lanes_at(report, time.now) {
            line.spans.extend(time.lane(&lanes, began, theme));
        }
        let mut all = vec![line];
        if lines > 1 {
            let tone = match state::tone(state) {
                Tone::Bad => Tone::Bad,
                _ => Tone::Faint,
            };
            let cause = cut(&cause_of(report), width.saturating_sub(4));
            all.push(Line::styled(format!("    {cause}"), theme.tone(tone)));
        }
        all
    }

    fn foot(&self, width: usize) -> Vec<Line<'static>> {
        let is_active = |key: &str| key == "a" && self.shows_idle;
        self.keys.foot(&self.note, is_active, width, self.theme)
    }
}

fn shown_name((namespace, name): &SetKey) -> String {
    escape(&format!("{namespace}/{name}")).into_owned()
}
