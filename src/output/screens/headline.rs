//! The headline of a watch at a time: the next event, and the delay.

use jiff::Timestamp;

use crate::output::step_text::is_status_alone;
use crate::output::words::elapsed;
use sts_plan::report::{HeadlineTopic, Report};

/// Returns the delay of the first step in seconds, which is that of all steps: once it happens, there is a new plan. Updates
/// of the status do not count.
pub(super) fn overdue(report: &Report, made: Timestamp, now: Timestamp) -> i64 {
    let first = report.steps.iter().find(|step| !is_status_alone(step));
    first.map_or(0, |first| (since(made, now) - first.at).max(0))
}

/// Returns the headline, with the remaining time until the next event.
pub(super) fn headline(report: &Report, made: Timestamp, now: Timestamp) -> String {
    let mut waited_for = report
        .next
        .holds
        .iter()
        .filter_map(|hold| hold.pod.as_ref());
    let event = waited_for.find_map(|pod| {
        let mut steps = report.steps.iter();
        steps.find(|step| step.event.is_some() && step.name.as_deref() == Some(pod))
    });
    let (HeadlineTopic::Expected { wait }, Some(event)) = (&report.next.topic, event) else {
        return report.next.summary.clone();
    };
    match event.at - since(made, now) {
        left @ 0.. => format!("{wait}; expected in {}", elapsed(left)),
        over => format!("{wait}; expected {} ago", elapsed(-over)),
    }
}

/// Returns the seconds between two times.
fn since(made: Timestamp, now: Timestamp) -> i64 {
    now.duration_since(made).as_secs()
}
