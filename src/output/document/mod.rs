//! The document of a plan: its blocks, their order and their limits, decided once for all formats for people. A block has
//! a meaning and no layout. A format adds none, and text lays out all of them. A picture has those that it can draw.

mod answer;
mod cures;
mod fields;
mod loops;
mod notes;
mod obstacles;
mod operations;
pub(super) mod verification;

use std::borrow::Cow;

use strum::VariantArray;

use super::advice::Advice;
use super::answers::{broken, harms};
use super::limits::{Limits, Objects};
use super::overview::as_of;
use super::style::{Style, Tone};
use super::table::Table;
use super::verdict::waits_for_user;
use super::words::capitalized;
use super::{pods, tree};
use sts_plan::answer::{Answer, Place, Subject};
pub(super) use sts_plan::answer::{Role, RunbookStage, Sentence};
use sts_plan::fleet::ReportList;
use sts_plan::report::{HeadlineTopic, PlanResult, Report, Severity};

pub(super) use cures::cures;
pub(super) use fields::{Field, Fields, difference_in_short, truncated};
use notes::finding;

/// A part of a document, in the order of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
pub(super) enum Part {
    /// The next operation and its reason, obstacles and remedies, and the changes.
    Answer,
    /// The answers about the course, such as the stages of a change.
    Course,
    /// The current objects, each with its fate.
    Objects,
    /// The operations, a row each.
    Operations,
    /// The answers to the other questions.
    Answers,
    Assumptions,
    /// The findings that are not in the answer.
    Findings,
    /// The plan in one line.
    Summary,
}

impl Part {
    /// All parts, in order.
    pub(super) const ALL: &[Part] = Part::VARIANTS;
    /// The parts that explain what happens next, none of which has a table.
    pub(super) const WHY: [Part; 4] = [
        Part::Answer,
        Part::Assumptions,
        Part::Findings,
        Part::Summary,
    ];
}

/// An entry of a list.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) tone: Tone,
    /// The severity and id of a finding.
    pub(super) finding: Option<(Severity, String)>,
    /// The object concerned; empty for none.
    pub(super) object: String,
    pub(super) text: String,
    /// A link to the documentation, or the reason for ignoring it; empty for none.
    pub(super) more: String,
}

