//! Interactive screens without a terminal: keys in, characters out.

mod all_sets;
pub mod terminal;
mod watch;
mod what_if;

use kubectl_sts_plan::internals::Key;
use ratatui_core::backend::TestBackend;
use ratatui_core::terminal::{Frame, Terminal};

use crate::golden;

/// Common sizes: a classic terminal, half a screen, a full screen.
const SIZES: [(u16, u16); 3] = [(80, 24), (120, 36), (200, 50)];

/// Returns the drawing, without trailing spaces.
fn drawn((width, height): (u16, u16), draw: impl FnOnce(&mut Frame<'_>)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(draw).unwrap();
    let buffer = terminal.backend().buffer();
    let rows = buffer.content().chunks(usize::from(width).max(1));
    let rows = rows.map(|row| {
        let row: String = row.iter().map(|cell| cell.symbol()).collect();
        row.trim_end().to_owned() + "\n"
    });
    rows.collect()
}

/// Compares a screen with its golden file for that size.
fn check(name: &str, (width, height): (u16, u16), actual: &str) {
    let file = format!("golden/screens/{name}-{width}x{height}.txt");
    golden::check(&golden::root().join(file), actual);
}

/// Parses keys from characters: `<` and `>` are arrows to the sides, `^` and `v` up and down.
fn keys(line: &str) -> impl Iterator<Item = Key> + '_ {
    line.chars().map(|character| match character {
        '<' => Key::Left,
        '>' => Key::Right,
        '^' => Key::Up,
        'v' => Key::Down,
        '\t' => Key::Tab,
        other => Key::Char(other),
    })
}

/// Sizes at which something may not fit.
fn small_sizes() -> impl Iterator<Item = (u16, u16)> {
    let widths = [0, 1, 2, 7, 12, 30, 61];
    let heights = [0, 1, 2, 5, 9, 14];
    widths
        .into_iter()
        .flat_map(move |width| heights.map(|height| (width, height)))
}
