//! What makes a run fail, and what is not worth mentioning: contract section 7.

use clap::Args;

use crate::check::Silence;

/// What makes a run fail, and what is not worth mentioning.
#[derive(Debug, Args)]
#[command(next_help_heading = "Gates")]
pub struct Gate {
    /// Do not mention findings of these rules: STS001,STS010; may be repeated. See `kubectl sts-plan explain`
    #[arg(long, value_name = "ID", value_parser = Silence::parse)]
    pub ignore: Vec<Silence>,
}

impl Gate {
    /// All rules that were silenced.
    #[must_use]
    pub fn silence(&self) -> Silence {
        let given = self.ignore.iter();
        given.fold(Silence::default(), |all, some| all.and(some))
    }
}
