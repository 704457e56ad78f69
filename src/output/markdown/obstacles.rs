//! The obstacles that keep a set from its goal, with the facts and the remedies.

use std::collections::BTreeSet;

use super::page::{Page, more};
use super::text::{commands, text};
use super::{SENTENCE, VALUE};
use crate::output::advice::{Advice, advice};
use crate::output::remedies::says;
use crate::output::screen::circles;
use crate::output::verdict::verdict;
use crate::output::words::{cut, spaced};
use sts_plan::report::{PlanResult, Report, ReportObstacle};

/// Maximum number of obstacles that are shown, and of commands and facts for each.
const SHOWN: usize = 20;
const COMMANDS: usize = 20;
const FACTS: usize = 6;

/// Tells what keeps the set from getting where it should, each with what helps.
pub(super) fn obstacles(report: &Report, page: &mut Page) {
    let ends = verdict(report).capitalised();
    if report.outcome.result == PlanResult::Livelock {
        page.push(&format!(
            "\n**{ends}:** {}\n",
            text(&cut(&circles(report), SENTENCE))
        ));
    }
    let mut told = BTreeSet::new();
    let rows = report
        .outcome
        .blocked_by
        .iter()
        .map(|obstacle| row(report, &ends, obstacle, &advice(obstacle, &mut told)));
    match page.rows(rows, SHOWN) {
        0 => {}
        left_out => page.push(&format!("\n… and {}.\n", more(left_out, "obstacle"))),
    }
}

fn row(report: &Report, ends: &str, obstacle: &ReportObstacle, advice: &[Advice<'_>]) -> String {
    let mut row = String::new();
    if !says(report, obstacle) {
        let message = text(&cut(&obstacle.message, SENTENCE));
        row = format!("\n**{ends}:** {message}\n");
    }
    for advice in advice {
        row.push_str(&format!("\n**{}**", advice.kind.word()));
        let effect = advice.effect();
        if !effect.is_empty() {
            row.push_str(&format!(" ({})", text(&cut(&effect, VALUE))));
        }
        if !advice.risk().is_empty() {
            row.push_str(&format!(" **Risk:** {}", text(&cut(advice.risk(), VALUE))));
        }
        let shown = &advice.commands[..advice.commands.len().min(COMMANDS)];
        row.push_str(&format!("\n\n{}", commands(shown)));
        if let Some(left_out @ 1..) = advice.commands.len().checked_sub(COMMANDS) {
            row.push_str(&format!("\n… and {} more commands.\n", spaced(left_out)));
        }
    }
    for caution in &obstacle.cautions {
        row.push_str(&format!("\n**Note:** {}\n", text(&cut(caution, SENTENCE))));
    }
    if !obstacle.evidence.is_empty() {
        row.push('\n');
    }
    for fact in obstacle.evidence.iter().take(FACTS) {
        row.push_str(&format!("- {}\n", text(&cut(fact, VALUE))));
    }
    row
}
