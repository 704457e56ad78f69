//! Maintenance of nodes: a row for each turn, a better order, and the runbook.

use super::report::{ReportBetterOrder, ReportMaintenance, ReportRound, ReportSwitchovers};
use crate::answer::{
    AnswerBlock, AnswerRow, AnswerTable, Column, Look, Role, RunbookStage, ShrinkPriority, Tone,
    count, elapsed, or_dash,
};
use crate::nodes::ReportNodes;

const COLUMNS: [Column; 6] = [
    Column::new("NODES", ShrinkPriority::First, Look::Name),
    Column::new("STARTS", ShrinkPriority::Never, Look::Number),
    Column::new("DRAINED", ShrinkPriority::Never, Look::Number),
    Column::new("BACK", ShrinkPriority::Never, Look::Number),
    Column::new("AT REST", ShrinkPriority::Never, Look::Number),
    Column::new("EVICTS", ShrinkPriority::Second, Look::Number),
];

/// Returns the turns of a maintenance; none if the nodes do not come back.
pub(crate) fn maintenance_blocks(nodes: &ReportNodes) -> Vec<AnswerBlock> {
    let Some(maintenance) = &nodes.maintenance else {
        return Vec::new();
    };
    let rounds = &maintenance.rounds;
    let names = rounds.iter().flat_map(|round| &round.nodes);
    let table = AnswerTable {
        names: names.map(ToString::to_string).collect(),
        ..AnswerTable::new(
            "Turns of the nodes",
            "turn",
            &COLUMNS,
            rounds.iter().map(row).collect(),
        )
    };
    let better = maintenance.better_order.as_ref().map(better);
    let stages = rounds.iter().map(|round| stage(round, maintenance));
    let mut blocks = Vec::from_iter(better);
    blocks.push(AnswerBlock::Table(table));
    // On a screen, the command of the first turn is part of the answer.
    blocks.push(AnswerBlock::Runbook {
        stages: stages.collect(),
        is_detail: true,
    });
    blocks
}

fn better(order: &ReportBetterOrder) -> AnswerBlock {
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
        "--drain {nodes}: {}{}{completes}",
        count(order.moves, "move"),
        switchovers.unwrap_or_default()
    );
    AnswerBlock::say(Role::Note, Tone::Busy, "Better order", text)
}

fn row(round: &ReportRound) -> AnswerRow {
    let time = |at: Option<i64>| or_dash(at.map(elapsed).unwrap_or_default());
    let tone = match round.at_rest_at {
        Some(_) => Tone::Plain,
        None => Tone::Bad,
    };
    let cells = [
        round.nodes.join(","),
        elapsed(round.at),
        time(round.drained_at),
        time(round.returned_at),
        time(round.at_rest_at),
        round.evictions.to_string(),
    ];
    AnswerRow::Cells(tone, cells.map(Into::into).into())
}

fn stage(round: &ReportRound, maintenance: &ReportMaintenance) -> RunbookStage {
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
        commands: round.commands.clone(),
        takes,
        is_bad: round.at_rest_at.is_none(),
        check: match round.check_commands.is_empty() {
            true => String::new(),
            false => "all replicas are ready before the next nodes".to_owned(),
        },
        check_commands: round.check_commands.clone(),
        back: "the nodes take pods again".to_owned(),
        back_commands: round.back_commands.clone(),
        ..RunbookStage::default()
    }
}
