//! The request of the user, independent of the command line. `cli` creates a [`Request`] from arguments and a policy; all
//! later stages read requests and know no flags, except kubectl's own [`kubectl_config::ConfigFlags`].

mod change;
mod demo;
mod set_rule;
mod shell;
mod stages;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use sts_controller::simulate::Assumption;
use sts_controller::version::Version;
use sts_plan::cause::Catalogue;
use sts_plan::fleet::{FailOn, FleetQuestions};
use sts_plan::grant::Grant;
use sts_plan::lint::Suppressions;
use sts_plan::options::Order;
use sts_plan::what_if::Questions;

use crate::output::{Format, OutputSpec};

pub use change::{ApplyMode, Change, ServerSide};
pub use demo::{DEMOS, Demo};
pub use set_rule::{SetMatch, SetRule, is_like};
pub use shell::Shell;
pub use stages::{LaterStage, StageTerms, Stages};
pub use world::{Selection, World};

/// One run of the program.
#[derive(Debug)]
pub enum Request {
    /// The plans of sets.
    Plan(Box<PlanRequest>),
    /// Interactive plans of a set.
    Interactive(Box<InteractiveRequest>),
    /// The next command of a rollout.
    Next(Box<NextRequest>),
    /// A plan of a set on every change in the cluster.
    Watch(Box<WatchRequest>),
    /// A saved plan compared with the current objects.
    Verify(Box<VerifyRequest>),
    /// Two plans compared with each other.
    Diff(DiffRequest),
    /// The list of the demos.
    Demos,
    /// Everything that plans read, as one List.
    Dump(Box<DumpRequest>),
    /// Details of these rules, or a list of all rules.
    Explain {
        /// Ids, names or severities; empty for the list.
        ids: Vec<String>,
        /// Known causes.
        catalogue: Catalogue,
    },
    /// A JSON Schema.
    Schema(SchemaKind),
    /// The table of Kubernetes versions, with its header or without.
    Versions {
        /// True if the header is printed.
        headers: bool,
    },
    /// The differences of two Kubernetes versions.
    VersionDiff(VersionDiffRequest),
    /// The RBAC role for planning.
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
    /// True if the header is printed.
    pub headers: bool,
}

/// The request for a plan: its input and its output.
#[derive(Debug)]
pub struct PlanRequest {
    /// The source of the objects.
    pub world: World,
    /// The selection of sets to plan.
    pub selection: Selection,
    /// End of the message for a set that is not found: the command that its name may mean.
    pub hint: Option<String>,
    /// Change to plan; with stages, that of the first.
    pub change: Change,
    /// The stages of a change in several steps.
    pub stages: Option<Stages>,
    /// Simulated controller.
    pub controller: Controller,
    /// Start time of the plan; `None` for the current time.
    pub now: Option<Timestamp>,
    /// Assumptions about the simulated world.
    pub assumptions: Assumptions,
    /// Questions about all sets together.
    pub fleet: FleetQuestions,
    /// Questions about each set.
    pub questions: Questions,
    /// Work that each question may do, in units of [`Allowance`](sts_controller::simulate::Allowance).
    pub budget: u64,
    /// Conditions that fail the run, and ignored findings.
    pub gates: Gates,
    /// The output to print and save.
    pub output: Output,
}

/// The request for an interactive session: the set, and the plan to begin with.
#[derive(Debug)]
pub struct InteractiveRequest {
    /// The plan to begin with.
    pub plan: PlanRequest,
    /// Shell command line of that plan, without secrets and editable flags.
    pub command_line: String,
    /// Pods that editable flags assume to fail.
    pub failing: Vec<String>,
    /// Plans of that command line with more arguments.
    pub extended: ExtendedPlan,
}

/// Returns the request of a command line with these arguments appended, or an error message.
type Extend = dyn Fn(&[String]) -> Result<PlanRequest, String>;

/// Plans of a command line with more arguments.
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
    /// Order of the pods under OnDelete.
    pub order: Order,
    /// Shell flags with which a command reaches the same cluster; may be empty.
    pub flags: String,
}

/// The request for a watch: the set, and the conditions of its plans.
#[derive(Debug)]
pub struct WatchRequest {
    /// The set in a cluster, and the conditions of its plans; with stages, the plan of all of them.
    pub plan: PlanRequest,
    /// The format of updates: table, JSON or YAML.
    pub format: Format,
    /// Timeout of the watch.
    pub timeout: Option<Duration>,
    /// Command to run on every change of the plan.
    pub on_change: Option<ChangeCommand>,
}

/// Command to run on every change of a plan.
#[derive(Debug, Clone)]
pub struct ChangeCommand {
    /// Shell command line.
    pub line: String,
    /// States whose beginning runs it; empty to run it on every change.
    pub on: Vec<ChangeState>,
    /// The timeout of a run.
    pub timeout: Duration,
}

