//! The obstacles that keep a set from its goal, with the facts and the remedies.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::section::VALUE;
use crate::output::advice::{Advice, advice};
use crate::output::remedies::says;
use crate::output::svg::shown;
use crate::output::verdict::verdict;
use crate::output::words::{count, cut};
use sts_plan::report::{PlanResult, Report};

/// Maximum number of obstacles that are shown, and of commands and facts for each.
const SHOWN: usize = 20;
const COMMANDS: usize = 30;
const FACTS: usize = 12;

pub(super) fn obstacles(report: &Report) -> Markup {
    let obstacles = &report.outcome.blocked_by;
    let mut told = BTreeSet::new();
    html! {
        @for obstacle in obstacles.iter().take(SHOWN) {
            @if !says(report, obstacle) {
                p .obstacle {
                    @if report.outcome.result == PlanResult::Blocked { strong { (verdict(report).capitalised()) ":" } " " }
                    (shown(&cut(&obstacle.message, VALUE)))
                }
            }
            @for advice in advice(obstacle, &mut told) { (remedy(&advice)) }
            @for caution in &obstacle.cautions {
                p .caution { strong { "Note: " } (shown(&cut(caution, VALUE))) }
            }
            @if !obstacle.evidence.is_empty() {
                ul .facts {
                    @for fact in obstacle.evidence.iter().take(FACTS) { li { (shown(&cut(fact, VALUE))) } }
                }
            }
        }
        @if obstacles.len() > SHOWN {
            p .note { "… and " (count(obstacles.len() - SHOWN, "more obstacle")) "." }
        }
    }
}

fn remedy(advice: &Advice<'_>) -> Markup {
    let effect = advice.effect();
    html! {
        div .remedy.(advice.kind.name()) {
            p .word { (advice.kind.word()) }
            div {
                @if !effect.is_empty() { p .effect { (shown(&cut(&effect, VALUE))) } }
                @if !advice.risk().is_empty() {
                    p .risk { strong { "Risk: " } (shown(&cut(advice.risk(), VALUE))) }
                }
                ol .commands {
                    @for command in advice.commands.iter().take(COMMANDS) {
                        li { code { (shown(&cut(command, VALUE))) } }
                    }
                }
                @if advice.commands.len() > COMMANDS {
                    p .note { "… and " (count(advice.commands.len() - COMMANDS, "more command")) "." }
                }
            }
        }
    }
}
