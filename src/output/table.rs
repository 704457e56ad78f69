//! Tables as data: their columns, and which of them shrink, go below their rows or are omitted on a narrow terminal. The
//! grid lays out the cells, and the sink adds the tone of each line, since escape sequences in a cell would count as width.

use std::io::{self, Write};

use super::grid::{self, GridRow};
use super::sink::{Terminal, to_terminal};
use super::style::{Style, Tone, columns_of};
use super::words::{count, cut, without_set, wrap};
pub(super) use sts_plan::answer::{Column, Look, ShrinkPriority};

/// The gap between two columns.
const GAP: u16 = 2;
/// Minimum width of a column whose cells wrap.
const WRAPPED: usize = 16;
/// Minimum width of a column whose cells go below their rows.
const BESIDE: usize = 24;

/// Priorities that shrink, in order.
const SHRINKING: [ShrinkPriority; 5] = [
    ShrinkPriority::First,
    ShrinkPriority::Second,
    ShrinkPriority::Wraps,
    ShrinkPriority::Below,
    ShrinkPriority::Last,
];

/// A line of a table.
#[derive(Debug, Clone)]
pub(super) enum Row {
    /// A cell for each column.
    Cells(Tone, Vec<String>),
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
    /// Maximum number of lines of a row: its cells wrap, and are truncated in the last line.
    pub(super) lines: usize,
    /// The subjects of the first rows, for pages that link to them.
    pub(super) about: Vec<About>,
    /// The position and the number of omitted rows.
    pub(super) left_out: Option<(usize, usize)>,
}

