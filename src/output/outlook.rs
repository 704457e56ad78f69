//! The answers to what was asked beyond the plan: requirements, every order, failing pods, other partitions.

use std::io;

use super::sink::Terminal;
use super::style::{Tone, escape};
use super::{branches, partitions};
use sts_plan::report::{ExplorationVerdict, Report, ReportExploration, ReportRequirement};

/// Maximum number of steps of a counterexample that are shown.
const SHOWN: usize = 40;

/// Writes the answers, if anything was asked.
pub(super) fn write(report: &Report, out: &mut Terminal<'_>) -> io::Result<()> {
    if !report.requirements.is_empty() {
        out.blank()?;
        out.line(Tone::Faint, "Required")?;
        for requirement in &report.requirements {
            let (tone, text) = told(requirement);
            out.prose(&text, tone, 4)?;
        }
    }
    if let Some(exploration) = &report.exploration {
        explored(exploration, out)?;
    }
    branches::write(report, out)?;
    partitions::write(report, out)
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

fn explored(exploration: &ReportExploration, out: &mut Terminal<'_>) -> io::Result<()> {
    let tone = match exploration.verdict {
        ExplorationVerdict::Holds => Tone::Good,
        ExplorationVerdict::Broken => Tone::Bad,
        ExplorationVerdict::Unknown | ExplorationVerdict::Skipped => Tone::Busy,
    };
    out.blank()?;
    let summary = format!("Every order: {}", escape(&exploration.summary));
    out.prose(&summary, tone, 2)?;
    let Some(found) = &exploration.counterexample else {
        return Ok(());
    };
    for (number, step) in (1..).zip(found.steps.iter().take(SHOWN)) {
        out.prose(&format!("  {number:>2}. {}", escape(step)), Tone::Plain, 6)?;
    }
    if let Some(more) = found
        .steps
        .len()
        .checked_sub(SHOWN)
        .filter(|more| *more > 0)
    {
        out.line(
            Tone::Plain,
            &format!("      and {more} more (-o json has all)"),
        )?;
    }
    match &found.not_replayable {
        Some(why) => out.prose(
            &format!("  No flags replay this: {}", escape(why)),
            Tone::Faint,
            4,
        ),
        None if found.assume.is_empty() => {
            out.prose("  The plan itself goes this way.", Tone::Plain, 4)
        }
        None => {
            let flags = format!("  The same plan: {}", escape(&found.assume.join(" ")));
            out.prose(&flags, Tone::Plain, 4)
        }
    }
}
