//! Watching a set: contract section 2.

use clap::Args;
use jiff::SignedDuration;

use super::duration::parse_duration;

/// Whether the plan is made once, or again and again.
#[derive(Debug, Args)]
#[command(next_help_heading = "Watching")]
pub struct Watch {
    /// Plan again whenever something of the set changes in the cluster, and show what happened since against what
    /// was predicted; ends when the set is complete (exit code 0), blocked (3) or gone (0 if it was being deleted
    /// before, else 1). With -o json, each plan is one line
    #[arg(short, long)]
    pub watch: bool,

    /// End a watch after that long, with exit code 1
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, requires = "watch")]
    pub timeout: Option<SignedDuration>,
}
