//! `explain [ID]...`: describes a finding or a cause, with advice.

use anyhow::{Result, bail};

use super::Context;
use crate::cli::exit::Exit;
use crate::output::render_table;
use sts_plan::cause;
use sts_plan::lint;
use sts_plan::lint::Severity;

/// Prints the details of these rules, or a list of all rules.
///
/// # Errors
/// When an id is unknown, or the output cannot be written.
pub fn run(ids: &[String], context: &mut Context<'_>) -> Result<Exit> {
    let out = &mut *context.stdout;
    if ids.is_empty() {
        let style = context.terminal.plain_style(false);
        let rows = lint::RULES.into_iter().map(|rule| {
            [
                rule.id.to_string(),
                rule.name.to_owned(),
                rule.title.to_owned(),
            ]
        });
        render_table(["ID", "NAME", "TITLE"], rows, &style, out)?;
        return Ok(Exit::Done);
    }
    let mut pages = Vec::new();
    for id in ids {
        let rules = match Severity::by_name(id) {
            // As a gate: that severity and above.
            Some(least) => lint::RULES
                .into_iter()
                .filter(|rule| rule.severities.iter().any(|it| *it >= least))
                .collect(),
            None => lint::rules_by_name(id),
        };
        let cause = cause::cause_by_id(id);
        if rules.is_empty() && cause.is_none() {
            bail!("{}", lint::unknown_id(id));
        }
        pages.extend(rules.into_iter().map(lint::page));
        pages.extend(cause.map(cause::cause_page));
    }
    write!(out, "{}", pages.join("\n"))?;
    Ok(Exit::Done)
}
