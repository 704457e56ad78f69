//! One update of a watch: what happened since the plan before, then the plan.

use std::io::{self, Write};

use super::style::{Style, Tone, escape};
use super::verification::{difference, label};
use super::words::elapsed;
use super::{Format, json, render, yaml};
use sts_plan::report::{ReportList, Update, Verification};

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
            if let Some(found) = update.since {
                since(found, style, out)?;
            }
            let plan = ReportList::new(std::slice::from_ref(update.plan));
            render(format, plan, style, out)
        }
    }
}

fn since(found: &Verification, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let head = format!("{}, {} later", found.now, elapsed(found.elapsed_seconds));
    writeln!(out, "{}", style.paint(Tone::Strong, &head))?;
    for step in &found.steps {
        let text = format!("{} (predicted after {})", step.what, elapsed(step.at));
        label("happened", &text, style, out)?;
    }
    if let Some(stale) = &found.stale {
        label("changed", &stale.message, style, out)?;
    }
    for missed in &found.differences {
        writeln!(out, "{}", style.paint(Tone::Bad, "MISS"))?;
        difference(missed, "", style, out)?;
    }
    if let Some(late) = &found.late {
        let text = format!("{}, by {}", late.what, elapsed(late.by_seconds));
        let text = escape(&text);
        writeln!(
            out,
            "{}",
            style.paint(Tone::Busy, &format!("LATE        {text}"))
        )?;
    }
    let nothing = found.steps.is_empty()
        && found.stale.is_none()
        && found.differences.is_empty()
        && found.late.is_none();
    if nothing {
        label("", "nothing of what was predicted yet", style, out)?;
    }
    writeln!(out)
}
