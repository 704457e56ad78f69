//! The rows of the table of steps: operations, and in the verbose output whatever else is written or happens.

use super::style::escape;
use sts_plan::report::{
    ObjectEvent, Operation, Report, ReportStage, ReportStageCourse, ReportStep, ReportWrite,
    Resource, StepEvent, Verb,
};

/// One row.
pub(super) enum Row<'r> {
    /// The beginning of a stage.
    Stage(&'r ReportStage, &'r ReportStageCourse),
    /// An operation.
    Operation(&'r Operation),
    /// Another write or event.
    Other(Other<'r>),
}

/// A write or an event that is part of no operation.
pub(super) struct Other<'r> {
    /// The index of its step.
    pub(super) index: usize,
    /// Its step.
    pub(super) step: &'r ReportStep,
    /// The whole in words.
    pub(super) words: String,
    /// The write and its index; absent for an event.
    pub(super) write: Option<(usize, &'r ReportWrite)>,
}

/// The rows in the order in which they begin.
pub(super) fn rows(report: &Report, verbose: bool) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = report.operations.iter().map(Row::Operation).collect();
    if verbose {
        let steps = report.steps.iter().enumerate();
        rows.extend(steps.flat_map(|(index, step)| others(index, step)));
        rows.sort_by_key(|row| (row.at(), row.step(), row.write()));
    }
    for stage in &report.stages {
        let Some(course) = stage.course.as_deref() else {
            continue;
        };
        let is_later = |row: &Row<'_>| match row {
            Row::Stage(..) => false,
            _ => row.step().is_some_and(|step| step >= course.first_step),
        };
        let at = rows.iter().position(is_later).unwrap_or(rows.len());
        rows.insert(at, Row::Stage(stage, course));
    }
    rows
}

/// The number of each row; rows that begin at once share theirs, and the beginning of a stage has 0.
pub(super) fn numbers<'r>(rows: &'r [Row<'r>]) -> Vec<usize> {
    let mut number = 0;
    let mut last: Option<&Row<'_>> = None;
    rows.iter()
        .map(|row| {
            if let Row::Stage(..) = row {
                last = None;
                return 0;
            }
            let together = last.is_some_and(|last| {
                let at_once = last.is_concurrent() && row.is_concurrent();
                at_once && (last.step() == row.step() || last.at() == row.at())
            });
            if !together {
                number += 1;
            }
            last = Some(row);
            number
        })
        .collect()
}

impl Row<'_> {
    /// Whole seconds since the beginning.
    pub(super) fn at(&self) -> i64 {
        match self {
            Row::Stage(_, course) => course.at,
            Row::Operation(operation) => operation.at,
            Row::Other(other) => other.step.at,
        }
    }

    /// The index of the step that begins it; absent when it was under way before.
    pub(super) fn step(&self) -> Option<usize> {
        match self {
            Row::Stage(_, course) => Some(course.first_step),
            Row::Operation(operation) => operation.step,
            Row::Other(other) => Some(other.index),
        }
    }

    /// The pod that it is about; absent when it is about none.
    pub(super) fn pod(&self) -> Option<&str> {
        match self {
            Row::Stage(..) => None,
            Row::Operation(operation) => operation.pod.as_deref(),
            Row::Other(other) => other.name_of(Resource::Pods),
        }
    }

    /// The index of the write that begins it; absent when an event does.
    fn write(&self) -> Option<usize> {
        match self {
            Row::Stage(..) => None,
            Row::Operation(operation) => operation.write,
            Row::Other(other) => other.write.map(|(at, _)| at),
        }
    }

    fn is_concurrent(&self) -> bool {
        match self {
            Row::Stage(..) => false,
            Row::Operation(operation) => operation.concurrent,
            Row::Other(other) => other.step.concurrent,
        }
    }
}

impl Other<'_> {
    /// The name of the object that it writes, if that is of this resource.
    pub(super) fn name_of(&self, resource: Resource) -> Option<&str> {
        let write = self.write.filter(|(_, write)| write.resource == resource);
        write.map(|(_, write)| &*write.name)
    }
}

fn others(index: usize, step: &ReportStep) -> impl Iterator<Item = Row<'_>> {
    let other = move |words: String, write| {
        Row::Other(Other {
            index,
            step,
            words,
            write,
        })
    };
    let writes = step.writes.iter().flatten().enumerate();
    let writes = writes
        .filter(|(_, write)| !is_of_operation(write))
        .map(move |(at, write)| other(written(write), Some((at, write))));
    let event = match (step.event, &step.name) {
        (Some(StepEvent::Object(ObjectEvent::PodDeleted | ObjectEvent::PodOrphaned)), _) => None,
        (Some(StepEvent::Object(event)), Some(name)) => {
            let words = format!("{} {event} {}", step.actor, escape(name));
            Some(other(words, None))
        }
        _ => None,
    };
    writes.chain(event)
}

/// Reports whether an operation tells of a write.
fn is_of_operation(write: &ReportWrite) -> bool {
    let is_told = matches!(
        (write.resource, write.verb),
        (Resource::Pods, _) | (Resource::Claims, Verb::Create)
    );
    is_told && write.error.is_none()
}

fn written(write: &ReportWrite) -> String {
    let verb = match write.resource {
        Resource::Status => "write status".to_owned(),
        _ => write.verb.to_string(),
    };
    match write.error {
        Some(error) => format!("{verb}, refused: {error}"),
        None => verb,
    }
}
