//! Cells laid out in columns by comfy-table, which pads them, wraps them at words, and truncates high rows.

use comfy_table::presets::NOTHING;
use comfy_table::{Cell, ColumnConstraint, LineStyle, Row, Table, TableStyle, Width};

use super::style::{columns_of, visible};

/// The line between rows, which no cell can contain: it separates the lines of a row from those of the next.
const END: char = '\0';
const STYLE: TableStyle = NOTHING.row_separator(LineStyle::none().fill(END));

/// A row of cells.
pub(super) struct GridRow<'c> {
    pub(super) cells: Vec<&'c str>,
    /// Maximum number of lines. A truncated cell ends in an ellipsis.
    pub(super) lines: usize,
}

/// Lays out rows in columns of these widths with a gap after each. A column without a width is hidden. Returns the lines of
/// each row.
pub(super) fn lines(rows: &[GridRow<'_>], widths: &[Option<usize>], gap: u16) -> Vec<Vec<String>> {
    // A row without cells would have no line.
    if widths.iter().all(Option::is_none) {
        return vec![Vec::new(); rows.len()];
    }
    let widest = u16::MAX - gap;
    let most = usize::from(widest);
    // A cell that is wider than comfy-table can count is never broken: its row is not aligned.
    let is_too_wide = |row: &GridRow<'_>| {
        let mut cells = row.cells.iter().zip(widths);
        cells.any(|(cell, width)| width.is_some_and(|it| it > most) && columns_of(cell) > most)
    };
    let mut table = Table::new();
    table.load_style(STYLE);
    for row in rows.iter().filter(|row| !is_too_wide(row)) {
        let cells = row.cells.iter().map(|cell| {
            let cell = Cell::new(visible(cell));
            // A single line is truncated at any character.
            match row.lines {
                1 => cell.set_delimiter(END),
                _ => cell,
            }
        });
        let mut cells = Row::from(cells);
        cells.max_height(row.lines);
        table.add_row(cells);
    }
    for (column, width) in table.column_iter_mut().zip(widths) {
        column.set_padding((0, gap));
        column.set_constraint(match width {
            Some(width) => {
                let width = u16::try_from(*width).unwrap_or(widest).min(widest);
                ColumnConstraint::Absolute(Width::Fixed(width + gap))
            }
            None => ColumnConstraint::Hidden,
        });
    }
    let mut done = vec![Vec::new()];
    for line in table.lines() {
        match done.last_mut() {
            Some(row) if !line.starts_with(END) => row.push(line),
            _ => done.push(Vec::new()),
        }
    }
    let mut done = done.into_iter();
    let gap = " ".repeat(gap.into());
    let lines = rows.iter().map(|row| match is_too_wide(row) {
        true => vec![
            row.cells
                .iter()
                .fold(String::new(), |line, cell| line + cell + &gap),
        ],
        false => done.next().unwrap_or_default(),
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn laid_out(rows: &[(&[&str], usize)], widths: &[Option<usize>]) -> Vec<Vec<String>> {
        let rows = rows.iter().map(|(cells, lines)| GridRow {
            cells: cells.to_vec(),
            lines: *lines,
        });
        super::lines(&rows.collect::<Vec<_>>(), widths, 2)
    }

    #[test]
    fn each_row_has_its_lines() {
        let rows: [(&[&str], usize); 4] = [
            (&["web-0", "hidden", "ready, will be replaced"], 4),
            (
                &[
                    "web-1",
                    "hidden",
                    "not ready (pending) for 10m, will be replaced",
                ],
                2,
            ),
            (&["web-2", "hidden", "ready, will be replaced"], 1),
            (&["", "hidden", ""], 4),
        ];
        let lines = laid_out(&rows, &[Some(5), None, Some(14)]);
        let lines: Vec<Vec<&str>> = lines
            .iter()
            .map(|row| row.iter().map(|line| line.trim_end()).collect())
            .collect();
        assert_eq!(
            lines,
            [
                vec!["web-0  ready, will be", "       replaced"],
                vec!["web-1  not ready", "       (pending) for…"],
                vec!["web-2  ready, will b…"],
                vec![""],
            ]
        );
        let nothing = laid_out(&[(&["", ""], 1), (&["", ""], 1)], &[None, None]);
        assert_eq!(nothing, [[""; 0], []]);
    }

    #[test]
    fn a_cell_of_any_length_is_never_broken_without_a_limit() {
        let long = "x".repeat(70_000);
        let rows: [(&[&str], usize); 2] = [(&["a", &long, "b"], 1), (&["c", "d", "e"], 1)];
        let lines = laid_out(&rows, &[Some(3), Some(long.len()), Some(1)]);
        assert_eq!(lines[0], [format!("a  {long}  b  ")]);
        assert!(lines[1][0].starts_with("c    d  "));
        assert_eq!(lines[1].len(), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

        #[test]
        fn foreign_text_stays_in_its_column(
            cells in prop::collection::vec("[a-c ]{0,9}|[\\PC]{0,9}|.{0,9}|[大\u{301}\u{200b}🚀\u{1b}\n\0]{0,9}", 1..6),
            width in 1..12usize,
            lines in 1..4usize,
        ) {
            let rows: Vec<Vec<&str>> = cells.iter().map(|cell| vec![cell.as_str(), "|"]).collect();
            let rows: Vec<(&[&str], usize)> = rows.iter().map(|row| (row.as_slice(), lines)).collect();
            let laid_out = laid_out(&rows, &[Some(width), Some(1)]);
            prop_assert_eq!(laid_out.len(), cells.len());
            for (cell, row) in cells.iter().zip(laid_out) {
                prop_assert!((1..=lines).contains(&row.len()), "{:?}", row);
                let before = row[0].strip_suffix("|  ").unwrap();
                // A character of two columns, or more, has no room in a narrower column.
                prop_assert!(columns_of(before) == width + 2 || width < 4, "{:?}", row);
                let is_whole = columns_of(&visible(cell)) <= width;
                prop_assert!(!is_whole || before.starts_with(&*visible(cell)), "{:?}", row);
                prop_assert!(row.iter().all(|line| visible(line) == *line), "{:?}", row);
            }
        }
    }
}
