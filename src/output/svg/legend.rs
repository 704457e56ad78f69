//! The legend of a picture.

use maud::{Markup, html};

use super::chart::{MARGIN, bar};
use super::palette::{KINDS, Palette};
use super::text::px;
use crate::output::lanes::{Entry, Symbol};

/// Maximum width of a revision, in columns.
pub(super) const REVISION: usize = 40;
const SWATCH: f64 = 22.0;
const LINE: f64 = 20.0;
/// A neutral fill that is visible in light and dark mode.
const NEUTRAL: &str = "#7a8796";
/// Maximum width of a character.
const CHARACTER: f64 = 6.3;

/// Draws the legend in lines from `top`, and returns it with its height.
pub(super) fn draw(
    entries: &[Entry],
    palette: &Palette<'_>,
    top: f64,
    width: f64,
) -> (Markup, f64) {
    let (mut x, mut y) = (MARGIN, top);
    let mut drawn = Vec::new();
    for Entry { symbol, text } in entries {
        let (swatch, others) = match *symbol {
            // The last place is shared.
            Symbol::Revision(place) if place > KINDS => continue,
            Symbol::Revision(place) => {
                let fill = palette.fill_at(place);
                let swatch = html! { rect .bar fill=(fill) width="22" height="12" rx="2" {} };
                (swatch, if place == KINDS { " and others" } else { "" })
            }
            Symbol::State(state) => {
                let swatch = bar(state, NEUTRAL, KINDS + 1, 0.0, SWATCH, 0.0, 12.0);
                (swatch, "")
            }
        };
        let text = format!("{text}{others}");
        let wide = SWATCH + 7.0 + CHARACTER * text.chars().count() as f64 + 20.0;
        if x + wide > width - MARGIN && x > MARGIN {
            x = MARGIN;
            y += LINE;
        }
        drawn.push(html! {
            g transform=(format!("translate({} {})", px(x), px(y))) {
                (swatch)
                text .faint x=(px(SWATCH + 7.0)) y="10" { (text) }
            }
        });
        x += wide;
    }
    let markup = html! { @for entry in &drawn { (entry) } };
    (markup, y - top + LINE)
}
