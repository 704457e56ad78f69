//! `kubectl sts-plan versions`: lists supported Kubernetes versions and their behavior.

use std::io::{self, Write};

use anyhow::Result;

use super::Context;
use crate::cli::exit::Exit;
use crate::output::render_version_diff;
use crate::request::VersionDiffRequest;
use sts_controller::version::{Gate, Version, minors, turning_points};
use sts_plan::report::VersionDiff;

/// Prints the table: minor version, patches that change behavior, gates with stage and default.
///
/// # Errors
/// When the output cannot be written.
pub fn run(headers: bool, context: &mut Context<'_>) -> Result<Exit> {
    print(headers, context.stdout)?;
    Ok(Exit::Done)
}

/// Prints the changes between two versions.
///
/// # Errors
/// When the output cannot be written.
pub fn diff(request: &VersionDiffRequest, context: &mut Context<'_>) -> Result<Exit> {
    let terminal = context.terminal;
    let width = (terminal.is_there)().then(terminal.columns).flatten();
    let diff = VersionDiff::new(request.from, request.to);
    render_version_diff(
        request.format,
        &diff,
        request.headers,
        width,
        context.stdout,
    )?;
    Ok(Exit::Done)
}

fn print(headers: bool, out: &mut dyn Write) -> io::Result<()> {
    if headers {
        writeln!(
            out,
            "{:<9}{:<22}FEATURE GATES",
            "VERSION", "CHANGED IN PATCHES"
        )?;
    }
    for minor in minors() {
        let patches: Vec<String> = turning_points(minor)
            .iter()
            .map(|patch| format!(".{patch}"))
            .collect();
        let patches = if patches.is_empty() {
            "-".to_owned()
        } else {
            patches.join(" ")
        };
        let gates = gates_of(minor);
        let gates = if gates.is_empty() {
            "-".to_owned()
        } else {
            gates.join(", ")
        };
        writeln!(out, "{:<9}{patches:<22}{gates}", format!("1.{minor}"))?;
    }
    Ok(())
}

/// Returns the gates of a minor version's last patch: name, value, stage.
fn gates_of(minor: u32) -> Vec<String> {
    let last = Version { minor, patch: None };
    Gate::ALL
        .into_iter()
        .filter_map(|gate| {
            let (stage, on) = gate.at(last)?;
            Some(format!("{}={on} ({})", gate.name(), stage.name()))
        })
        .collect()
}
