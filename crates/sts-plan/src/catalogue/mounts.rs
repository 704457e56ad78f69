//! The volumes behind the paths of a container.

use serde_json::Value;

use super::failure::{ContainerFailure, container_list};

/// A volume as a container mounts it.
pub(crate) struct Mount<'v> {
    /// Path in the container, without a slash at its end.
    pub(crate) path: &'v str,
    /// Path in the volume; empty for all of it.
    pub(crate) sub_path: &'v str,
    /// The volume of the pod.
    pub(crate) volume: &'v Value,
}

impl<'v> Mount<'v> {
    /// Returns the claim that the pod names.
    pub(crate) fn claim(&self) -> Option<&'v str> {
        self.volume["persistentVolumeClaim"]["claimName"].as_str()
    }

    /// Reports whether the volume is a claim: one that the pod names, or one that is made for it.
    pub(super) fn is_claim(&self) -> bool {
        let kinds = ["persistentVolumeClaim", "ephemeral"];
        kinds.iter().any(|kind| self.volume[*kind].is_object())
    }
}

/// Returns the container of a pod that fails.
pub(crate) fn container_of<'v>(spec: &'v Value, failure: &ContainerFailure) -> Option<&'v Value> {
    let mut containers = spec[container_list(failure.is_init)].as_array()?.iter();
    containers.find(|it| it["name"] == failure.container.as_str())
}

/// Returns the volumes that a container mounts.
pub(crate) fn mounts<'v>(spec: &'v Value, container: &'v Value) -> impl Iterator<Item = Mount<'v>> {
    let mounts = container["volumeMounts"].as_array().into_iter().flatten();
    mounts.filter_map(|mount| {
        let volumes = spec["volumes"].as_array()?;
        let volume = volumes.iter().find(|it| it["name"] == mount["name"])?;
        Some(Mount {
            path: mount["mountPath"].as_str()?.trim_end_matches('/'),
            sub_path: mount["subPath"].as_str().unwrap_or_default(),
            volume,
        })
    })
}

/// Returns the mount that a path is in, the nearest one, and the rest of the path.
pub(crate) fn mount_of<'m, 'v, 'p>(
    mounts: &'m [Mount<'v>],
    path: &'p str,
) -> Option<(&'m Mount<'v>, &'p str)> {
    let inside = mounts.iter().filter_map(|mount| {
        let rest = path.strip_prefix(mount.path)?;
        let is_below = rest.is_empty() || rest.starts_with('/');
        is_below.then(|| (mount, rest.trim_start_matches('/')))
    });
    inside.max_by_key(|(mount, _)| mount.path.len())
}

/// Returns the absolute paths in a text, such as `/etc/app.conf` in `app:/etc/app.conf:12: no such file`, and no URLs.
pub(crate) fn paths(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || "\"'`<>()[]{},;=:".contains(c);
    let tokens = text.split(ends).map(|it| it.trim_end_matches('.'));
    tokens.filter(|it| it.starts_with('/') && !it.starts_with("//") && it.len() > 1)
}
