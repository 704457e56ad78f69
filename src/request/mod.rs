//! What the user asks for, without a word of how a command line spells it. `cli` makes a [`Request`] of arguments and
//! of a policy; everything behind it reads requests and knows no flags.

mod change;
mod fail_on;
mod set_rule;
mod shell;
mod world;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use sts_controller::simulate::Assumption;
use sts_controller::version::Version;
use sts_plan::lint::Suppressions;
use sts_plan::what_if::Questions;

use crate::output::{Asked, Format};

pub use change::{ApplyMode, Change, Validate};
pub use fail_on::{FailOn, words as fail_on_words};
pub use set_rule::{SetMatch, SetRule};
pub use shell::{Shell, UnknownShell};
pub use world::{Connection, Selection, Token, World};

/// One run of the program.
#[derive(Debug)]
pub enum Request {
    /// The plans of sets.
    Plan(Box<PlanRequest>),
    /// Plans of a set with fields that the user turns.
    Interactive(Box<InteractiveRequest>),
    /// The plan of a set with every change of the cluster.
    Watch(Box<WatchRequest>),
    /// A saved plan against the world as it is now.
    Verify(Box<VerifyRequest>),
    /// Two plans against each other.
    Diff(DiffRequest),
    /// Everything that plans use, as one List.
    Dump(Box<DumpRequest>),
    /// The pages of these rules; without any, all rules in a line each.
    Explain(Vec<String>),
    /// A JSON Schema.
    Schema(SchemaOf),
    /// The table of Kubernetes versions, with its header or without.
    Versions {
        /// Whether the header is printed.
        headers: bool,
    },
    /// The role that planning takes.
    Rbac(Box<RbacRequest>),
    /// The completion script of a shell.
    Completion(Shell),
}

/// What a plan is made of, and where it goes.
#[derive(Debug)]
pub struct PlanRequest {
    /// Where the objects come from.
    pub world: World,
    /// Which sets are planned.
    pub selection: Selection,
    /// The command that the first name may be meant to be, by its letters.
    pub near_command: Option<String>,
    /// What the user is about to do.
    pub change: Change,
    /// Whose behaviour is predicted.
    pub controller: Controller,
    /// The moment at which the plan begins; the current time if there is none.
    pub now: Option<Timestamp>,
    /// What is assumed of the world besides.
    pub assumptions: Assumptions,
    /// What is asked beyond the plan.
    pub questions: Questions,
    /// What makes the run fail.
    pub gates: Gates,
    /// What is printed and saved.
    pub output: Output,
}

/// Which set is played with, and from what plan on.
#[derive(Debug)]
pub struct InteractiveRequest {
    /// The plan to begin with.
    pub plan: PlanRequest,
    /// The command line of that plan as a shell takes it, without secrets and without the flags that keys turn.
    pub command_line: String,
}

/// Which set is watched, and how it is planned.
#[derive(Debug)]
pub struct WatchRequest {
    /// Where the set is: always a cluster.
    pub world: World,
    /// Which set.
    pub selection: Selection,
    /// Whose behaviour is predicted.
    pub controller: Controller,
    /// What is assumed of the world besides.
    pub assumptions: Assumptions,
    /// The rules whose findings are not mentioned.
    pub silence: Suppressions,
    /// The format of updates: table, JSON or YAML.
    pub format: Format,
    /// How text looks.
    pub display: Display,
    /// When the watch ends at the latest.
    pub timeout: Option<Duration>,
    /// What is run on each change of the plan.
    pub on_change: Option<ChangeCommand>,
}

/// A command that is run on each change of a plan.
#[derive(Debug, Clone)]
pub struct ChangeCommand {
    /// The line, as the shell takes it.
    pub line: String,
    /// How long a run may take.
    pub timeout: Duration,
}

