//! `demo`: lists the built-in examples.

use anyhow::Result;

use super::Context;
use crate::cli::exit::Exit;
use crate::output::render_table;
use crate::request::DEMOS;

/// Lists the demos, each with its command.
///
/// # Errors
/// When the output cannot be written.
pub fn run(context: &mut Context<'_>) -> Result<Exit> {
    const PLAN: &str = "kubectl sts-plan demo";
    let out = &mut *context.stdout;
    let style = context.terminal.plain_style(true);
    let rows = DEMOS.iter().map(|demo| {
        let command = format!("{PLAN} {}", demo.name);
        [command, demo.situation.to_owned()]
    });
    render_table(["COMMAND", "SITUATION"], rows, &style, out)?;
    writeln!(out)?;
    writeln!(out, "With flags and formats of a plan, or interactively:")?;
    writeln!(out, "  {PLAN} blocked -o markdown")?;
    writeln!(out, "  {PLAN} canary --partition 0 --what-if-fails")?;
    writeln!(out, "  {PLAN} canary --interactive")?;
    Ok(Exit::Done)
}
