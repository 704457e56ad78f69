//! Manifests to apply, and their namespace.

use std::collections::BTreeSet;
use std::io::Read;

use anyhow::{Result, bail};
use serde_json::Value;

use super::resolve::NotFound;
use super::{Loaded, Reader, files, load, resolve};
use crate::request::World;
use kubectl_manifest::{Part, Reading};
use sts_plan::plan::Conditions;

/// Namespace of objects that name none.
#[derive(Clone, Copy)]
pub(super) enum Place<'p> {
    /// This namespace.
    In(&'p str),
    /// Namespace of the stored set with the same name, unless a namespace was requested; else this one.
    Among(&'p str, &'p Loaded),
}

/// Reads the manifests to apply; none if no file is named.
///
/// # Errors
/// When the file cannot be read, has no set, or its namespace is ambiguous.
pub(super) fn read_applied(
    apply: Option<&str>,
    world: &World,
    place: Place<'_>,
    conditions: &Conditions,
    stdin: &mut dyn Read,
) -> Result<Loaded> {
    let Some(path) = apply else {
        return Ok(Loaded::default());
    };
    let reading = files::read_paths(&[path.to_owned()], world.recursive, stdin)?;
    let (namespace, told) = match place {
        Place::In(namespace) => (namespace.to_owned(), None),
        Place::Among(default, there) => {
            let namesake = match &world.namespace {
                Some(_) => None,
                None => namesake(&reading, there)?,
            };
            namesake.map_or_else(
                || (default.to_owned(), None),
                |(namespace, told)| (namespace, Some(told)),
            )
        }
    };
    let reader = Reader {
        namespace: &namespace,
        defaulting: &conditions.behaviour.defaulting,
        all_new: true,
    };
    let mut applied = load(reading, &reader)?;
    applied.warnings.extend(told);
    // A chart that renders nothing must not pass a gate.
    if applied.manifests.is_empty() && applied.unplannable.is_empty() {
        let from = if path == "-" { "standard input" } else { path };
        let none = format!("no StatefulSet in the manifest to apply: {from}");
        return Err(NotFound(none).into());
    }
    Ok(applied)
}

/// Returns the one namespace that has the sets of manifests without a namespace, and a note on it; `None` if no such
/// set is stored.
fn namesake(reading: &Reading, there: &Loaded) -> Result<Option<(String, String)>> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let sets = reading.manifests.iter();
    let sets = sets.filter(|manifest| &*manifest.kind == "StatefulSet");
    let names: BTreeSet<String> = sets
        .map(|manifest| manifest.part(Part::Members(&[("metadata", Part::Whole)])))
        .filter(|value| text(&value["metadata"]["namespace"]).is_empty())
        .map(|value| text(&value["metadata"]["name"]))
        .collect();
    let mut found: BTreeSet<(&str, &str)> = BTreeSet::new();
    for set in there.inventory.sets() {
        if names.contains(&*set.name) {
            found.insert((&*set.namespace, &*set.name));
        }
    }
    let namespaces: BTreeSet<&str> = found.iter().map(|(namespace, _)| *namespace).collect();
    let sets: Vec<String> = found
        .iter()
        .map(|(namespace, name)| format!("{namespace}/{name}"))
        .collect();
    match namespaces.iter().collect::<Vec<_>>()[..] {
        [] => Ok(None),
        [namespace] => Ok(Some((
            (*namespace).to_owned(),
            format!(
                "the manifest has no namespace: assuming {}, the only set with that name in the input (-n \
                 {namespace})",
                sets.join(", ")
            ),
        ))),
        _ => bail!(
            "the manifest has no namespace, and the input has {}: choose {} with -n",
            sets.join(" and "),
            resolve::in_words(&namespaces)
        ),
    }
}
