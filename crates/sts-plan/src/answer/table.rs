//! Tables of answers: columns, and rows of cells.

use super::Tone;
use crate::words::capitalized;

/// Type of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Words.
    Text,
    /// Numbers or times.
    Number,
    /// Names of objects.
    Name,
    /// States, to which the tone of the row applies.
    State,
}

/// Order in which columns shrink if the terminal is too narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShrinkPriority {
    /// Shrinks, then is omitted, before all others.
    First,
    /// Shrinks, then is omitted.
    Second,
    /// Shrinks, and is never omitted: its cells wrap.
    Wraps,
    /// Shrinks. A cell that has no room goes below its row.
    Below,
    /// Shrinks, then is omitted, after all others: it shows losses.
    Last,
    /// Keeps its width.
    Never,
}

/// Column of a table.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Header, in capitals.
    pub header: &'static str,
    /// Priority with which it shrinks.
    pub shrink: ShrinkPriority,
    /// Type of its cells.
    pub look: Look,
}

impl Column {
    /// Creates a column.
    #[must_use]
    pub const fn new(header: &'static str, shrink: ShrinkPriority, look: Look) -> Self {
        Column {
            header,
            shrink,
            look,
        }
    }

    /// Returns the header for formats without capitals.
    #[must_use]
    pub fn title(&self) -> String {
        capitalized(&self.header.to_lowercase())
    }
}

/// Cell of an answer's table. Formats escape foreign text.
#[derive(Debug, Clone)]
pub enum Cell {
    /// Text.
    Text(String),
    /// Names of pods, of which neighbors may share an entry such as `web-0..web-4`.
    Pods(Vec<String>),
    /// Items with a separator.
    List(Vec<String>, &'static str),
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::Text(text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.to_owned())
    }
}

/// Line of an answer's table.
#[derive(Debug, Clone)]
pub enum AnswerRow {
    /// A cell for each column.
    Cells(Tone, Vec<Cell>),
    /// A remark across all columns.
    Note(String),
}

/// Table of an answer.
#[derive(Debug, Clone)]
pub struct AnswerTable {
    /// Title.
    pub title: &'static str,
    /// Singular noun for a row.
    pub thing: &'static str,
    /// Columns.
    pub columns: Vec<Column>,
    /// Rows.
    pub rows: Vec<AnswerRow>,
    /// Name at the beginning of names in each row, which a narrow terminal abbreviates; empty to keep all names.
    pub names: Vec<String>,
    /// Number of first columns that are never abbreviated.
    pub full_columns: usize,
    /// True if the rows have as many lines as they need.
    pub has_whole_rows: bool,
    /// True if a format may omit the middle.
    pub may_omit_middle: bool,
}

impl AnswerTable {
    /// Creates a table with all its rows, which abbreviates no names.
    #[must_use]
    pub fn new(
        title: &'static str,
        thing: &'static str,
        columns: &[Column],
        rows: Vec<AnswerRow>,
    ) -> Self {
        AnswerTable {
            title,
            thing,
            columns: columns.to_vec(),
            rows,
            names: Vec::new(),
            full_columns: 0,
            has_whole_rows: false,
            may_omit_middle: false,
        }
    }

    /// Abbreviates the name of the set in all columns after the first ones.
    #[must_use]
    pub(crate) fn within_set(self, set: &str, full_columns: usize) -> Self {
        AnswerTable {
            names: vec![set.to_owned(); self.rows.len()],
            full_columns,
            ..self
        }
    }
}
