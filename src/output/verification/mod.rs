//! The verification of a plan, for people; other formats stand beside.

mod formats;

use std::io;

pub(super) use formats::print;

use super::sink::Terminal;
use super::style::{Tone, escape};
use super::words::elapsed;
use sts_plan::report::{ReportDifference, StepState, Verification, VerificationVerdict as Verdict};

/// Maximum number of differences, and of steps that have happened, that are shown unless everything is.
const SHOWN: usize = 3;
/// The column at which the text after a label begins.
const INDENT: usize = 12;

/// Writes verifications, one after the other.
pub(super) fn render(verifications: &[Verification], out: &mut Terminal<'_>) -> io::Result<()> {
    for (index, verification) in verifications.iter().enumerate() {
        if index > 0 {
            out.blank()?;
        }
        one(verification, out)?;
    }
    Ok(())
}

fn one(verification: &Verification, out: &mut Terminal<'_>) -> io::Result<()> {
    let style = out.style;
    let tone = tone(verification);
    let metadata = &verification.metadata;
    let name = format!("{}/{}", metadata.namespace, metadata.name);
    let name = escape(&name);
    let age = elapsed(verification.elapsed_seconds);
    let made = format!("  plan of {}, {age} ago", verification.plan.now);
    out.pieces(&[(Tone::Strong, &name), (Tone::Plain, &made)])?;
    if style.verbose && !verification.plan.command_line.is_empty() {
        let words = verification.plan.command_line.join(" ");
        label("made by", &words, out)?;
    }
    let summary = escape(&verification.summary);
    out.prose(&summary, tone, 0)?;
    let differences = verification.differences.iter();
    let shown = if style.verbose { usize::MAX } else { SHOWN };
    for (index, found) in differences.take(shown).enumerate() {
        let what = if index == 0 { "first" } else { "also" };
        difference(found, what, out)?;
    }
    let untold = verification.differences.len().saturating_sub(shown);
    if untold > 0 {
        out.line(Tone::Plain, &format!("and {untold} more (-v shows them)"))?;
    }
    if let Some(late) = &verification.late {
        let by = elapsed(late.by_seconds);
        label("late", &format!("{}, by {by}", late.what), out)?;
    }
    if style.verbose {
        for step in &verification.steps {
            let mark = match step.state {
                StepState::Done | StepState::Begun => step.state.name(),
                StepState::Open => "-",
            };
            label(mark, &format!("{}: {}", elapsed(step.at), step.what), out)?;
        }
        for object in &verification.changed {
            let text = format!("{}/{}", object.resource, object.name);
            label(object.change.name(), &text, out)?;
        }
    } else {
        progress(verification, out)?;
    }
    if has_failed(verification) {
        label("then", "plan again from the current state", out)?;
    }
    Ok(())
}

/// Returns the urgency of a verification.
pub(super) fn tone(verification: &Verification) -> Tone {
    match verification.verdict {
        Verdict::Diverged | Verdict::Stale => Tone::Bad,
        Verdict::Pending => Tone::Busy,
        Verdict::OnTrack | Verdict::Ahead | Verdict::Finished => match verification.late {
            Some(_) => Tone::Busy,
            None => Tone::Good,
        },
    }
}

/// The verdict, and what it goes on to say: `On track`, `3 of 16 steps have happened`.
pub(super) fn verdict_and_rest(verification: &Verification) -> (&str, &str) {
    let summary = verification.summary.as_str();
    summary.split_once(": ").unwrap_or((summary, ""))
}

/// Those that went wrong first, then those that are late.
pub(super) fn most_urgent_first(found: &[Verification]) -> Vec<&Verification> {
    let mut sorted: Vec<&Verification> = found.iter().collect();
    sorted.sort_by_key(|it| match tone(it) {
        Tone::Bad => 0,
        Tone::Busy => 1,
        _ => 2,
    });
    sorted
}

/// Reports whether the plan no longer says what will happen.
pub(super) fn has_failed(verification: &Verification) -> bool {
    matches!(verification.verdict, Verdict::Diverged | Verdict::Stale)
}

/// The last steps that happened, and the first that has not.
fn progress(verification: &Verification, out: &mut Terminal<'_>) -> io::Result<()> {
    let done = || {
        verification
            .steps
            .iter()
            .filter(|step| step.state != StepState::Open)
    };
    let hidden = done().count().saturating_sub(SHOWN);
    for step in done().skip(hidden) {
        let text = format!("{} (predicted after {})", step.what, elapsed(step.at));
        label("happened", &text, out)?;
    }
    let mut steps = verification.steps.iter();
    let next = steps.find(|step| step.state == StepState::Open);
    if let Some(step) = next.filter(|_| !has_failed(verification)) {
        let text = format!("{} (predicted after {})", step.what, elapsed(step.at));
        label("next", &text, out)?;
    }
    Ok(())
}

pub(super) fn difference(
    difference: &ReportDifference,
    what: &str,
    out: &mut Terminal<'_>,
) -> io::Result<()> {
    let kind = difference.resource.word();
    label(what, &format!("{kind} {}", difference.name), out)?;
    label("  predicted", &difference.predicted, out)?;
    label("  found", &difference.found, out)?;
    label("  likely", &difference.cause, out)
}

pub(super) fn label(label: &str, text: &str, out: &mut Terminal<'_>) -> io::Result<()> {
    let text = format!("{label:INDENT$}{}", escape(text));
    out.prose(&text, Tone::Plain, INDENT)
}
