//! The pods that do not stay up, with what ends them.

use super::obstacles::{borrowed, headline_evidence, shown_facts};
use super::{Block, Role, say};
use crate::output::advice::{Advice, Kind};
use crate::output::limits::Limits;
use crate::output::style::Tone;
use sts_plan::report::{Report, ReportLoop};

/// Maximum number of pods.
const MOST: usize = 3;

/// Returns the advice on the loops. The headline states the first one, unless the plan is blocked.
pub(super) fn blocks<'r>(report: &'r Report, limits: &Limits) -> Vec<Block<'r>> {
    let mut blocks = Vec::new();
    let loops = &report.analysis.loops;
    let mut told: Vec<&ReportLoop> = Vec::new();
    for found in loops.iter().take(MOST.min(limits.obstacles)) {
        if !found.in_headline {
            blocks.push(say(Role::Further, Tone::Bad, "", &found.message));
        }
        if !told.iter().any(|other| other.fix == found.fix) {
            blocks.extend(advice(found, limits));
            let cautions = found.cautions.iter();
            blocks.extend(cautions.map(|it| say(Role::Note, Tone::Plain, "Note", it)));
        }
        let facts = &found.evidence;
        match found.in_headline {
            true => shown_facts(None, headline_evidence(report, facts), limits, &mut blocks),
            false => shown_facts(None, borrowed(facts), limits, &mut blocks),
        }
        told.push(found);
    }
    if let Some(more @ 1..) = loops.len().checked_sub(told.len()) {
        blocks.push(Block::More(more, "pod that does not stay up"));
    }
    blocks
}

fn advice<'r>(found: &ReportLoop, limits: &Limits) -> impl Iterator<Item = Block<'r>> {
    let fix = (!found.fix.is_empty()).then(|| Advice::words(&found.fix));
    let look = Advice {
        condition: found.look.clone(),
        ..Advice::commands(Kind::Look, &found.commands).within(limits.commands)
    };
    fix.into_iter().chain([look]).map(Block::Advice)
}
