//! The runbook on a terminal: the commands of each stage, the check before the next, and the rollback.

use std::io;

use super::document::RunbookStage;
use super::sink::Terminal;
use super::style::{Tone, escape};
use super::words::wrap_command;

/// The column of the text after a label.
const INDENT: usize = 9;

/// Writes stages, with an empty line between two.
pub(super) fn on_screen(stages: &[RunbookStage], out: &mut Terminal<'_>) -> io::Result<()> {
    stages.iter().try_for_each(|stage| self::stage(stage, out))
}

fn stage(stage: &RunbookStage, out: &mut Terminal<'_>) -> io::Result<()> {
    out.blank()?;
    let title = escape(&stage.title);
    let begins = format!("{title}, {}", stage.begins);
    out.prose(&begins, Tone::Strong, 2)?;
    if !stage.approval.is_empty() {
        text("Needs", &format!("approval by {}", &stage.approval), out)?;
    }
    commands("Save", &stage.before, out)?;
    commands("Run", &stage.commands, out)?;
    let tone = match stage.is_bad {
        true => Tone::Bad,
        false => Tone::Plain,
    };
    if stage.is_bad || out.style.verbose {
        let takes = format!("{:<INDENT$}{}", "  Takes:", escape(&stage.takes));
        out.prose(&takes, tone, INDENT)?;
    }
    if !stage.check.is_empty() && !stage.is_bad {
        text("Check", &stage.check, out)?;
        if out.style.verbose {
            commands("", &stage.check_commands, out)?;
        }
    }
    if !stage.back.is_empty() {
        text("Undo", &stage.back, out)?;
        commands("", &stage.back_commands, out)?;
    }
    Ok(())
}

fn text(label: &str, text: &str, out: &mut Terminal<'_>) -> io::Result<()> {
    let label = format!("  {label}:");
    out.prose(
        &format!("{label:<INDENT$}{}", escape(text)),
        Tone::Plain,
        INDENT,
    )
}

fn commands(label: &str, commands: &[String], out: &mut Terminal<'_>) -> io::Result<()> {
    let mut label = match label {
        "" => String::new(),
        label => format!("  {label}:"),
    };
    for command in commands {
        let command = format!("{label:<INDENT$}{}", escape(command));
        for line in wrap_command(&command, out.style.width, INDENT) {
            let (label, typed) = line.split_at_checked(INDENT).unwrap_or(("", &line));
            out.pieces(&[(Tone::Plain, label), (Tone::Typed, typed)])?;
        }
        label.clear();
    }
    Ok(())
}
