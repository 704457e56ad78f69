//! The options in the middle of a rollout: a row each with its cost, then the commands.

use super::{Block, Role, Scope, quorum, say};
use crate::output::advice::{Advice, Kind};
use crate::output::style::{Tone, escape};
use crate::output::table::{Column, Look, Row, ShrinkPriority, Table};
use crate::output::words::{count, elapsed};
use sts_plan::report::{OptionKind, PlanResult, Report, ReportOption};

const COLUMNS: [Column; 7] = [
    Column::new("OPTION", ShrinkPriority::Never, Look::Text),
    Column::new("COMPLETES", ShrinkPriority::Never, Look::Text),
    Column::new("RESTARTS", ShrinkPriority::Second, Look::Number),
    Column::new("OUTDATED", ShrinkPriority::First, Look::Number),
    Column::new("MAX DOWN", ShrinkPriority::Never, Look::Text),
    Column::new("QUORUM", ShrinkPriority::Second, Look::Text),
    Column::new("DATA", ShrinkPriority::Last, Look::Text),
];

pub(super) fn blocks<'r>(report: &'r Report, scope: &Scope<'_>) -> Vec<Block<'r>> {
    let Some(options) = &report.options else {
        return Vec::new();
    };
    if let Some(why) = options.skipped {
        return vec![say(
            Role::Remark,
            Tone::Busy,
            "No options",
            format!("{why}."),
        )];
    }
    let rows = (1..)
        .zip(&options.items)
        .map(|(number, option)| row(report, number, option));
    let table = Table {
        title: "Options",
        lines: scope.limits.lines,
        thing: "option",
        ..Table::new(COLUMNS.to_vec(), rows.collect())
    };
    let set = report.metadata.name.as_str();
    let table = table.within(scope.style, std::iter::repeat(set), 1);
    let mut blocks = vec![Block::Table(table)];
    for (number, option) in (1..).zip(&options.items) {
        if !option.commands.is_empty() {
            blocks.push(Block::Advice(commands(number, option, scope)));
        }
    }
    if options.left_out > 0 {
        let text = format!(
            "{} not tried (--budget)",
            count(options.left_out, "more option")
        );
        blocks.push(say(Role::Note, Tone::Busy, "Note", text));
    }
    if let Some(manager) = &options.managed_by {
        let text = format!("this set is managed by {manager}, which may revert manual changes");
        blocks.push(say(Role::Note, Tone::Busy, "Note", text));
    }
    blocks
}

fn commands<'r>(number: u8, option: &'r ReportOption, scope: &Scope<'_>) -> Advice<'r> {
    Advice {
        condition: &option.precondition,
        risk: &option.risk,
        effect: match option.precondition.is_empty() {
            true => String::new(),
            false => option.effect.clone(),
        },
        ..Advice::commands(
            Kind::Choice(number),
            &option.commands,
            scope.limits.commands,
        )
    }
}

fn row(report: &Report, number: u8, option: &ReportOption) -> Row {
    let tone = match option.result {
        PlanResult::Complete if option.lost_claims.is_empty() => Tone::Plain,
        _ => Tone::Bad,
    };
    let completes = match option.result {
        PlanResult::Complete => format!("+{}", elapsed(option.after_seconds)),
        PlanResult::Blocked | PlanResult::Rejected => "STUCK".to_owned(),
        PlanResult::Livelock => "never".to_owned(),
    };
    let data = match option.lost_claims.as_slice() {
        [] if report.set.claim_templates.is_empty() => "-".to_owned(),
        [] => "kept".to_owned(),
        [claim] => format!("LOST: {}", escape(claim)),
        [claim, more @ ..] => format!("LOST: {} and {} more", escape(claim), more.len()),
    };
    let cells = vec![
        format!("{number} {}", title(option.kind)),
        completes,
        option.restarts.to_string(),
        option.outdated.to_string(),
        format!("{} of {}", option.most_down, option.replicas),
        quorum(option.replicas, option.loses_quorum).to_owned(),
        data,
    ];
    Row::Cells(tone, cells)
}

fn title(kind: OptionKind) -> &'static str {
    match kind {
        OptionKind::GoOn => "continue",
        OptionKind::Fix => "fix",
        OptionKind::ReplaceEach => "delete outdated pods",
        OptionKind::Pause => "pause",
        OptionKind::Advance => "one more pod",
        OptionKind::Resume => "resume",
        OptionKind::MaxUnavailable => "raise maxUnavailable",
        OptionKind::Parallel => "start in parallel",
        OptionKind::RollBack => "roll back",
        OptionKind::RollBackMoved => "roll back updated pods",
    }
}
