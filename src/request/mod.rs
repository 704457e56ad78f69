//! The user's request, without a word of how a command line spells it. `cli` makes a [`Request`] of arguments and
//! of a policy; everything behind it reads requests and knows no flags. Only [`kubectl_config::ConfigFlags`] are flags: they are
//! kubectl's, and are handed on as they are.

mod change;
mod demo;
mod fail_on;
mod set_rule;
mod shell;
mod stages;
mod world;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use sts_controller::simulate::Assumption;
use sts_controller::version::Version;
use sts_plan::grant::Grant;
use sts_plan::lessons::Lessons;
use sts_plan::lint::Suppressions;
use sts_plan::nodes::NodeActions;
use sts_plan::options::Order;
use sts_plan::what_if::Questions;

use crate::output::{Format, OutputSpec};

pub use change::{ApplyMode, Change, Partition, ServerSide};
pub use demo::{DEMOS, Demo};
pub use fail_on::{FailOn, words as fail_on_words};
pub use set_rule::{SetMatch, SetRule};
pub use shell::{Shell, UnknownShell};
pub use stages::{LaterStage, StageTerms, Stages};
pub use world::{Selection, World};

/// One run of the program.
#[derive(Debug)]
pub enum Request {
    /// The plans of sets.
    Plan(Box<PlanRequest>),
    /// Plans of a set with fields that the user turns.
    Interactive(Box<InteractiveRequest>),
    /// The next command of a rollout.
    Next(Box<NextRequest>),
    /// The plan of a set with every change of the cluster.
    Watch(Box<WatchRequest>),
    /// A saved plan against the world as it is now.
    Verify(Box<VerifyRequest>),
    /// Two plans against each other.
    Diff(DiffRequest),
    /// The list of the demos.
    Demos,
    /// Everything that plans use, as one List.
    Dump(Box<DumpRequest>),
    /// The pages of these rules; without any, all rules in a line each.
    Explain(Vec<String>),
    /// A JSON Schema.
    Schema(SchemaKind),
    /// The table of Kubernetes versions, with its header or without.
    Versions {
        /// True if the header is printed.
        headers: bool,
    },
    /// The differences of two Kubernetes versions.
    VersionDiff(VersionDiffRequest),
    /// The role that planning takes.
    Rbac(Box<RbacRequest>),
    /// The completion script of a shell.
    Completion(Shell),
}

/// Two Kubernetes versions, and the format of their differences.
#[derive(Debug)]
pub struct VersionDiffRequest {
    /// The first version.
    pub from: Version,
    /// The second version.
    pub to: Version,
    /// Table, JSON or YAML.
    pub format: Format,
    /// Set where headers are printed.
    pub headers: bool,
}

/// The request for a plan: its input and its output.
#[derive(Debug)]
pub struct PlanRequest {
    /// The source of the objects.
    pub world: World,
    /// The selection of sets to plan.
    pub selection: Selection,
    /// The command that the first name may be meant to be, by its letters.
    pub near_command: Option<String>,
    /// The change that the user is about to make; of several stages, the first one's.
    pub change: Change,
    /// The stages of a change in several steps.
    pub stages: Option<Stages>,
    /// The controller whose behavior is predicted.
    pub controller: Controller,
    /// The moment at which the plan begins; the current time if there is none.
    pub now: Option<Timestamp>,
    /// The other assumptions about the world.
    pub assumptions: Assumptions,
    /// The actions on nodes.
    pub nodes: NodeActions,
    /// The versions that the control plane is upgraded to, in order.
    pub upgrade_to: Vec<Version>,
    /// The questions beyond the plan.
    pub questions: Questions,
    /// The conditions that make the run fail.
    pub gates: Gates,
    /// The output to print and save.
    pub output: Output,
}

/// The request for an interactive session: the set, and the plan to begin with.
#[derive(Debug)]
pub struct InteractiveRequest {
    /// The plan to begin with.
    pub plan: PlanRequest,
    /// The command line of that plan as a shell takes it, without secrets and without the flags that keys turn.
    pub command_line: String,
    /// The pods that fail in that plan by flags that keys turn.
    pub failing: Vec<String>,
    /// The plans that keys make of that command line.
    pub extended: ExtendedPlan,
}

/// Makes the request of a plan whose command line has more words at its end; or says why there is none.
type Extend = dyn Fn(&[String]) -> Result<PlanRequest, String>;

/// The plans of a command line with more words at its end, as the program reads them.
pub struct ExtendedPlan(pub Box<Extend>);

impl std::fmt::Debug for ExtendedPlan {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("ExtendedPlan")
    }
}

/// The request for the next command of a rollout.
#[derive(Debug)]
pub struct NextRequest {
    /// The set, and the conditions of its plan.
    pub plan: PlanRequest,
    /// The order of pods, where the user chooses it.
    pub order: Order,
    /// The flags that a command needs to reach the same cluster, as a shell takes them; empty for none.
    pub flags: String,
}

/// The request for a watch: the set, and the conditions of its plans.
#[derive(Debug)]
pub struct WatchRequest {
    /// The source of the set: always a cluster.
    pub world: World,
    /// The selection of the set.
    pub selection: Selection,
    /// The controller whose behavior is predicted.
    pub controller: Controller,
    /// The other assumptions about the world.
    pub assumptions: Assumptions,
    /// The rules whose findings are not mentioned.
    pub silence: Suppressions,
    /// The format of updates: table, JSON or YAML.
    pub format: Format,
    /// The style of text.
    pub display: Display,
    /// When the watch ends at the latest.
    pub timeout: Option<Duration>,
    /// The command that is run on each change of the plan.
    pub on_change: Option<ChangeCommand>,
    /// The request for the plan of all stages, of a change in several steps.
    pub stages: Option<Box<PlanRequest>>,
}

