//! The differences between two Kubernetes versions.

use std::io::{self, Write};

use super::Format;
use super::layout::{Layout, document};
use super::style::Style;
use super::table::render_table;
use sts_plan::report::{ChangeKind, ChangedGate, GateState, VersionChange, VersionDiff};

/// Writes the differences as a table, JSON or YAML.
///
/// # Errors
/// When the writer fails.
pub fn render(
    format: Format,
    diff: &VersionDiff,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Json => document(diff, Layout::pretty(), out),
        Format::Yaml => document(diff, Layout::yaml(), out),
        _ => table(diff, style, out),
    }
}

fn table(diff: &VersionDiff, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if diff.changes.is_empty() && diff.gates.is_empty() {
        return writeln!(
            out,
            "No differences for StatefulSets between Kubernetes {} and {}.",
            diff.from, diff.to
        );
    }
    let changes = diff.changes.iter().map(|change| {
        let change_area = change.area_in_words();
        let VersionChange {
            area: _,
            change,
            what,
            version,
            source,
        } = change;
        let what = format!("{what} ({source})");
        let applies = match change {
            ChangeKind::Begins => format!("from {version}"),
            ChangeKind::Ends => format!("before {version}"),
        };
        [change_area.to_owned(), applies, what]
    });
    let gates = diff.gates.iter().map(|ChangedGate { name, from, to }| {
        let what = format!("{name}: {} -> {}", state(from), state(to));
        ["gate", "", &what].map(str::to_owned)
    });
    let headers = ["AREA", "APPLIES", "DESCRIPTION (SOURCE)"];
    render_table(headers, changes.chain(gates), style, out)
}

/// Formats a gate in one version: `true (beta)`.
fn state(gate: &Option<GateState>) -> String {
    match gate {
        Some(GateState { stage, default }) => format!("{default} ({stage})"),
        None => "none".to_owned(),
    }
}
