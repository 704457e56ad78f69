//! The bare command: `kubectl sts-plan [NAME]...`, with every flag of a plan.

use anyhow::{Result, bail};
use clap::Args;

use super::assumptions::{Assumptions, Moment};
use super::change::Change;
use super::controller::Controller;
use super::gate::Gate;
use super::input::Input;
use super::kubectl_words;
use super::nodes::Nodes;
use super::output::{Display, Output};
use super::questions::Questions;
use super::selection::{Namespace, Selection, all_or_named};
use super::set_names::set_names;
use super::stages::Stages;
use super::watch::Watch;
use crate::request;
use crate::request::{Gates, PlanRequest, World};
use kubectl_config::ConfigFlags;

/// The arguments of a plan. Help shows the groups in this order.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// Sets to plan [default: all in the namespace or input]
    ///
    /// In any form that kubectl get accepts: web, sts/web, sts web api, statefulset.v1.apps/web; also prod/web, web,api
    /// and 'web-*'. pod/web-1 means the set of that pod. If a set has the name of a command, add its kind: sts/verify
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,

    #[command(flatten)]
    pub(crate) input: Input,

    #[command(flatten)]
    pub(crate) namespace: Namespace,

    #[command(flatten)]
    pub(crate) selection: Selection,

    #[command(flatten)]
    pub(crate) change: Change,

    #[command(flatten)]
    pub(crate) stages: Stages,

    #[command(flatten)]
    pub(crate) nodes: Nodes,

    #[command(flatten)]
    pub(crate) controller: Controller,

    #[command(flatten)]
    pub(crate) moment: Moment,

    #[command(flatten)]
    pub(crate) assumptions: Assumptions,

    #[command(flatten)]
    pub(crate) questions: Questions,

    #[command(flatten)]
    pub(crate) gate: Gate,

    #[command(flatten)]
    pub(crate) output: Output,

    #[command(flatten)]
    pub(crate) display: Display,

    #[command(flatten)]
    pub(crate) watch: Watch,

    #[command(flatten)]
    pub(crate) connection: ConfigFlags,
}

impl PlanArgs {
    /// Returns the request.
    ///
    /// # Errors
    /// When the arguments contradict each other.
    pub(super) fn request(mut self, command_line: Vec<String>) -> Result<PlanRequest> {
        if let Some(contradiction) = self.change.contradiction() {
            bail!("{contradiction}");
        }
        let more = !self.assumptions.more_nodes().is_empty();
        if let Some(contradiction) = self.nodes.contradiction(more, &self.questions) {
            bail!("{contradiction}");
        }
        // The order of --next is not about nodes.
        let order = self.questions.order.clone();
        let order = order.filter(|_| self.nodes.return_after.is_some());
        if self.questions.order.is_some() && order.is_none() && !self.questions.next {
            bail!("--order is about --next or --return-after: add one of them");
        }
        let ignores_budgets = self.assumptions.budgets_ignored_after().is_some();
        if ignores_budgets && !self.assumptions.assumed_by_policy && self.nodes.drain.is_empty() {
            bail!("--assume budgets=ignored-after:DURATION is about a drain: add --drain");
        }
        let expansion = self.assumptions.expansion();
        if let (Some(expansion), true) = (expansion, self.stages.grow.is_empty()) {
            bail!("--assume {expansion} requires --grow: add --grow, or omit the assumption");
        }
        let near_command = near_command(&self.names);
        refuse_files(&self.names, near_command.as_deref())?;
        let names = set_names(&self.names, &mut self.namespace)?;
        all_or_named(&self.selection, &names)?;
        let silence = self.gate.suppress();
        let display = self.output.display(self.display)?;
        Ok(PlanRequest {
            world: world(self.input, self.connection, self.namespace, display.verbose),
            selection: request::Selection {
                ignores_not_found: self.gate.ignore_not_found,
                ..self.selection.of(names)
            },
            change: self.change.into(),
            stages: self.stages.request()?,
            controller: self.controller.into(),
            now: self.moment.now,
            fleet: self.questions.fleet(self.nodes.actions(
                self.assumptions.more_nodes(),
                self.assumptions.budgets_ignored_after(),
                order,
            )),
            assumptions: self.assumptions.request()?,
            hint: kubectl_words::command_hint(&self.names)
                .or_else(|| Some(format!("or did you mean the command {}?", near_command?))),
            budget: u64::from(self.questions.budget) * 1_000_000,
            questions: self.questions.what_if(),
            gates: Gates {
                fail_on: self.gate.fail_on,
                silence,
                detailed_exitcode: self.output.detailed_exitcode,
                for_sets: self.gate.for_sets,
                found_policy: self.gate.found,
                policy: self.gate.read,
            },
            output: crate::request::Output {
                format: self.output.output,
                files: self.output.report,
                command_line,
                save: self.output.save,
                show_values: self.output.show_values,
                display,
            },
        })
    }
}

/// Returns the command that the first name may be a typo of.
fn near_command(names: &[String]) -> Option<String> {
    let first = names.first()?;
    let commands = super::commands().into_keys();
    let distance = |command: &str| strsim::damerau_levenshtein(first, command);
    let near = commands.filter(|command| distance(command) <= 1 + command.len() / 5);
    near.min_by_key(|command| distance(command))
}

/// Refuses file names, which need a flag.
fn refuse_files(names: &[String], near_command: Option<&str>) -> Result<()> {
    let is_file = |name: &&String| {
        let manifest = [".yaml", ".yml", ".json"]
            .iter()
            .any(|end| name.ends_with(end));
        *name == "-" || (manifest && !name.starts_with("sts/") && !name.contains("statefulset"))
    };
    let Some(file) = names.iter().find(is_file) else {
        return Ok(());
    };
    if let (Some(command), true) = (near_command, names.len() > 1) {
        bail!("unknown command {:?}: did you mean {command}?", names[0]);
    }
    bail!(
        "expected a set, not a file: {file:?}; use -f {file} to plan the sets in it, or --apply {file} to plan \
         applying it"
    );
}

/// Returns the sources of objects. `-v` prints line by line and draws no progress.
pub(super) fn world(
    input: Input,
    connection: ConfigFlags,
    namespace: Namespace,
    verbose: bool,
) -> World {
    World {
        demo: input.demo,
        files: input.filename,
        recursive: input.recursive,
        connection,
        namespace: namespace.non_empty(),
        shows_progress: !verbose,
        keeps_originals: false,
    }
}
