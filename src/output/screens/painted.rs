//! Text that the other formats have painted, as lines of a screen. Foreign text in it is escaped, so that every escape
//! sequence is one of [`crate::output::Style::paint`].

use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};

/// The lines of a text, its colours kept.
pub(super) fn lines(text: &[u8]) -> Vec<Line<'static>> {
    let text = String::from_utf8_lossy(text);
    let mut style = Style::new();
    text.lines().map(|line| painted(line, &mut style)).collect()
}

fn painted(line: &str, style: &mut Style) -> Line<'static> {
    let mut parts = line.split("\x1b[");
    let first = parts.next().unwrap_or_default();
    let mut spans = vec![Span::styled(first.to_owned(), *style)];
    for part in parts {
        let (codes, text) = part.split_once('m').unwrap_or(("", part));
        for code in codes.split(';') {
            *style = turned(*style, code);
        }
        spans.push(Span::styled(text.to_owned(), *style));
    }
    Line::from(spans)
}

/// A style after one more code.
fn turned(style: Style, code: &str) -> Style {
    match code {
        "1" => style.add_modifier(Modifier::BOLD),
        "2" => style.add_modifier(Modifier::DIM),
        "31" => style.fg(Color::Red),
        "32" => style.fg(Color::Green),
        "33" => style.fg(Color::Yellow),
        "36" => style.fg(Color::Cyan),
        "39" => style.fg(Color::Reset),
        "" | "0" => Style::new(),
        _ => style,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::style::Tone;

    #[test]
    fn what_was_painted_keeps_its_colour_and_loses_its_codes() {
        let style = crate::output::Style {
            color: true,
            ..Default::default()
        };
        for (tone, expected) in [
            (Tone::Good, Style::new().fg(Color::Green)),
            (Tone::Busy, Style::new().fg(Color::Yellow)),
            (Tone::Bad, Style::new().fg(Color::Red).bold()),
            (Tone::Strong, Style::new().bold()),
            (Tone::Typed, Style::new().fg(Color::Cyan)),
            (Tone::Faint, Style::new().dim()),
        ] {
            let text = format!("a {} z", style.paint(tone, "middle"));
            let [line] = &lines(text.as_bytes())[..] else {
                panic!("one line")
            };
            let middle = line.spans.iter().find(|span| span.content == "middle");
            assert_eq!(middle.unwrap().style, expected, "{tone:?}");
            let whole: String = line.spans.iter().map(|span| &*span.content).collect();
            assert_eq!(whole, "a middle z");
            assert_eq!(
                line.spans.last().unwrap().style.fg.unwrap_or(Color::Reset),
                Color::Reset
            );
        }
    }
}
