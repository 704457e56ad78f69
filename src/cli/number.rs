//! Numbers on the command line, with errors that say which numbers are possible.

use std::fmt::Display;
use std::ops::RangeInclusive;

/// Returns a parser of whole numbers of a range.
pub(super) fn whole_number<N>(
    range: RangeInclusive<N>,
) -> impl Fn(&str) -> Result<N, String> + Clone + Send + Sync + 'static
where
    N: TryFrom<i128> + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text| {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("expected a whole number".to_owned());
        }
        let number = text.parse().ok();
        let number = number.and_then(|number: i128| N::try_from(number).ok());
        number.filter(|it| range.contains(it)).ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            format!("expected a number from {least} to {most}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_which_numbers_are_possible() {
        let parse = whole_number(-1..=300_i32);
        for (text, wanted) in [("-1", -1), ("+7", 7), ("300", 300), ("007", 7)] {
            assert_eq!(parse(text), Ok(wanted), "{text}");
        }
        for text in ["", "-", "x", "1.5", "1e3", " 1", "--1"] {
            assert_eq!(
                parse(text),
                Err("expected a whole number".to_owned()),
                "{text}"
            );
        }
        let long = "9".repeat(60);
        for text in ["-2", "301", &long] {
            let wanted = "expected a number from -1 to 300".to_owned();
            assert_eq!(parse(text), Err(wanted), "{text}");
        }
    }
}
