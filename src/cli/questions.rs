//! Questions beyond the one plan: requirements that hold all the way, failures, and every order of events.

use clap::Args;

use sts_controller::simulate::Bounds;
use sts_controller::version::{Version, VersionError};
use sts_plan::lint::Scope;
use sts_plan::options::Order;
use sts_plan::requirement::{Requirement, RequirementError};
use sts_plan::what_if;
use sts_plan::what_if::Failures;

/// Questions beyond the one plan.
#[derive(Debug, Args)]
#[command(next_help_heading = "Questions")]
pub struct Questions {
    /// Require this at every step: 'unavailable<=1'; repeatable
    ///
    /// Quantities: ready, available, unavailable, terminating, replicas, updated, revision-mix; compared by <=, >= or
    /// == with a number or, as in ready>=75%, with a share of the replicas; quorum is a majority ready. One that breaks
    /// is exit code 5.
    #[arg(long, value_name = "REQUIREMENT", value_parser = parse_requirement)]
    pub require: Vec<Requirement>,

    /// Upgrade the control plane to 1.NN, one minor after the other
    ///
    /// Passes through each minor in turn, from the version of the server, of the dump or of --kubernetes-version: which
    /// sets restart, what they gain or lose, which manifests are refused afterwards. 1.NN is its last patch; to pass
    /// through a certain one, name it: 1.34.1,1.36.
    #[arg(long, value_name = "1.NN[.P]", value_delimiter = ',', value_parser = parse_known_version)]
    pub upgrade_to: Vec<Version>,

    /// Let each ready pod fail in turn, or each pair (=2)
    ///
    /// For each pod that becomes ready, and each that is ready now: where the rollout stops, what serves then, and
    /// whether a revert of the template is enough. With =2 for each pair of pods, the worst first.
    #[arg(
        long,
        value_name = "PODS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1",
        value_parser = clap::value_parser!(u8).range(1..=2)
    )]
    pub what_if_fails: Option<u8>,

    /// Show what can be done now, and what each costs
    ///
    /// In the middle of a rollout: go on, pause, resume, roll back, finish faster, or repair what is stuck. Each is
    /// simulated: how long it takes, what it restarts, what is down at worst, and whether the quorum and the data are kept.
    #[arg(long)]
    pub options: bool,

    /// Print the command that may be run now, if any
    ///
    /// For OnDelete, and for a partition that is lowered step by step. The command alone is on standard output. While it
    /// has to wait there is none, and exit code 2; at the end there is none, and exit code 0. Requirements,
    /// PodDisruptionBudgets and the quorum hold it back. A loop that does a rollout is in the help on next.
    #[arg(long)]
    pub next: bool,

    /// Set the order for --next under OnDelete: primary-last=role=primary
    ///
    /// Pods with that label are replaced last. Otherwise pods go from the highest ordinal down.
    #[arg(long, value_name = "ORDER", requires = "next")]
    pub order: Option<Order>,

    /// Show which pods are on which revision at each partition
    ///
    /// At rest, and the revision that each comes back on when it is restarted.
    #[arg(long, alias = "partitions")]
    pub every_partition: bool,

    /// Try fields, images, failing pods and stages by keys
    ///
    /// A screen with the lanes of the plan, for one set: arrow keys go through its steps, other keys turn a field, type an
    /// image, let a pod fail or begin a stage, and plan again. The command line of the plan on the screen stands below it,
    /// and is printed at the end.
    #[arg(long)]
    pub interactive: bool,

    /// Does it hold in every order of events?
    ///
    /// All orders are searched, not only the one that the durations make: whether requirements hold in all of them,
    /// and without requirements whether all of them complete.
    #[arg(long)]
    pub explore: bool,

    /// Pods that may fail, never become ready or vanish while exploring
    #[arg(long, value_name = "N", default_value_t = 0, requires = "explore")]
    pub faults: u8,

    /// States after which exploring stops
    #[arg(long, value_name = "N", default_value_t = 200_000, requires = "explore", value_parser = clap::value_parser!(u32).range(1..=200_000_000))]
    pub max_states: u32,
}

impl Questions {
    /// Returns the questions in the planner's own terms.
    #[must_use]
    pub fn asked(&self) -> what_if::Questions {
        what_if::Questions {
            requirements: self.require.clone(),
            failures: match self.what_if_fails {
                None => Failures::None,
                Some(1) => Failures::Each,
                Some(_) => Failures::Pairs,
            },
            partitions: self.every_partition,
            options: self.options,
            observations: false,
            eta: false,
            findings: Scope::default(),
            explore: self.explore.then(|| {
                let states = usize::try_from(self.max_states).unwrap_or(usize::MAX);
                Bounds::new(usize::from(self.faults), states)
            }),
        }
    }
}

fn parse_requirement(text: &str) -> Result<Requirement, String> {
    text.parse()
        .map_err(|error: RequirementError| error.to_string())
}

fn parse_known_version(text: &str) -> Result<Version, String> {
    Version::known(text).map_err(|error: VersionError| error.to_string())
}
