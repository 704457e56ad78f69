//! The flags that decide what makes a run fail and what is not worth mentioning: docs/contract.md, "Exit codes".

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::request::FailOn;
use crate::request::SetRule;
use sts_plan::lint::Suppressions;

/// The conditions under which a run fails, and the findings that are ignored.
#[derive(Debug, Args)]
#[command(next_help_heading = "Gates")]
pub struct Gate {
    /// Fail on blocked, rejected, data-loss, ...
    ///
    /// blocked is exit code 3, rejected 4, and all others 5: data-loss, downtime, pdb, quorum, the id or name of a
    /// finding, or a severity and above (info, warning, error).
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub fail_on: Vec<FailOn>,

    /// Leave these findings out: STS001,downtime; repeatable
    ///
    /// The words are those of --fail-on and explain; a severity stands for its findings and those below. What is
    /// ignored is listed in every report.
    #[arg(long, value_name = "ID", value_parser = Suppressions::parse)]
    pub ignore: Vec<Suppressions>,

    /// Policy file: gates, requirements, ignores and assumptions
    ///
    /// Without this flag, .sts-plan.yaml in the folder of the file or a folder above it within the repository; without
    /// a repository, in the folder of the file or the working directory. none for no policy. A flag takes the place of its key.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub policy: Option<PathBuf>,

    /// The rules that a policy has for some sets.
    #[arg(skip)]
    pub for_sets: Vec<SetRule>,

    /// The policy that was found without being named.
    #[arg(skip)]
    pub found: Option<PathBuf>,

    /// The policy that was read, named or found.
    #[arg(skip)]
    pub read: Option<PathBuf>,
}

impl Gate {
    /// All rules that were suppressed.
    #[must_use]
    pub fn suppress(&self) -> Suppressions {
        let given = self.ignore.iter();
        given.fold(Suppressions::default(), |all, some| all.and(some))
    }
}
