//! One run: many sets in, reports out. It has no thread and no terminal; the caller hands in a driver.

use std::fmt::Display;

use thiserror::Error;

use super::driver::each;
use super::nodes::NodeCourse;
use super::nodes::judge_each_node;
use super::planned::{PlannedSet, SetPlanner};
use super::upgrade::UpgradeRun;
use super::{
    FailOn, FailedGate, Findings, FleetDriver, FleetQuestions, FleetSet, OtherGates, PlanEnd,
    ReportList, SetName, UpgradeRunError, judge,
};
use crate::change::MAX_REPLICAS;
use crate::lint::Suppressions;
use crate::nodes::Extent;
use crate::plan::Conditions;
use crate::report::{NodesOfSet, Report, ReportNodes, ReportUpgrade, Unplanned};

/// Maximum number of pods in one run, above that of any cluster.
const MAX_PODS: i64 = 200_000;
/// Number of sets that are planned before their reports are kept, so that many sets fit in memory.
const AT_ONCE: usize = 500;

/// Request for a run.
#[derive(Debug, Clone, Copy)]
pub struct FleetRequest<'r> {
    /// Questions about all sets.
    pub questions: &'r FleetQuestions,
    /// Findings to ignore.
    pub suppressions: &'r Suppressions,
    /// True if reports have the objects of the next sync.
    pub objects: bool,
    /// True to make complete reports, too, for saved plans.
    pub saves: bool,
}

/// Reason why a run ends without reports.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FleetError<E> {
    /// Too many pods.
    #[error("more than {MAX_PODS} pods in total: name the sets to plan")]
    TooManyPods,
    /// The upgrade cannot be planned.
    #[error("--upgrade-to: {0}")]
    Upgrade(#[from] UpgradeRunError),
    /// The error of a set concerns the whole input.
    #[error("{0}")]
    Set(E),
}

/// Plans of many sets.
#[derive(Debug, Default)]
pub struct Fleet {
    /// Reports, in the order of the sets.
    pub reports: Vec<Report>,
    /// Complete reports to save, in the same order; empty unless requested.
    pub saved: Vec<Report>,
    /// End of each plan, in the same order.
    pub ends: Vec<PlanEnd>,
    /// Conditions of each set that fail the run, in the same order.
    pub fail_on: Vec<Vec<FailOn>>,
    /// Sets that could not be planned, by namespace and name.
    pub errors: Vec<Unplanned>,
    /// Warnings of the API server, and problems of the sets' own suppressions.
    pub warnings: Vec<String>,
    /// Effect of the actions on nodes, across all sets.
    pub nodes: Option<ReportNodes>,
    /// Effect of the upgrade, across all sets.
    pub upgrade: Option<ReportUpgrade>,
}

impl Fleet {
    /// Returns the document of all plans.
    #[must_use]
    pub fn list(&self) -> ReportList<'_> {
        ReportList::new(&self.reports)
            .with_errors(&self.errors)
            .with_nodes(self.nodes.as_ref())
            .with_upgrade(self.upgrade.as_ref())
    }

    /// Returns the document of the complete reports.
    #[must_use]
    pub fn saved_list(&self) -> ReportList<'_> {
        ReportList::new(&self.saved).with_errors(&self.errors)
    }

    /// Returns the gates that fail, in a run with these other gates.
    #[must_use]
    pub fn failed_gates(&self, others: OtherGates) -> Vec<FailedGate> {
        let over_sets =
            |condition, report: &Report| judge_each_node(condition, report, self.nodes.as_ref()?);
        judge(&self.reports, &self.fail_on, &over_sets, others)
    }
}

/// Run that takes the sets of an input part by part.
pub struct FleetRun<'r, E> {
    request: FleetRequest<'r>,
    findings: Findings,
    upgrade: Option<UpgradeRun>,
    pods: i64,
    /// First error of a set.
    first_error: Option<E>,
    fleet: Fleet,
}

impl<'r, E: Display + Send> FleetRun<'r, E> {
    /// Begins a run.
    #[must_use]
    pub fn new(request: FleetRequest<'r>) -> Self {
        FleetRun {
            request,
            findings: Findings::new(request.suppressions.clone()),
            upgrade: None,
            pods: 0,
            first_error: None,
            fleet: Fleet::default(),
        }
    }

    /// Returns the number of sets so far.
    #[must_use]
    pub fn sets(&self) -> usize {
        self.fleet.reports.len() + self.fleet.errors.len()
    }

