//! The bare command: `kubectl sts-plan [NAME]...`, with every flag of a plan.

use anyhow::{Result, bail};
use clap::Args;

use super::assumptions::{Assumptions, Moment};
use super::change::Change;
use super::controller::Controller;
use super::gate::Gate;
use super::input::Input;
use super::nodes::Nodes;
use super::output::{Display, Output};
use super::questions::Questions;
use super::selection::{Namespace, Selection, all_or_named};
use super::set_names::set_names;
use super::stages::Stages;
use super::watch::Watch;
use crate::request::{Gates, PlanRequest, World};
use kubectl_config::ConfigFlags;

/// The arguments of a plan.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// Sets to plan [default: all of the namespace, or of the input]
    ///
    /// In any form of kubectl get: web, sts/web, sts web api, statefulset.v1.apps/web; pod/web-1 is the set of that
    /// pod. A set that has the name of a command is written with its kind: sts/verify
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,

    /// The sources of the objects.
    #[command(flatten)]
    pub input: Input,

    /// The connection to the cluster.
    #[command(flatten)]
    pub connection: ConfigFlags,

    /// The user's change.
    #[command(flatten)]
    pub change: Change,

    /// The steps of the change.
    #[command(flatten)]
    pub stages: Stages,

    /// In which namespace.
    #[command(flatten)]
    pub namespace: Namespace,

    /// The sets to plan.
    #[command(flatten)]
    pub selection: Selection,

    /// Actions on nodes.
    #[command(flatten)]
    pub nodes: Nodes,

    /// The controller whose behaviour is predicted.
    #[command(flatten)]
    pub controller: Controller,

    /// When the plan begins.
    #[command(flatten)]
    pub moment: Moment,

    /// Assumptions about the world around the controller.
    #[command(flatten)]
    pub assumptions: Assumptions,

    /// Questions beyond the plan.
    #[command(flatten)]
    pub questions: Questions,

    /// Conditions that make the run fail.
    #[command(flatten)]
    pub gate: Gate,

    /// Repetition: one plan, or a new one with each change of the cluster.
    #[command(flatten)]
    pub watch: Watch,

    /// The format of the answer.
    #[command(flatten)]
    pub output: Output,

    /// The look of the text.
    #[command(flatten)]
    pub display: Display,
}

impl PlanArgs {
    /// Returns the request that the arguments make.
    ///
    /// # Errors
    /// When they contradict each other.
    pub(super) fn request(self, command_line: Vec<String>) -> Result<PlanRequest> {
        if let Some(contradiction) = self.change.contradiction() {
            bail!("{contradiction}");
        }
        let expansion = self.assumptions.expansion();
        if let (Some(expansion), true) = (expansion, self.stages.grow.is_empty()) {
            bail!(
                "--assume {expansion} is for --grow, which asks how volumes expand: add --grow, or leave it out"
            );
        }
        let near_command = near_command(&self.names);
        refuse_files(&self.names, near_command.as_deref())?;
        let names = set_names(&self.names)?;
        all_or_named(&self.selection, &names)?;
        let silence = self.gate.suppress();
        let display = self.output.display(self.display)?;
        Ok(PlanRequest {
            world: world(self.input, self.connection, self.namespace, display.verbose),
            selection: self.selection.of(names),
            change: self.change.into(),
            stages: self.stages.request()?,
            controller: self.controller.into(),
            now: self.moment.now,
            nodes: self.nodes.actions(self.assumptions.more_nodes()),
            assumptions: self.assumptions.request()?,
            near_command,
            upgrade_to: self.questions.upgrade_to.clone(),
            questions: self.questions.asked(),
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
                page_link: None,
                display,
            },
        })
    }
}

/// The command that the first name may be meant to be.
fn near_command(names: &[String]) -> Option<String> {
    let first = names.first()?;
    let commands = super::commands().into_keys();
    let distance = |command: &str| strsim::damerau_levenshtein(first, command);
    let near = commands.filter(|command| distance(command) <= 1 + command.len() / 5);
    near.min_by_key(|command| distance(command))
}

/// Refuses names that are those of files: to plan one, a flag stands before it.
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
        bail!(
            "there is no command {:?}: did you mean {command}?",
            names[0]
        );
    }
    bail!(
        "{file:?} is the name of a file, and that of a set is expected: write -f {file} to plan what is in it, or \
         --apply {file} to plan what applying it does"
    );
}

/// Returns the sources of the objects. With `-v` everything is said line by line, and nothing is drawn on the terminal.
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
        namespace: namespace.given(),
        shows_progress: !verbose,
        keeps_originals: false,
    }
}
