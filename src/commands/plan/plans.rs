//! Plans of all sets of the input, part by part. Only the report of each is kept, so that many sets fit in memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, anyhow};

use super::each_node::EachNode;
use super::input_set::{AllCores, InputSet};
use super::progress_line::QuestionWatch;
use super::set_rules::SetRules;
use crate::input::read::Input;
use crate::input::resolve;
use crate::input::resolve::{LaterManifests, NotFound, UnmatchedPods};
use crate::input::source_map::SourceMap;
use crate::output::files::Outputs;
use crate::request::PlanRequest;
use sts_controller::simulate::Allowance;
use sts_plan::fleet::{Fleet, FleetError, FleetRequest, FleetRun, SetName, after_nodes};
use sts_plan::nodes::NodeActions;
use sts_plan::plan::Conditions;

/// Plans of the parts of the input so far.
pub struct Plans<'a> {
    request: &'a PlanRequest,
    outputs: &'a Outputs,
    on_terminal: bool,
    run: FleetRun<'a, anyhow::Error>,
    notes: Notes,
    places: SourceMap,
    missing: Mutex<UnmatchedPods<'a>>,
    /// Every node drained by itself, if requested.
    each: Option<EachNode>,
}

/// Notes on the input.
#[derive(Default)]
pub struct Notes {
    /// Warnings to print.
    pub warnings: Vec<String>,
    /// Number of skipped objects, by kind.
    pub skipped: BTreeMap<String, usize>,
    /// Sets that do not exist, if that is no error.
    pub not_found: Vec<String>,
}

impl<'a> Plans<'a> {
    /// Creates an empty collection. `on_terminal` if standard output is a terminal.
    pub fn new(request: &'a PlanRequest, outputs: &'a Outputs, on_terminal: bool) -> Self {
        let run = FleetRun::new(FleetRequest {
            questions: &request.fleet,
            suppressions: &request.gates.silence,
            objects: outputs.needs(true).objects,
            saves: request.output.save.is_some(),
        });
        Plans {
            request,
            outputs,
            on_terminal,
            run,
            notes: Notes::default(),
            places: SourceMap::default(),
            each: request.fleet.nodes.is_each().then(EachNode::default),
            missing: Mutex::new(UnmatchedPods::new(
                &request.change,
                request.stages.as_ref(),
                &request.assumptions,
            )),
        }
    }

    /// Plans a part of the input.
    ///
    /// # Errors
    /// When there is nothing to plan, a manifest cannot be read, a change is invalid for every set, or there are too
    /// many pods. The error of a single set is kept, and the others are planned.
    pub fn take(&mut self, mut input: Input) -> Result<()> {
        let request = self.request;
        if let Some(each) = &mut self.each {
            each.take(&mut input, request, self.outputs, &self.missing)?;
        } else {
            change_nodes(&mut input, &request.fleet.nodes)?;
        }
        let input = &input;
        let (loaded, applied) = (&input.loaded, &input.applied);
        self.places.take(loaded, applied);
        let warnings = loaded.warnings.iter().chain(&applied.warnings);
        self.notes.warnings.extend(warnings.cloned());
        for (kind, count) in loaded.skipped.iter().chain(&applied.skipped) {
            *self.notes.skipped.entry(kind.clone()).or_default() += count;
        }
        let selected = resolve::select(&request.world, &request.selection, loaded, applied)?;
        for missing in selected.missing {
            if request.selection.ignores_not_found && missing.error.is::<NotFound>() {
                self.notes.not_found.push(missing.error.to_string());
                continue;
            }
            let set = SetName {
                namespace: missing.namespace,
                name: missing.name,
            };
            self.run.fail(&set, missing.error);
        }
        let sets = self.run.sets() + selected.targets.len();
        let mut needs = self.outputs.needs(sets > 1);
        // Only a terminal has a column for them. Its width does not count.
        needs.step_branches &= self.on_terminal;
        let manifests = LaterManifests::read(request, input)?;
        let shows_progress = request.world.shows_progress;
        let targets = selected.targets.iter();
        let sets: Vec<InputSet<'_, '_>> = targets
            .map(|target| InputSet {
                request,
                input,
                manifests: &manifests,
                target,
                rules: SetRules::of(request, target),
                needs,
                missing: &self.missing,
                allowance: Allowance::share(request.budget, selected.targets.len())
                    .watched(QuestionWatch::new(shows_progress)),
            })
            .collect();
        let driver = AllCores { shows_progress };
        let planned = self.run.take(&sets, &input.conditions, &driver);
        planned.map_err(|error| match error {
            FleetError::Set(error) => error,
            FleetError::Upgrade(_) | FleetError::TooManyPods => anyhow!("{error}"),
        })
    }

    /// Adds the results over all plans.
    ///
    /// # Errors
    /// When the only requested set could not be planned, or a named object does not exist.
    pub fn complete(self) -> Result<(Fleet, Notes)> {
        let mut fleet = self.run.complete()?;
        if let Some(each) = self.each {
            let answer = each.answer();
            if let [report] = fleet.reports.as_mut_slice() {
                report.nodes = Some(Box::new(answer.clone()));
            }
            fleet.nodes = Some(answer);
        }
        let mut notes = self.notes;
        notes.warnings.append(&mut fleet.warnings);
        let missing = self.missing.into_inner();
        let has_no_set = fleet.reports.is_empty() && fleet.errors.is_empty();
        match missing.unwrap_or_else(PoisonError::into_inner).check() {
            // They belong to sets that do not exist.
            Err(_) if has_no_set && !notes.not_found.is_empty() => {}
            // It may belong to a set that is not planned.
            Err(error) if !(fleet.errors.is_empty() && notes.not_found.is_empty()) => {
                notes.warnings.push(format!("{error:#}"))
            }
            checked => checked?,
        }
        for report in fleet.reports.iter_mut().chain(&mut fleet.saved) {
            self.places.fill_in(report);
        }
        Ok((fleet, notes))
    }
}

/// Applies actions to the nodes of the input.
pub(super) fn change_nodes(input: &mut Input, actions: &NodeActions) -> Result<()> {
    if actions.is_empty() {
        return Ok(());
    }
    let inventory = &input.loaded.inventory;
    let before = Conditions {
        related: inventory.related(),
        ..input.conditions.clone()
    };
    let after = after_nodes(&before, actions, inventory.pods());
    input.conditions = after.map_err(|error| anyhow!("{error}"))?;
    let related = &input.conditions.related;
    input.loaded.inventory.set_related(related.clone());
    Ok(())
}
