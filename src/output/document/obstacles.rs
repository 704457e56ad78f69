//! The obstacles of a rollout, with advice, notes and evidence.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{Block, Role, say};
use crate::output::advice::{Advice, Kind, advice};
use crate::output::detail::{Detail, chosen};
use crate::output::limits::Limits;
use crate::output::style::Tone;
use crate::output::words::{elapsed, listed};
use sts_plan::report::{HeadlineTopic, PlanResult, Report, ReportObstacle};

/// Maximum number of obstacles of other causes that are named below the headline.
const MOST_NAMED: usize = 2;

pub(super) fn blocks<'r>(report: &'r Report, limits: &Limits) -> Vec<Block<'r>> {
    let outcome = &report.outcome;
    let mut blocks = Vec::new();
    if outcome.result == PlanResult::Rejected {
        rejections(report, limits, &mut blocks);
        return blocks;
    }
    let label = match outcome.at {
        0 => "BLOCKED".to_owned(),
        at => format!("BLOCKED after {}", elapsed(at)),
    };
    let mut shown = BTreeSet::new();
    let mut named = 0;
    let chosen = chosen(&outcome.blocked_by, limits);
    for (at, (obstacle, alike)) in chosen.iter().take(limits.obstacles).enumerate() {
        named += 1 + alike.len();
        if at > 0 {
            blocks.push(say(Role::Further, Tone::Bad, "", &obstacle.message));
        } else if report.next.topic != HeadlineTopic::Stuck {
            blocks.push(say(Role::Obstacle, Tone::Bad, &label, &obstacle.message));
        }
        if !alike.is_empty() {
            let text = listed(alike, limits.names);
            blocks.push(say(Role::Note, Tone::Plain, "Also", text));
        }
        let is_shown = limits.detail.shows_evidence(at);
        // Their own part of the page comes after all that is to be said of the first.
        if at == 0 && is_shown && !limits.everything {
            let others = chosen.iter().skip(1).map(|(other, _)| *other);
            let of_other_causes = others.filter(|it| it.like.is_none()).take(MOST_NAMED);
            blocks
                .extend(of_other_causes.map(|it| say(Role::Note, Tone::Plain, "Also", &it.brief)));
        }
        let most = limits.detail.advice(at);
        let advice = advice(obstacle, limits, &mut shown).into_iter().take(most);
        // Risks stand, in a format that may cut lines, before the commands that they are about.
        let is_cut = limits.detail == Detail::Least;
        if most > 0 && is_cut {
            notes(obstacle, &mut blocks);
        }
        let is_headline = at == 0 && report.next.topic == HeadlineTopic::Stuck;
        let says = is_shown && is_headline && report.next.lacks_words;
        let says = says.then_some(&obstacle.says).filter(|it| !it.is_empty());
        // The cure stands before the words that say why, and a look after them.
        let (cures, looks): (Vec<Advice>, Vec<Advice>) =
            advice.partition(|advice| advice.kind != Kind::Look);
        blocks.extend(cures.into_iter().map(Block::Advice));
        blocks.extend(says.map(|words| say(Role::Note, Tone::Plain, "Says", words)));
        if is_shown && !obstacle.only_here.is_empty() {
            let text = obstacle.only_here.join("; ");
            blocks.push(say(Role::Note, Tone::Plain, "Only here", text));
        }
        blocks.extend(looks.into_iter().map(Block::Advice));
        if most > 0 && !is_cut {
            notes(obstacle, &mut blocks);
        }
        let facts: &[String] = if is_shown { &obstacle.evidence } else { &[] };
        let cause = cause(obstacle).filter(|_| is_shown);
        match is_headline {
            true => {
                let facts = headline_evidence(report, facts);
                let facts = facts.filter(|fact| says.is_none_or(|says| !says.contains(&**fact)));
                shown_facts(cause, facts, limits, &mut blocks)
            }
            false => shown_facts(cause, borrowed(facts), limits, &mut blocks),
        }
    }
    left_out(report, named, &mut blocks);
    blocks
}