/// A command that is run on each change of a plan.
#[derive(Debug, Clone)]
pub struct ChangeCommand {
    /// The line, as the shell takes it.
    pub line: String,
    /// The timeout of a run.
    pub timeout: Duration,
}

/// The request for a verification: the saved plans, and the objects to compare them with.
#[derive(Debug)]
pub struct VerifyRequest {
    /// The file of plans; `-` is standard input.
    pub plans: String,
    /// The source of the objects that the plans are compared with.
    pub world: World,
    /// The moment of those objects; the current time if there is none.
    pub now: Option<Timestamp>,
    /// The format of what is found: any that has no picture.
    pub format: OutputSpec,
    /// The file that it is written to as JSON besides, for `--learn`.
    pub save: Option<PathBuf>,
    /// The style of text.
    pub display: Display,
    /// True if the exit code tells that a plan is not finished yet.
    pub detailed_exitcode: bool,
}

/// The request for a comparison of two plans.
#[derive(Debug)]
pub struct DiffRequest {
    /// The file of the first plans; `-` is standard input.
    pub first: String,
    /// The file of the second.
    pub second: String,
    /// Table, Markdown, summary, JSON or YAML.
    pub format: Format,
    /// The style of text.
    pub display: Display,
    /// True if the exit code tells that they differ.
    pub detailed_exitcode: bool,
}

/// The request for a dump.
#[derive(Debug)]
pub struct DumpRequest {
    /// The source of the objects, which are kept as they came.
    pub world: World,
    /// The selection of sets that they are about.
    pub selection: Selection,
    /// The moment of the objects; the current time if there is none.
    pub now: Option<Timestamp>,
    /// YAML or JSON.
    pub format: Format,
}

/// Whom a role is for.
#[derive(Debug)]
pub struct RbacRequest {
    /// The kubeconfig that names the namespace and the identity.
    pub world: World,
    /// True if the role is for all namespaces.
    pub all_namespaces: bool,
}

/// A JSON Schema that can be printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaKind {
    /// That of a plan.
    Plan,
    /// That of a policy file.
    Policy,
    /// That of a file of stages.
    Stages,
}

/// The controller whose behavior is predicted: docs/contract.md, "The Kubernetes version".
#[derive(Debug, Clone, Default)]
pub struct Controller {
    /// The controller's version; that of the server, or the newest known, if there is none.
    pub version: Option<Version>,
    /// Its feature gates, by name.
    pub gates: BTreeMap<String, bool>,
}

/// The assumptions about the world besides the controller: docs/contract.md, "The simulated world".
#[derive(Debug, Clone, Default)]
pub struct Assumptions {
    /// The time that a new pod takes to become ready; as long as the set's own pods took if there is none.
    pub ready_after: Option<SignedDuration>,
    /// The time that a deleted pod takes to terminate, unless its grace period is shorter; the usual time if there is
    /// none.
    pub gone_after: Option<SignedDuration>,
    /// The lessons of earlier rollouts; `None` where none are to be learned from.
    pub lessons: Option<Arc<Lessons>>,
    /// The assumptions about single pods, by name.
    pub by_pod: BTreeMap<String, Assumption>,
    /// The things that are taken to be there though they are not.
    pub grants: Vec<Grant>,
    /// The pods that flags name: each has to be one of a planned set.
    pub named: Vec<String>,
}

/// The conditions that make a run fail, and the findings that are not mentioned: docs/contract.md, "Exit codes".
#[derive(Debug, Clone, Default)]
pub struct Gates {
    /// The words of `--fail-on`.
    pub fail_on: Vec<FailOn>,
    /// The rules whose findings are not mentioned.
    pub silence: Suppressions,
    /// True if the exit code tells how the plan ends.
    pub detailed_exitcode: bool,
    /// The rules for some sets, a later rule before an earlier one.
    pub for_sets: Vec<SetRule>,
    /// The policy that was found without being named.
    pub found_policy: Option<PathBuf>,
    /// The policy that was read, named or found.
    pub policy: Option<PathBuf>,
}

/// The output to print and save: docs/contract.md, "Machine output".
#[derive(Debug)]
pub struct Output {
    /// The format of standard output.
    pub format: OutputSpec,
    /// Files that the plan is written to, each in a format of its own.
    pub files: Vec<(OutputSpec, PathBuf)>,
    /// The words of the command line without secrets, which a saved plan carries.
    pub command_line: Vec<String>,
    /// The file that the plan is saved to as JSON, for `verify`.
    pub save: Option<PathBuf>,
    /// True if formats made to be posted show values that may be secrets.
    pub show_values: bool,
    /// The page that plans, where pages link to it.
    pub page_link: Option<PageLink>,
    /// The style of text.
    pub display: Display,
}

/// A link to the page that plans (`playground/`).
#[derive(Debug, PartialEq, Eq)]
pub struct PageLink {
    /// The page's address.
    pub url: String,
    /// Its fields, by name.
    pub settings: BTreeMap<String, String>,
}

/// The style of text for people.
#[derive(Debug, Clone, Copy)]
pub struct Display {
    /// When there are colours.
    pub color: Color,
    /// True if tables have headers.
    pub headers: bool,
    /// True if output leaves nothing out.
    pub verbose: bool,
    /// True if a table of many sets includes those with nothing to do.
    pub idle_sets: bool,
    /// True if a table of many sets has a row for each, also where many have one cause.
    pub each_set: bool,
}

/// When there are colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// On a terminal that wants them.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}