    /// Plans the sets of a part of the input. `conditions` are those of all of them, after the actions on nodes
    /// ([`after_nodes`](super::after_nodes)). The error of a single set is kept, and the others are planned.
    ///
    /// # Errors
    /// When there are too many pods, the upgrade cannot be planned, or an error concerns the whole input.
    pub fn take<S: FleetSet<Error = E>>(
        &mut self,
        sets: &[S],
        conditions: &Conditions,
        driver: &dyn FleetDriver,
    ) -> Result<(), FleetError<E>> {
        if self.upgrade.is_none() {
            self.upgrade = UpgradeRun::of(&self.request.questions.upgrade_to, conditions)?;
        }
        self.fleet.reports.reserve_exact(sets.len());
        // A set that is too large fails on its own, before it is planned.
        let planned = sets.iter().map(FleetSet::replicas);
        let planned = planned.filter(|replicas| *replicas <= i64::from(MAX_REPLICAS));
        self.check_pods(planned.sum())?;
        let course = NodeCourse::of(
            sets,
            &self.request.questions.nodes,
            conditions,
            Extent::Advice,
            driver,
        );
        let before = (self.fleet.reports.len(), self.fleet.saved.len());
        let mut answers = Vec::new();
        for (chunk, first) in sets.chunks(AT_ONCE).zip((0..).step_by(AT_ONCE)) {
            let planner = SetPlanner {
                request: self.request,
                findings: &self.findings,
                upgrade: self.upgrade.as_ref(),
                course: course.as_ref(),
                driver,
            };
            let made = each(driver, chunk, |at, set| planner.plan(set, first + at));
            for (set, made) in chunk.iter().zip(made) {
                match made {
                    Ok(Some(made)) => answers.extend(self.keep(*made)?),
                    Ok(None) => {}
                    Err(error) if S::is_fatal(&error) => return Err(FleetError::Set(error)),
                    Err(error) => self.fail(&set.name(), error),
                }
            }
        }
        if let Some(whole) = course.and_then(|course| course.answer(answers)) {
            self.answer(whole, before);
        }
        Ok(())
    }

    /// Adds a set that cannot be planned.
    pub fn fail(&mut self, set: &SetName, error: E) {
        // The alternate form of some errors has all their causes.
        let message = format!("{error:#}");
        let unplanned = Unplanned::new(&set.namespace, &set.name, &message);
        self.fleet.errors.push(unplanned);
        self.first_error.get_or_insert(error);
    }

    /// Ends the run: adds the results over all sets.
    ///
    /// # Errors
    /// When the only set could not be planned.
    pub fn complete(self) -> Result<Fleet, E> {
        let mut fleet = self.fleet;
        if let (Some(error), [], [_]) = (self.first_error, &*fleet.reports, &*fleet.errors) {
            return Err(error);
        }
        fleet.upgrade = self.upgrade.map(UpgradeRun::answer);
        // The plan of a single set is shown without a list.
        if let (Some(upgrade), 1) = (&fleet.upgrade, fleet.reports.len()) {
            for report in fleet.reports.iter_mut().chain(&mut fleet.saved) {
                report.upgrade = Some(Box::new(upgrade.clone()));
            }
        }
        fleet.errors.sort_by(|a, b| {
            let (a, b) = (&a.metadata, &b.metadata);
            (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name))
        });
        self.findings.complete(&mut fleet.reports);
        self.findings.complete(&mut fleet.saved);
        Ok(fleet)
    }

    /// Keeps the result of a set. Returns its effect of the actions on nodes.
    fn keep(&mut self, made: PlannedSet) -> Result<Option<NodesOfSet>, FleetError<E>> {
        // The change may have added pods.
        self.check_pods(made.pods)?;
        self.pods += made.pods;
        let fleet = &mut self.fleet;
        fleet.warnings.extend(made.warnings);
        fleet.warnings.extend(self.findings.note(made.findings));
        if let (Some(upgrade), Some(set)) = (&mut self.upgrade, made.upgrade) {
            upgrade.add(set);
        }
        fleet.saved.extend(made.saved.map(|report| *report));
        fleet.reports.push(made.report);
        fleet.ends.push(made.end);
        fleet.fail_on.push(made.fail_on);
        Ok(made.nodes)
    }

    /// Adds the effect of actions on nodes to each report of a part. Budgets belong to a namespace, so that only the
    /// order of nodes connects parts of a cluster.
    fn answer(&mut self, whole: ReportNodes, (reports, saved): (usize, usize)) {
        let fleet = &mut self.fleet;
        let reports = fleet.reports.iter_mut().skip(reports);
        for report in reports.chain(fleet.saved.iter_mut().skip(saved)) {
            let metadata = &report.metadata;
            let is_own =
                |set: &NodesOfSet| set.name == metadata.name && set.namespace == metadata.namespace;
            if let Some(at) = whole.sets.iter().position(is_own) {
                report.nodes = Some(Box::new(whole.with_set(at)));
            }
        }
        fleet.nodes = Some(match fleet.nodes.take() {
            Some(so_far) => so_far.and(whole),
            None => whole,
        });
    }

    fn check_pods(&self, more: i64) -> Result<(), FleetError<E>> {
        match self.pods.saturating_add(more) > MAX_PODS {
            true => Err(FleetError::TooManyPods),
            false => Ok(()),
        }
    }
}
