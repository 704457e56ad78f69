//! What makes a run fail, and what is not worth mentioning: docs/contract.md, "Exit codes".

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::cli::fail_on::FailOn;
use sts_plan::lint::Silence;

/// What makes a run fail, and what is not worth mentioning.
#[derive(Debug, Args)]
#[command(next_help_heading = "Gates")]
pub struct Gate {
    /// Fail on blocked, rejected, data-loss, ...
    ///
    /// blocked is exit code 3, rejected 4, and all others 5: data-loss, downtime, pdb, the id or name of a finding, or
    /// a severity and above (info, warning, error).
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub fail_on: Vec<FailOn>,

    /// Leave these findings out: STS001,downtime; repeatable
    ///
    /// kubectl sts-plan explain lists them.
    #[arg(long, value_name = "ID", value_parser = Silence::parse)]
    pub ignore: Vec<Silence>,

    /// Policy file: gates, requirements, ignores and assumptions
    ///
    /// A flag takes the place of its key. kubectl sts-plan schema policy prints the schema.
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
