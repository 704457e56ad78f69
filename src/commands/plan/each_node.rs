//! `--drain each`: every node of the input drained by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use anyhow::Result;

use super::input_set::{AllCores, InputSet};
use super::plans::change_nodes;
use super::progress_line::QuestionWatch;
use super::set_rules::SetRules;
use crate::input::read::Input;
use crate::input::resolve::{self, LaterManifests, UnmatchedPods};
use crate::output::files::Outputs;
use crate::request::PlanRequest;
use sts_controller::simulate::Allowance;
use sts_plan::fleet::{SetPlaces, nodes_answer, with_pods};
use sts_plan::nodes::NodeActions;
use sts_plan::report::{ReportEachNode, ReportNodes};

/// Work of the change of a node, for each pod of the input.
const UNITS_OF_A_POD: u64 = 200;

/// A driver without a progress line of its own.
const QUIET: AllCores = AllCores {
    shows_progress: false,
};

/// Answers for the nodes so far, from the parts of the input.
#[derive(Default)]
pub(super) struct EachNode {
    answers: BTreeMap<String, ReportNodes>,
    /// Nodes that were not tried with every part of the input.
    left_out: BTreeSet<String>,
}

impl EachNode {
    /// Drains each node of a part of the input. The input stays as it was.
    pub(super) fn take<'a>(
        &mut self,
        input: &mut Input,
        request: &'a PlanRequest,
        outputs: &Outputs,
        missing: &Mutex<UnmatchedPods<'a>>,
    ) -> Result<()> {
        let before = (input.conditions.clone(), input.loaded.inventory.related());
        let names: Vec<String> = before
            .1
            .nodes()
            .map(|node| node.meta.name.to_string())
            .collect();
        let allowance = Allowance::new(request.budget)
            .watched(QuestionWatch::new(request.world.shows_progress));
        let question = allowance.question();
        let part = Part {
            request,
            outputs,
            missing,
            allowance: &allowance,
        };
        let pods = || input.loaded.inventory.pods();
        let with_pods = with_pods(&before.0, pods());
        let pods = u64::try_from(pods().count()).unwrap_or(u64::MAX);
        let places = part.with_sets(input, |_| true, |sets| SetPlaces::of(sets, &QUIET))?;
        // Without any set, the pods of others are not drained either.
        let stand_in = places.iter().position(Option::is_some);
        for name in names {
            if question.exhausted().is_some() {
                self.left_out.insert(name);
                continue;
            }
            let actions = NodeActions {
                drain: vec![name.clone()],
                budgets_ignored_after: request.fleet.nodes.budgets_ignored_after,
                ..NodeActions::default()
            };
            allowance.spend(pods.saturating_mul(UNITS_OF_A_POD));
            input.conditions = with_pods.clone();
            change_nodes(input, &actions)?;
            let is_affected = |at: usize| {
                let found = places[at].as_ref();
                Some(at) == stand_in || found.is_some_and(|it| it.is_affected(&name))
            };
            let answer = part.with_sets(input, is_affected, |sets| {
                nodes_answer(sets, &actions, &input.conditions, &QUIET)
            })?;
            input.conditions = before.0.clone();
            input.loaded.inventory.set_related(before.1.clone());
            // A simulation that was cut off has no result.
            if question.exhausted().is_some() {
                self.left_out.insert(name);
                continue;
            }
            let Some(answer) = answer else { continue };
            let so_far = self.answers.remove(&name);
            let merged = match so_far {
                Some(so_far) => so_far.and(answer),
                None => answer,
            };
            self.answers.insert(name, merged);
        }
        Ok(())
    }

    /// Returns the table of all nodes.
    pub(super) fn answer(mut self) -> ReportNodes {
        self.answers.retain(|name, _| !self.left_out.contains(name));
        let mut assumed: Vec<String> = Vec::new();
        for sentence in self.answers.values().flat_map(|answer| &answer.assumed) {
            if !assumed.contains(sentence) {
                assumed.push(sentence.clone());
            }
        }
        let mut answers = self.answers.values();
        let all_pods_read = answers.all(|answer| answer.all_pods_read);
        let rows = self
            .answers
            .iter()
            .map(|(name, answer)| ReportEachNode::of(name, answer));
        ReportNodes::of_each(rows.collect(), self.left_out.len(), assumed, all_pods_read)
    }
}

/// The request and the state of a run, for a part of its input.
struct Part<'p, 'a> {
    request: &'a PlanRequest,
    outputs: &'p Outputs,
    missing: &'p Mutex<UnmatchedPods<'a>>,
    allowance: &'p Allowance,
}

impl Part<'_, '_> {
    /// Answers a question about some sets of the input as it is now, by their index.
    fn with_sets<R>(
        &self,
        input: &Input,
        is_asked: impl Fn(usize) -> bool,
        answer: impl FnOnce(&[InputSet<'_, '_>]) -> R,
    ) -> Result<R> {
        let (loaded, applied) = (&input.loaded, &input.applied);
        let request = self.request;
        let selected = resolve::select(&request.world, &request.selection, loaded, applied)?;
        let manifests = LaterManifests::read(request, input)?;
        let targets = selected.targets.iter().enumerate();
        let targets = targets.filter(|(at, _)| is_asked(*at));
        let sets = targets.map(|(_, target)| InputSet {
            request,
            input,
            manifests: &manifests,
            target,
            rules: SetRules::of(request, target),
            needs: self.outputs.needs(true),
            missing: self.missing,
            allowance: self.allowance.clone(),
        });
        let sets: Vec<InputSet<'_, '_>> = sets.collect();
        Ok(answer(&sets))
    }
}