/// Which saved plans are compared with what.
#[derive(Debug)]
pub struct VerifyRequest {
    /// The file of plans; `-` is standard input.
    pub plans: String,
    /// Where the objects come from that the plans are compared with.
    pub world: World,
    /// The moment of those objects; the current time if there is none.
    pub now: Option<Timestamp>,
    /// The format of what is found: any that has no picture.
    pub format: Asked,
    /// How text looks.
    pub display: Display,
    /// Whether the exit code tells that a plan is not finished yet.
    pub detailed_exitcode: bool,
}

/// Which plans are compared with each other.
#[derive(Debug)]
pub struct DiffRequest {
    /// The file of the first plans; `-` is standard input.
    pub first: String,
    /// The file of the second.
    pub second: String,
    /// Table, Markdown, summary, JSON or YAML.
    pub format: Format,
    /// How text looks.
    pub display: Display,
    /// Whether the exit code tells that they differ.
    pub detailed_exitcode: bool,
}

/// What is written out.
#[derive(Debug)]
pub struct DumpRequest {
    /// Where the objects come from, which are kept as they came.
    pub world: World,
    /// Which sets they are about.
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
    /// Whether the role is for all namespaces.
    pub all_namespaces: bool,
}

/// Which JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaOf {
    /// That of a plan.
    Plan,
    /// That of a policy file.
    Policy,
}

/// Whose behaviour is predicted: docs/contract.md, "The Kubernetes version".
#[derive(Debug, Clone, Default)]
pub struct Controller {
    /// The controller's version; that of the server, or the newest known, if there is none.
    pub version: Option<Version>,
    /// Its feature gates, by name.
    pub gates: BTreeMap<String, bool>,
}

/// What is assumed of the world besides the controller: docs/contract.md, "The simulated world".
#[derive(Debug, Clone, Default)]
pub struct Assumptions {
    /// How long a new pod takes to become ready; as long as the set's own pods took if there is none.
    pub ready_after: Option<SignedDuration>,
    /// How long a deleted pod takes to go, unless its grace period is shorter; the usual time if there is none.
    pub gone_after: Option<SignedDuration>,
    /// What is assumed of single pods, by name.
    pub by_pod: BTreeMap<String, Assumption>,
    /// The pods that flags name: each has to be one of a planned set.
    pub named: Vec<String>,
}

/// What makes a run fail, and what is not mentioned: docs/contract.md, "Exit codes".
#[derive(Debug, Clone, Default)]
pub struct Gates {
    /// The words of `--fail-on`.
    pub fail_on: Vec<FailOn>,
    /// The rules whose findings are not mentioned.
    pub silence: Suppressions,
    /// Whether the exit code tells how the plan ends.
    pub detailed_exitcode: bool,
    /// What counts for some sets, a later rule before an earlier one.
    pub for_sets: Vec<SetRule>,
    /// The policy that was found without being named.
    pub found_policy: Option<PathBuf>,
}

/// What is printed and saved: docs/contract.md, "Machine output".
#[derive(Debug)]
pub struct Output {
    /// The format of standard output.
    pub format: Asked,
    /// Files that the plan is written to, each in a format of its own.
    pub files: Vec<(Asked, PathBuf)>,
    /// The words of the command line without secrets, which a saved plan carries.
    pub command_line: Vec<String>,
    /// The file that the plan is saved to as JSON, for `verify`.
    pub save: Option<PathBuf>,
    /// Whether formats made to be posted show values that may be secrets.
    pub show_values: bool,
    /// How text looks.
    pub display: Display,
}

/// How text for people looks.
#[derive(Debug, Clone, Copy)]
pub struct Display {
    /// When there are colours.
    pub color: Color,
    /// Whether tables have headers.
    pub headers: bool,
    /// Whether everything is said that there is to say.
    pub verbose: bool,
    /// Whether a table of many sets has those with nothing to do.
    pub idle_sets: bool,
    /// Whether a table of many sets has a row for each, also where many have one cause.
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
