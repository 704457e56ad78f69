//! Plans of all sets of the input, on all cores. Only the report of each is kept, so that many sets fit in memory.

use std::collections::BTreeMap;
use std::sync::Mutex;

use anyhow::{Result, bail};

use super::nodes;
use super::nodes::NodeCourse;
use super::search::Search;
use super::set_rules::SetRules;
use super::upgrade::Upgrade;
use crate::cli::exit::Exit;
use crate::cores::on_all_cores;
use crate::input::LoadError;
use crate::input::read::Input;
use crate::input::resolve;
use crate::input::resolve::{LaterManifests, Target, UnmatchedPods, UnplannableSet};
use crate::input::source_map;
use crate::input::source_map::SourceMap;
use crate::output::Needs;
use crate::output::files::Outputs;
use crate::request::PlanRequest;
use sts_plan::analysis::{Analysis, analyze, analyze_driven};
use sts_plan::change::MAX_REPLICAS;
use sts_plan::fleet::{FailOn, Findings, PlanFindings};
use sts_plan::lint::Scope;
use sts_plan::plan::Plan;
use sts_plan::report::{NodesOfSet, Report, ReportNodes, ReportUpgrade, Unplanned, UpgradeOfSet};
use sts_plan::upgrade::SetUpgrade;
use sts_plan::what_if::Questions;

/// Maximum number of pods in one run, above that of any cluster.
const MAX_PODS: i64 = 200_000;
/// Number of sets that are planned before their reports are kept.
const AT_ONCE: usize = 500;

/// Results of planning all sets.
pub struct Plans<'a> {
    pub(super) request: &'a PlanRequest,
    outputs: &'a Outputs,
    /// Reports for standard output, in the order of the sets.
    pub reports: Vec<Report>,
    /// Complete reports to save.
    pub saved: Vec<Report>,
    /// Sets that could not be planned, in order.
    pub errors: Vec<Unplanned>,
    /// First error.
    first_error: Option<anyhow::Error>,
    /// Gates of each report.
    pub fail_on: Vec<Vec<FailOn>>,
    /// Worst outcome of any plan, for the exit code.
    pub worst: Exit,
    /// Reason of each exit code, by set.
    reasons: Vec<(Exit, String)>,
    /// Warnings to print.
    pub warnings: Vec<String>,
    /// Number of skipped objects, by kind.
    pub skipped: BTreeMap<String, usize>,
    pub(super) findings: Findings,
    places: SourceMap,
    missing: Mutex<UnmatchedPods<'a>>,
    pods: i64,
    /// Answer on nodes, over all sets so far.
    pub nodes: Option<ReportNodes>,
    upgrade: Option<Upgrade>,
    /// Answer on an upgrade, after all sets are planned.
    pub upgraded: Option<ReportUpgrade>,
}

/// Results of planning one set.
pub(super) struct PlannedSet {
    pub(super) report: Report,
    pub(super) saved: Option<Box<Report>>,
    pub(super) exit: Exit,
    /// Reason of the exit code.
    pub(super) reason: Option<String>,
    pub(super) noted: PlanFindings,
    pub(super) fail_on: Vec<FailOn>,
    pub(super) warnings: Vec<String>,
    pub(super) pods: i64,
    /// Answer on nodes for the set, if any.
    pub(super) nodes: Option<NodesOfSet>,
    /// Upgrade path of the set, if requested.
    pub(super) upgrade: Option<UpgradeOfSet>,
}

impl<'a> Plans<'a> {
    /// Creates an empty collection.
    #[must_use]
    pub fn new(request: &'a PlanRequest, outputs: &'a Outputs) -> Self {
        Plans {
            request,
            outputs,
            reports: Vec::new(),
            saved: Vec::new(),
            fail_on: Vec::new(),
            errors: Vec::new(),
            first_error: None,
            worst: Exit::Done,
            reasons: Vec::new(),
            warnings: Vec::new(),
            skipped: BTreeMap::new(),
            findings: Findings::new(request.gates.silence.clone()),
            places: SourceMap::default(),
            missing: Mutex::new(UnmatchedPods::new(
                &request.change,
                request.stages.as_ref(),
                &request.assumptions,
            )),
            pods: 0,
            nodes: None,
            upgrade: None,
            upgraded: None,
        }
    }

