//! `explain [ID]...`: describes a finding or a cause, with advice.

use std::io::Write;

use anyhow::{Result, bail};

use super::Context;
use crate::cli::exit::Exit;
use crate::output::{Style, render_table};
use sts_plan::cause::{self, Catalogue, CauseEntry};
use sts_plan::lint;
use sts_plan::lint::Severity;

/// Prints the details of these rules and causes, the causes that a reason announces, or a list of all.
///
/// # Errors
/// When an id is unknown, or the output cannot be written.
pub fn run(ids: &[String], catalogue: Catalogue, context: &mut Context<'_>) -> Result<Exit> {
    let out = &mut *context.stdout;
    let style = context.terminal.plain_style(false);
    if ids.is_empty() {
        let rows = lint::RULES.into_iter().map(|rule| {
            [
                rule.id.to_string(),
                rule.name.to_owned(),
                rule.title.to_owned(),
            ]
        });
        render_table(["FINDING", "NAME", "TITLE"], rows, &style, out)?;
        writeln!(out)?;
        list(catalogue.causes(), &style, out)?;
        return Ok(Exit::Done);
    }
    for (at, id) in ids.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        let rules = match Severity::by_name(id) {
            // As a gate: that severity and above.
            Some(least) => lint::RULES
                .into_iter()
                .filter(|rule| rule.severities.iter().any(|it| *it >= least))
                .collect(),
            None => lint::rules_by_name(id),
        };
        let cause = catalogue.by_id(id).map(cause::cause_page);
        let pages: Vec<String> = rules.into_iter().map(lint::page).chain(cause).collect();
        let announced: Vec<_> = catalogue.announced_by(id).collect();
        if !pages.is_empty() {
            write!(out, "{}", pages.join("\n"))?;
        } else if !announced.is_empty() {
            list(announced.into_iter(), &style, out)?;
        } else {
            bail!("{}", lint::unknown_id(id));
        }
    }
    Ok(Exit::Done)
}

fn list(
    causes: impl Iterator<Item = &'static CauseEntry>,
    style: &Style,
    out: &mut dyn Write,
) -> Result<()> {
    let rows = causes.map(|entry| {
        [
            entry.id.clone(),
            entry.blames.name().to_owned(),
            cause::with_names(&entry.title, &|_| None),
        ]
    });
    Ok(render_table(
        ["CAUSE", "BLAMES", "TITLE"],
        rows,
        style,
        out,
    )?)
}
