//! The verification of a plan, for people; other formats stand beside.

mod formats;

use std::io::{self, Write};

pub(super) use formats::print;

use super::style::{Style, Tone, escape};
use super::words::{elapsed, wrap};
use sts_plan::report::{ReportDifference, StepState, Verification, VerificationVerdict as Verdict};

/// Maximum number of differences, and of steps that have happened, that are shown unless everything is.
const SHOWN: usize = 3;
/// The column at which the text after a label begins.
const INDENT: usize = 12;

/// Writes verifications, one after the other.
pub(super) fn render(
    verifications: &[Verification],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (index, verification) in verifications.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        one(verification, style, out)?;
    }
    Ok(())
}

fn one(verification: &Verification, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let tone = tone(verification);
    let metadata = &verification.metadata;
    let name = format!("{}/{}", metadata.namespace, metadata.name);
    let name = escape(&name);
    writeln!(
        out,
        "{}  plan of {}, {} ago",
        style.paint(Tone::Strong, &name),
        verification.plan.now,
        elapsed(verification.elapsed_seconds)
    )?;
    if style.verbose && !verification.plan.command_line.is_empty() {
        let words = verification.plan.command_line.join(" ");
        label("made by", &words, style, out)?;
    }
    let summary = escape(&verification.summary);
    for line in wrap(&summary, style.width, 0) {
        writeln!(out, "{}", style.paint(tone, &line))?;
    }
    let differences = verification.differences.iter();
    let shown = if style.verbose { usize::MAX } else { SHOWN };
    for (index, found) in differences.take(shown).enumerate() {
        let what = if index == 0 { "first" } else { "also" };
        difference(found, what, style, out)?;
    }
    let untold = verification.differences.len().saturating_sub(shown);
    if untold > 0 {
        writeln!(out, "and {untold} more (-v shows them)")?;
    }
    if let Some(late) = &verification.late {
        let by = elapsed(late.by_seconds);
        label("late", &format!("{}, by {by}", late.what), style, out)?;
    }
    if style.verbose {
        for step in &verification.steps {
            let mark = match step.state {
                StepState::Done | StepState::Begun => step.state.name(),
                StepState::Open => "-",
            };
            label(
                mark,
                &format!("{}: {}", elapsed(step.at), step.what),
                style,
                out,
            )?;
        }
        for object in &verification.changed {
            let text = format!("{}/{}", object.resource, object.name);
            label(object.change.name(), &text, style, out)?;
        }
    } else {
        progress(verification, style, out)?;
    }
    if has_failed(verification) {
        label("then", "plan again from the current state", style, out)?;
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
fn progress(verification: &Verification, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let done = || {
        verification
            .steps
            .iter()
            .filter(|step| step.state != StepState::Open)
    };
    let hidden = done().count().saturating_sub(SHOWN);
    for step in done().skip(hidden) {
        let text = format!("{} (predicted after {})", step.what, elapsed(step.at));
        label("happened", &text, style, out)?;
    }
    let mut steps = verification.steps.iter();
    let next = steps.find(|step| step.state == StepState::Open);
    if let Some(step) = next.filter(|_| !has_failed(verification)) {
        let text = format!("{} (predicted after {})", step.what, elapsed(step.at));
        label("next", &text, style, out)?;
    }
    Ok(())
}

pub(super) fn difference(
    difference: &ReportDifference,
    what: &str,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let kind = difference.resource.word();
    label(what, &format!("{kind} {}", difference.name), style, out)?;
    label("  predicted", &difference.predicted, style, out)?;
    label("  found", &difference.found, style, out)?;
    label("  likely", &difference.cause, style, out)
}

pub(super) fn label(label: &str, text: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let text = format!("{label:INDENT$}{}", escape(text));
    for line in wrap(&text, style.width, INDENT) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
