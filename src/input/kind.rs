//! Kinds of manifests, and suggestions for misspelled kinds.

use super::objects::LoadError;
use super::suggest;
use super::wrong::wrong_at;
use kubectl_manifest::{Manifest, excerpt};
use sts_controller::object::RelatedKind;

/// A kind that plans use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Set,
    Pod,
    Claim,
    Revision,
    /// A kind that a sync does not read.
    Related(RelatedKind),
}

impl Kind {
    pub(super) fn is_namespaced(self) -> bool {
        match self {
            Kind::Related(kind) => kind.is_namespaced(),
            _ => true,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Set => "StatefulSet",
            Kind::Pod => "Pod",
            Kind::Claim => "PersistentVolumeClaim",
            Kind::Revision => "ControllerRevision",
            Kind::Related(kind) => kind.name(),
        }
    }
}

/// Returns the kind of a manifest, if plans use it. An unsupported version of such a kind is an error.
pub(super) fn kind_of(manifest: &Manifest) -> Result<Option<Kind>, LoadError> {
    let (given, given_version) = (&*manifest.kind, &*manifest.api_version);
    let (kind, version) = match given {
        "StatefulSet" => (Kind::Set, "apps/v1"),
        "ControllerRevision" => (Kind::Revision, "apps/v1"),
        "Pod" => (Kind::Pod, "v1"),
        "PersistentVolumeClaim" => (Kind::Claim, "v1"),
        other => {
            if let Some(meant) = misspelt(other, given_version) {
                let problem = format!("has the unknown kind {:?}: use {meant}", excerpt(other));
                return Err(wrong_at(manifest, other, problem, "kind"));
            }
            return Ok(RelatedKind::of(other, given_version).map(Kind::Related));
        }
    };
    if given_version == version {
        return Ok(Some(kind));
    }
    // Groups with a dot belong to others, who may use the same kind names.
    let group = given_version.split_once('/').map_or("", |(group, _)| group);
    if group.contains('.') {
        return Ok(None);
    }
    let served_once = match group {
        "apps" | "extensions" => version == "apps/v1",
        _ => false,
    };
    let shown = excerpt(given_version);
    let problem = if served_once && given_version != "apps/" {
        format!("is of {shown}, which is no longer served: use {version}")
    } else {
        format!("has the apiVersion {shown:?}, which has no {given}: use {version}")
    };
    Err(wrong_at(manifest, given, problem, "apiVersion"))
}

/// Returns the intended kind of a misspelled one: different case or, for the few kinds of `apps`, a typo.
fn misspelt(kind: &str, version: &str) -> Option<&'static str> {
    const OF_APPS: [&str; 5] = [
        "StatefulSet",
        "ControllerRevision",
        "Deployment",
        "DaemonSet",
        "ReplicaSet",
    ];
    const OF_CORE: [&str; 2] = ["Pod", "PersistentVolumeClaim"];
    let (known, is_apps) = match version.split_once('/') {
        Some(("apps", _)) => (&OF_APPS[..], true),
        None => (&OF_CORE[..], false),
        Some(_) => return None,
    };
    if known.contains(&kind) || kind.ends_with("List") || kind == "Scale" {
        return None;
    }
    if let Some(other) = known.iter().find(|known| known.eq_ignore_ascii_case(kind)) {
        return Some(other);
    }
    suggest::nearest(kind, known).filter(|_| is_apps)
}
