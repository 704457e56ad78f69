//! The findings in many sets: a line for each rule, with its name and the sets.

use std::collections::BTreeMap;
use std::io;

use crate::output::Format;
use crate::output::limits::Limits;
use crate::output::sink::Terminal;
use crate::output::style::{Tone, escape};
use crate::output::words::{count, listed, set_name};
use sts_plan::lint::RuleId;
use sts_plan::report::{Report, Severity};

/// The severities with lines, the worst first.
const LISTED: [Severity; 2] = [Severity::Error, Severity::Warning];

/// Writes a line for each rule with findings. The rows of the sets already show those that are stuck or rejected.
pub(super) fn write(reports: &[Report], out: &mut Terminal<'_>) -> io::Result<()> {
    let limits = Limits::of(Format::Table, out.style);
    // By severity, then by rule.
    let mut found: BTreeMap<(usize, RuleId), Vec<String>> = BTreeMap::new();
    let mut infos = 0;
    for report in reports {
        for finding in &report.findings {
            if matches!(
                finding.id,
                RuleId::Blocked | RuleId::Rejected | RuleId::IncompleteInput
            ) {
                continue;
            }
            let Some(rank) = LISTED.iter().position(|listed| *listed == finding.severity) else {
                infos += 1;
                continue;
            };
            let sets = found.entry((rank, finding.id)).or_default();
            let name = set_name(&report.metadata);
            if sets.last() != Some(&name) {
                sets.push(name);
            }
        }
    }
    let ignores = reports.iter().any(|report| !report.ignored.is_empty());
    if !found.is_empty() || infos > 0 || ignores {
        out.blank()?;
    }
    for ((rank, id), sets) in found {
        let name = id.rule().name;
        let sets = listed(&sets, limits.names);
        let text = format!("{} {id} {name}: {sets}", LISTED[rank]);
        let tone = if rank == 0 { Tone::Bad } else { Tone::Busy };
        out.prose(&text, tone, 2)?;
    }
    for ((id, why), sets) in ignored(reports) {
        let name = id.rule().name;
        let text = format!(
            "ignored {id} {name}: {} ({})",
            count(sets, "set"),
            escape(&why)
        );
        out.prose(&text, Tone::Faint, 2)?;
    }
    if infos > 0 {
        let text = format!(
            "and {} (-o wide counts them by set)",
            count(infos, "info finding")
        );
        out.prose(&text, Tone::Faint, 2)?;
    }
    Ok(())
}

/// Returns the ignored rules, each with the reason and the number of sets.
fn ignored(reports: &[Report]) -> BTreeMap<(RuleId, String), usize> {
    let mut ignored: BTreeMap<(RuleId, String), usize> = BTreeMap::new();
    for report in reports {
        let of_set = report.ignored.iter().map(|it| (it.finding.id, it.why()));
        for key in of_set.collect::<std::collections::BTreeSet<_>>() {
            *ignored.entry(key).or_default() += 1;
        }
    }
    ignored
}
