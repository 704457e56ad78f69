//! The obstacles that keep a set from its goal, and their remedies.

use std::collections::BTreeSet;
use std::io;

use super::sink::Terminal;
use super::style::{Tone, escape};
use super::words::{spaced, wrap_command};
use sts_plan::report::{HeadlineTopic, PlanResult, Report, ReportObstacle, ReportRemedy};

/// Maximum number of obstacles that are shown.
const SHOWN: usize = 5;
/// Maximum number of facts, and of remedies, that are shown for each.
const FACTS: usize = 5;
const FIXES: usize = 2;
/// Maximum number of commands that are shown for one remedy.
const COMMANDS: usize = 6;
/// The column at which the text below a command begins.
const INDENT: usize = 8;

/// Writes each obstacle with its facts and its remedies. `word` and `after` begin the first line.
pub(super) fn write(
    report: &Report,
    word: &str,
    after: &str,
    out: &mut Terminal<'_>,
) -> io::Result<()> {
    let outcome = &report.outcome;
    if outcome.result == PlanResult::Rejected {
        return refusals(report, word, out);
    }
    let mut told = BTreeSet::new();
    for (at, obstacle) in outcome.blocked_by.iter().take(SHOWN).enumerate() {
        let message = escape(&obstacle.message);
        if at > 0 {
            out.prose(&format!("  and {message}"), Tone::Bad, 4)?;
        } else if report.next.topic != HeadlineTopic::Stuck {
            let text = format!("{word}{after}: {message}");
            out.prose(&text, Tone::Bad, 2)?;
        }
        remedies(obstacle, &mut told, out)?;
        notes(obstacle, out)?;
        facts(&obstacle.evidence, out)?;
    }
    left_out(report, out)
}

/// Writes which fields are refused, then what the server says of that, and last the way round.
fn refusals(report: &Report, word: &str, out: &mut Terminal<'_>) -> io::Result<()> {
    let refused = &report.outcome.blocked_by;
    let names_fields = tells_more_than_the_server(report);
    for (at, obstacle) in refused.iter().take(SHOWN).enumerate() {
        let message = escape(&obstacle.message);
        if at > 0 {
            out.prose(&format!("  and {message}"), Tone::Bad, 4)?;
        } else if names_fields {
            out.prose(&format!("{word}: {message}"), Tone::Bad, 2)?;
        }
    }
    left_out(report, out)?;
    if names_fields && let HeadlineTopic::Rejected { answer } = &report.next.topic {
        let text = format!("  Server: {}", escape(answer));
        out.prose(&text, Tone::Plain, INDENT)?;
    }
    for obstacle in refused.iter().take(SHOWN) {
        facts(&obstacle.evidence, out)?;
        notes(obstacle, out)?;
    }
    // The way round is told once for all refusals, with what comes of it where that could be tried.
    if let Some(tried) = refused.iter().find(|it| !it.remedies.is_empty()) {
        return remedies(tried, &mut BTreeSet::new(), out);
    }
    let all = refused.iter().flat_map(|obstacle| &obstacle.remedy);
    let all: Vec<String> = all.cloned().collect();
    commands("Try:", &all, out)
}

/// Writes what to know before anything is done.
fn notes(obstacle: &ReportObstacle, out: &mut Terminal<'_>) -> io::Result<()> {
    for caution in &obstacle.cautions {
        let text = format!("  Note: {}", escape(caution));
        out.prose(&text, Tone::Plain, INDENT)?;
    }
    Ok(())
}

fn left_out(report: &Report, out: &mut Terminal<'_>) -> io::Result<()> {
    match report.outcome.blocked_by.len().checked_sub(SHOWN) {
        Some(more @ 1..) => out.line(
            Tone::Plain,
            &format!("  and {} more (-o json)", spaced(more)),
        ),
        _ => Ok(()),
    }
}

/// Reports whether it is known which fields a refusal is about, which the server does not say. Then that comes first.
pub(super) fn tells_more_than_the_server(report: &Report) -> bool {
    let first = report.outcome.blocked_by.first();
    report.outcome.result == PlanResult::Rejected && first.is_some_and(|first| !says(report, first))
}

/// Reports whether the headline already contains the obstacle's message.
pub(super) fn says(report: &Report, obstacle: &ReportObstacle) -> bool {
    let headline = report.next.summary.to_lowercase();
    headline.contains(&obstacle.message.to_lowercase())
}

