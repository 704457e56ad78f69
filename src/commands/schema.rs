//! `schema [plan|policy]`: what machine output and policies look like.

use anyhow::{Context as _, Result};

use super::Context;
use crate::cli::exit::Exit;
use crate::cli::policy;
use crate::request::SchemaOf;
use sts_plan::report::plan_schema;

/// Prints a JSON Schema.
///
/// # Errors
/// When the output cannot be written.
pub fn run(of: SchemaOf, context: &mut Context<'_>) -> Result<Exit> {
    let schema = match of {
        SchemaOf::Plan => plan_schema(),
        SchemaOf::Policy => policy::schema(),
    };
    writeln!(context.stdout, "{schema:#}").context("cannot write the schema")?;
    Ok(Exit::Done)
}