    /// Plans a part of the input.
    ///
    /// # Errors
    /// When there is nothing to plan, a manifest cannot be read, a change is invalid for every set, or there are too
    /// many pods. The error of a single set is kept, and the others are planned.
    pub fn take(&mut self, mut input: Input) -> Result<()> {
        nodes::change(&mut input, self.request)?;
        let input = &input;
        if self.upgrade.is_none() {
            self.upgrade = Upgrade::of(self.request, input)?;
        }
        let (loaded, applied) = (&input.loaded, &input.applied);
        self.places.take(loaded, applied);
        let warnings = loaded.warnings.iter().chain(&applied.warnings);
        self.warnings.extend(warnings.cloned());
        for (kind, count) in loaded.skipped.iter().chain(&applied.skipped) {
            *self.skipped.entry(kind.clone()).or_default() += count;
        }
        let selected = resolve::select(
            &self.request.world,
            &self.request.selection,
            loaded,
            applied,
        )?;
        for missing in selected.missing {
            self.fail(missing);
        }
        let sets = self.reports.len() + self.errors.len() + selected.targets.len();
        let needs = self.outputs.needs(sets > 1);
        self.reports.reserve_exact(selected.targets.len());
        let replicas = |target: &Target<'_>| target.replicas(&self.request.change, loaded);
        // A set that is too large fails on its own, before it is planned.
        let planned = selected.targets.iter().map(replicas);
        let planned = planned.filter(|replicas| *replicas <= i64::from(MAX_REPLICAS));
        check_pods(self.pods.saturating_add(planned.sum()))?;
        let course = NodeCourse::of(&selected.targets, input, self.request);
        let course = course.as_ref();
        let manifests = LaterManifests::read(self.request, input)?;
        let before = (self.reports.len(), self.saved.len());
        let mut answers = Vec::new();
        for targets in selected.targets.chunks(AT_ONCE) {
            // Boxed, since each is large and moved several times.
            let made = on_all_cores(targets.iter(), 1, |target| {
                let made = match &self.request.stages {
                    Some(stages) => self.plan_staged(target, input, needs, (stages, &manifests)),
                    None => self.plan(target, input, needs, course),
                };
                made.map(Box::new)
            });
            for (target, mut made) in targets.iter().zip(made) {
                let answer = made.as_mut().ok().and_then(|made| made.nodes.take());
                self.keep(target, made)?;
                answers.extend(answer);
            }
        }
        // Assumed nodes alone have no answer.
        if let Some(course) = course.filter(|_| self.request.nodes.acts()) {
            self.answer(course, before, answers);
        }
        Ok(())
    }

    /// Adds the answers of these sets to each report. Budgets belong to a namespace, so that only the order of nodes
    /// connects parts of a cluster.
    fn answer(
        &mut self,
        course: &NodeCourse,
        (reports, saved): (usize, usize),
        answers: Vec<NodesOfSet>,
    ) {
        let whole = course.course().answer(&self.request.nodes, answers);
        let reports = self.reports.iter_mut().skip(reports);
        for report in reports.chain(self.saved.iter_mut().skip(saved)) {
            let metadata = &report.metadata;
            let is_own =
                |set: &NodesOfSet| set.name == metadata.name && set.namespace == metadata.namespace;
            if let Some(at) = whole.sets.iter().position(is_own) {
                let own = whole.with_set(at);
                if own.strands() && self.request.gates.detailed_exitcode {
                    self.worst = self.worst.worse(Exit::Blocked);
                }
                report.nodes = Some(Box::new(own));
            }
        }
        self.nodes = Some(match self.nodes.take() {
            Some(so_far) => so_far.and(whole),
            None => whole,
        });
    }