impl Item {
    /// Returns an entry that consists of a sentence.
    pub(super) fn sentence(tone: Tone, text: String) -> Self {
        Item {
            tone,
            finding: None,
            object: String::new(),
            text,
            more: String::new(),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct List {
    pub(super) title: &'static str,
    /// The label in formats without titles; empty for none.
    pub(super) label: &'static str,
    /// The singular noun for an entry.
    pub(super) thing: &'static str,
    /// A line for everything without an entry; empty for none.
    pub(super) brief: String,
    pub(super) items: Vec<Item>,
    /// True if the entries are in chronological order.
    pub(super) numbered: bool,
    pub(super) left_out: usize,
}

impl List {
    /// Returns a list of all these entries, without a label.
    pub(super) fn new(title: &'static str, thing: &'static str, items: Vec<Item>) -> Self {
        List {
            title,
            label: "",
            thing,
            brief: String::new(),
            items,
            numbered: false,
            left_out: 0,
        }
    }
}

/// A line with a label.
#[derive(Debug, Clone)]
pub(super) struct Term {
    pub(super) label: &'static str,
    pub(super) text: String,
    pub(super) tone: Tone,
    /// True if it belongs to the term before.
    pub(super) is_part: bool,
}

impl Term {
    pub(super) fn new(label: &'static str, text: impl Into<String>) -> Self {
        Term {
            label,
            text: text.into(),
            tone: Tone::Plain,
            is_part: false,
        }
    }
}

pub(super) enum Block<'r> {
    Sentence(Sentence),
    /// A suggested action.
    Advice(Advice),
    /// The evidence for an obstacle or a wait.
    Evidence(Vec<Cow<'r, str>>),
    /// Fields with their values.
    Fields(Fields),
    List(List),
    Terms(Vec<Term>),
    Table(Table),
    Runbook(Vec<RunbookStage>),
    /// The number of omitted things, and their singular noun.
    More(usize, &'static str),
}

/// The limits and the style of a document.
#[derive(Clone, Copy)]
pub(super) struct Scope<'s> {
    pub(super) limits: Limits,
    pub(super) style: &'s Style,
}

pub(super) fn say<'r>(role: Role, tone: Tone, label: &str, text: impl Into<String>) -> Block<'r> {
    Block::Sentence(Sentence {
        role,
        tone,
        label: label.to_owned(),
        text: text.into(),
    })
}

/// Returns the blocks of a part, in groups with a gap between two; none if the part is empty.
pub(super) fn groups<'r>(report: &'r Report, part: Part, scope: &Scope<'_>) -> Vec<Vec<Block<'r>>> {
    let blocks = match part {
        Part::Answer => answer(report, scope),
        Part::Course => return answers(report, scope, |it| it.place() == Place::Course),
        Part::Objects => match scope.limits.objects {
            Objects::None => Vec::new(),
            Objects::Pods => {
                Vec::from_iter(pods::table(report, &scope.limits, scope.style).map(Block::Table))
            }
            Objects::Tree => vec![Block::Table(tree::table(
                report,
                &scope.limits,
                scope.style,
            ))],
        },
        Part::Operations => operations::blocks(report, scope),
        Part::Answers => return answers(report, scope, |it| it.place() == Place::Last),
        Part::Assumptions => notes::assumptions(report, &scope.limits),
        Part::Findings => notes::findings(report, &scope.limits),
        Part::Summary => {
            let tone = match report.outcome.result {
                PlanResult::Complete if !report.loses_data() => Tone::Strong,
                _ => Tone::Bad,
            };
            vec![say(Role::Summary, tone, "", &report.closing)]
        }
    };
    match blocks.is_empty() {
        true => Vec::new(),
        false => vec![blocks],
    }
}

/// Returns the blocks of a part.
pub(super) fn part<'r>(report: &'r Report, part: Part, scope: &Scope<'_>) -> Vec<Block<'r>> {
    groups(report, part, scope).into_iter().flatten().collect()
}

/// Returns the blocks of some answers of a plan, in groups with a gap between two.
pub(super) fn answers<'r>(
    report: &Report,
    scope: &Scope<'_>,
    is_shown: impl Fn(&dyn Answer) -> bool,
) -> Vec<Vec<Block<'r>>> {
    let about = report.subject();
    let answers = report.answers().into_iter();
    answers
        .filter(|answer| is_shown(&**answer))
        .flat_map(|answer| answer::parts(&*answer, &about, scope))
        .collect()
}

/// Returns the blocks about all sets together, which precede the rows of sets.
pub(super) fn together<'r>(plans: &'r ReportList<'_>, scope: &Scope<'_>) -> Vec<Block<'r>> {
    // All sets of an input have the same time.
    let as_of = plans.items.first().and_then(as_of);
    let as_of = as_of.map(|text| say(Role::Remark, Tone::Faint, "", capitalized(&text)));
    let about = Subject {
        set: "",
        has_claims: false,
    };
    let answers = plans.answers().into_iter();
    let answers = answers.flat_map(|it| answer::parts(&*it, &about, scope));
    as_of.into_iter().chain(answers.flatten()).collect()
}

/// Returns the tone of the headline.
fn headline_tone(report: &Report) -> Tone {
    match report.outcome.result {
        PlanResult::Complete if report.next.topic == HeadlineTopic::Unstable => Tone::Bad,
        PlanResult::Complete if waits_for_user(report) => Tone::Strong,
        PlanResult::Complete if report.steps.is_empty() => Tone::Good,
        PlanResult::Complete => Tone::Strong,
        _ if report.next.topic == HeadlineTopic::Next => Tone::Strong,
        _ => Tone::Bad,
    }
}

fn answer<'r>(report: &'r Report, scope: &Scope<'_>) -> Vec<Block<'r>> {
    let limits = &scope.limits;
    let first = answers(report, scope, |it| it.place() == Place::First);
    let mut blocks: Vec<Block<'r>> = first.into_iter().flatten().collect();
    // A rejection begins with its fields where they are known, since the server does not name them.
    if !obstacles::names_fields(report) {
        let tone = headline_tone(report);
        let brief = report.next.brief.as_ref();
        let text = brief.map_or(&report.next.summary, |brief| &brief.text);
        blocks.push(say(Role::Headline, tone, "", text));
        match report.next.topic {
            HeadlineTopic::Unstable => blocks.extend(loops::blocks(report, limits)),
            _ => blocks.extend(obstacles::wait_evidence(report, limits)),
        }
    }
    // Violated requirements and losses must not be overlooked.
    let broken = broken(report).into_iter();
    blocks.extend(broken.map(|text| say(Role::Alarm, Tone::Bad, "", text)));
    let harms: Vec<Item> = harms(report).map(|it| finding(it, limits)).collect();
    if !harms.is_empty() {
        blocks.push(Block::List(List::new("", "finding", harms)));
    }
    blocks.extend(obstacles::blocks(report, limits));
    if report.next.topic != HeadlineTopic::Unstable {
        blocks.extend(loops::blocks(report, limits));
    }
    blocks.extend(fields::differences(report, scope));
    blocks.extend(fields::changes(report, scope));
    blocks
}
