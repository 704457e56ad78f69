//! What makes a run fail, and what is not worth mentioning: docs/contract.md, "Exit codes".

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::cli::fail_on::FailOn;
use sts_plan::lint::Silence;

/// What makes a run fail, and what is not worth mentioning.
#[derive(Debug, Args)]
#[command(next_help_heading = "Gates")]
pub struct Gate {
    /// Fail on these, with several commas between: blocked (exit code 3), rejected (4); and with exit code 5 on
    /// data-loss, downtime, pdb, the id of a rule, or a severity and above: info, warning, error
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub fail_on: Vec<FailOn>,

    /// Do not mention findings of these rules: STS001,downtime; may be repeated. See `kubectl sts-plan explain`
    #[arg(long, value_name = "ID", value_parser = Silence::parse)]
    pub ignore: Vec<Silence>,

    /// Take gates, requirements, ignores and assumptions from this YAML file; a flag takes the place of its key
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub policy: Option<PathBuf>,
}

impl Gate {
    /// All rules that were silenced.
    #[must_use]
    pub fn silence(&self) -> Silence {
        let given = self.ignore.iter();
        given.fold(Silence::default(), |all, some| all.and(some))
    }
}
