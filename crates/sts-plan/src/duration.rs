//! Durations as people read and write them.

use jiff::SignedDuration;

/// A duration in hours, minutes and seconds: `45s`, `1m21s`, `1h0m20s`, `1m21.5s`, and `500ms` below a second.
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
        // As Go writes it: 3.5s.
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

/// A duration in its two largest units: `3d4h`, `1h5m`, `12m30s`, `8s`.
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

/// How long something has been so, for a headline: to the second below ten minutes, then to the minute:
/// `45s`, `4m10s`, `38m`, `1h59m`, `3d4h`.
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
