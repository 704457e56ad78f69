//! The rows of the table of operations. Verbose output also has the other writes and events.

use super::style::escape;
use sts_plan::report::{
    ObjectEvent, Operation, Report, ReportStage, ReportStageCourse, ReportStep, ReportWrite,
    Resource, StepEvent, Verb,
};

pub(super) enum Row<'r> {
    /// The start of a stage.
    Stage(&'r ReportStage, &'r ReportStageCourse),
    Operation(&'r Operation),
    /// Another write or event.
    Other(Other<'r>),
}

/// A write or an event outside of operations.
pub(super) struct Other<'r> {
    /// The index of the step.
    pub(super) index: usize,
    pub(super) step: &'r ReportStep,
    pub(super) text: String,
    /// The write and its index; `None` for an event.
    pub(super) write: Option<(usize, &'r ReportWrite)>,
}

/// The rows in chronological order.
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

impl Row<'_> {
    /// Returns the number of the operation; `None` for a row outside of operations.
    pub(super) fn number(&self) -> Option<usize> {
        match self {
            Row::Operation(operation) => Some(operation.number),
            Row::Stage(..) | Row::Other(_) => None,
        }
    }

    /// Returns whole seconds since the start of the plan.
    pub(super) fn at(&self) -> i64 {
        match self {
            Row::Stage(_, course) => course.at,
            Row::Operation(operation) => operation.at,
            Row::Other(other) => other.step.at,
        }
    }

    /// Returns the index of the first step; `None` if the operation was already in progress.
    pub(super) fn step(&self) -> Option<usize> {
        match self {
            Row::Stage(_, course) => Some(course.first_step),
            Row::Operation(operation) => operation.step,
            Row::Other(other) => Some(other.index),
        }
    }

    pub(super) fn pod(&self) -> Option<&str> {
        match self {
            Row::Stage(..) => None,
            Row::Operation(operation) => operation.pod.as_deref(),
            Row::Other(other) => other.name_of(Resource::Pods),
        }
    }

    /// Returns the index of the first write; `None` for an event.
    fn write(&self) -> Option<usize> {
        match self {
            Row::Stage(..) => None,
            Row::Operation(operation) => operation.write,
            Row::Other(other) => other.write.map(|(at, _)| at),
        }
    }
}

impl Other<'_> {
    /// Returns the name of the written object if it is of this resource.
    pub(super) fn name_of(&self, resource: Resource) -> Option<&str> {
        let write = self.write.filter(|(_, write)| write.resource == resource);
        write.map(|(_, write)| &*write.name)
    }
}

fn others(index: usize, step: &ReportStep) -> impl Iterator<Item = Row<'_>> {
    let other = move |text: String, write| {
        Row::Other(Other {
            index,
            step,
            text,
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
            let text = format!("{} {event} {}", step.actor, escape(name));
            Some(other(text, None))
        }
        _ => None,
    };
    writes.chain(event)
}

/// Reports whether a write is part of an operation.
fn is_of_operation(write: &ReportWrite) -> bool {
    let is_part = matches!(
        (write.resource, write.verb),
        (Resource::Pods, _) | (Resource::Claims, Verb::Create)
    );
    is_part && write.error.is_none()
}

fn written(write: &ReportWrite) -> String {
    let verb = match write.resource {
        Resource::Status => "update status".to_owned(),
        _ => write.verb.to_string(),
    };
    match write.error {
        Some(error) => format!("{verb}, rejected: {error}"),
        None => verb,
    }
}
