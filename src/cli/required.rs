//! Flags that would do nothing: they are about another flag, or about a cluster while files are read.

use anyhow::{Result, bail};
use clap::ArgMatches;
use clap::parser::ValueSource;

/// Flags by their argument, with those that they are about, one of which is enough, and how to add it.
const REQUIRED: [(&str, &[&str], &str); 7] = [
    (
        "apply_mode",
        &["apply", "server_side"],
        "a manifest: add --apply FILE",
    ),
    ("return_after", &["drain"], "a drain: add --drain NODE"),
    ("faults", &["explore"], "an exploration: add --explore"),
    ("timeout", &["watch"], "a watch: add -w"),
    ("on_change", &["watch"], "a watch: add -w"),
    (
        "on_change_timeout",
        &["on_change"],
        "a command: add --on-change CMD",
    ),
    ("recursive", &["filename"], "a directory: add -f DIR"),
];

/// Flags that say which cluster to ask. With files nothing is asked, and a plan of files must not pass for one of a cluster.
const CLUSTER: [&str; 4] = ["context", "cluster", "server", "kubeconfig"];

/// Reports whether an argument is on the command line. A command may lack it.
pub(super) fn is_given(matches: &ArgMatches, id: &str) -> bool {
    matches.try_contains_id(id).unwrap_or(false)
        && matches.value_source(id) == Some(ValueSource::CommandLine)
}

/// Refuses a flag that would do nothing.
///
/// # Errors
/// When there is one.
pub(super) fn refuse_idle(matches: &ArgMatches) -> Result<()> {
    for (id, required, how) in REQUIRED {
        if is_given(matches, id) && !required.iter().any(|it| is_given(matches, it)) {
            let flag = id.replace('_', "-");
            bail!("--{flag} requires {how}, or omit it");
        }
    }
    if is_given(matches, "filename")
        && let Some(flag) = CLUSTER.into_iter().find(|id| is_given(matches, id))
    {
        bail!("--{flag} names a cluster, and -f reads only files: omit one of them");
    }
    Ok(())
}
