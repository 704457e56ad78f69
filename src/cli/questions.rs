//! What is asked beyond the one plan: what has to hold all the way, and whether it does in every order.

use clap::Args;

use sts_controller::simulate::Bounds;
use sts_plan::requirement::{Requirement, RequirementError};
use sts_plan::what_if;

/// What is asked.
#[derive(Debug, Args)]
#[command(next_help_heading = "Questions")]
pub struct Questions {
    /// Require something of every moment of the rollout, such as unavailable<=1, ready>=75% or revision-mix<=2; may be
    /// repeated. Quantities: ready, available, unavailable, terminating, replicas, updated, revision-mix
    #[arg(long, value_name = "REQUIREMENT", value_parser = parse_requirement)]
    pub require: Vec<Requirement>,

    /// Tell for each pod that has to become ready where the rollout stops if it never does, what serves then, and
    /// whether going back to the template before is enough to recover
    #[arg(long)]
    pub what_if_fails: bool,

    /// Tell for every partition which pods are on which revision when the rollout is at rest, and on which each would
    /// come back if it were restarted
    #[arg(long)]
    pub partitions: bool,

    /// Search every order of events, not only the one that the durations make: whether requirements hold in all of
    /// them, and without requirements whether all of them complete
    #[arg(long)]
    pub explore: bool,

    /// Let up to so many pods fail, never become ready, or vanish while exploring
    #[arg(long, value_name = "N", default_value_t = 0, requires = "explore")]
    pub faults: u8,

    /// Stop exploring after so many states
    #[arg(long, value_name = "N", default_value_t = 200_000, requires = "explore", value_parser = clap::value_parser!(u32).range(1..=5_000_000))]
    pub max_states: u32,
}

impl Questions {
    /// What is asked, in the planner's own terms.
    #[must_use]
    pub fn asked(&self) -> what_if::Questions {
        what_if::Questions {
            requirements: self.require.clone(),
            branches: self.what_if_fails,
            partitions: self.partitions,
            explore: self.explore.then_some(Bounds {
                waiting_pods: Bounds::WAITING_PODS,
                faults: usize::from(self.faults),
                states: usize::try_from(self.max_states).unwrap_or(usize::MAX),
            }),
        }
    }
}

fn parse_requirement(text: &str) -> Result<Requirement, String> {
    text.parse()
        .map_err(|error: RequirementError| error.to_string())
}
