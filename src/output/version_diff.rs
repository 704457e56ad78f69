//! The differences between two Kubernetes versions.

use std::io::{self, Write};

use super::Format;
use super::layout::{Layout, document};
use super::words::wrap;
use sts_plan::report::{ChangedGate, GateState, VersionChange, VersionDiff};

/// The width of the columns before the description.
const COLUMNS: usize = 12 + 8 + 9;

/// Writes the differences as a table, JSON or YAML.
///
/// # Errors
/// When the writer fails.
pub fn render(
    format: Format,
    diff: &VersionDiff,
    headers: bool,
    width: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Json => document(diff, Layout::pretty(), out),
        Format::Yaml => document(diff, Layout::yaml(), out),
        _ => table(diff, headers, width, out),
    }
}

fn table(
    diff: &VersionDiff,
    headers: bool,
    width: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if diff.changes.is_empty() && diff.gates.is_empty() {
        return writeln!(
            out,
            "No differences for StatefulSets between Kubernetes {} and {}.",
            diff.from, diff.to
        );
    }
    if headers {
        row(
            "AREA",
            "CHANGE",
            "VERSION",
            "DESCRIPTION (SOURCE)",
            width,
            out,
        )?;
    }
    for change in &diff.changes {
        let VersionChange {
            area,
            change,
            what,
            version,
            source,
        } = change;
        let what = format!("{what} ({source})");
        row(area.name(), change.name(), version, &what, width, out)?;
    }
    for ChangedGate { name, from, to } in &diff.gates {
        let what = format!("{name}: {} -> {}", state(from), state(to));
        row("gate", "changes", "", &what, width, out)?;
    }
    Ok(())
}

fn row(
    area: &str,
    change: &str,
    version: &str,
    what: &str,
    width: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let text = format!("{area:<12}{change:<8}{version:<9}{what}");
    for line in wrap(&text, width, COLUMNS) {
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// Formats a gate in one version: `true (beta)`.
fn state(gate: &Option<GateState>) -> String {
    match gate {
        Some(GateState { stage, default }) => format!("{default} ({stage})"),
        None => "none".to_owned(),
    }
}
