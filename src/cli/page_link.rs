//! `--link-page`: the settings of a plan for the interactive page.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};

use crate::output::Format;
use crate::request::{PageLink, PlanRequest};
use sts_plan::explain::quoted;

/// Headings of the flags that are settings of a plan.
const SETTINGS: [&str; 5] = ["Change", "Stages", "Nodes", "Assumptions", "Questions"];
/// Flags of these headings that are not settings of the page: it has the manifest itself, no server, no other files,
/// objects with their time, and a budget of its own.
const EXCLUDED: [&str; 10] = [
    "apply",
    "apply_mode",
    "budget",
    "causes",
    "dry_run",
    "interactive",
    "learn",
    "max_states",
    "now",
    "stages",
];
/// Flags that have a field on the page; the field `flags` has the others.
const FIELDS: [&str; 6] = [
    "kubernetes-version",
    "replicas",
    "partition",
    "max-unavailable",
    "image",
    "ready-after",
];

/// Returns the link for the HTML report.
///
/// # Errors
/// When there is no HTML report, or the interactive page cannot make the same plan.
pub(super) fn request(
    url: String,
    request: &mut PlanRequest,
    matches: &ArgMatches,
) -> Result<PageLink> {
    if cfg!(target_family = "wasm") {
        bail!("--link-page cannot be used in the page itself: omit it");
    }
    let output = &request.output;
    let mut formats = output.files.iter().map(|(format, _)| format);
    if output.format.plain() != Some(Format::Html)
        && !formats.any(|format| format.plain() == Some(Format::Html))
    {
        bail!("--link-page requires -o html or --report html=PATH");
    }
    let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let later = request.stages.iter().flat_map(|it| &it.later);
    let reads_more =
        request.gates.policy.is_some() || given("learn") || given("causes") || given("stages");
    if reads_more || later.count() > 0 {
        bail!(
            "--link-page cannot be used with --policy, --learn, --causes or stages: the page does not support them"
        );
    }
    if request.change.apply.as_deref() == Some("-") {
        bail!("--link-page requires the manifest in a file: use --apply FILE");
    }
    request.world.keeps_originals = true;
    let command = super::command();
    let mut settings = BTreeMap::new();
    let mut flags = Vec::new();
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        let is_setting = argument
            .get_help_heading()
            .is_some_and(|heading| SETTINGS.contains(&heading));
        let is_used = is_setting && given(id) && !EXCLUDED.contains(&id);
        let Some(name) = argument.get_long().filter(|_| is_used) else {
            continue;
        };
        match &values(argument, matches)[..] {
            [value] if FIELDS.contains(&name) => {
                settings.insert(name.to_owned(), value.clone());
            }
            [] => flags.push(format!("--{name}")),
            values => {
                let words = values
                    .iter()
                    .map(|value| format!("--{name}={}", quoted(value)));
                flags.extend(words);
            }
        }
    }
    if !flags.is_empty() {
        settings.insert("flags".to_owned(), flags.join(" "));
    }
    Ok(PageLink { url, settings })
}

/// Returns the values of a flag, one for each occurrence; none for a flag without a value.
fn values(argument: &Arg, matches: &ArgMatches) -> Vec<String> {
    if !argument.get_action().takes_values() {
        return Vec::new();
    }
    let occurrences = matches.get_raw_occurrences(argument.get_id().as_str());
    let joined = occurrences.into_iter().flatten().map(|values| {
        let values = values.map(|value| value.to_string_lossy());
        values.collect::<Vec<_>>().join(",")
    });
    joined.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page refuses any other flag of a link, and leaves it out of its own links.
    #[test]
    fn the_page_accepts_the_flags_of_a_link_and_no_others() {
        // The published package does not have the page.
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/playground/page.js");
        let Ok(page) = std::fs::read_to_string(page) else {
            return;
        };
        let list = page.split_once("const LINKED = [").unwrap().1;
        let list = list.split_once(']').unwrap().0;
        let list: Vec<&str> = list.split('\'').skip(1).step_by(2).collect();
        let command = super::super::command();
        let is_setting = |argument: &&Arg| {
            let heading = argument.get_help_heading();
            let id = argument.get_id().as_str();
            heading.is_some_and(|heading| SETTINGS.contains(&heading)) && !EXCLUDED.contains(&id)
        };
        let own = command.get_arguments().filter(is_setting);
        let names = own.filter_map(|argument| argument.get_long());
        let mut names: Vec<&str> = names.filter(|name| !FIELDS.contains(name)).collect();
        // The page has the time of its objects as a flag.
        names.push("now");
        names.sort_unstable();
        assert_eq!(list, names);
        for flag in [
            "show-values",
            "server",
            "token",
            "kubeconfig",
            "report",
            "save",
            "policy",
            "budget",
        ] {
            assert!(!list.contains(&flag), "{flag}");
        }
    }
}
