//! Volumes of a pod, including those of claim templates: `ValidateVolumes`.

mod downward;
mod projected;
mod source;
mod storage;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::read::{list, text};
use super::refusals::Refusals;
use super::rule::{Check, one};
use crate::apiserver::schema::Path;

pub(super) use downward::{check_field_reference, check_resource_reference};

/// Volumes by name, with true for a claim, which block devices need.
pub(super) type Volumes = BTreeMap<String, bool>;

/// Checks all volumes of a template, including claims. The server puts the claims before the template's own volumes,
/// removes own volumes with the name of a claim, and validates that list. Its indices therefore differ from those in
/// the manifest. `given` is the pod as sent.
pub(super) fn check_template(
    pod: &Value,
    given: &Value,
    claims: &[Value],
    at: &Path<'_>,
    out: &mut Refusals<'_>,
) -> Volumes {
    let at = at.member("volumes");
    let mut known = Volumes::new();
    let mut templates = BTreeSet::new();
    for (index, claim) in claims.iter().enumerate() {
        let name = text(&claim["metadata"], "name");
        if templates.contains(name) {
            continue;
        }
        // The server iterates over a map here. A map with few entries mostly keeps the order of insertion.
        let here = at.index(templates.len());
        templates.insert(name);
        let before = out.len();
        if name.is_empty() {
            out.required(here.member("persistentVolumeClaim.claimName"), "");
        }
        let at_name = here.member("name");
        one(&Value::from(name), &at_name, Check::RequiredLabel, out);
        if out.len() == before {
            known.insert(name.to_owned(), true);
        }
        out.blame(
            before,
            format!("spec.volumeClaimTemplates[{index}].metadata.name"),
        );
    }
    let mut place = templates.len();
    for (index, volume) in list(pod, "volumes").iter().enumerate() {
        if templates.contains(text(volume, "name")) {
            continue;
        }
        let before = out.len();
        let sent = as_sent(volume, index, pod, given);
        check_one(volume, sent, &at.index(place), &mut known, out);
        out.blame_under(before, at.index(place), at.index(index));
        place += 1;
    }
    known
}

/// Checks all volumes of a pod.
pub(super) fn check_pod(pod: &Value, at: &Path<'_>, out: &mut Refusals<'_>) -> Volumes {
    let at = at.member("volumes");
    let mut known = Volumes::new();
    for (at, volume) in at.items(list(pod, "volumes")) {
        check_one(volume, volume, &at, &mut known, out);
    }
    known
}

/// Returns a volume as sent: at the same index, or of the same name if disabled fields hide some volumes.
fn as_sent<'v>(volume: &'v Value, index: usize, pod: &Value, given: &'v Value) -> &'v Value {
    let sent = list(given, "volumes");
    let found = if sent.len() == list(pod, "volumes").len() {
        sent.get(index)
    } else {
        let mut named = sent.iter();
        named.find(|other| text(other, "name") == text(volume, "name"))
    };
    found.unwrap_or(volume)
}

fn check_one(
    volume: &Value,
    given: &Value,
    at: &Path<'_>,
    known: &mut Volumes,
    out: &mut Refusals<'_>,
) {
    let name = text(volume, "name");
    let before = out.len();
    source::check(volume, given, at, out);
    one(
        &volume["name"],
        &at.member("name"),
        Check::RequiredLabel,
        out,
    );
    if known.contains_key(name) {
        out.duplicate(at.member("name"), name);
    }
    // Mounts cannot refer to an invalid volume.
    if out.len() == before {
        let claim = ["persistentVolumeClaim", "ephemeral"]
            .iter()
            .any(|source| !volume[source].is_null());
        known.insert(name.to_owned(), claim);
    }
}