    /// Keeps the result of a set.
    fn keep(&mut self, target: &Target<'_>, made: Result<Box<PlannedSet>>) -> Result<()> {
        let made = match made {
            Ok(made) => *made,
            // A manifest that cannot be read makes the whole input invalid.
            Err(error) if error.is::<LoadError>() => return Err(error),
            Err(error) => {
                self.fail(UnplannableSet {
                    namespace: target.namespace().to_owned(),
                    name: target.name().to_owned(),
                    error,
                });
                return Ok(());
            }
        };
        self.pods += made.pods;
        // The change may have added pods.
        check_pods(self.pods)?;
        self.worst = self.worst.worse(made.exit);
        self.reasons
            .extend(made.reason.map(|reason| (made.exit, reason)));
        self.warnings.extend(made.warnings);
        self.warnings.extend(self.findings.note(made.noted));
        if let (Some(upgrade), Some(set)) = (&mut self.upgrade, made.upgrade) {
            upgrade.note(set);
        }
        self.saved.extend(made.saved.map(|report| *report));
        self.reports.push(made.report);
        self.fail_on.push(made.fail_on);
        Ok(())
    }

    /// Returns the reason of an exit code: the first set that has it, and the number of others.
    #[must_use]
    pub fn reason(&self, exit: Exit) -> Option<String> {
        let mut reasons = self.reasons.iter().filter(|(of, _)| *of == exit);
        let (_, first) = reasons.next()?;
        Some(match reasons.count() {
            0 => first.clone(),
            more => format!("{first}, and {more} more"),
        })
    }

    /// Records a set that cannot be planned.
    fn fail(&mut self, set: UnplannableSet) {
        self.worst = self.worst.worse(Exit::Error);
        let message = format!("{:#}", set.error);
        self.errors
            .push(Unplanned::new(&set.namespace, &set.name, &message));
        self.first_error.get_or_insert(set.error);
    }

    /// Adds the results over all plans.
    ///
    /// # Errors
    /// When the only requested set could not be planned, or a named object does not exist.
    pub fn complete(&mut self) -> Result<()> {
        if self.reports.is_empty()
            && self.errors.len() == 1
            && let Some(error) = self.first_error.take()
        {
            return Err(error);
        }
        self.upgraded = self.upgrade.take().map(Upgrade::answer);
        // The plan of a single set is shown without a list.
        if let (Some(upgraded), 1) = (&self.upgraded, self.reports.len()) {
            for report in self.reports.iter_mut().chain(&mut self.saved) {
                report.upgrade = Some(Box::new(upgraded.clone()));
            }
        }
        self.errors.sort_by(|a, b| {
            (&a.metadata.namespace, &a.metadata.name)
                .cmp(&(&b.metadata.namespace, &b.metadata.name))
        });
        let missing = self.missing.get_mut();
        let missing = missing.unwrap_or_else(std::sync::PoisonError::into_inner);
        match missing.check() {
            // It may belong to a set that is not planned.
            Err(error) if !self.errors.is_empty() => self.warnings.push(format!("{error:#}")),
            checked => checked?,
        }
        self.findings.complete(&mut self.reports);
        self.findings.complete(&mut self.saved);
        for report in self.reports.iter_mut().chain(&mut self.saved) {
            self.places.fill_in(report);
        }
        Ok(())
    }

    /// Looks for the pods that flags name in a plan.
    pub(super) fn look_for_named(&self, plan: &Plan) {
        let missing = self.missing.lock();
        missing
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .find_in(plan);
    }

