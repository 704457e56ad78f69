//! Flags that would do nothing without the flag that they are about.

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
    Ok(())
}