/// Writes a table of columns that are never omitted. The cells of the last one wrap, or go below their rows.
///
/// # Errors
/// When the writer fails.
pub fn render_table<const N: usize>(
    headers: [&'static str; N],
    rows: impl IntoIterator<Item = [String; N]>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let columns = (1..).zip(headers).map(|(number, header)| {
        let shrink = match number == N {
            true => ShrinkPriority::Below,
            false => ShrinkPriority::Never,
        };
        Column::new(header, shrink, Look::Text)
    });
    let rows = rows.into_iter();
    let rows = rows.map(|cells| Row::Cells(Tone::Plain, cells.into()));
    let table = Table {
        lines: usize::MAX,
        ..Table::new(columns.collect(), rows.collect())
    };
    to_terminal(style, out, |out| table.write(out))
}

impl Table {
    pub(super) fn new(columns: Vec<Column>, rows: Vec<Row>) -> Self {
        Table {
            title: "",
            thing: "row",
            columns,
            rows,
            lines: 1,
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

    /// Writes the table without trailing spaces.
    pub(super) fn write(&self, out: &mut Terminal<'_>) -> io::Result<()> {
        let style = out.style;
        let room = style.table_width();
        let widths = self.fit(style.headers, room);
        let mut rows = Vec::new();
        if style.headers {
            let cells = self.columns.iter().map(|column| column.header);
            rows.push(GridRow {
                cells: cells.collect(),
                lines: 1,
            });
        }
        rows.extend(self.cells().map(|cells| {
            let cells = cells.iter().zip(self.columns.iter().zip(&widths));
            let cells = cells.map(|(cell, (column, width))| {
                if is_below(cell, column, *width) {
                    ""
                } else {
                    cell
                }
            });
            GridRow {
                cells: cells.collect(),
                lines: self.lines,
            }
        }));
        let mut grid = grid::lines(&rows, &widths, GAP).into_iter();
        let write = |tone, lines: Option<Vec<String>>, out: &mut Terminal<'_>| {
            let mut lines = lines.into_iter().flatten();
            lines.try_for_each(|line| out.line(tone, line.trim_end()))
        };
        if style.headers {
            write(Tone::Faint, grid.next(), out)?;
        }
        let note = |text: &str, out: &mut Terminal<'_>| {
            let text = room.map_or_else(|| text.to_owned(), |room| cut(text, room));
            out.line(Tone::Faint, text.trim_end())
        };
        for (at, row) in self.rows.iter().enumerate() {
            if let Some((_, more)) = self.left_out.filter(|(place, _)| *place == at) {
                let more = count(more, &format!("more {}", self.thing));
                note(&format!("… {more} (-v shows all)"), out)?;
            }
            match row {
                Row::Cells(tone, cells) => {
                    write(*tone, grid.next(), out)?;
                    write(*tone, self.below(cells, &widths, room), out)?;
                }
                Row::Note(text) => note(text, out)?,
            }
        }
        let needed = self.fit(style.headers, None);
        let columns = self.columns.iter().zip(needed.iter().zip(&widths));
        let omitted: Vec<&str> = columns
            .filter(|(_, (needed, width))| needed.is_some() && width.is_none())
            .filter(|(column, _)| column.shrink != ShrinkPriority::Below)
            .map(|(column, _)| column.header)
            .collect();
        if !omitted.is_empty() {
            let text = format!(
                "Columns omitted: {} (-o wide shows all)",
                omitted.join(", ")
            );
            for line in wrap(&text, room, GAP.into()) {
                out.line(Tone::Faint, &line)?;
            }
        }
        Ok(())
    }

    /// Returns the lines below a row: the cells that have no room in their columns, indented.
    fn below(
        &self,
        cells: &[String],
        widths: &[Option<usize>],
        room: Option<usize>,
    ) -> Option<Vec<String>> {
        let indent = usize::from(GAP);
        let width = room?.saturating_sub(indent);
        let mut placed = cells.iter().zip(self.columns.iter().zip(widths));
        let (cell, _) = placed.find(|(cell, (column, width))| is_below(cell, column, **width))?;
        let row = GridRow {
            cells: vec![cell],
            lines: self.lines,
        };
        let lines = grid::lines(&[row], &[Some(width)], 0).into_iter().flatten();
        Some(lines.map(|line| " ".repeat(indent) + &line).collect())
    }

    /// Returns the rows with cells.
    fn cells(&self) -> impl Iterator<Item = &[String]> {
        self.rows.iter().filter_map(|row| match row {
            Row::Cells(_, cells) => Some(&**cells),
            Row::Note(_) => None,
        })
    }

    /// Returns the width without shrinking.
    pub(super) fn natural_width(&self, style: &Style) -> usize {
        total(&self.fit(style.headers, None))
    }

    /// Abbreviates names that begin with the set's name if the table does not fit even if columns wrap and those with
    /// [`ShrinkPriority::First`] are omitted. `sets` has the set of each row. The `first` columns are unchanged.
    pub(super) fn within<'s>(
        mut self,
        style: &Style,
        sets: impl IntoIterator<Item = &'s str>,
        first: usize,
    ) -> Self {
        let room = style.table_width();
        let widths = self.fit(style.headers, None);
        let needed = self.columns.iter().zip(&widths).enumerate();
        let needed = needed.map(|(at, (column, width))| match column.shrink {
            ShrinkPriority::First => None,
            ShrinkPriority::Wraps => width.map(|width| width.min(self.least(at, width))),
            _ => *width,
        });
        let needed = total(&needed.collect::<Vec<_>>());
        if style.full_names || style.verbose || room.is_none_or(|room| needed <= room) {
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

    /// Returns the width of each column within `room`; `None` for a column that is empty or does not fit.
    fn fit(&self, headers: bool, room: Option<usize>) -> Vec<Option<usize>> {
        let natural = self.columns.iter().enumerate().map(|(at, column)| {
            let cells = self.cells().filter_map(|cells| cells.get(at));
            let widest = cells.map(|cell| columns_of(cell)).max().unwrap_or(0);
            let header = if headers {
                columns_of(column.header)
            } else {
                0
            };
            (widest > 0).then(|| widest.max(header))
        });
        let natural: Vec<Option<usize>> = natural.collect();
        let mut widths = natural.clone();
        for shrink in SHRINKING {
            for (at, column) in self.columns.iter().enumerate() {
                let excess = room.map_or(0, |room| total(&widths).saturating_sub(room));
                let Some(width) = widths[at].filter(|_| column.shrink == shrink && excess > 0)
                else {
                    continue;
                };
                let least = self.least(at, width);
                widths[at] = match shrink {
                    ShrinkPriority::Wraps => Some(width.saturating_sub(excess).max(least)),
                    _ => width.checked_sub(excess).filter(|width| *width >= least),
                };
            }
        }
        widths
    }

    /// Returns the minimum width of a column that shrinks from this width.
    fn least(&self, at: usize, width: usize) -> usize {
        let column = &self.columns[at];
        match column.shrink {
            ShrinkPriority::First | ShrinkPriority::Second if self.lines == 1 => 9,
            // Names are never broken.
            ShrinkPriority::Wraps if column.look == Look::Name => {
                let cells = self.cells().filter_map(|cells| cells.get(at));
                let names = cells.flat_map(|cell| cell.split(' '));
                names.map(columns_of).max().unwrap_or(0)
            }
            ShrinkPriority::First | ShrinkPriority::Second | ShrinkPriority::Wraps => {
                width.min(WRAPPED)
            }
            ShrinkPriority::Below => BESIDE,
            // The keyword must remain.
            ShrinkPriority::Last => columns_of("LOST…"),
            ShrinkPriority::Never => width,
        }
    }
}

/// Returns the width of columns with the gaps between them.
fn total(widths: &[Option<usize>]) -> usize {
    let taken: usize = widths
        .iter()
        .flatten()
        .map(|width| width + usize::from(GAP))
        .sum();
    taken.saturating_sub(GAP.into())
}

/// Reports whether a cell goes below its row, because the column is too narrow or would break a word.
fn is_below(cell: &str, column: &Column, width: Option<usize>) -> bool {
    let breaks = |width| cell.split(' ').any(|word| columns_of(word) > width);
    column.shrink == ShrinkPriority::Below && !cell.is_empty() && width.is_none_or(breaks)
}
