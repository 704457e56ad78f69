//! Next attempt of the controller after a refusal.
//!
//! The controller requeues a failed sync with a delay that doubles from 5 ms to 1000 s (1.36: client-go
//! `util/workqueue/default_rate_limiters.go`, `DefaultTypedControllerRateLimiter`). The next delay therefore equals
//! the duration of the series so far. Any write to the set triggers an attempt in between.

use jiff::{SignedDuration, Timestamp};

use sts_controller::object::Event;

/// Maximum backoff of the controller.
pub(super) const LONGEST_BACKOFF: SignedDuration = SignedDuration::from_secs(1000);

/// Time until the controller's next attempt, from now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// Expected time; `None` if the refusals do not show it.
    pub expected: Option<SignedDuration>,
    /// Maximum time.
    pub latest: SignedDuration,
}

impl Retry {
    /// Computes the time until the attempt after the last recorded one; `None` if the event has no timestamp.
    #[must_use]
    pub(super) fn after(event: &Event, now: Timestamp) -> Option<Self> {
        let last = event.last?;
        let ago = now.duration_since(last).max(SignedDuration::ZERO);
        let left = |delay: SignedDuration| Some(delay - ago).filter(|it| it.is_positive());
        let lasted = event.first.map(|first| last.duration_since(first));
        let delay = lasted.filter(|lasted| event.count > 1 && lasted.is_positive());
        Some(Retry {
            expected: delay.and_then(|delay| left(delay.min(LONGEST_BACKOFF))),
            // An attempt without an event postpones the next one.
            latest: left(LONGEST_BACKOFF).unwrap_or(LONGEST_BACKOFF),
        })
    }

    /// Returns the expected time, or else the maximum.
    #[must_use]
    pub fn likely(&self) -> SignedDuration {
        self.expected.unwrap_or(self.latest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use sts_controller::object::{Related, RelatedKind};

    fn retry(first: &str, last: &str, count: i64) -> Retry {
        let event = json!({
            "metadata": {"name": "web.1"}, "involvedObject": {"kind": "StatefulSet", "name": "web"},
            "firstTimestamp": first, "lastTimestamp": last, "count": count,
        });
        let Ok(Related::Event(event)) = RelatedKind::Event.read(&event) else {
            panic!("no event: {event}")
        };
        Retry::after(&event, "2026-11-20T03:00:00Z".parse().unwrap()).unwrap()
    }

    #[test]
    fn the_next_delay_is_as_long_as_the_series_and_at_most_1000_seconds() {
        let seconds = SignedDuration::from_secs;
        // Refused for 164 s until 40 s ago: the next attempt is 164 s after the last.
        let found = retry("2026-11-20T02:56:36Z", "2026-11-20T02:59:20Z", 16);
        assert_eq!(found.expected, Some(seconds(124)));
        assert_eq!(found.latest, seconds(960));
        // Refused for hours: the maximum delay.
        let found = retry("2026-11-20T00:00:00Z", "2026-11-20T02:59:00Z", 30);
        assert_eq!(found.expected, Some(seconds(940)));
        // A single refusal, later than expected: only the maximum is known.
        assert_eq!(
            retry("2026-11-20T02:59:20Z", "2026-11-20T02:59:20Z", 1).expected,
            None
        );
        let found = retry("2026-11-20T02:55:00Z", "2026-11-20T02:55:10Z", 9);
        assert_eq!((found.expected, found.latest), (None, seconds(710)));
        assert_eq!(found.likely(), seconds(710));
    }
}
