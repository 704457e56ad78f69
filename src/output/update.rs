//! One update of a watch: the events since the previous plan, then the plan.

use std::io::{self, Write};

use jiff::Timestamp;

use super::document::Term;
use super::document::verification::{difference, stage_blocks};
use super::sink::{Terminal, to_terminal};
use super::style::{Style, Tone, escape};
use super::words::{elapsed, set_name, short_revision};
use super::{Format, json, render, screen, yaml};
use sts_plan::fleet::ReportList;
use sts_plan::report::{HeadlineTopic, Report, SetPod};
use sts_plan::verify::{Difference, Update, Verification, VerifiedStage};

/// Writes an update: the comparison and the whole plan, or a line for each change; the result of the plan in a line; a
/// line of JSON; or a document of YAML.
///
/// # Errors
/// When the writer fails.
pub fn render_update(
    format: Format,
    update: &Update<'_>,
    is_whole: bool,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Json => json::line(update, out),
        Format::Yaml => {
            writeln!(out, "---")?;
            yaml::write(update, out)
        }
        Format::Table if !is_whole => to_terminal(style, out, |out| changes(update, out)),
        Format::Table => {
            if let Some(found) = &update.since {
                to_terminal(style, out, |out| since(found, out))?;
            }
            if let Some(stage) = &update.stage {
                to_terminal(style, out, |out| in_stage(stage, out))?;
            }
            let plan = ReportList::new(std::slice::from_ref(&*update.plan));
            render(format, &plan, style, out)
        }
        format => {
            let plan = ReportList::new(std::slice::from_ref(&*update.plan));
            render(format, &plan, style, out)
        }
    }
}

/// Writes a line for each change since the previous plan: `12:03:07 web-1 ready (3 of 5 on 5bd58868ff)`. The first update,
/// and one without a predicted event, has a line with the state of the set.
fn changes(update: &Update<'_>, out: &mut Terminal<'_>) -> io::Result<()> {
    let plan = &*update.plan;
    let now = clock(&plan.now);
    let progress = progress(plan);
    let mut is_told = false;
    if let Some(found) = update.since.as_deref() {
        for step in found.steps.iter().filter(|step| !step.is_status_alone) {
            let what = escape(&step.what);
            out.line(Tone::Plain, &format!("{now} {what} ({progress})"))?;
            is_told = true;
        }
        for missed in &found.differences {
            let text = format!("{now} not as predicted: {}", missed_words(missed));
            out.line(Tone::Bad, &escape(&text))?;
            is_told = true;
        }
        if let Some(stale) = &found.stale {
            let text = format!("{now} changed: {}", stale.message);
            out.line(Tone::Busy, &escape(&text))?;
        }
        if let Some(late) = &found.late {
            let text = format!("{now} late: {}", late.message);
            out.line(Tone::Busy, &escape(&text))?;
            is_told = true;
        }
    }
    let steps = update.since.as_ref().map_or(&[][..], |found| &found.steps);
    // The first update has no steps.
    let is_quiet = !steps.is_empty() && steps.iter().all(|step| step.is_status_alone);
    let is_stuck = plan.next.topic == HeadlineTopic::Stuck;
    if !is_told && !is_quiet || is_stuck {
        let tone = if is_stuck { Tone::Bad } else { Tone::Plain };
        let text = match update.since {
            None => format!(
                "{now} {}: {} ({progress})",
                set_name(&plan.metadata),
                plan.next.summary
            ),
            Some(_) => format!("{now} {} ({progress})", plan.next.summary),
        };
        out.line(tone, &escape(&text))?;
    }
    if let Some(stage) = &update.stage {
        in_stage(stage, out)?;
    }
    Ok(())
}

/// Returns the time of day of a time: `12:03:07`.
fn clock(time: &str) -> String {
    let moment = time.parse::<Timestamp>();
    moment.map_or_else(
        |_| time.to_owned(),
        |it| it.strftime("%H:%M:%S").to_string(),
    )
}

/// Returns the number of ready pods on the update revision: `3 of 5 on 5bd58868ff`.
fn progress(plan: &Report) -> String {
    let set = &plan.set;
    let revision = &set.update_revision;
    let on_it = |pod: &&SetPod| *pod.revision == **revision && pod.ready;
    let ready = set.pods.iter().filter(on_it).count();
    let hash = short_revision(revision, &plan.metadata.name);
    format!("{ready} of {} on {}", set.replicas, escape(hash))
}

/// Describes a difference from the prediction: `pod web-1: CrashLoopBackOff`.
fn missed_words(missed: &Difference) -> String {
    let kind = missed.resource.word();
    format!("{kind} {}: {}", missed.name, missed.found)
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
        out.line(Tone::Bad, "NOT AS PREDICTED")?;
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
    screen::blocks(&stage_blocks(stage, Tone::Busy, usize::MAX), out)?;
    out.blank()
}

/// Maximum number of steps in a message.
const NAMED: usize = 3;

/// Returns an update in one line, for a notification: the set, the events, and the next step.
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
    let missed = found
        .differences
        .first()
        .map(|missed| format!("not as predicted: {}", missed_words(missed)));
    let late = found.late.as_ref();
    let late = late.map(|late| format!("late: {}", late.message));
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
