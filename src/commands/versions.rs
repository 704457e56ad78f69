//! `kubectl sts-plan versions`: lists supported Kubernetes versions and their behavior.

use anyhow::Result;

use super::Context;
use crate::cli::exit::Exit;
use crate::output::{or_dash, render_table, render_version_diff};
use crate::request::VersionDiffRequest;
use sts_controller::version::{Gate, Version, minors, turning_points};
use sts_plan::report::VersionDiff;

/// Prints the table: minor version, patches that change behavior, gates with stage and default.
///
/// # Errors
/// When the output cannot be written.
pub fn run(headers: bool, context: &mut Context<'_>) -> Result<Exit> {
    let style = context.terminal.plain_style(headers);
    let rows = minors().map(|minor| {
        let patches = turning_points(minor);
        let patches = patches.iter().map(|patch| format!(".{patch}"));
        let patches = patches.collect::<Vec<_>>().join(" ");
        let [patches, gates] = [patches, gates_of(minor).join(", ")].map(or_dash);
        [format!("1.{minor}"), patches, gates]
    });
    let headers = ["VERSION", "CHANGED IN PATCHES", "FEATURE GATES"];
    render_table(headers, rows, &style, context.stdout)?;
    Ok(Exit::Done)
}

/// Prints the changes between two versions.
///
/// # Errors
/// When the output cannot be written.
pub fn diff(request: &VersionDiffRequest, context: &mut Context<'_>) -> Result<Exit> {
    let style = context.terminal.plain_style(request.headers);
    let diff = VersionDiff::new(request.from, request.to);
    render_version_diff(request.format, &diff, &style, context.stdout)?;
    Ok(Exit::Done)
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
