//! Columns of text. Layout comes before colour: escape sequences in a cell would count as width.

use std::io;

use unicode_width::UnicodeWidthStr as _;

use super::sink::Terminal;
use super::style::{Style, Tone};
use super::words::{capitalised, cut, spaced, without_set, wrap};

/// The gap between two columns.
const GAP: usize = 2;

/// The look of a column's cells, where a format has more than one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Words.
    Text,
    /// A number or a time.
    Number,
    /// The name of an object.
    Name,
    /// A state, which the tone of its row is about.
    State,
}

/// A column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// The text above it, in capitals.
    pub(super) header: &'static str,
    /// Its rank among the columns that give way if the terminal is too narrow.
    pub(super) shrink: ShrinkPriority,
    /// The look of its cells.
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

    /// Its header for formats without capitals.
    pub(super) fn title(&self) -> String {
        capitalised(&self.header.to_lowercase())
    }
}

/// The rank of a column among those that shrink way if the terminal is too narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ShrinkPriority {
    /// It is cut, then dropped, before all others.
    First,
    /// It is cut, then dropped.
    Second,
    /// It is cut, then dropped, after all others: it shows what is lost.
    Last,
    /// Never.
    Never,
}

/// Returns the minimum width to which a column is cut before it is dropped.
fn least(shrink: ShrinkPriority) -> usize {
    match shrink {
        ShrinkPriority::First | ShrinkPriority::Second | ShrinkPriority::Never => 9,
        // The word that says so.
        ShrinkPriority::Last => columns_of("LOST…"),
    }
}

/// A line of a table.
#[derive(Debug, Clone)]
pub(super) enum Row {
    /// A cell a column.
    Cells(Tone, Vec<String>),
    /// A text across all columns, below the row that it belongs to.
    Below(Tone, String),
    /// A remark across all columns.
    Note(String),
}

/// The step and the pod that a row is about.
#[derive(Debug, Clone)]
pub(super) struct About {
    pub(super) step: usize,
    pub(super) pod: String,
}

/// Rows under columns.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// Its title.
    pub(super) title: &'static str,
    /// The thing that has a row, in the singular.
    pub(super) thing: &'static str,
    /// The columns, left to right.
    pub(super) columns: Vec<Column>,
    /// The rows, top to bottom; each has a cell for every column.
    pub(super) rows: Vec<Row>,
    /// The subjects of the first rows, where that matters.
    pub(super) about: Vec<About>,
    /// The place of the rows that are left out, and their number.
    pub(super) left_out: Option<(usize, usize)>,
}

/// Returns the number of columns that a text takes on a terminal.
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

    /// Leaves out the middle of more rows than so many.
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

    /// Writes the table. No row takes more than one line, and no line ends in a blank.
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
                let note = format!("… {} more pods like these (-v shows all)", spaced(more));
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

    /// Returns its width if no column gives way.
    pub(super) fn natural_width(&self, style: &Style) -> usize {
        self.width_of(style, |_| true)
    }

    /// The same table, or one that leaves the set's name out of other names where there is no room for all columns
    /// but those that go before all others. `sets` has the set of each row; the first columns stay as they are.
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

    /// Returns the width of some of the columns if none gives way.
    fn width_of(&self, style: &Style, counts: impl Fn(&Column) -> bool) -> usize {
        let widths = self.fit(style.headers, None);
        let counted = self.columns.iter().zip(widths);
        let counted = counted.filter(|(column, _)| counts(column));
        let taken: usize = counted.filter_map(|(_, width)| Some(width? + GAP)).sum();
        taken.saturating_sub(GAP)
    }

    /// Returns the width of each column within so much room; `None` if it is dropped: because no row has anything
    /// there, or because there is no room.
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
