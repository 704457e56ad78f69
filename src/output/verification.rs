//! What has become of a plan, for people.

use std::io::{self, Write};

use super::style::{Style, Tone, escape};
use super::words::{elapsed, wrap};
use sts_plan::report::{ReportDifference, Verification};

/// How many differences, and how many steps that have happened, are shown unless everything is.
const SHOWN: usize = 3;
/// Where the text after a label begins.
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
    let tone = match verification.verdict {
        "diverged" | "stale" => Tone::Bad,
        "pending" => Tone::Busy,
        _ if verification.late.is_some() => Tone::Busy,
        _ => Tone::Good,
    };
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
                "done" => "done",
                "begun" => "begun",
                _ => "-",
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
            label(object.change, &text, style, out)?;
        }
    } else {
        progress(verification, style, out)?;
    }
    if matches!(verification.verdict, "diverged" | "stale") {
        label("then", "plan again, from what is there now", style, out)?;
    }
    Ok(())
}

/// The last steps that happened, and the first that has not.
fn progress(verification: &Verification, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let done = || {
        verification
            .steps
            .iter()
            .filter(|step| step.state != "open")
    };
    let hidden = done().count().saturating_sub(SHOWN);
    for step in done().skip(hidden) {
        let text = format!("{} (predicted after {})", step.what, elapsed(step.at));
        label("happened", &text, style, out)?;
    }
    let next = verification.steps.iter().find(|step| step.state == "open");
    if let Some(step) = next.filter(|_| !matches!(verification.verdict, "stale" | "diverged")) {
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
    let kind = match difference.resource {
        "pods" => "pod",
        "persistentvolumeclaims" => "claim",
        "statefulsets" => "StatefulSet",
        _ => "revision",
    };
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
