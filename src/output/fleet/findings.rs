//! The findings in many sets: a line for each rule, with its name and the sets.

use std::io;

use crate::output::Format;
use crate::output::limits::Limits;
use crate::output::sink::Terminal;
use crate::output::style::{Tone, escape};
use crate::output::words::{count, full_name, listed};
use sts_plan::fleet::ReportList;
use sts_plan::lint::RuleId;
use sts_plan::report::Severity;

/// Writes a line for each rule with findings. The rows of the sets already show those that are stuck or rejected.
pub(super) fn write(
    plans: &ReportList<'_>,
    format: Format,
    out: &mut Terminal<'_>,
) -> io::Result<()> {
    let limits = Limits::of(Format::Table, out.style);
    let (infos, found): (Vec<_>, Vec<_>) = plans
        .findings
        .iter()
        .filter(|found| {
            !matches!(
                found.id,
                RuleId::Blocked | RuleId::Rejected | RuleId::IncompleteInput
            )
        })
        .partition(|found| found.severity == Severity::Info);
    let infos: usize = infos.iter().map(|found| found.findings).sum();
    if !found.is_empty() || infos > 0 || !plans.ignored.is_empty() {
        out.blank()?;
    }
    for found in found {
        let (id, severity) = (found.id, found.severity);
        let sets = found.sets.iter();
        let sets: Vec<String> = sets.map(|it| full_name(&it.namespace, &it.name)).collect();
        let sets = listed(&sets, limits.names);
        let text = format!("{severity} {id} {}: {sets}", id.rule().name);
        let tone = match severity {
            Severity::Error => Tone::Bad,
            Severity::Warning | Severity::Info => Tone::Busy,
        };
        out.prose(&text, tone, 2)?;
    }
    for ignored in &plans.ignored {
        let text = format!(
            "ignored {} {}: {} ({})",
            ignored.id,
            ignored.id.rule().name,
            count(ignored.sets.len(), "set"),
            escape(&ignored.why)
        );
        out.prose(&text, Tone::Faint, 2)?;
    }
    if infos > 0 {
        let hint = match format {
            Format::Wide => "",
            _ => " (-o wide counts them by set)",
        };
        let text = format!("and {}{hint}", count(infos, "info finding"));
        out.prose(&text, Tone::Faint, 2)?;
    }
    Ok(())
}
