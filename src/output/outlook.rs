//! The answers to what was asked beyond the plan: requirements, every order, failing pods, other partitions.

use std::io::{self, Write};

use super::screen::prose;
use super::style::{Style, Tone, escape};
use super::{branches, partitions};
use sts_plan::report::{ExplorationVerdict, Report, ReportExploration, ReportRequirement};

/// Maximum number of steps of a counterexample that are shown.
const SHOWN: usize = 40;

/// Writes the answers, if anything was asked.
pub(super) fn write(report: &Report, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if !report.requirements.is_empty() {
        writeln!(out)?;
        writeln!(out, "{}", style.paint(Tone::Faint, "Required"))?;
        for requirement in &report.requirements {
            let (tone, text) = told(requirement);
            prose(&text, tone, 4, style, out)?;
        }
    }
    if let Some(exploration) = &report.exploration {
        explored(exploration, style, out)?;
    }
    branches::write(report, style, out)?;
    partitions::write(report, style, out)
}

fn told(requirement: &ReportRequirement) -> (Tone, String) {
    let text = escape(&requirement.text);
    match &requirement.broken_at {
        None => (Tone::Good, format!("  {text} holds all the way")),
        Some(broken) if broken.step.is_none() => {
            let value = broken.value;
            let text = format!("  {text} BREAKS before anything happens: it is {value}");
            (Tone::Bad, text)
        }
        Some(broken) => {
            let (value, at) = (broken.value, broken.at);
            let event = escape(&broken.event);
            let text = format!("  {text} BREAKS at {at}s: it is {value} after {event}");
            (Tone::Bad, text)
        }
    }
}

fn explored(exploration: &ReportExploration, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let tone = match exploration.verdict {
        ExplorationVerdict::Holds => Tone::Good,
        ExplorationVerdict::Broken => Tone::Bad,
        ExplorationVerdict::Unknown | ExplorationVerdict::Skipped => Tone::Busy,
    };
    writeln!(out)?;
    let summary = format!("Every order: {}", escape(&exploration.summary));
    prose(&summary, tone, 2, style, out)?;
    let Some(found) = &exploration.counterexample else {
        return Ok(());
    };
    for (number, step) in (1..).zip(found.steps.iter().take(SHOWN)) {
        prose(
            &format!("  {number:>2}. {}", escape(step)),
            Tone::Plain,
            6,
            style,
            out,
        )?;
    }
    if let Some(more) = found
        .steps
        .len()
        .checked_sub(SHOWN)
        .filter(|more| *more > 0)
    {
        writeln!(out, "      and {more} more (-o json has all)")?;
    }
    match &found.not_replayable {
        Some(why) => prose(
            &format!("  No flags replay this: {}", escape(why)),
            Tone::Faint,
            4,
            style,
            out,
        ),
        None if found.assume.is_empty() => prose(
            "  The plan itself goes this way.",
            Tone::Plain,
            4,
            style,
            out,
        ),
        None => {
            let flags = format!("  The same plan: {}", escape(&found.assume.join(" ")));
            prose(&flags, Tone::Plain, 4, style, out)
        }
    }
}
