//! Tables of text. Layout precedes color, since escape sequences in a cell would count as width.

use std::io;

use unicode_width::UnicodeWidthStr as _;

use super::sink::Terminal;
use super::style::{Style, Tone};
use super::words::{capitalized, count, cut, without_set, wrap};

/// The gap between two columns.
const GAP: usize = 2;

/// The type of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Text,
    /// Numbers or times.
    Number,
    /// Names of objects.
    Name,
    /// States, to which the tone of the row applies.
    State,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// The header, in capitals.
    pub(super) header: &'static str,
    pub(super) shrink: ShrinkPriority,
    pub(super) look: Look,
}

impl Column {
    pub(super) const fn new(header: &'static str, shrink: ShrinkPriority, look: Look) -> Self {
        Column {
            header,
            shrink,
            look,
        }
    }

    /// Returns the header for formats without capitals.
    pub(super) fn title(&self) -> String {
        capitalized(&self.header.to_lowercase())
    }
}

/// The order in which columns shrink if the terminal is too narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ShrinkPriority {
    /// Truncated, then dropped, before all others.
    First,
    /// Truncated, then dropped.
    Second,
    /// Truncated, then dropped, after all others: it shows losses.
    Last,
    Never,
}

/// Returns the minimum width of a truncated column before it is dropped.
fn least(shrink: ShrinkPriority) -> usize {
    match shrink {
        ShrinkPriority::First | ShrinkPriority::Second | ShrinkPriority::Never => 9,
        // The keyword must remain.
        ShrinkPriority::Last => columns_of("LOST…"),
    }
}

/// A line of a table.
#[derive(Debug, Clone)]
pub(super) enum Row {
    /// A cell for each column.
    Cells(Tone, Vec<String>),
    /// Text across all columns, below its row.
    Below(Tone, String),
    /// A remark across all columns.
    Note(String),
}

/// The step and the pod of a row.
#[derive(Debug, Clone)]
pub(super) struct About {
    pub(super) step: usize,
    pub(super) pod: String,
}

#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) title: &'static str,
    /// The singular noun for a row.
    pub(super) thing: &'static str,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Row>,
    /// The subjects of the first rows, for pages that link to them.
    pub(super) about: Vec<About>,
    /// The position and the number of omitted rows.
    pub(super) left_out: Option<(usize, usize)>,
}

/// Returns the display width of a text.
pub(super) fn columns_of(text: &str) -> usize {
    text.width()
}

impl Table {
    pub(super) fn new(columns: Vec<Column>, rows: Vec<Row>) -> Self {
        Table {
            title: "",
            thing: "row",
            columns,
            rows,
            about: Vec::new(),
            left_out: None,
        }
    }

    /// Omits the middle if there are more rows than `most`.
    pub(super) fn leave_out_middle(&mut self, most: usize) {
        if self.rows.len() <= most {
            return;
        }
        let head = most / 2;
        let cut = head..self.rows.len() - (most - head - 1);
        self.left_out = Some((head, cut.len()));
        if self.about.len() == self.rows.len() {
            self.about.drain(cut.clone());
        }
        self.rows.drain(cut);
    }

