//! The blocks of a document as HTML.

use maud::{Markup, html};

use super::Stops;
use crate::output::advice::{Advice, Kind};
use crate::output::document::{Block, Field, Fields, Item, List, Role, Sentence, Term};
use crate::output::limits::Limits;
use crate::output::style::Tone;
use crate::output::svg::shown;
use crate::output::table::{Column, Look, Row, Table};
use crate::output::words::{count, cut, short_revision};

/// Returns the CSS class of advice.
fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Fix | Kind::OtherFix | Kind::Words | Kind::Choice(_) => "fix",
        Kind::Look => "look",
        Kind::Try | Kind::Useless => "try",
    }
}

/// The set and the limits of blocks.
pub(super) struct Context<'c> {
    pub(super) set: &'c str,
    /// The name with the namespace, which makes labels unique on a page about many sets.
    pub(super) full_name: String,
    /// The stops that rows link to; `None` on a page without stops.
    pub(super) stops: Option<&'c Stops>,
    pub(super) limits: Limits,
}

impl Context<'_> {
    fn sentence(&self, text: &str) -> String {
        shown(&cut(text, self.limits.sentence))
    }

    /// Returns the accessible label of a part of the page.
    pub(super) fn region(&self, part: &str) -> String {
        shown(&format!("{part}: {}", self.full_name))
    }

    fn value(&self, text: &str) -> String {
        shown(&cut(text, self.limits.value))
    }

    pub(super) fn block(&self, block: &Block<'_>) -> Markup {
        match block {
            Block::Sentence(sentence) => self.sentence_of(sentence),
            Block::Advice(advice) => self.advice(advice),
            Block::Evidence(facts) => html! {
                ul .facts { @for fact in facts { li { (self.sentence(fact)) } } }
            },
            Block::Fields(fields) => self.fields(fields),
            Block::List(list) => self.list(list),
            Block::Terms(terms) => self.terms(terms),
            Block::Table(table) => self.table(table),
            Block::Runbook(stages) => self.runbook(stages),
            Block::More(more, thing) => left_out(*more, thing),
        }
    }

    fn sentence_of(&self, sentence: &Sentence) -> Markup {
        let words = self.sentence(&sentence.text);
        let label = html! {
            @if !sentence.label.is_empty() { strong { (shown(&sentence.label)) ":" } " " }
        };
        match sentence.role {
            Role::Headline => html! {
                h1 { @if !sentence.label.is_empty() { (sentence.label) ": " } (words) }
            },
            Role::Alarm => html! { p .obstacle { strong .bad { (words) } } },
            Role::Obstacle => html! { p .obstacle { (label) (words) } },
            Role::Further => html! { p .obstacle { "and " (words) } },
            Role::Note => html! { p .caution { (label) (words) } },
            Role::Verdict => html! {
                h2 { (sentence.label) }
                p .obstacle { span .bad[sentence.tone == Tone::Bad] { (words) } }
            },
            Role::Remark => html! { p .note { (label) (words) } },
            Role::Summary => html! { p .summary { (words) } },
        }
    }

    fn advice(&self, advice: &Advice) -> Markup {
        let terms = advice.terms();
        html! {
            div .remedy.(class(advice.kind)) {
                p .word { (advice.kind.label()) }
                div {
                    @if !terms.is_empty() { p .effect { (self.sentence(&terms)) } }
                    @if !advice.risk.is_empty() {
                        p .risk { strong { "Risk: " } (self.sentence(&advice.risk)) }
                    }
                    @if !advice.commands.is_empty() {
                        ol .commands {
                            @for command in &advice.commands { li { code { (self.value(command)) } } }
                        }
                    }
                    (left_out(advice.left_out, "command"))
                }
            }
        }
    }

    fn fields(&self, fields: &Fields) -> Markup {
        let short = |revision: &String| shown(short_revision(revision, self.set));
        html! {
            h2 {
                @match &fields.revisions {
                    Some([from, to]) => { "Template: " code { (short(from)) } " → " code { (short(to)) } }
                    None => (fields.title),
                }
            }
            div .diff { @for field in &fields.fields { (self.field(field)) } }
            (left_out(fields.left_out, fields.thing))
        }
    }

    fn field(&self, field: &Field) -> Markup {
        let tone = if field.is_bad { "bad" } else { "facts" };
        html! {
            p .path {
                code { (self.value(&field.path)) }
                @if !field.effect.is_empty() { " " span .(tone) { (shown(&field.effect)) } }
            }
            @if let Some(old) = &field.old { p .old { span .sign { "−" } " " code { (shown(old)) } } }
            @if let Some(new) = &field.new { p .new { span .sign { "+" } " " code { (shown(new)) } } }
        }
    }

    fn list(&self, list: &List) -> Markup {
        if list.title.is_empty() {
            return html! {
                @for entry in &list.items { p .obstacle { strong .bad { (self.item(entry)) } } }
            };
        }
        html! {
            h2 { (list.title) }
            @if list.numbered {
                ol .grounds { @for entry in &list.items { li { (self.item(entry)) } } }
            } @else {
                ul .grounds { @for entry in &list.items { li .bad[is_alarm(entry)] { (self.item(entry)) } } }
            }
            (left_out(list.left_out, list.thing))
        }
    }

    fn item(&self, item: &Item) -> Markup {
        html! {
            @if let Some((severity, id)) = &item.finding {
                span .severity.(severity) { (severity) } " " code { (id) } " "
            }
            @if !item.object.is_empty() { code { (self.value(&item.object)) } " " }
            (self.sentence(&item.text))
            @if !item.more.is_empty() { " " span .facts { (self.sentence(&item.more)) } }
        }
    }

    fn terms(&self, terms: &[Term]) -> Markup {
        html! {
            div .scroll.tall tabindex="0" role="region" aria-label=(self.region("Steps")) {
                table .stacked { tbody { @for term in terms {
                    tr {
                        th scope="row" .facts[term.is_part] { (term.label) }
                        td { (self.sentence(&term.text)) }
                    }
                } } }
            }
        }
    }

    fn table(&self, table: &Table) -> Markup {
        // Rows about a step and a pod link to them.
        let class = if table.about.is_empty() {
            "stacked"
        } else {
            "happens stacked"
        };
        let rows = table.rows.iter().filter_map(|row| match row {
            Row::Cells(tone, cells) => Some((*tone, cells)),
            _ => None,
        });
        html! {
            h2 { (table.title) }
            div .scroll.tall tabindex="0" role="region" aria-label=(self.region(table.title)) {
                table class=(class) {
                    thead { tr {
                        @for column in &table.columns { th .number[is_number(column)] scope="col" { (column.title()) } }
                    } }
                    tbody {
                        @for (at, (tone, cells)) in rows.enumerate() {
                            @let about = table.about.get(at);
                            @let stop = about.zip(self.stops).map(|(about, stops)| stops.after(about.step + 1));
                            @let pod = about.map(|about| format!("pod/{}", shown(&about.pod)));
                            tr .bad[tone == Tone::Bad] data-step=[stop] data-pod=[pod] {
                                @for (cell, column) in cells.iter().zip(&table.columns) {
                                    td .number[is_number(column)] { (self.cell(cell, column)) }
                                }
                            }
                        }
                    }
                }
            }
            @if let Some((_, more)) = table.left_out { (left_out(more, table.thing)) }
            @for row in &table.rows { @if let Row::Note(note) = row { p .note { (shown(note)) } } }
        }
    }

    fn cell(&self, cell: &str, column: &Column) -> Markup {
        html! {
            // Empty cells collapse on narrow screens.
            @if cell != "-" {
                @if column.look == Look::Name { code { (self.value(cell)) } } @else { (self.sentence(cell)) }
            }
        }
    }
}

fn is_number(column: &Column) -> bool {
    column.look == Look::Number
}

/// Reports whether an entry is highlighted. A finding shows its severity instead.
fn is_alarm(item: &Item) -> bool {
    item.tone == Tone::Bad && item.finding.is_none()
}

pub(super) fn left_out(more: usize, thing: &str) -> Markup {
    html! {
        @if more > 0 { p .note { "… and " (count(more, &format!("more {thing}"))) "." } }
    }
}
