//! The stages of a change: a row each, and a runbook.

use super::{
    NoWayBack, ReportClaimGrowth, ReportStage, ReportStageCourse, ReportTakes, ReportWayBack,
    StageBegins,
};
use crate::answer::{
    Answer, AnswerBlock, AnswerRow, AnswerTable, Cell, Column, Look, Place, RunbookStage,
    ShrinkPriority, Subject, Tone, count, elapsed,
};
use crate::grow::PendingGrowth;
use crate::plan::PlanResult;

const COLUMNS: [Column; 8] = [
    Column::new("STAGE", ShrinkPriority::Never, Look::Number),
    Column::new("NAME", ShrinkPriority::Second, Look::Text),
    Column::new("STARTS", ShrinkPriority::Never, Look::Number),
    Column::new("RESULT", ShrinkPriority::Never, Look::State),
    Column::new("RESTARTS", ShrinkPriority::Never, Look::Number),
    Column::new("MIN READY", ShrinkPriority::Never, Look::Text),
    Column::new("DATA", ShrinkPriority::Last, Look::Text),
    Column::new("ROLLBACK", ShrinkPriority::First, Look::Text),
];

impl Answer for &[ReportStage] {
    fn place(&self) -> Place {
        Place::Course
    }

    fn parts(&self, about: &Subject<'_>) -> Vec<Vec<AnswerBlock>> {
        let has_names = self.iter().any(|stage| !stage.name.is_empty());
        let rows = self.iter().map(row).collect();
        let table = AnswerTable::new("Stages", "stage", &COLUMNS, rows);
        let table = match has_names {
            true => table,
            false => without_column(table, 1),
        };
        let runbook = self.iter().map(|stage| runbook_stage(stage, self));
        let runbook = AnswerBlock::Runbook {
            stages: runbook.collect(),
            is_detail: false,
        };
        vec![vec![
            AnswerBlock::Table(table.within_set(about.set, 1)),
            runbook,
        ]]
    }
}

fn without_column(mut table: AnswerTable, at: usize) -> AnswerTable {
    table.columns.remove(at);
    for row in &mut table.rows {
        if let AnswerRow::Cells(_, cells) = row {
            cells.remove(at);
        }
    }
    table
}

fn row(stage: &ReportStage) -> AnswerRow {
    let number = stage.number.to_string();
    let name = stage.name.clone();
    let Some(course) = stage.course.as_deref() else {
        let cells = [&*number, &*name, "-", "not reached", "-", "-", "-", "-"];
        return AnswerRow::Cells(Tone::Bad, cells.map(Cell::from).into());
    };
    let takes = &course.takes;
    let cells = [
        number,
        name,
        elapsed(course.at),
        result(course),
        takes.restarts.to_string(),
        min_ready(takes),
        match takes.lost_claims.len() {
            0 => "kept".to_owned(),
            claims => format!("LOST: {}", count(claims, "claim")),
        },
        match (&course.back, course.no_way_back) {
            (Some(back), _) => back_in_short(back),
            (None, Some(NoWayBack::Unchanged)) if course.grown_claims.is_empty() => {
                "not needed".to_owned()
            }
            (None, _) => "none".to_owned(),
        },
    ];
    let tone = match is_bad(course) {
        true => Tone::Bad,
        false => Tone::Plain,
    };
    AnswerRow::Cells(tone, cells.map(Cell::from).into())
}

fn is_bad(course: &ReportStageCourse) -> bool {
    let fails = !course.cut && course.takes.result != PlanResult::Complete;
    fails || !course.takes.lost_claims.is_empty() || course.requirements.iter().any(|it| !it.holds)
}

fn result(course: &ReportStageCourse) -> String {
    let after = elapsed(course.takes.seconds);
    match course.takes.result {
        _ if course.cut => format!("still running after {after}"),
        PlanResult::Complete => format!("complete after {after}"),
        PlanResult::Blocked => format!("BLOCKED after {after}"),
        PlanResult::Livelock => "LIVELOCK".to_owned(),
        PlanResult::Rejected => "REJECTED".to_owned(),
    }
}

fn min_ready(takes: &ReportTakes) -> String {
    let quorum = match takes.loses_quorum {
        true => ", QUORUM LOST",
        false => "",
    };
    format!("{} of {}{quorum}", takes.lowest_ready, takes.replicas)
}

fn back_in_short(back: &ReportWayBack) -> String {
    let takes = &back.takes;
    match takes.result {
        PlanResult::Complete => {
            let stay = match back.staying_pods {
                0 => String::new(),
                1 => ", 1 pod stays".to_owned(),
                pods => format!(", {pods} pods stay"),
            };
            let restarts = count(takes.restarts, "restart");
            format!("{}, {restarts}{stay}", elapsed(takes.seconds))
        }
        result => format!("ends {result}"),
    }
}

