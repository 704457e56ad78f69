//! The head of a watch at a time: the next event, the delay, and the stage.

use jiff::Timestamp;
use ratatui_core::text::Line;

use super::page::prose;
use super::theme::Theme;
use crate::output::step_text::is_status_alone;
use crate::output::style::{Tone, escape};
use crate::output::words::elapsed;
use sts_plan::report::{HeadlineTopic, Report, VerifiedStage};

/// Maximum number of commands of the next stage.
const COMMANDS: usize = 3;

/// Returns the stage, and the commands that start the next one once it may start.
pub(super) fn stage_lines(stage: &VerifiedStage, width: usize, theme: Theme) -> Vec<Line<'static>> {
    let next = stage.next.as_ref().filter(|next| next.may_begin);
    let tone = match next {
        Some(_) => Tone::Good,
        None => Tone::Plain,
    };
    let text = format!("Stage: {}", escape(&stage.message));
    let mut lines = prose(&text, theme.tone(tone), width);
    let commands = next.map_or(&[][..], |next| &next.commands);
    for command in commands.iter().take(COMMANDS) {
        lines.extend(prose(&escape(command), theme.tone(Tone::Strong), width));
    }
    if let Some(more @ 1..) = commands.len().checked_sub(COMMANDS) {
        let text = format!("and {more} more (use -o markdown for all)");
        lines.extend(prose(&text, theme.tone(Tone::Plain), width));
    }
    lines
}

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
