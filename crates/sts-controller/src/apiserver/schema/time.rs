//! Timestamps, parsed and formatted like the API server does.

use jiff::SignedDuration;
use jiff::civil;
use jiff::tz::Offset;

/// Returns the same time in UTC and whole seconds. The inner `None` is the zero time, which is written as `null`. The
/// outer `None` is a text that is not a timestamp.
///
/// Stricter than most parsers of RFC 3339: capital `T` and `Z`, a four-digit year, no leap seconds.
#[expect(
    clippy::option_option,
    reason = "a time may be wrong, or right and nothing"
)]
pub(super) fn normalize(text: &str) -> Option<Option<String>> {
    let (date_time, rest) = text.split_at_checked(19)?;
    let bytes = date_time.as_bytes();
    for (at, separator) in [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')] {
        if bytes[at] != separator {
            return None;
        }
    }
    let part = |from: usize, to: usize| digits(date_time.get(from..to)?);
    let moment = civil::DateTime::new(
        part(0, 4)?,
        i8::try_from(part(5, 7)?).ok()?,
        i8::try_from(part(8, 10)?).ok()?,
        i8::try_from(part(11, 13)?).ok()?,
        i8::try_from(part(14, 16)?).ok()?,
        i8::try_from(part(17, 19)?).ok()?,
        0,
    )
    .ok()?;
    let offset = offset(skip_fraction(rest)?)?;
    // Not a `Timestamp`: its range ends a day before the year 9999 does.
    let since = SignedDuration::from_secs(offset.seconds().into());
    let utc = moment.checked_sub(since).ok()?;
    if utc == civil::datetime(1, 1, 1, 0, 0, 0, 0) {
        return Some(None);
    }
    if utc.year() < 0 {
        return None;
    }
    Some(Some(format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
        utc.year(),
        utc.month(),
        utc.day(),
        utc.hour(),
        utc.minute(),
        utc.second()
    )))
}

fn digits(text: &str) -> Option<i16> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())?
}

/// Skips fractions of seconds, which the server drops.
fn skip_fraction(text: &str) -> Option<&str> {
    match text.strip_prefix(['.', ',']) {
        None => Some(text),
        Some(fraction) => {
            let rest = fraction.trim_start_matches(|character: char| character.is_ascii_digit());
            (rest.len() < fraction.len()).then_some(rest)
        }
    }
}

fn offset(text: &str) -> Option<Offset> {
    if text == "Z" {
        return Some(Offset::UTC);
    }
    let (sign, text) = match text.split_at_checked(1)? {
        ("+", text) => (1, text),
        ("-", text) => (-1, text),
        _ => return None,
    };
    let (hours, minutes) = text.split_once(':')?;
    if hours.len() != 2 || minutes.len() != 2 {
        return None;
    }
    let (hours, minutes) = (i32::from(digits(hours)?), i32::from(digits(minutes)?));
    if hours > 24 || minutes > 59 {
        return None;
    }
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}