fn runbook_stage(stage: &ReportStage, all: &[ReportStage]) -> RunbookStage {
    let title = match stage.name.as_str() {
        "" => format!("Stage {}", stage.number),
        name => format!("Stage {}: {name}", stage.number),
    };
    let mut runbook = RunbookStage {
        title,
        begins: begins(stage),
        approval: stage.approval.clone(),
        is_bad: true,
        ..RunbookStage::default()
    };
    let Some(course) = stage.course.as_deref() else {
        let why = match stage.unreached_after {
            Some(PlanResult::Rejected) => "the API server rejects the previous stage",
            Some(PlanResult::Livelock) => "the previous stage never settles",
            _ => "the previous stage is blocked",
        };
        runbook.takes = format!("not reached: {why}");
        return runbook;
    };
    let needs_copy = |stage: &ReportStage| {
        let back = stage.course.as_deref()?.back.as_ref()?;
        (!back.copy.is_empty()).then(|| back.copy.clone())
    };
    if stage.number == 1
        && let Some(copy) = all.iter().find_map(needs_copy)
    {
        runbook.before = vec![copy];
    }
    runbook.commands.clone_from(&course.commands);
    runbook.takes = takes(course);
    runbook.is_bad = is_bad(course);
    runbook.check = check(course);
    runbook.check_commands.clone_from(&course.check.commands);
    runbook.back = back(course);
    if let Some(back) = &course.back {
        runbook.back_commands.clone_from(&back.commands);
    }
    runbook
}

fn begins(stage: &ReportStage) -> String {
    let at = stage.course.as_deref().map_or_else(String::new, |course| {
        format!(", {} from now", elapsed(course.at))
    });
    let after = stage.after_seconds.unwrap_or(0);
    match stage.begins {
        StageBegins::Now => "now".to_owned(),
        StageBegins::After => format!("{} after the previous stage starts{at}", elapsed(after)),
        StageBegins::AtRest if after > 0 => {
            format!("{} after the previous stage completes{at}", elapsed(after))
        }
        StageBegins::AtRest => format!("when the previous stage completes{at}"),
    }
}

fn takes(course: &ReportStageCourse) -> String {
    let takes = &course.takes;
    let mut parts = vec![result(course)];
    if takes.restarts > 0 {
        parts.push(count(takes.restarts, "restart"));
    }
    if takes.created > 0 {
        parts.push(format!("{} created", count(takes.created, "pod")));
    }
    if takes.deleted > 0 {
        parts.push(format!("{} deleted", count(takes.deleted, "pod")));
    }
    parts.push(format!("min ready {}", min_ready(takes)));
    if !takes.lost_claims.is_empty() {
        parts.push(format!("DATA LOST: {}", takes.lost_claims.join(", ")));
    }
    let broken = course.requirements.iter().filter(|it| !it.holds);
    parts.extend(broken.map(|it| format!("BREAKS {}", it.text)));
    let mut text = parts.join("; ");
    if !course.blocked.is_empty() {
        text += &format!(": {}", course.blocked);
    }
    text
}

fn check(course: &ReportStageCourse) -> String {
    let check = &course.check;
    if check.update_revision.is_empty() {
        return "the StatefulSet is deleted".to_owned();
    }
    let mut text = format!(
        "{} of {} pods ready, {} on revision {}",
        check.ready, check.replicas, check.updated, check.update_revision
    );
    text += &grown(&check.claims);
    let own = course.requirements.iter().filter(|it| it.holds);
    for requirement in own {
        text += &format!("; {} throughout", requirement.text);
    }
    text
}

/// The state of claims that are being expanded, in clauses.
fn grown(claims: &[ReportClaimGrowth]) -> String {
    let mut sizes: Vec<(&str, Option<PendingGrowth>)> = Vec::new();
    for claim in claims {
        let is = (claim.storage.as_str(), claim.pending);
        if !sizes.contains(&is) {
            sizes.push(is);
        }
    }
    let clauses = sizes.into_iter().map(|is| {
        let alike = claims
            .iter()
            .filter(|it| (it.storage.as_str(), it.pending) == is);
        let names: Vec<&str> = alike.map(|claim| claim.name.as_str()).collect();
        let (size, names) = (is.0, names.join(", "));
        match is.1 {
            None => format!("; {size} in status.capacity of {names}"),
            Some(PendingGrowth::FileSystem) => {
                format!("; FileSystemResizePending of {names}: to {size} when a pod mounts it")
            }
            Some(PendingGrowth::Volume) => {
                format!("; {names} expands to {size} when no pod uses it")
            }
        }
    });
    clauses.collect()
}

fn back(course: &ReportStageCourse) -> String {
    let mut text = back_of_set(course);
    if !course.grown_claims.is_empty() {
        text += "; claims keep the requested size: storage cannot shrink";
    }
    text
}

fn back_of_set(course: &ReportStageCourse) -> String {
    let Some(back) = &course.back else {
        return match course.no_way_back {
            Some(NoWayBack::Unchanged) => "not needed: the spec is unchanged",
            Some(NoWayBack::NotStored) => "none: there was no StatefulSet before",
            _ => "none: the API server rejects the old StatefulSet, both as an update and as a new object",
        }
        .to_owned();
    };
    let takes = &back.takes;
    let restarts = count(takes.restarts, "restart");
    let ready = min_ready(takes);
    let mut text = match takes.result {
        PlanResult::Complete => format!(
            "{} and {restarts}, min ready {ready}",
            elapsed(takes.seconds)
        ),
        result => format!(
            "fails: {result} after {}, {restarts}",
            elapsed(takes.seconds)
        ),
    };
    if !takes.lost_claims.is_empty() {
        text += &format!("; DATA LOST: {}", takes.lost_claims.join(", "));
    }
    text += &match back.staying_pods {
        0 => String::new(),
        1 => "; 1 updated pod is not rolled back".to_owned(),
        pods => format!("; {pods} updated pods are not rolled back"),
    };
    if back.keeps_strategy {
        text += "; keeps the updateStrategy of this stage";
    }
    text
}
