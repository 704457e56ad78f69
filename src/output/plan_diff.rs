//! The differences between two plans of one set.

use std::io::{self, Write};

use super::document::{Block, Role, Term, say};
use super::layout::{Layout, OneOrList, document};
use super::sink::to_terminal;
use super::style::{Style, Tone, escape};
use super::{Format, markdown, screen};
use sts_plan::plan_diff::{DiffVerdict, Impact, PlanDiff, PlanDiffList};

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
    let value = OneOrList::of(found, PlanDiffList::new);
    match format {
        Format::Json => document(&value, Layout::pretty(), out),
        Format::Yaml => document(&value, Layout::yaml(), out),
        Format::Markdown => {
            let all = found.iter().map(|diff| {
                let mut blocks = blocks(diff);
                // The title has the verdict.
                if !diff.differences.is_empty() {
                    blocks.remove(0);
                }
                (set(diff), diff.verdict.words().to_owned(), blocks)
            });
            markdown::render_blocks(all, style, out)
        }
        Format::Summary => found.iter().try_for_each(|diff| {
            let (verdict, summary) = (diff.verdict.words(), escape(&diff.summary));
            writeln!(out, "{}: {verdict}: {summary}", set(diff))
        }),
        _ => to_terminal(style, out, |out| {
            for (at, diff) in found.iter().enumerate() {
                if at > 0 {
                    out.blank()?;
                }
                out.line(Tone::Strong, &set(diff))?;
                screen::blocks(&blocks(diff), out)?;
            }
            Ok(())
        }),
    }
}

fn set(diff: &PlanDiff) -> String {
    format!("{}/{}", escape(&diff.namespace), escape(&diff.name))
}

/// The verdict, and a line for each difference.
fn blocks(diff: &PlanDiff) -> Vec<Block<'_>> {
    let tone = match diff.verdict {
        DiffVerdict::Worse | DiffVerdict::Mixed => Tone::Bad,
        DiffVerdict::Better | DiffVerdict::Same => Tone::Good,
        _ => Tone::Busy,
    };
    let terms = diff.differences.iter().map(|difference| {
        let (label, tone) = match difference.effect {
            Impact::Worse => ("worse", Tone::Bad),
            Impact::Better => ("better", Tone::Good),
            Impact::Other => ("other", Tone::Plain),
        };
        Term {
            tone,
            ..Term::new(label, &difference.message)
        }
    });
    let terms: Vec<Term> = terms.collect();
    let verdict = diff.verdict.words();
    match terms.is_empty() {
        true => vec![say(Role::Headline, tone, verdict, &diff.summary)],
        false => vec![say(Role::Headline, tone, "", verdict), Block::Terms(terms)],
    }
}
