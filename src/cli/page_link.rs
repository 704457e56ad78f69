//! `--link-page`: the settings of a plan as the page that plans has them.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};

use crate::output::Format;
use crate::request::{PageLink, PlanRequest};
use sts_plan::explain::quoted;

/// The groups of flags that say how a plan is made.
const SETTINGS: [&str; 6] = [
    "Change",
    "Stages",
    "Nodes",
    "Controller",
    "Assumptions",
    "Questions",
];
/// The flags of them that are not settings of the page: it has the manifest itself, no server, and objects with their moment.
const LEFT_OUT: [&str; 3] = ["apply", "apply_mode", "now"];
/// The flags that are fields of the page; the others stand in its field `flags`.
const FIELDS: [&str; 6] = [
    "kubernetes-version",
    "replicas",
    "partition",
    "max-unavailable",
    "image",
    "ready-after",
];

/// Returns the link that pages of this plan have.
///
/// # Errors
/// When there is no page to have it, or the page that plans could not make the same plan.
pub(super) fn request(
    url: String,
    request: &mut PlanRequest,
    matches: &ArgMatches,
) -> Result<PageLink> {
    if cfg!(target_family = "wasm") {
        bail!("--link-page has no use in the page itself: leave it out");
    }
    let output = &request.output;
    let mut formats = output.files.iter().map(|(format, _)| format);
    if output.format.plain() != Some(Format::Html)
        && !formats.any(|format| format.plain() == Some(Format::Html))
    {
        bail!("--link-page is for -o html, or --report html=PATH: add one of them");
    }
    let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let later = request.stages.iter().flat_map(|it| &it.later);
    let reads_more = request.gates.policy.is_some() || given("learn") || given("stages");
    if reads_more || later.count() > 0 {
        bail!(
            "--link-page is for one change, without --policy, --stages and --learn: the page has none of them"
        );
    }
    if request.change.apply.as_deref() == Some("-") {
        bail!("--link-page takes the manifest from a file: name it in --apply FILE");
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
        let is_used = is_setting && given(id) && !LEFT_OUT.contains(&id);
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

/// The values of a flag, one for each time that it was given; none of one that takes none.
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