/// The rejected fields, the answer of the server, and the workaround, which is the same for all rejections.
fn rejections<'r>(report: &'r Report, limits: &Limits, blocks: &mut Vec<Block<'r>>) {
    let names_fields = names_fields(report);
    for (at, obstacle) in shown(report, limits).enumerate() {
        if at > 0 {
            blocks.push(say(Role::Further, Tone::Bad, "", &obstacle.message));
        } else if names_fields {
            let headline = say(Role::Headline, Tone::Bad, "REJECTED", &obstacle.message);
            blocks.push(headline);
        }
    }
    left_out(report, limits.obstacles, blocks);
    if names_fields && let HeadlineTopic::Rejected { answer } = &report.next.topic {
        blocks.push(say(Role::Note, Tone::Plain, "Server", answer));
    }
    for obstacle in shown(report, limits) {
        shown_facts(None, borrowed(&obstacle.evidence), limits, blocks);
        notes(obstacle, blocks);
    }
    let workarounds = report.outcome.blocked_by.iter();
    let workarounds =
        workarounds.flat_map(|obstacle| advice(obstacle, limits, &mut BTreeSet::new()));
    blocks.extend(
        workarounds
            .filter(|it| it.kind == Kind::Try)
            .map(Block::Advice),
    );
}

fn shown<'r>(report: &'r Report, limits: &Limits) -> impl Iterator<Item = &'r ReportObstacle> {
    report.outcome.blocked_by.iter().take(limits.obstacles)
}

fn left_out(report: &Report, shown: usize, blocks: &mut Vec<Block<'_>>) {
    let all = report.outcome.blocked_by.len();
    if let Some(more @ 1..) = all.checked_sub(shown) {
        blocks.push(Block::More(more, "obstacle"));
    }
}

pub(super) fn notes<'r>(obstacle: &'r ReportObstacle, blocks: &mut Vec<Block<'r>>) {
    let cautions = obstacle.cautions.iter();
    blocks.extend(cautions.map(|caution| say(Role::Note, Tone::Plain, "Note", caution)));
}

/// The entry of the catalogue, which `explain` prints.
fn cause(obstacle: &ReportObstacle) -> Option<Cow<'_, str>> {
    let is_known = !obstacle.fix.is_empty() || !obstacle.look.is_empty();
    is_known.then(|| Cow::Owned(format!("cause: {}", obstacle.cause)))
}

pub(super) fn borrowed(facts: &[String]) -> impl Iterator<Item = Cow<'_, str>> {
    facts.iter().map(|fact| Cow::Borrowed(fact.as_str()))
}

pub(super) fn shown_facts<'r>(
    cause: Option<Cow<'r, str>>,
    facts: impl Iterator<Item = Cow<'r, str>>,
    limits: &Limits,
    blocks: &mut Vec<Block<'r>>,
) {
    let facts: Vec<_> = cause
        .into_iter()
        .chain(facts.take(limits.evidence))
        .collect();
    if !facts.is_empty() {
        blocks.push(Block::Evidence(facts));
    }
}

/// The evidence for the headline, after the part that its short form lacks.
pub(super) fn headline_evidence<'r>(
    report: &'r Report,
    evidence: &'r [String],
) -> impl Iterator<Item = Cow<'r, str>> {
    let cut = report.next.brief.iter().flat_map(|brief| &brief.cut);
    let lacks = cut.filter(|cut| !evidence.iter().any(|fact| fact.contains(&cut.text)));
    let facts = lacks.map(|cut| Cow::Borrowed(cut.evidence.as_str()));
    facts.chain(borrowed(evidence))
}

/// The evidence for the wait in the headline if the wait ends. Waits without end are obstacles.
pub(super) fn wait_evidence<'r>(report: &'r Report, limits: &Limits) -> Vec<Block<'r>> {
    let mut blocks = Vec::new();
    let mut waits = report.next.holds.iter();
    let wait = waits.find(|hold| hold.in_headline);
    let wait = wait.filter(|wait| wait.ends_by_itself == Some(true));
    let facts = wait.map_or(&[][..], |wait| &wait.evidence);
    match report.next.topic {
        // The evidence of the obstacle follows.
        HeadlineTopic::Stuck => shown_facts(None, borrowed(facts), limits, &mut blocks),
        _ => shown_facts(None, headline_evidence(report, facts), limits, &mut blocks),
    }
    blocks
}

/// Reports whether the rejected fields are known. The server does not name them.
pub(super) fn names_fields(report: &Report) -> bool {
    let first = report.outcome.blocked_by.first();
    report.outcome.result == PlanResult::Rejected && first.is_some_and(|first| !first.in_headline)
}
