//! A container that a refusal names and that the template does not have: a webhook adds it to the pods.

use std::sync::LazyLock;

use serde_json::Value;

use crate::catalogue::InjectedEntry;
use crate::cause::template::containers;
use crate::words::has_word;

/// The containers that webhooks add, as the build script has read them.
static INJECTED: LazyLock<Vec<InjectedEntry>> = LazyLock::new(|| {
    let text = include_str!(concat!(env!("OUT_DIR"), "/injected.json"));
    serde_json::from_str(text).unwrap_or_default()
});

/// The settings of a container of an unknown webhook.
const UNKNOWN: &str = "the settings of what adds it";

/// Words of refusals for lack of requests or limits, in lower case.
const OF_RESOURCES: [&str; 5] = ["limits", "requests", "resource", "cpu", "memory"];

/// Returns a container that a webhook adds, and that a refusal for lack of requests or limits names, with what sets those.
pub(super) fn injected(template: &Value, report: &str) -> Option<(String, &'static str)> {
    let words = report.to_ascii_lowercase();
    if !OF_RESOURCES.iter().any(|word| words.contains(word)) {
        return None;
    }
    let own = |name: &str| containers(&template["spec"]).any(|it| it["name"] == name);
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let known = INJECTED.iter();
    let mut known = known.flat_map(|it| it.containers.iter().map(move |name| (name, it)));
    if let Some((name, by)) = known.find(|(name, _)| !own(name) && has_word(report, name, is_part))
    {
        return Some((name.clone(), &by.resources));
    }
    if let Some(added) = beyond_template(template, report) {
        return Some(added);
    }
    // A quota names the containers behind each resource that it counts.
    let (_, rest) = report.split_once("must specify ")?;
    let (_, rest) = rest.split_once(" for: ")?;
    let name = rest.split([';', ',', ' ']).next()?;
    let is_added = containers(&template["spec"]).next().is_some() && !own(name);
    (is_added && !name.is_empty()).then(|| (name.to_owned(), UNKNOWN))
}

/// Returns the container that a policy means by a place that the template does not have: `/spec/initContainers/0/resources`.
fn beyond_template(template: &Value, report: &str) -> Option<(String, &'static str)> {
    ["containers", "initContainers"].iter().find_map(|list| {
        let (_, rest) = report.split_once(&format!("/spec/{list}/"))?;
        let index = rest.split('/').next()?.parse::<usize>().ok()?;
        let own = template["spec"][*list].as_array().map_or(0, Vec::len);
        let annotations = template["metadata"]["annotations"].as_object();
        let mut keys = annotations.into_iter().flat_map(|it| it.keys());
        let by = keys.find_map(|key| {
            let mut asked = INJECTED.iter();
            asked.find(|it| key.starts_with(&*it.asked_by))
        });
        let by = by.map_or(UNKNOWN, |it| &it.resources);
        (index >= own).then(|| (format!("{list}[{index}]"), by))
    })
}
