//! Timestamps in `!!timestamp` scalars.

/// Reports whether go-yaml accepts a timestamp: `2001-12-14`, optionally with a time after `T` and a zone, or after a
/// space without one. Months, days and times may have one digit.
pub(super) fn is_valid(text: &str) -> bool {
    date_and_rest(text).is_some_and(|rest| match rest.as_bytes() {
        [] => true,
        [b'T' | b't', ..] => time(&rest[1..]).is_some_and(is_zone),
        [b' ', ..] => time(&rest[1..]) == Some(""),
        _ => false,
    })
}

fn date_and_rest(text: &str) -> Option<&str> {
    let year: u32 = text
        .get(..4)
        .filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()))?
        .parse()
        .ok()?;
    let (month, rest) = number(text.get(4..)?.strip_prefix('-')?)?;
    let (day, rest) = number(rest.strip_prefix('-')?)?;
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => return None,
    };
    (1..=days).contains(&day).then_some(rest)
}

fn time(text: &str) -> Option<&str> {
    let (hour, rest) = number(text)?;
    let (minute, rest) = number(rest.strip_prefix(':')?)?;
    let (second, rest) = number(rest.strip_prefix(':')?)?;
    let fraction = rest
        .strip_prefix(['.', ','])
        .map(|rest| (rest, rest.trim_start_matches(|c: char| c.is_ascii_digit())));
    let rest = match fraction {
        Some((digits, after)) if after.len() < digits.len() => after,
        _ => rest,
    };
    (hour < 24 && minute < 60 && second < 60).then_some(rest)
}

fn is_zone(text: &str) -> bool {
    if text == "Z" {
        return true;
    }
    let bytes = text.as_bytes();
    bytes.len() == 6
        && matches!(bytes[0], b'+' | b'-')
        && bytes[3] == b':'
        && [1, 2, 4, 5].iter().all(|&at| bytes[at].is_ascii_digit())
        && &bytes[1..3] <= b"24".as_slice()
        && &bytes[4..6] <= b"60".as_slice()
}

/// Parses one or two digits.
fn number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    Some((number.parse().ok()?, rest))
}
