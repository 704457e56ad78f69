//! Flags for requirements and what-if questions.

use clap::Args;

use super::number::whole_number;
use sts_controller::simulate::Bounds;
use sts_controller::version::Version;
use sts_plan::fleet::FleetQuestions;
use sts_plan::lint::Scope;
use sts_plan::nodes::NodeActions;
use sts_plan::options::Order;
use sts_plan::requirement::Requirement;
use sts_plan::what_if;
use sts_plan::what_if::Failures;

/// Requirements and what-if questions.
#[derive(Debug, Args)]
#[command(next_help_heading = "Questions")]
pub struct Questions {
    /// Require this at every step; repeatable
    ///
    /// 'unavailable<=1': compare a quantity (ready, available, unavailable, terminating, replicas, updated, revision-mix) by <=, >= or ==
    /// with a number or, as in ready>=75%, with a percentage of the replicas. quorum requires a ready majority. If a
    /// requirement breaks, the exit code is 5. Not with --drain each.
    #[arg(long, value_name = "REQUIREMENT")]
    pub require: Vec<Requirement>,

    /// Upgrade the control plane, minor by minor
    ///
    /// Starts from the version of the server, the dump or --kubernetes-version. Shows for each minor version which sets
    /// restart, what they gain or lose, and which manifests are refused afterwards. 1.NN means its last patch; to go
    /// through a specific patch, name it: 1.34.1,1.36.
    #[arg(long, value_name = "1.NN[.P]", value_delimiter = ',', value_parser = Version::known)]
    pub upgrade_to: Vec<Version>,

    /// Let each pod fail in turn, or each pair (=2)
    ///
    /// Shows for each pod that is or becomes ready: where the rollout stops, which pods still serve, and whether
    /// reverting the template is enough. With =2, for each pair of pods, the worst first.
    #[arg(
        long,
        value_name = "PODS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1",
        value_parser = whole_number(1..=2_u8)
    )]
    pub what_if_fails: Option<u8>,

    /// Show what you can do now, and its cost
    ///
    /// Continue, pause, resume, roll back, speed up, or repair a stuck rollout. Each action is simulated: how long it
    /// takes, what it restarts, how many pods are down at worst, and whether it keeps the quorum and the data.
    #[arg(long)]
    pub options: bool,

    /// Print the command that may be run now
    ///
    /// For OnDelete, and for lowering a partition step by step. Standard output has only the command. It is empty with
    /// exit code 2 while you have to wait, and empty with exit code 0 at the end. Requirements, PodDisruptionBudgets
    /// and the quorum hold the command back. The help on next has a loop for a whole rollout.
    #[arg(long)]
    pub next: bool,

    /// Order --next under OnDelete, or name the primaries of --return-after
    ///
    /// primary-last=role=primary: pods with that label are replaced last. By default, pods are replaced from the
    /// highest ordinal down. With --return-after, the answer counts the switchovers.
    #[arg(long, value_name = "ORDER")]
    pub order: Option<Order>,

    /// Show each pod at every partition
    ///
    /// Shows the revision of each pod for every partition, and the revision that each pod comes back on if it restarts
    /// after the rollout.
    #[arg(long, alias = "partitions")]
    pub every_partition: bool,

    /// Change fields interactively, and plan again
    ///
    /// Shows the plan of one set as lanes. Arrow keys move through its steps; other keys change a field, type an image,
    /// let a pod fail or begin a stage, and plan again. The screen shows the command line of the current plan, and
    /// prints it at the end.
    #[arg(long)]
    pub interactive: bool,

    /// Check every order of events
    ///
    /// Searches all orders of events for one that breaks a requirement or, without requirements, does not complete. Not with
    /// --drain, --cordon or --lose.
    #[arg(long)]
    pub explore: bool,

    /// Number of pods that may fail in --explore
    ///
    /// A pod that fails also stands for one that never becomes ready, and for one that vanishes.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole_number(0..=u8::MAX))]
    pub faults: u8,

    /// Millions of steps for a question [default: 100]
    ///
    /// A question that has done it stops, and says how far it got. 100 takes about two seconds. Many sets share it.
    #[arg(long, value_name = "MILLIONS", default_value_t = 100, hide_default_value = true, value_parser = whole_number(1..=u32::MAX))]
    pub budget: u32,
}

impl Questions {
    /// Returns the questions about all sets, with those about nodes.
    pub fn fleet(&self, nodes: NodeActions) -> FleetQuestions {
        FleetQuestions {
            nodes,
            upgrade_to: self.upgrade_to.clone(),
        }
    }

    /// Returns the questions about each set.
    pub fn what_if(&self) -> what_if::Questions {
        what_if::Questions {
            requirements: self.require.clone(),
            failures: match self.what_if_fails {
                None => Failures::None,
                Some(1) => Failures::Each,
                Some(_) => Failures::Pairs,
            },
            step_branches: false,
            partitions: self.every_partition,
            options: self.options,
            observations: false,
            eta: false,
            findings: Scope::default(),
            explore: self
                .explore
                .then(|| Bounds::new(usize::from(self.faults), usize::MAX)),
        }
    }
}
