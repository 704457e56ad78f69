//! Options in the middle of a rollout: a row each with its cost, then the commands. The history of the set follows.

use super::history_blocks;
use super::{OptionKind, ReportHistory, ReportOption, ReportOptions};
use crate::answer::{
    Advice, AdviceKind, Answer, AnswerBlock, AnswerRow, AnswerTable, Column, Look, Role,
    ShrinkPriority, Subject, Tone, count, elapsed, quorum,
};
use crate::plan::PlanResult;
use crate::words::list;

const COLUMNS: [Column; 7] = [
    Column::new("OPTION", ShrinkPriority::Never, Look::Text),
    Column::new("COMPLETES", ShrinkPriority::Never, Look::Text),
    Column::new("RESTARTS", ShrinkPriority::Second, Look::Number),
    Column::new("OUTDATED", ShrinkPriority::First, Look::Number),
    Column::new("MAX DOWN", ShrinkPriority::Never, Look::Text),
    Column::new("QUORUM", ShrinkPriority::Second, Look::Text),
    Column::new("DATA", ShrinkPriority::Last, Look::Text),
];

/// Options, and the history of the set.
pub(crate) struct OptionsAnswer<'r> {
    /// Options.
    pub(crate) options: &'r ReportOptions,
    /// History.
    pub(crate) history: Option<&'r ReportHistory>,
}

impl Answer for OptionsAnswer<'_> {
    fn parts(&self, about: &Subject<'_>) -> Vec<Vec<AnswerBlock>> {
        let history = self.history.map(|it| history_blocks::blocks(it, about.set));
        std::iter::once(blocks(self.options, about))
            .chain(history)
            .collect()
    }

    fn is_shown_for_each_set(&self) -> bool {
        !self.options.items.is_empty()
    }
}

fn blocks(found: &ReportOptions, about: &Subject<'_>) -> Vec<AnswerBlock> {
    if let Some(why) = found.skipped {
        let text = format!("{why}.");
        return vec![AnswerBlock::say(
            Role::Remark,
            Tone::Busy,
            "No options",
            text,
        )];
    }
    let numbered = || (1..).zip(&found.items);
    let rows = numbered().map(|(number, option)| row(number, option, about.has_claims));
    let table = AnswerTable::new("Options", "option", &COLUMNS, rows.collect());
    let mut blocks = vec![AnswerBlock::Table(table.within_set(about.set, 1))];
    let commands = numbered().filter(|(_, option)| !option.commands.is_empty());
    blocks.extend(commands.map(|(number, option)| advice(number, option)));
    let note = |text: String| AnswerBlock::say(Role::Note, Tone::Busy, "Note", text);
    if found.left_out > 0 {
        let more = count(found.left_out, "more option");
        blocks.push(note(format!("{more} not tried (--budget)")));
    }
    blocks.extend(found.managed_by.iter().map(|manager| {
        note(format!(
            "this set is managed by {manager}, which may revert manual changes"
        ))
    }));
    blocks
}

fn advice(number: u8, option: &ReportOption) -> AnswerBlock {
    AnswerBlock::Advice(Advice {
        condition: option.precondition.clone(),
        risk: option.risk.clone(),
        effect: match option.precondition.is_empty() {
            true => String::new(),
            false => option.effect.clone(),
        },
        may_end_early: true,
        ..Advice::commands(AdviceKind::Choice(number), &option.commands)
    })
}

fn row(number: u8, option: &ReportOption, has_claims: bool) -> AnswerRow {
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
        [] if has_claims => "kept".to_owned(),
        [] => "-".to_owned(),
        claims => format!("LOST: {}", list(claims, 1)),
    };
    let cells = [
        format!("{number} {}", title(option.kind)),
        completes,
        option.restarts.to_string(),
        option.outdated.to_string(),
        format!("{} of {}", option.most_down, option.replicas),
        quorum(option.replicas, option.loses_quorum)
            .unwrap_or("-")
            .to_owned(),
        data,
    ];
    AnswerRow::Cells(tone, cells.map(Into::into).into())
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