/// The facts behind a wait: in one paragraph, or in the verbose output in a line each.
pub(super) fn facts(evidence: &[String], out: &mut Terminal<'_>) -> io::Result<()> {
    let style = out.style;
    if style.verbose {
        for fact in evidence {
            out.prose(&format!("  - {}", escape(fact)), Tone::Plain, 4)?;
        }
        return Ok(());
    }
    let facts = evidence.iter().take(FACTS);
    let facts: Vec<_> = facts.map(|fact| escape(fact)).collect();
    if facts.is_empty() {
        return Ok(());
    }
    let text = format!("  Facts: {}", facts.join("; "));
    out.prose(&text, Tone::Plain, INDENT)
}

fn remedies<'r>(
    obstacle: &'r ReportObstacle,
    told: &mut BTreeSet<&'r [String]>,
    out: &mut Terminal<'_>,
) -> io::Result<()> {
    let style = out.style;
    if let (None, [way_round]) = (obstacle.ends_by_itself, obstacle.remedies.as_slice()) {
        // A refusal: what else there is to type is in the order of its commands.
        commands("Try:", &way_round.commands, out)?;
        return explain(way_round, out);
    }
    let fixes = |it: &&ReportRemedy| it.helps && !it.looks;
    let mut shown = 0;
    for remedy in obstacle.remedies.iter().filter(fixes) {
        if !style.verbose && shown == FIXES {
            break;
        }
        if told.insert(&remedy.commands) {
            let label = if shown == 0 { "Do:" } else { "Or:" };
            shown += 1;
            fix(label, remedy, out)?;
        }
    }
    let look = obstacle.remedies.iter().find(|remedy| remedy.looks);
    match look {
        Some(look) => {
            if told.insert(&look.commands) {
                commands("Look:", &look.commands, out)?;
                if shown == 0 || style.verbose {
                    explain(look, out)?;
                }
            }
        }
        None => {
            let first = &obstacle.remedy[..obstacle.remedy.len().min(1)];
            commands("Look:", first, out)?;
        }
    }
    let in_vain = |it: &&ReportRemedy| !it.helps && !it.looks && style.verbose;
    for remedy in obstacle.remedies.iter().filter(in_vain) {
        if told.insert(&remedy.commands) {
            commands("Not:", &remedy.commands, out)?;
            explain(remedy, out)?;
        }
    }
    Ok(())
}

/// A remedy: when it is the right one and what it puts at risk stand before its commands, and what comes of it behind
/// them.
fn fix(label: &str, remedy: &ReportRemedy, out: &mut Terminal<'_>) -> io::Result<()> {
    let mut label = label;
    let margin = " ".repeat(INDENT);
    let conditions = [
        (Tone::Plain, "if", remedy.precondition.as_str()),
        (Tone::Busy, "risk:", remedy.risk.as_str()),
    ];
    for (tone, word, text) in conditions {
        if text.is_empty() {
            continue;
        }
        let text = format!("  {label:<5} {word} {}", escape(text));
        out.prose(&text, tone, INDENT)?;
        label = "";
    }
    commands(label, &remedy.commands, out)?;
    let effect = format!("{margin}{}", escape(&remedy.effect));
    out.prose(&effect, Tone::Plain, INDENT)
}

fn explain(remedy: &ReportRemedy, out: &mut Terminal<'_>) -> io::Result<()> {
    let effect = escape(&remedy.effect);
    let text = match remedy.precondition.as_str() {
        "" => effect.into_owned(),
        precondition => format!("if {}: {effect}", escape(precondition)),
    };
    let margin = " ".repeat(INDENT);
    out.prose(&format!("{margin}{text}"), Tone::Plain, INDENT)?;
    match remedy.risk.as_str() {
        "" => Ok(()),
        risk => {
            let text = format!("{margin}risk: {}", escape(risk));
            out.prose(&text, Tone::Busy, INDENT)
        }
    }
}

/// Commands below one another: what is to be typed stands out.
fn commands(label: &str, commands: &[String], out: &mut Terminal<'_>) -> io::Result<()> {
    let style = out.style;
    // A set of many pods may need as many commands.
    let shown = if style.verbose { usize::MAX } else { COMMANDS };
    for (at, command) in commands.iter().take(shown).enumerate() {
        let label = if at == 0 { label } else { "" };
        let command = format!("  {label:<5} {}", escape(command));
        for line in wrap_command(&command, style.width, INDENT) {
            // Behind the label, which is as wide as the indent.
            let (label, typed) = line.split_at_checked(INDENT).unwrap_or(("", &line));
            out.pieces(&[(Tone::Plain, label), (Tone::Typed, typed)])?;
        }
    }
    match commands.len().checked_sub(shown) {
        Some(more @ 1..) => out.line(
            Tone::Plain,
            &format!(
                "{}and {} more like these (-v)",
                " ".repeat(INDENT),
                spaced(more)
            ),
        ),
        _ => Ok(()),
    }
}
