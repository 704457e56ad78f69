//! Durations in the format of kubectl.

use jiff::SignedDuration;

/// Parses a duration in the format of kubectl: `90s`, `1m30s`, `1.5h`, `500ms`, or `0`.
///
/// # Errors
/// When the string is not a duration; the message has an example.
pub fn parse_duration(text: &str) -> Result<SignedDuration, String> {
    const UNITS: [(&str, f64); 6] = [
        ("ns", 1.0),
        ("us", 1e3),
        ("ms", 1e6),
        ("s", 1e9),
        ("m", 6e10),
        ("h", 3.6e12),
    ];
    let wrong = || format!("invalid duration: {text:?}; use the form 30s, 1m30s, 500ms or 1.5h");
    if text == "0" {
        return Ok(SignedDuration::ZERO);
    }
    let is_count = text.bytes().all(|byte| byte.is_ascii_digit());
    if is_count && text.parse::<u32>().is_ok() {
        return Err(format!(
            "invalid duration: {text:?} has no unit; use {text}s for seconds"
        ));
    }
    let mut rest = text;
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .ok_or_else(wrong)?;
        let number: f64 = rest[..digits].parse().map_err(|_| wrong())?;
        rest = &rest[digits..];
        let letters = rest
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(rest.len());
        let unit = UNITS
            .iter()
            .find(|(name, _)| *name == &rest[..letters])
            .ok_or_else(wrong)?;
        total += number * unit.1;
        rest = &rest[letters..];
    }
    // A century is longer than any rollout, and keeps every sum of durations within the calendar.
    if text.is_empty() || total > 3.2e18 {
        return Err(wrong());
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "bounded above, and never negative"
    )]
    Ok(SignedDuration::from_nanos(total as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_kubectl_reads_them() {
        let cases = [
            ("90s", 90_000),
            ("1m30s", 90_000),
            ("1.5h", 5_400_000),
            ("500ms", 500),
            ("0", 0),
        ];
        for (text, milliseconds) in cases {
            assert_eq!(
                parse_duration(text).unwrap().as_millis(),
                milliseconds,
                "{text}"
            );
        }
        for text in ["", "5", "s", "-5s", "1x", "1.2.3s", "9999999h", "٣s", "1é"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
