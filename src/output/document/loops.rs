//! The pods that do not stay up, with what ends them.

use std::borrow::Cow;

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
        let cut = report.next.brief.iter().filter(|_| found.in_headline);
        let cut = cut.flat_map(|brief| &brief.cut);
        let lacks = cut.filter(|cut| !found.evidence.iter().any(|it| it.contains(&cut.text)));
        let lacks = lacks.map(|cut| Cow::Borrowed(cut.evidence.as_str()));
        let facts = found.evidence.iter().map(|it| Cow::Borrowed(it.as_str()));
        let facts: Vec<_> = lacks.chain(facts).take(limits.evidence).collect();
        if !facts.is_empty() {
            blocks.push(Block::Evidence(facts));
        }
        told.push(found);
    }
    if let Some(more @ 1..) = loops.len().checked_sub(told.len()) {
        blocks.push(Block::More(more, "pod that does not stay up"));
    }
    blocks
}

fn advice<'r>(found: &ReportLoop, limits: &Limits) -> impl Iterator<Item = Block<'r>> {
    let fix = (!found.fix.is_empty()).then(|| Advice {
        condition: found.fix.clone(),
        ..Advice::commands(Kind::Words, &[])
    });
    let look = Advice {
        condition: found.look.clone(),
        ..Advice::commands(Kind::Look, &found.commands).within(limits.commands)
    };
    fix.into_iter().chain([look]).map(Block::Advice)
}
