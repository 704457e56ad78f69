//! `-o name`: the names of the sets, as other kubectl commands take them.

use std::io::{self, Write};

use super::style::escape;
use sts_plan::report::Report;

/// Writes a name for each plan.
pub(super) fn render(reports: &[Report], out: &mut dyn Write) -> io::Result<()> {
    for report in reports {
        writeln!(out, "statefulset.apps/{}", escape(&report.metadata.name))?;
    }
    Ok(())
}
