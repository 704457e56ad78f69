//! Numbers and foreign text in pictures.

use crate::output::style::escape;

/// Formats a length with at most one decimal, which makes output reproducible.
pub(in crate::output) fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// Escapes control characters of foreign text. The writer escapes markup.
pub(in crate::output) fn shown(text: &str) -> String {
    escape(text).into_owned()
}

/// Formats seconds as a mark on an axis: `0`, `45s`, `1m30s`, `2h`.
pub(super) fn mark(seconds: i64) -> String {
    let parts = [
        (seconds / 86_400, "d"),
        (seconds / 3_600 % 24, "h"),
        (seconds / 60 % 60, "m"),
        (seconds % 60, "s"),
    ];
    let text: String = parts
        .iter()
        .filter(|(number, _)| *number != 0)
        .map(|(number, unit)| format!("{number}{unit}"))
        .collect();
    match text.as_str() {
        "" => "0".to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(px(12.0), "12");
        assert_eq!(px(-0.04), "0");
        assert_eq!(px(1.26), "1.3");
        assert_eq!([mark(0), mark(90), mark(7200)], ["0", "1m30s", "2h"]);
    }
}
