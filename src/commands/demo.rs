//! `demo`: lists the built-in examples.

use anyhow::Result;

use super::Context;
use crate::cli::exit::Exit;
use crate::request::DEMOS;

/// Lists the demos, each with its command.
///
/// # Errors
/// When the output cannot be written.
pub fn run(context: &mut Context<'_>) -> Result<Exit> {
    const PLAN: &str = "kubectl sts-plan demo";
    let out = &mut *context.stdout;
    let width = PLAN.len() + DEMOS.iter().map(|demo| demo.name.len()).max().unwrap_or(0) + 3;
    writeln!(out, "{:width$}SITUATION", "COMMAND")?;
    for demo in &DEMOS {
        let command = format!("{PLAN} {}", demo.name);
        writeln!(out, "{command:width$}{}", demo.situation)?;
    }
    writeln!(out)?;
    writeln!(out, "With flags and formats of a plan, or interactively:")?;
    writeln!(out, "  {PLAN} blocked -o markdown")?;
    writeln!(out, "  {PLAN} canary --partition 0 --what-if-fails")?;
    writeln!(out, "  {PLAN} canary --interactive")?;
    Ok(Exit::Done)
}
