//! `-o summary`: a line for each set, for scripts that search for keywords.

use std::io::{self, Write};

use super::answers::ignored;
use super::style::escape;
use super::words::set_name;
use sts_plan::fleet::ReportList;

/// Writes `NAMESPACE/NAME: SUMMARY` for each set, however many there are.
pub(super) fn render(plans: &ReportList<'_>, out: &mut dyn Write) -> io::Result<()> {
    for error in &*plans.errors {
        let (set, summary) = (error.set(), escape(&error.summary));
        writeln!(out, "{}: {summary}", escape(&set))?;
    }
    for report in plans.most_urgent_first() {
        let set = set_name(&report.metadata);
        let summary = escape(&report.summary);
        let ignored = match ignored(report).join(", ") {
            none if none.is_empty() => none,
            some => format!("; ignored {}", escape(&some)),
        };
        writeln!(out, "{set}: {summary}{ignored}")?;
    }
    Ok(())
}
