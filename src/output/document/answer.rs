//! Answers to questions, within the limits of a format.

use super::{Block, Item, List, Scope};
use crate::output::pods::compact;
use crate::output::style::escape;
use crate::output::table::{Row, Table};
use crate::output::words::or_dash;
use sts_plan::answer::{Answer, AnswerBlock, AnswerList, AnswerRow, AnswerTable, Cell, Subject};

/// Returns the parts of an answer.
pub(super) fn parts<'r>(
    answer: &dyn Answer,
    about: &Subject<'_>,
    scope: &Scope<'_>,
) -> Vec<Vec<Block<'r>>> {
    let parts = answer.parts(about).into_iter();
    let parts = parts.map(|part| {
        let blocks = part.into_iter();
        blocks.filter_map(|block| within(block, scope)).collect()
    });
    parts.collect()
}

/// Returns a block within the limits; `None` if the format omits it.
fn within<'r>(block: AnswerBlock, scope: &Scope<'_>) -> Option<Block<'r>> {
    Some(match block {
        AnswerBlock::Sentence(sentence) => Block::Sentence(sentence),
        AnswerBlock::Advice(found) if found.may_end_early => {
            Block::Advice(found.within(scope.limits.commands))
        }
        AnswerBlock::Advice(found) => Block::Advice(found),
        AnswerBlock::List(found) => Block::List(list(found, scope)),
        AnswerBlock::Table(found) => Block::Table(table(found, scope)),
        AnswerBlock::Runbook { stages, is_detail } => {
            let is_complete = scope.limits.posted || scope.limits.everything;
            return (is_complete || !is_detail).then_some(Block::Runbook(stages));
        }
    })
}

fn list(found: AnswerList, scope: &Scope<'_>) -> List {
    let most = match found.may_end_early {
        true => scope.limits.items,
        false => usize::MAX,
    };
    let left_out = found.items.len().saturating_sub(most);
    let items = found.items.into_iter().take(most);
    let items = items.map(|(tone, text)| Item::sentence(tone, text));
    List {
        label: found.label,
        numbered: found.numbered,
        left_out,
        ..List::new(found.title, found.thing, items.collect())
    }
}

fn table(found: AnswerTable, scope: &Scope<'_>) -> Table {
    let rows = found.rows.into_iter().map(|row| match row {
        AnswerRow::Cells(tone, cells) => {
            let cells = cells.into_iter().map(|cell| text(cell, scope));
            Row::Cells(tone, cells.collect())
        }
        AnswerRow::Note(text) => Row::Note(text),
    });
    let table = Table {
        title: found.title,
        thing: found.thing,
        lines: match found.has_whole_rows {
            true => usize::MAX,
            false => scope.limits.lines,
        },
        ..Table::new(found.columns, rows.collect())
    };
    let names = found.names.iter().map(String::as_str);
    let mut table = table.within(scope.style, names, found.full_columns);
    if found.may_omit_middle {
        table.leave_out_middle(scope.limits.answers);
    }
    table
}

/// Returns the escaped text of a cell.
fn text(cell: Cell, scope: &Scope<'_>) -> String {
    match cell {
        Cell::Text(text) => escape(&text).into_owned(),
        Cell::Pods(names) => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            compact(&names, scope.limits.listed)
        }
        Cell::List(items, separator) => {
            let items: Vec<_> = items.iter().map(|item| escape(item)).collect();
            or_dash(items.join(separator))
        }
    }
}
