//! The differences between two plans of one set: for people, for a pull request, for programs.

use std::io::{self, Write};

use super::layout::{Layout, document};
use super::sink::{Terminal, to_terminal};
use super::style::{Style, Tone, escape};
use super::{Format, markdown};
use sts_plan::report::{DiffVerdict, Impact, PlanDiff, PlanDiffList};

/// The column at which the text after a word begins.
const INDENT: usize = 9;

/// Writes differences as a table, Markdown, JSON or YAML.
///
/// # Errors
/// When the writer fails.
pub fn render(
    format: Format,
    found: &[PlanDiff],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match (format, found) {
        (Format::Json, [only]) => document(only, Layout::pretty(), out),
        (Format::Json, several) => document(&PlanDiffList::new(several), Layout::pretty(), out),
        (Format::Yaml, [only]) => document(only, Layout::yaml(), out),
        (Format::Yaml, several) => document(&PlanDiffList::new(several), Layout::yaml(), out),
        (Format::Markdown, _) => found.iter().try_for_each(|it| comment(it, out)),
        (Format::Summary, _) => found
            .iter()
            .try_for_each(|it| writeln!(out, "{}: {}", set(it), headline(it))),
        _ => to_terminal(style, out, |out| {
            for (at, diff) in found.iter().enumerate() {
                if at > 0 {
                    out.blank()?;
                }
                screen(diff, out)?;
            }
            Ok(())
        }),
    }
}

fn set(diff: &PlanDiff) -> String {
    format!("{}/{}", escape(&diff.namespace), escape(&diff.name))
}

fn headline(diff: &PlanDiff) -> String {
    format!("{}: {}", diff.verdict.words(), escape(&diff.summary))
}

fn word(effect: Impact) -> (&'static str, Tone) {
    match effect {
        Impact::Worse => ("worse", Tone::Bad),
        Impact::Better => ("better", Tone::Good),
        Impact::Other => ("other", Tone::Plain),
    }
}

fn screen(diff: &PlanDiff, out: &mut Terminal<'_>) -> io::Result<()> {
    let tone = match diff.verdict {
        DiffVerdict::Worse | DiffVerdict::Mixed => Tone::Bad,
        DiffVerdict::Better | DiffVerdict::Same => Tone::Good,
        _ => Tone::Busy,
    };
    out.line(Tone::Strong, &set(diff))?;
    let headline = match diff.differences.is_empty() {
        true => headline(diff),
        false => diff.verdict.words().to_owned(),
    };
    out.prose(&headline, tone, 0)?;
    for difference in &diff.differences {
        let (word, tone) = word(difference.effect);
        let text = format!(
            "  {word:<width$}{}",
            escape(&difference.message),
            width = INDENT - 2
        );
        out.prose(&text, tone, INDENT)?;
    }
    Ok(())
}

fn comment(diff: &PlanDiff, out: &mut dyn Write) -> io::Result<()> {
    let text = markdown::inline;
    writeln!(out, "### {}: {}\n", text(&set(diff)), diff.verdict.words())?;
    if diff.differences.is_empty() {
        return writeln!(out, "{}\n", text(&diff.summary));
    }
    for difference in &diff.differences {
        let (word, _) = word(difference.effect);
        writeln!(out, "- **{word}** {}", text(&difference.message))?;
    }
    writeln!(out)
}
