//! How many pods are ready at each moment of a plan, read off its steps.

use std::collections::BTreeSet;

use serde_json::Value;

/// How many pods are ready from which second on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Availability {
    /// Seconds since the beginning, and the number from then on; by time.
    points: Vec<(i64, i64)>,
    end: i64,
}

/// For how long something holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    /// Seconds, up to the end of the plan.
    pub(super) seconds: i64,
    /// Whether it still holds at the end.
    pub(super) lasts: bool,
}

impl Availability {
    pub(super) fn of(plan: &Value, end: i64) -> Self {
        let pods = plan["set"]["pods"].as_array().into_iter().flatten();
        let ready = pods.filter(|pod| {
            pod["owned"] == true && pod["ready"] == true && pod["terminating"] != true
        });
        let mut ready: BTreeSet<&str> = ready.filter_map(|pod| pod["name"].as_str()).collect();
        let mut points = vec![(0, count(&ready))];
        for step in plan["steps"].as_array().into_iter().flatten() {
            let at = step["at"].as_i64().unwrap_or(0);
            let writes = step["writes"].as_array().into_iter().flatten();
            for write in writes {
                let is_deletion = write["resource"] == "pods" && write["verb"] == "delete";
                if is_deletion && write["error"].is_null() {
                    ready.remove(write["name"].as_str().unwrap_or_default());
                }
            }
            let name = step["name"].as_str().unwrap_or_default();
            match step["event"].as_str() {
                Some("PodReady") => {
                    ready.insert(name);
                }
                Some("PodRemoved" | "PodFailed" | "PodDeleted") => {
                    ready.remove(name);
                }
                _ => {}
            }
            let now = count(&ready);
            match points.last_mut() {
                Some((last, number)) if *last == at => *number = now,
                Some((_, number)) if *number == now => {}
                _ => points.push((at, now)),
            }
        }
        Availability { points, end }
    }

    /// For how long fewer than so many pods are ready.
    pub(super) fn below(&self, least: i64) -> Span {
        let ends = self.points.iter().skip(1).map(|(at, _)| *at);
        let ends = ends.chain([self.end]);
        let spans = self.points.iter().zip(ends);
        let below = spans.filter(|((_, number), _)| *number < least);
        Span {
            seconds: below.map(|((from, _), to)| (to - from).max(0)).sum(),
            lasts: self
                .points
                .last()
                .is_some_and(|(_, number)| *number < least),
        }
    }

    /// The most of so many pods that are not ready at a time.
    pub(super) fn most_unready(&self, of: i64) -> i64 {
        let unready = self.points.iter().map(|(_, number)| (of - number).max(0));
        unready.max().unwrap_or(0)
    }
}

fn count(ready: &BTreeSet<&str>) -> i64 {
    i64::try_from(ready.len()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn time_below_a_number_is_counted_between_steps() {
        let plan = json!({
            "set": {"pods": [
                {"name": "a-0", "owned": true, "ready": true, "terminating": false},
                {"name": "a-1", "owned": true, "ready": true, "terminating": false},
                {"name": "a-2", "owned": false, "ready": true, "terminating": false},
            ]},
            "steps": [
                {"at": 0, "writes": [{"resource": "pods", "verb": "delete", "name": "a-1"}]},
                {"at": 5, "event": "PodRemoved", "name": "a-1"},
                {"at": 30, "event": "PodReady", "name": "a-1"},
                {"at": 30, "writes": [{"resource": "pods", "verb": "delete", "name": "a-0"}]},
            ],
        });
        let availability = Availability::of(&plan, 40);
        let below = |least| availability.below(least);
        assert_eq!(
            below(1),
            Span {
                seconds: 0,
                lasts: false
            }
        );
        assert_eq!(
            below(2),
            Span {
                seconds: 40,
                lasts: true
            }
        );
        assert_eq!(availability.most_unready(2), 1);
    }
}
