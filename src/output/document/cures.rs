//! The cures of the first stuck sets of a table, whose rows have no room for them.

use std::collections::BTreeSet;

use super::obstacles::notes;
use super::{Block, Role, say};
use crate::output::advice::{Advice, Kind, advice};
use crate::output::limits::Limits;
use crate::output::style::Tone;
use crate::output::words::set_name;
use sts_plan::fleet::FleetRow;
use sts_plan::report::{Report, ReportObstacle, SetState};

/// Maximum number of sets.
const MOST_SETS: usize = 3;

/// Returns the cure of each of the first stuck sets, below its name, with what warns of harm. A set that needs another one
/// of the table recovers with it.
pub(in crate::output) fn cures<'r>(rows: &[FleetRow<'r>], limits: &Limits) -> Vec<Vec<Block<'r>>> {
    let stuck: Vec<&'r Report> = rows
        .iter()
        .filter(|row| row.state() == SetState::Stuck)
        .flat_map(FleetRow::sets)
        .collect();
    let failing: BTreeSet<String> = stuck.iter().flat_map(|it| failing_pods(it)).collect();
    let firsts = rows.iter().map(FleetRow::first);
    let cured = firsts.filter_map(|report| {
        let obstacle = report.outcome.blocked_by.first()?;
        let is_consequence = obstacle.needs.iter().any(|pod| failing.contains(pod));
        let cure = cure(obstacle, limits).filter(|_| !is_consequence)?;
        let name = say(Role::Remark, Tone::Strong, "", set_name(&report.metadata));
        let mut blocks = vec![name, Block::Advice(cure)];
        notes(obstacle, &mut blocks);
        Some(blocks)
    });
    cured.take(MOST_SETS).collect()
}

/// Returns the pods at which a set is stuck, each with its namespace.
fn failing_pods(report: &Report) -> impl Iterator<Item = String> {
    let namespace = &report.metadata.namespace;
    let pods = report
        .outcome
        .blocked_by
        .iter()
        .filter_map(|it| it.pod.as_ref());
    pods.map(move |pod| format!("{namespace}/{pod}"))
}

/// Returns the best advice on an obstacle that changes something.
fn cure(obstacle: &ReportObstacle, limits: &Limits) -> Option<Advice> {
    let all = advice(obstacle, limits, &mut BTreeSet::new()).into_iter();
    let mut cures = all.filter(|it| !matches!(it.kind, Kind::Look | Kind::Useless));
    cures.next()
}
