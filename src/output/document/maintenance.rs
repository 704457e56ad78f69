//! Maintenance of nodes: a row for each turn, a better order, and the runbook.

use super::stages::RunbookStage;
use super::{Block, Role, Scope, say};
use crate::output::style::{Tone, escape};
use crate::output::table::{Column, Look, Row, ShrinkPriority, Table};
use crate::output::words::{count, elapsed, or_dash};
use sts_plan::report::{
    ReportBetterOrder, ReportMaintenance, ReportNodes, ReportRound, ReportSwitchovers,
};

const COLUMNS: [Column; 6] = [
    Column::new("NODES", ShrinkPriority::First, Look::Name),
    Column::new("STARTS", ShrinkPriority::Never, Look::Number),
    Column::new("DRAINED", ShrinkPriority::Never, Look::Number),
    Column::new("BACK", ShrinkPriority::Never, Look::Number),
    Column::new("AT REST", ShrinkPriority::Never, Look::Number),
    Column::new("EVICTS", ShrinkPriority::Second, Look::Number),
];

/// The turns of a maintenance; none if the nodes do not come back.
pub(super) fn blocks<'r>(nodes: &'r ReportNodes, scope: &Scope<'_>) -> Vec<Block<'r>> {
    let Some(maintenance) = &nodes.maintenance else {
        return Vec::new();
    };
    let rows = maintenance.rounds.iter().map(row).collect();
    let table = Table {
        title: "Turns of the nodes",
        lines: scope.limits.lines,
        thing: "turn",
        ..Table::new(COLUMNS.to_vec(), rows)
    };
    let names = maintenance
        .rounds
        .iter()
        .flat_map(|round| round.nodes.iter().map(String::as_str));
    let mut blocks = Vec::from_iter(maintenance.better_order.as_ref().map(better));
    blocks.push(Block::Table(table.within(scope.style, names, 0)));
    // On a screen, the command of the first turn is part of the answer.
    if scope.limits.posted || scope.limits.everything {
        let rounds = maintenance.rounds.iter();
        let stages = rounds.map(|round| stage(round, maintenance));
        blocks.push(Block::Runbook(stages.collect()));
    }
    blocks
}

fn better<'r>(order: &ReportBetterOrder) -> Block<'r> {
    let nodes = order.nodes.join(",");
    let completes = match order.completes {
        true => format!(", completes after {}", elapsed(order.seconds)),
        false => String::new(),
    };
    let switchovers = order.switchovers.map(|it| match it {
        ReportSwitchovers { least, most } if least == most => {
            format!(", {}", count(least, "switchover"))
        }
        ReportSwitchovers { least, most } => format!(", {least} to {most} switchovers"),
    });
    let text = format!(
        "--drain {}: {}{}{completes}",
        escape(&nodes),
        count(order.moves, "move"),
        switchovers.unwrap_or_default()
    );
    say(Role::Note, Tone::Busy, "Better order", text)
}

fn row(round: &ReportRound) -> Row {
    let time = |at: Option<i64>| or_dash(at.map(elapsed).unwrap_or_default());
    let tone = match round.at_rest_at {
        Some(_) => Tone::Plain,
        None => Tone::Bad,
    };
    let cells = [
        escape(&round.nodes.join(",")).into_owned(),
        elapsed(round.at),
        time(round.drained_at),
        time(round.returned_at),
        time(round.at_rest_at),
        round.evictions.to_string(),
    ];
    Row::Cells(tone, cells.into())
}

fn stage<'r>(round: &'r ReportRound, maintenance: &ReportMaintenance) -> RunbookStage<'r> {
    let begins = match round.at {
        0 => "now".to_owned(),
        at => format!("when all sets are at rest, {} from now", elapsed(at)),
    };
    let takes = match (round.drained_at, round.at_rest_at) {
        (Some(drained), Some(rest)) => format!(
            "{}; drained after {}, about {} of work on the nodes, at rest after {}",
            count(round.evictions, "eviction"),
            elapsed(drained - round.at),
            elapsed(maintenance.return_after),
            elapsed(rest - round.at)
        ),
        (Some(_), None) => "the sets do not come to rest".to_owned(),
        (None, _) => "the drain does not complete".to_owned(),
    };
    RunbookStage {
        title: format!("Nodes {}", round.nodes.join(", ")),
        begins,
        approval: "",
        before: Vec::new(),
        commands: &round.commands,
        takes,
        is_bad: round.at_rest_at.is_none(),
        check: match round.check_commands.is_empty() {
            true => String::new(),
            false => "all replicas are ready before the next nodes".to_owned(),
        },
        check_commands: &round.check_commands,
        back: "the nodes take pods again".to_owned(),
        back_commands: &round.back_commands,
    }
}
