//! The command line: contract sections 1 to 4 and 7. One file for each group of flags.

mod assumptions;
mod change;
mod connection;
mod controller;
mod duration;
pub mod exit;
pub mod fail_on;
mod gate;
mod input;
mod output;
pub mod policy;
mod questions;
mod selection;
mod watch;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{CommandFactory, Parser};

pub use assumptions::{Assumed, Assumptions, ReadyAfter};
pub(crate) use assumptions::{parse_assumption, parse_ready_after};
pub use change::{ApplyMode, Change, DeleteCascade, StrategyType};
pub use connection::{Connection, Token};
pub use controller::Controller;
pub(crate) use duration::parse_duration;
pub use gate::Gate;
pub use input::Input;
pub use output::{Color, Output};
pub use questions::Questions;
pub use selection::Selection;
pub use watch::Watch;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Yellow.on_default().bold())
    .usage(AnsiColor::Yellow.on_default().bold())
    .literal(AnsiColor::Green.on_default())
    .placeholder(AnsiColor::Cyan.on_default());

const EXAMPLES: &str = "\
Examples:
  # What happens next to a set of the cluster, and then
  kubectl sts-plan web -n prod

  # What if, live: another partition; a chart that is about to be applied
  kubectl sts-plan web -n prod --partition 2
  helm template . | kubectl sts-plan -n prod --apply -

  # All sets of the cluster, one row each, those that are stuck first
  kubectl sts-plan -A

  # What happens next in a dump of a cluster, and then
  kubectl get sts,po,pvc,controllerrevisions -o yaml | kubectl sts-plan -f -

  # The first rollout of a manifest
  kubectl sts-plan -f web.yaml

  # What if: another partition, another image
  kubectl sts-plan -f dump.yaml web --partition 2
  kubectl sts-plan -f dump.yaml web --image app=registry.example/app:2

  # What if: a pod is deleted; the set is deleted without its pods and created anew
  kubectl sts-plan -f dump.yaml web --delete-pod web-1
  kubectl sts-plan -f dump.yaml --delete=orphan --apply new.yaml

  # What applying a manifest would do
  helm template . | kubectl sts-plan -f dump.yaml --apply -

  # Follow a rollout to its end: the plan with every change, against what was predicted
  kubectl sts-plan web -n prod -w --timeout 10m

  # What has become of a plan: save it, let things happen, and compare (or with -f later.yaml)
  kubectl sts-plan web -n prod --save plan.json
  kubectl sts-plan verify plan.json

  # As the controller of another version would do it, in a CI job
  kubectl sts-plan -f dump.yaml --kubernetes-version 1.27.4 --detailed-exitcode

  # Fail a pull request that would lose data or go down; what a finding means
  helm template . | kubectl sts-plan -f dump.yaml --apply - --fail-on blocked,rejected,data-loss,downtime
  kubectl sts-plan explain STS003

Exit codes:
  0  a plan was printed (with --detailed-exitcode: and there is nothing to do)
  1  an error in usage or input
  2  --detailed-exitcode: there is something to do, and it completes
  3  --detailed-exitcode or --fail-on blocked: blocked or livelock
  4  --detailed-exitcode or --fail-on rejected: the API server would refuse the change
  5  a finding that --fail-on names; a requirement breaks, or exploring found an order that goes wrong or did not come to its end
  Of several, 4 counts before 3, 3 before 5, and 5 before 2.

Exit codes of -w:
  0  the set is complete, or gone after its deletion was seen
  1  an error, the end of --timeout, or the set is gone without a warning
  3  blocked or livelock: nothing more will happen
  130  interrupted

Exit codes of verify:
  0  all that happened is what was predicted: pending, on track, ahead or finished
     (a step that is late is said to be so, and is no divergence)
  1  an error in usage or input
  2  --detailed-exitcode: the same as 0, and not finished yet
  3  diverged: something else happened
  4  stale: the set is gone, or asks for something else than what was planned";

/// Predicts what the StatefulSet controller does next, and the whole rollout after it. Read-only.
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-sts_plan",
    version,
    after_help = "Connection flags, examples and exit codes: --help",
    after_long_help = EXAMPLES,
    styles = STYLES,
    max_term_width = 110
)]
pub struct Args {
    /// The sets to plan: web, sts/web, statefulset/web or statefulsets.apps/web; without a name all sets of
    /// the input, or of the namespace. Or `versions`: the table of Kubernetes versions and feature gates. Or
    /// `verify FILE`: what has become of the plan in that file. Or `explain [ID]`: what is found, and what to do
    /// about it. Or `schema [plan|policy]`: the JSON Schema of a plan, or of a policy file
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,

    /// Where the objects come from.
    #[command(flatten)]
    pub input: Input,

    /// How the cluster is reached.
    #[command(flatten)]
    pub connection: Connection,

    /// What somebody is about to do.
    #[command(flatten)]
    pub change: Change,

    /// Which sets are planned.
    #[command(flatten)]
    pub selection: Selection,

    /// Whose behaviour is predicted.
    #[command(flatten)]
    pub controller: Controller,

    /// What is assumed of the world besides.
    #[command(flatten)]
    pub assumptions: Assumptions,

    /// What is asked beyond the plan.
    #[command(flatten)]
    pub questions: Questions,

    /// What makes the run fail.
    #[command(flatten)]
    pub gate: Gate,

    /// Whether the plan is made once, or again and again.
    #[command(flatten)]
    pub watch: Watch,

    /// What is printed.
    #[command(flatten)]
    pub output: Output,
}

/// The command line's grammar.
#[must_use]
pub fn command() -> clap::Command {
    Args::command()
}

impl Args {
    /// Takes names that are empty for names that are not given, as kubectl does: a script writes `-n "$NAMESPACE"`.
    #[must_use]
    pub fn without_empty(mut self) -> Self {
        self.selection.without_empty();
        self
    }
}