    fn plan(
        &self,
        target: &Target<'_>,
        input: &Input,
        needs: Needs,
        course: Option<&NodeCourse>,
    ) -> Result<PlannedSet> {
        let request = self.request;
        let rules = SetRules::of(request, target);
        let mut warnings = Vec::new();
        let mut conditions = rules.conditions(&input.conditions);
        if let Some(outage) = course.and_then(|course| course.outage(target)) {
            conditions.outage = outage;
        }
        let plan = resolve::plan(
            target,
            &request.change,
            &input.loaded,
            &conditions,
            &mut warnings,
        )?;
        let plan = plan.of(input.read.of(target.namespace()));
        let plan = plan.with_assumptions(course.map_or_else(Vec::new, NodeCourse::sentences));
        let nodes = course.and_then(|course| {
            let at = course.place(target)?;
            Some(course.course().of_set(at, &plan))
        });
        let questions = rules.questions(&request.questions);
        let (noted, fail_on) = (self.findings.of(&plan, &rules.suppress()), rules.fail_on());
        let save = request.output.save.is_some();
        // Facts for gates, saved plans or ignored findings are computed whatever is shown.
        let all =
            save || request.output.display.verbose || !fail_on.is_empty() || noted.ignores_some();
        let questions = Questions {
            step_branches: needs.step_branches,
            observations: needs.looks,
            eta: save || needs.eta,
            findings: match all {
                true => Scope::Hypothetical,
                false => needs.findings,
            },
            ..questions
        };
        let analysis = match questions.explore {
            Some(_) => {
                let mut search = Search::new(request.world.shows_progress);
                analyze_driven(&plan, &questions, &mut search)
            }
            None => analyze(&plan, &questions),
        };
        let pods = i64::from(plan.snapshot.set.replicas);
        self.look_for_named(&plan);
        let mut exit = match Exit::of(&analysis) {
            Exit::Rejected => Exit::Rejected,
            other if request.gates.detailed_exitcode => other,
            _ => Exit::Done,
        };
        if analysis.what_if.has_violation() {
            exit = exit.worse(Exit::Finding);
        }
        let set = &plan.snapshot.set.meta;
        let reason = reason(exit, &analysis)
            .map(|reason| format!("{}/{} {reason}", set.namespace, set.name));
        let report = match needs.objects {
            true => Report::from(&analysis),
            false => Report::without_objects(&analysis),
        };
        let upgrade = self.upgrade.as_ref().map(|upgrade| {
            (
                upgrade,
                SetUpgrade::of(&plan, &upgrade.path, target.manifest()),
            )
        });
        let with_upgrade = |mut report: Report| {
            if let Some((upgrade, set)) = &upgrade {
                report.add_findings(set.findings.clone());
                report.upgrade = Some(Box::new(upgrade.of_set(set.set.clone())));
            }
            report
        };
        let lines = source_map::of_refusals(&plan, &input.applied, &input.loaded);
        let saved = save.then(|| Report::from(&analysis).with_refusals_at(&lines));
        let saved = saved.map(|report| Box::new(with_upgrade(report)));
        let report = with_upgrade(report.with_refusals_at(&lines));
        Ok(PlannedSet {
            report,
            saved,
            exit,
            reason,
            noted,
            fail_on,
            warnings,
            pods,
            nodes,
            upgrade: upgrade.map(|(_, set)| set.set),
        })
    }
}

fn check_pods(pods: i64) -> Result<()> {
    if pods > MAX_PODS {
        bail!("more than {MAX_PODS} pods in total: name the sets to plan");
    }
    Ok(())
}

/// Describes an exit code of a plan.
fn reason(exit: Exit, analysis: &Analysis<'_>) -> Option<String> {
    Some(match exit {
        Exit::Work => "has work to do and completes".to_owned(),
        Exit::Blocked | Exit::Rejected => format!("is {}", analysis.plan.outcome.result()),
        Exit::Finding => {
            let broken = analysis
                .what_if
                .requirements
                .iter()
                .find(|checked| !checked.holds);
            match broken {
                Some(checked) => format!("breaks the requirement {}", checked.text),
                None => "is not verified for every order of events".to_owned(),
            }
        }
        Exit::Done | Exit::Error | Exit::Interrupted => return None,
    })
}