/// A state whose beginning can run a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeState {
    /// The rollout is blocked, or never settles.
    Blocked,
    /// There is nothing left to do.
    Done,
}

/// The request for a verification: the saved plans, and the objects to compare them with.
#[derive(Debug)]
pub struct VerifyRequest {
    /// The file of plans; `-` is standard input.
    pub plans: String,
    /// Source of the objects to compare the plans with.
    pub world: World,
    /// Time of those objects; `None` for the current time.
    pub now: Option<Timestamp>,
    pub format: OutputSpec,
    /// The style of text.
    pub display: Display,
    /// True if the exit code shows whether a plan is finished.
    pub detailed_exitcode: bool,
}

/// The request for a comparison of two plans.
#[derive(Debug)]
pub struct DiffRequest {
    /// The file of the first plans; `-` is standard input.
    pub first: String,
    /// The file of the second plans.
    pub second: String,
    /// Table, Markdown, summary, JSON or YAML.
    pub format: Format,
    /// The style of text.
    pub display: Display,
    /// True if the exit code shows whether the plans differ.
    pub detailed_exitcode: bool,
}

#[derive(Debug)]
pub struct DumpRequest {
    /// Source of the objects, which are kept in their original form.
    pub world: World,
    /// Selection of sets.
    pub selection: Selection,
    /// Time of the objects; `None` for the current time.
    pub now: Option<Timestamp>,
    /// YAML or JSON.
    pub format: Format,
}

/// Request for an RBAC role.
#[derive(Debug)]
pub struct RbacRequest {
    /// Kubeconfig with the namespace and the identity.
    pub world: World,
    /// True if the role is for all namespaces.
    pub all_namespaces: bool,
}

/// A JSON Schema that can be printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaKind {
    /// Schema of a plan.
    Plan,
    /// Schema of a policy file.
    Policy,
    /// Schema of a stages file.
    Stages,
}

/// Simulated controller: docs/contract.md, "The Kubernetes version".
#[derive(Debug, Clone, Default)]
pub struct Controller {
    /// Version of the controller; `None` for that of the server, or the newest supported one.
    pub version: Option<Version>,
    /// Feature gates by name.
    pub gates: BTreeMap<String, bool>,
}

/// Assumptions about the simulated world: docs/contract.md, "The simulated world".
#[derive(Debug, Clone, Default)]
pub struct Assumptions {
    /// Time a new pod takes to become ready; `None` to measure the set's own pods.
    pub ready_after: Option<SignedDuration>,
    /// Time a deleted pod takes to terminate, at most its grace period; `None` for the default.
    pub gone_after: Option<SignedDuration>,
    /// The assumptions about single pods, by name.
    pub by_pod: BTreeMap<String, Assumption>,
    /// Objects and amounts that are assumed to exist.
    pub grants: Vec<Grant>,
    /// Revisions whose pods are assumed to become ready, by name or hash.
    pub working: BTreeSet<Arc<str>>,
    /// Known causes.
    pub catalogue: Catalogue,
    /// Pods named by flags: each has to belong to a planned set.
    pub named: Vec<String>,
    /// Revisions named by flags: each has to belong to a planned set.
    pub named_revisions: Vec<String>,
}

/// Conditions that fail a run, and ignored findings: docs/contract.md, "Exit codes".
#[derive(Debug, Clone, Default)]
pub struct Gates {
    /// The words of `--fail-on`.
    pub fail_on: Vec<FailOn>,
    /// Ignored findings.
    pub silence: Suppressions,
    /// True if the exit code shows the outcome of the plan.
    pub detailed_exitcode: bool,
    /// Rules for some sets; later rules take precedence.
    pub for_sets: Vec<SetRule>,
    /// Policy that was found automatically.
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
    /// Command line for the saved plan, without secrets.
    pub command_line: Vec<String>,
    /// The file that the plan is saved to as JSON, for `verify`.
    pub save: Option<PathBuf>,
    /// True if markdown and html show values that may be secrets.
    pub show_values: bool,
    /// The style of text.
    pub display: Display,
}

/// The style of text for people.
#[derive(Debug, Clone, Copy)]
pub struct Display {
    /// When to use color.
    pub color: Color,
    /// True if tables have headers.
    pub headers: bool,
    /// True if the output omits nothing.
    pub verbose: bool,
    /// True if a table of several sets includes idle ones.
    pub idle_sets: bool,
    /// True if a table of several sets has one row per set.
    pub each_set: bool,
}

/// When to use color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// On terminals that support color.
    Auto,
    /// Even if the output is not a terminal.
    Always,
    /// No color.
    Never,
}
