//! `-o summary`: a line for each set, for scripts that look for words.

use std::io::{self, Write};

use super::style::escape;
use crate::report::Report;

/// Writes `NAMESPACE/NAME: SUMMARY` for each plan, however many there are.
pub(super) fn render(reports: &[Report], out: &mut dyn Write) -> io::Result<()> {
    for report in reports {
        let metadata = &report.metadata;
        let (namespace, name) = (escape(&metadata.namespace), escape(&metadata.name));
        writeln!(out, "{namespace}/{name}: {}", escape(&report.summary))?;
    }
    Ok(())
}
