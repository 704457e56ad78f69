//! `schema [plan|policy|stages]`: prints the JSON Schema of machine output, policies and stages files.

use anyhow::{Context as _, Result};

use super::Context;
use crate::cli::exit::Exit;
use crate::cli::{STAGES_SCHEMA, policy};
use crate::request::SchemaKind;
use sts_plan::report::PLAN_SCHEMA;

/// Prints a JSON Schema.
///
/// # Errors
/// When the output cannot be written.
pub fn run(of: SchemaKind, context: &mut Context<'_>) -> Result<Exit> {
    let schema = match of {
        SchemaKind::Plan => PLAN_SCHEMA,
        SchemaKind::Policy => policy::SCHEMA,
        SchemaKind::Stages => STAGES_SCHEMA,
    };
    let written = context.stdout.write_all(schema.as_bytes());
    written.context("cannot write the schema")?;
    Ok(Exit::Done)
}
