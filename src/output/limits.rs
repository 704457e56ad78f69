//! The limits of each format, all in one place. Whatever is omitted is counted.

use super::detail::Detail;
use super::format::Format;
use super::style::Style;

/// The objects at the beginning of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Objects {
    /// None: a picture or the table of operations replaces them.
    None,
    /// The pods by revision and state.
    Pods,
    /// Revisions with their pods and claims.
    Tree,
}

/// The limits of a format.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) objects: Objects,
    /// Sets of a fleet.
    pub(super) sets: usize,
    /// Sets of a fleet with a section.
    pub(super) sections: usize,
    /// Pods or claims with a row.
    pub(super) pods: usize,
    /// Obstacles of a plan, and causes of a fleet.
    pub(super) obstacles: usize,
    /// The level of detail of obstacles.
    pub(super) detail: Detail,
    /// Pieces of evidence of an obstacle.
    pub(super) evidence: usize,
    /// Helpful remedies of an obstacle.
    pub(super) fixes: usize,
    /// True to show every write, and remedies that do not help.
    pub(super) everything: bool,
    /// Commands of a remedy.
    pub(super) commands: usize,
    /// Fields changed by the user.
    pub(super) changes: usize,
    /// Fields with a difference in the template.
    pub(super) differences: usize,
    /// Names in a sentence.
    pub(super) names: usize,
    /// Names and ranges of pods in a cell.
    pub(super) listed: usize,
    /// Lines of a row of a table, or of a headline.
    pub(super) lines: usize,
    /// Rows of a table before its middle is omitted.
    pub(super) rows: usize,
    /// Rows of the answer to a question.
    pub(super) answers: usize,
    /// True to show the reason for each operation.
    pub(super) reasons: bool,
    /// True if the operations have a column for pods that fail.
    pub(super) step_branches: bool,
    /// Past and future steps of a verified plan.
    pub(super) steps: usize,
    pub(super) steps_ahead: usize,
    /// Entries of a list.
    pub(super) items: usize,
    /// True if lists are complete; else some findings are named in one line.
    pub(super) whole_lists: bool,
    /// Columns of a name.
    pub(super) name: usize,
    /// Columns of a value.
    pub(super) value: usize,
    /// Columns of a sentence.
    pub(super) sentence: usize,
    /// True for a format for publication, which hides values of any field that may be secrets.
    pub(super) posted: bool,
}

const ALL: usize = usize::MAX;
/// Minimum number of columns of a terminal that shows branches next to the steps.
const WIDE: usize = 140;

const TABLE: Limits = Limits {
    objects: Objects::Pods,
    sets: ALL,
    sections: 0,
    pods: ALL,
    obstacles: 5,
    detail: Detail::Full,
    evidence: 5,
    fixes: 2,
    everything: false,
    commands: 6,
    changes: 5,
    differences: 3,
    names: 5,
    listed: 12,
    lines: 4,
    rows: 40,
    answers: ALL,
    reasons: false,
    step_branches: false,
    steps: 3,
    steps_ahead: 1,
    items: 40,
    whole_lists: false,
    name: ALL,
    value: 40,
    sentence: ALL,
    posted: false,
};

const VERBOSE: Limits = Limits {
    evidence: ALL,
    fixes: ALL,
    everything: true,
    commands: ALL,
    changes: ALL,
    differences: ALL,
    names: ALL,
    listed: ALL,
    lines: ALL,
    rows: ALL,
    steps: ALL,
    steps_ahead: ALL,
    items: ALL,
    whole_lists: true,
    value: ALL,
    ..TABLE
};

const MARKDOWN: Limits = Limits {
    objects: Objects::None,
    sets: ALL,
    sections: ALL,
    pods: ALL,
    obstacles: 20,
    detail: Detail::Full,
    evidence: 6,
    fixes: 2,
    everything: false,
    commands: 20,
    changes: ALL,
    differences: ALL,
    names: 5,
    listed: 12,
    lines: 1,
    rows: 100,
    answers: 100,
    reasons: true,
    step_branches: false,
    steps: 100,
    steps_ahead: 100,
    items: ALL,
    whole_lists: true,
    name: 120,
    value: 300,
    sentence: 600,
    posted: true,
};

const HTML: Limits = Limits {
    sets: 10_000,
    sections: 25,
    pods: 200,
    evidence: 12,
    commands: 30,
    changes: 200,
    differences: 200,
    rows: 200,
    answers: 200,
    items: 200,
    name: 160,
    value: 4_000,
    sentence: 4_000,
    ..MARKDOWN
};

const SVG: Limits = Limits {
    sets: 40,
    pods: 60,
    lines: 3,
    answers: 25,
    items: 25,
    whole_lists: false,
    name: 80,
    ..HTML
};

const CI: Limits = Limits {
    fixes: 1,
    commands: ALL,
    // GitHub shows no more annotations of a severity.
    items: 10,
    ..TABLE
};

impl Limits {
    /// Returns the limits of a format. `-v` lifts those of a terminal.
    pub(super) fn of(format: Format, style: &Style) -> Limits {
        let on_terminal = Limits {
            step_branches: style.width.is_some_and(|width| width >= WIDE),
            ..if style.verbose { VERBOSE } else { TABLE }
        };
        match format {
            Format::Markdown => MARKDOWN,
            Format::Html => HTML,
            Format::Svg => SVG,
            Format::Junit | Format::Sarif | Format::Github => CI,
            Format::Wide => Limits {
                objects: Objects::Tree,
                ..on_terminal
            },
            _ => on_terminal,
        }
    }
}
