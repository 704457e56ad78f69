//! Verifications on a terminal.

mod formats;

use std::io;

pub(super) use formats::print;

use super::document::verification::verification;
use super::format::Format;
use super::limits::Limits;
use super::overview::plan_age;
use super::screen;
use super::sink::Terminal;
use super::style::Tone;
use super::words::set_name;
use sts_plan::verify::Verification;

/// Writes verifications, one after the other.
pub(super) fn render(verifications: &[Verification], out: &mut Terminal<'_>) -> io::Result<()> {
    let limits = Limits::of(Format::Table, out.style);
    for (index, found) in verifications.iter().enumerate() {
        if index > 0 {
            out.blank()?;
        }
        let name = set_name(&found.metadata);
        let made = format!("  {}", plan_age(found));
        out.pieces(&[(Tone::Strong, &name), (Tone::Plain, &made)])?;
        screen::blocks(&verification(found, &limits), out)?;
    }
    Ok(())
}

/// Sorts failed plans first, then late ones.
pub(super) fn most_urgent_first(found: &[Verification]) -> Vec<&Verification> {
    let mut sorted: Vec<&Verification> = found.iter().collect();
    sorted.sort_by_key(|it| match super::document::verification::tone(it) {
        Tone::Bad => 0,
        Tone::Busy => 1,
        _ => 2,
    });
    sorted
}
