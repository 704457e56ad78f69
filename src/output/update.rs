//! One update of a watch: the events since the previous plan, then the plan.

use std::io::{self, Write};

use super::document::Term;
use super::document::verification::{difference, stage_blocks};
use super::sink::{Terminal, to_terminal};
use super::style::{Style, Tone, escape};
use super::words::{elapsed, set_name};
use super::{Format, json, render, screen, yaml};
use sts_plan::fleet::ReportList;
use sts_plan::verify::{Update, Verification, VerifiedStage};

/// Writes an update: a screen, a line of JSON, or a document of YAML.
///
/// # Errors
/// When the writer fails.
pub fn render_update(
    format: Format,
    update: &Update<'_>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Json => json::line(update, out),
        Format::Yaml => {
            writeln!(out, "---")?;
            yaml::write(update, out)
        }
        format => {
            if let Some(found) = &update.since {
                to_terminal(style, out, |out| since(found, out))?;
            }
            if let Some(stage) = &update.stage {
                to_terminal(style, out, |out| in_stage(stage, out))?;
            }
            let plan = ReportList::new(std::slice::from_ref(&*update.plan));
            render(format, &plan, style, out)
        }
    }
}

fn since(found: &Verification, out: &mut Terminal<'_>) -> io::Result<()> {
    let head = format!("{}, {} later", found.now, elapsed(found.elapsed_seconds));
    out.line(Tone::Strong, &head)?;
    let happened = found.steps.iter().map(|step| {
        let text = format!("{} (predicted at {})", step.what, elapsed(step.at));
        Term::new("happened", text)
    });
    let changed = found.stale.iter();
    let changed = changed.map(|stale| Term::new("changed", &stale.message));
    let mut terms: Vec<Term> = happened.chain(changed).collect();
    if terms.is_empty() && found.differences.is_empty() && found.late.is_none() {
        terms.push(Term::new("", "no predicted event yet"));
    }
    screen::terms(&terms, out)?;
    for missed in &found.differences {
        out.line(Tone::Bad, "MISS")?;
        screen::terms(&difference("", missed), out)?;
    }
    if let Some(late) = &found.late {
        let text = escape(&late.message);
        out.line(Tone::Busy, &format!("LATE        {text}"))?;
    }
    out.blank()
}

/// Writes the current stage, and the commands that start the next one once it may start.
fn in_stage(stage: &VerifiedStage, out: &mut Terminal<'_>) -> io::Result<()> {
    for block in stage_blocks(stage, Tone::Busy, usize::MAX) {
        screen::block(&block, out)?;
    }
    out.blank()
}

/// Maximum number of steps in a message.
const NAMED: usize = 3;

/// Returns an update in one line, for a notification: the set, the events, and the next step.
#[must_use]
pub fn message(update: &Update<'_>) -> String {
    let set = set_name(&update.plan.metadata);
    let happened = update.since.as_deref().map(happened).unwrap_or_default();
    let happened = match happened.as_str() {
        "" => String::new(),
        happened => format!("{happened}. "),
    };
    let next = match &update.stage {
        Some(stage) => &stage.message,
        None => &update.plan.next.summary,
    };
    escape(&format!("{set}: {happened}{next}")).into_owned()
}

/// Describes the events since the previous plan, the worst first.
fn happened(found: &Verification) -> String {
    let missed = found.differences.first().map(|missed| {
        let kind = missed.resource.word();
        format!("MISS {kind} {}: {}", missed.name, missed.found)
    });
    let late = found.late.as_ref();
    let late = late.map(|late| format!("LATE {}", late.message));
    let changed = found.stale.as_ref().map(|stale| stale.message.clone());
    // Updates of the status are omitted.
    let reported = found.steps.iter().filter(|step| !step.is_status_alone);
    let steps = reported.clone().take(NAMED).map(|step| step.what.clone());
    let more = reported.count().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("{more} more"));
    let clauses = missed.into_iter().chain(late).chain(changed);
    let clauses: Vec<String> = clauses.chain(steps).chain(more).collect();
    clauses.join(", ")
}
