//! Human-readable durations.

use jiff::SignedDuration;

/// Formats a duration exactly: `45s`, `1m21s`, `1h0m20s`, `1m21.5s`, and `500ms` below a second.
#[must_use]
pub fn spell(duration: SignedDuration) -> String {
    let sign = if duration.is_negative() { "-" } else { "" };
    let millis = duration.subsec_millis().unsigned_abs();
    let seconds = duration.as_secs().unsigned_abs();
    if seconds == 0 && millis != 0 {
        return format!("{sign}{millis}ms");
    }
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let rest = match millis {
        0 => format!("{}", seconds % 60),
        // As in Go: 3.5s.
        _ => format!("{}.{millis:03}", seconds % 60)
            .trim_end_matches('0')
            .to_owned(),
    };
    match (hours, minutes) {
        (0, 0) => format!("{sign}{rest}s"),
        (0, _) => format!("{sign}{minutes}m{rest}s"),
        _ => format!("{sign}{hours}h{minutes}m{rest}s"),
    }
}

/// Formats a duration in its two largest units: `3d4h`, `1h5m`, `12m30s`, `8s`.
#[must_use]
pub fn span(duration: SignedDuration) -> String {
    let seconds = duration.as_secs().unsigned_abs();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => format!("{minutes}m{}s", seconds % 60),
        (0, ..) => format!("{hours}h{minutes}m"),
        _ => format!("{days}d{hours}h"),
    }
}

/// Formats a range exactly: `22s-1m10s`, or a single duration if both are equal.
#[must_use]
pub fn range(from: SignedDuration, to: SignedDuration) -> String {
    match from == to {
        true => spell(from),
        false => format!("{}-{}", spell(from), spell(to)),
    }
}

/// Formats a range in one unit, rounded outward: `about 25-55 s`, `about 1-16 min`, `up to 5 h`.
pub(crate) fn approximate_range(from: SignedDuration, to: SignedDuration) -> String {
    let (seconds, unit) = match to.as_secs() {
        seconds if seconds < 120 => (1, "s"),
        seconds if seconds < 7_200 => (60, "min"),
        _ => (3_600, "h"),
    };
    let low = from.as_secs() / seconds;
    let high = (to.as_secs() + seconds - 1) / seconds;
    match low {
        0 => format!("up to {high} {unit}"),
        _ if low == high => format!("about {high} {unit}"),
        _ => format!("about {low}-{high} {unit}"),
    }
}

/// Formats an age, to the second below ten minutes and then to the minute: `45s`, `4m10s`, `38m`, `1h59m`, `3d4h`.
#[must_use]
pub fn age(duration: SignedDuration) -> String {
    const EXACT: SignedDuration = SignedDuration::from_mins(10);
    const HOUR: SignedDuration = SignedDuration::from_hours(1);
    if duration < EXACT || duration >= HOUR {
        return span(duration);
    }
    let minutes = (duration.as_secs() + 30) / 60;
    if minutes == 60 {
        return "1h0m".to_owned();
    }
    format!("{minutes}m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_rounded_outwards_in_one_unit() {
        let approximate = |from, to| {
            approximate_range(
                SignedDuration::from_secs(from),
                SignedDuration::from_secs(to),
            )
        };
        assert_eq!(approximate(25, 55), "about 25-55 s");
        assert_eq!(approximate(25, 200), "up to 4 min");
        assert_eq!(approximate(74, 162), "about 1-3 min");
        assert_eq!(approximate(480, 2_400), "about 8-40 min");
        assert_eq!(approximate(3_500, 7_300), "up to 3 h");
        assert_eq!(approximate(7_200, 7_200), "about 2 h");
    }

    /// Consistent with larger durations: `3.5s` like `1m21s`, not `3500ms`.
    #[test]
    fn durations_are_spelled_as_go_spells_them() {
        for (millis, text) in [
            (0, "0s"),
            (500, "500ms"),
            (999, "999ms"),
            (1_000, "1s"),
            (3_500, "3.5s"),
            (3_050, "3.05s"),
            (81_000, "1m21s"),
            (81_500, "1m21.5s"),
            (3_620_000, "1h0m20s"),
            (-3_500, "-3.5s"),
        ] {
            assert_eq!(spell(SignedDuration::from_millis(millis)), text);
        }
    }
}