    /// Writes the table, with one line for each row and no trailing spaces.
    pub(super) fn write(&self, out: &mut Terminal<'_>) -> io::Result<()> {
        let style = out.style;
        let room = style.table_width();
        let widths = self.fit(style.headers, room);
        let columns = |cells: &mut dyn Iterator<Item = &str>| -> String {
            let mut line = String::new();
            let mut gap = 0;
            for (cell, width) in cells.zip(&widths) {
                let Some(width) = *width else { continue };
                let cell = cut(cell, width);
                line.extend(std::iter::repeat_n(' ', gap));
                line += &cell;
                gap = width.saturating_sub(columns_of(&cell)) + GAP;
            }
            line
        };
        if style.headers && !self.columns.is_empty() {
            let line = columns(&mut self.columns.iter().map(|column| column.header));
            out.line(Tone::Faint, line.trim_end())?;
        }
        let within = |text: &str| room.map_or_else(|| text.to_owned(), |room| cut(text, room));
        for (at, row) in self.rows.iter().enumerate() {
            if let Some((_, more)) = self.left_out.filter(|(place, _)| *place == at) {
                let note = format!(
                    "… {} (-v shows all)",
                    count(more, &format!("more {}", self.thing))
                );
                out.line(Tone::Faint, &within(&note))?;
            }
            let (tone, line) = match row {
                Row::Cells(tone, cells) => (*tone, columns(&mut cells.iter().map(String::as_str))),
                Row::Below(tone, text) => (*tone, within(text)),
                Row::Note(text) => (Tone::Faint, within(text)),
            };
            out.line(tone, line.trim_end())?;
        }
        let needed = self.fit(style.headers, None);
        let columns = self.columns.iter().zip(needed.iter().zip(&widths));
        let dropped: Vec<&str> = columns
            .filter(|(_, (needed, width))| needed.is_some() && width.is_none())
            .map(|(column, _)| column.header)
            .collect();
        if !dropped.is_empty() {
            let text = format!(
                "Columns omitted: {} (-o wide shows all)",
                dropped.join(", ")
            );
            for line in wrap(&text, room, GAP) {
                out.line(Tone::Faint, &line)?;
            }
        }
        Ok(())
    }

    /// Returns the width without shrinking.
    pub(super) fn natural_width(&self, style: &Style) -> usize {
        self.width_of(style, |_| true)
    }

    /// Abbreviates names that begin with the set's name if the table does not fit without its [`ShrinkPriority::First`]
    /// columns. `sets` has the set of each row. The `first` columns are unchanged.
    pub(super) fn within<'s>(
        mut self,
        style: &Style,
        sets: impl IntoIterator<Item = &'s str>,
        first: usize,
    ) -> Self {
        let least = self.width_of(style, |column| column.shrink != ShrinkPriority::First);
        let room = style.table_width();
        if style.full_names || style.verbose || room.is_none_or(|room| least <= room) {
            return self;
        }
        for (row, set) in self.rows.iter_mut().zip(sets) {
            if let Row::Cells(_, cells) = row {
                for cell in cells.iter_mut().skip(first) {
                    *cell = without_set(cell, set);
                }
            }
        }
        self
    }

    /// Returns the width of some of the columns without shrinking.
    fn width_of(&self, style: &Style, counts: impl Fn(&Column) -> bool) -> usize {
        let widths = self.fit(style.headers, None);
        let counted = self.columns.iter().zip(widths);
        let counted = counted.filter(|(column, _)| counts(column));
        let taken: usize = counted.filter_map(|(_, width)| Some(width? + GAP)).sum();
        taken.saturating_sub(GAP)
    }

    /// Returns the width of each column within `room`; `None` for a dropped column, which is empty or does not fit.
    fn fit(&self, headers: bool, room: Option<usize>) -> Vec<Option<usize>> {
        let mut widths: Vec<Option<usize>> = (0..self.columns.len())
            .map(|at| {
                let cells = self.rows.iter().filter_map(|row| match row {
                    Row::Cells(_, cells) => cells.get(at),
                    Row::Below(..) | Row::Note(_) => None,
                });
                let widest = cells.map(|cell| columns_of(cell)).max().unwrap_or(0);
                let header = match headers {
                    true => columns_of(self.columns[at].header),
                    false => 0,
                };
                (widest > 0).then(|| widest.max(header))
            })
            .collect();
        let Some(room) = room else {
            return widths;
        };
        for shrink in [
            ShrinkPriority::First,
            ShrinkPriority::Second,
            ShrinkPriority::Last,
        ] {
            for (at, column) in self.columns.iter().enumerate() {
                let taken: usize = widths.iter().flatten().map(|width| width + GAP).sum();
                let excess = taken.saturating_sub(GAP).saturating_sub(room);
                if column.shrink != shrink || excess == 0 {
                    continue;
                }
                widths[at] = widths[at]
                    .and_then(|width| width.checked_sub(excess))
                    .filter(|width| *width >= least(shrink));
            }
        }
        widths
    }
}
