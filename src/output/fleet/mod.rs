//! The table of many sets: the stuck ones and their causes first, then data loss, then progress. Sets that are up to date are
//! counted, and sets with the same cause share a row.

mod findings;
pub(in crate::output) mod state;
pub(in crate::output) mod table;

use std::io;

use super::document::{self, Block, Scope};
use super::format::Format;
use super::limits::Limits;
use super::screen;
use super::sink::Terminal;
use super::style::{Style, Tone};
use super::words::{count, set_name, spaced};
use sts_plan::fleet::{FleetRow, ReportList, Tally};
use sts_plan::report::{Report, SetState};

/// Writes a row for each set or group of sets. The wide format adds findings and settings, and truncates nothing.
pub(super) fn render(
    plans: &ReportList<'_>,
    format: Format,
    out: &mut Terminal<'_>,
) -> io::Result<()> {
    let is_wide = format == Format::Wide;
    let style = &Style {
        whole_tables: out.style.whole_tables || is_wide,
        ..*out.style
    };
    let out = &mut out.with(style);
    let scope = Scope {
        limits: Limits::of(Format::Table, style),
        style,
    };
    let together = document::together(plans, &scope);
    for block in &together {
        if matches!(block, Block::Table(_)) {
            out.blank()?;
        }
        screen::block(block, out)?;
    }
    if !together.is_empty() {
        out.blank()?;
    }
    let mut rows = match style.each_set {
        true => singles(plans),
        false => plans.rows(),
    };
    let all = rows.len();
    if !style.idle_sets {
        rows.retain(|row| row.state() != SetState::UpToDate);
    }
    let idle = all - rows.len();
    let columns = if is_wide { table::WIDE } else { table::BRIEF };
    let lines = table::rows(plans, &rows);
    if !lines.is_empty() {
        table::table(&lines, columns, &scope).write(out)?;
    }
    if idle > 0 {
        let text = format!("{} up to date (--show idle)", count(idle, "set"));
        out.prose(&text, Tone::Faint, 2)?;
    }
    // The answer about nodes has the remedies of all sets already.
    if !together
        .iter()
        .any(|block| matches!(block, Block::Advice(_)))
    {
        screen::groups(&document::cures(&rows, &scope.limits), out)?;
    }
    findings::write(plans, format, out)?;
    answers(&plans.most_urgent_first(), format, out)?;
    if !plans.items.is_empty() {
        out.blank()?;
    }
    let mut states = plans.tally.states.keys();
    let is_bad = plans.tally.not_planned > 0 || states.any(|it| state::tone(*it) == Tone::Bad);
    let tone = match is_bad {
        true => Tone::Bad,
        false => Tone::Strong,
    };
    out.prose(&tally(&plans.tally), tone, 2)
}

/// Returns a row for each set, the most urgent first.
pub(super) fn singles<'r>(plans: &'r ReportList<'_>) -> Vec<FleetRow<'r>> {
    let sorted = plans.most_urgent_first().into_iter();
    sorted.map(FleetRow::single).collect()
}

/// Writes the answers that each set has for itself, below its name.
fn answers(sorted: &[&Report], format: Format, out: &mut Terminal<'_>) -> io::Result<()> {
    for report in sorted {
        let scope = Scope {
            limits: Limits::of(format, out.style),
            style: out.style,
        };
        let groups = document::answers(report, &scope, |answer| answer.is_shown_for_each_set());
        if groups.is_empty() {
            continue;
        }
        out.blank()?;
        out.line(Tone::Strong, &set_name(&report.metadata))?;
        screen::groups(&groups, out)?;
    }
    Ok(())
}

/// Counts the sets by state: `10 sets: 3 stuck, 1 loses data, 4 progressing, 2 up to date`.
pub(super) fn tally(tally: &Tally) -> String {
    let mut parts = Vec::new();
    if tally.not_planned > 0 {
        parts.push(format!("{} not planned", spaced(tally.not_planned)));
    }
    let states = tally.states.iter();
    parts.extend(states.map(|(state, number)| state::counted(*state, *number)));
    let sets = count(tally.sets, "set");
    match parts.is_empty() {
        true => sets,
        false => format!("{sets}: {}", parts.join(", ")),
    }
}
