//! Flags for conditions that fail a run, and for ignored findings: docs/contract.md, "Exit codes".

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::request::SetRule;
use sts_plan::fleet::FailOn;
use sts_plan::lint::Suppressions;

/// Conditions that fail a run, and ignored findings.
#[derive(Debug, Args)]
#[command(next_help_heading = "Gates")]
pub struct Gate {
    /// Fail on blocked, rejected, data-loss, ...
    ///
    /// blocked returns exit code 3, also for a plan that completes only against the evidence, rejected 4, and unknown 1,
    /// if the input cannot tell. All others return 5: data-loss, downtime, pdb, quorum, the id or name of a finding, or a
    /// minimum severity (info, warning, error).
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub fail_on: Vec<FailOn>,

    /// Ignore these findings: STS001,downtime; repeatable
    ///
    /// Takes the words of --fail-on and explain; a severity ignores findings of that severity and below. Every report
    /// lists the ignored findings.
    #[arg(long, value_name = "ID", value_parser = Suppressions::parse)]
    pub ignore: Vec<Suppressions>,

    /// Exit with code 0 if a set does not exist, or there is none
    ///
    /// As in kubectl: for a first installation, or a chart without a StatefulSet. Other sets are planned.
    #[arg(long)]
    pub ignore_not_found: bool,

    /// Policy file: gates, requirements, ignored findings, assumptions
    ///
    /// The default is .sts-plan.yaml in the directory of the input file or a parent directory within the repository;
    /// without a repository, in the directory of the file or the working directory. none means no policy. A flag
    /// overrides the key of the same name.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub policy: Option<PathBuf>,

    /// Policy rules for some sets.
    #[arg(skip)]
    pub for_sets: Vec<SetRule>,

    /// Policy that was found automatically.
    #[arg(skip)]
    pub found: Option<PathBuf>,

    /// Policy that was read, named or found.
    #[arg(skip)]
    pub read: Option<PathBuf>,
}

impl Gate {
    /// Combines all ignored findings.
    pub fn suppress(&self) -> Suppressions {
        let given = self.ignore.iter();
        given.fold(Suppressions::default(), |all, some| all.and(some))
    }
}
