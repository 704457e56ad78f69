//! The volumes behind the paths of a container.

use serde_json::Value;
use sts_controller::object::Pod;

use super::failure::{ContainerFailure, container_list};

/// The mounts of a container.
pub(crate) struct Mounts {
    mounts: Vec<Mount>,
}

struct Mount {
    /// Path in the container, without a slash at its end.
    path: String,
    /// Name of the claim; `None` for a volume of another kind.
    claim: Option<String>,
    /// True for a claim that the pod names or that is made for it.
    is_claim: bool,
}

impl Mounts {
    /// Reads the mounts of a failing container; `None` if its pod does not have it.
    pub(crate) fn of(pod: &Pod, failure: &ContainerFailure) -> Option<Self> {
        let given = pod.given()?;
        let spec = &given["spec"];
        let mut containers = spec[container_list(failure.is_init)].as_array()?.iter();
        let container = containers.find(|it| it["name"] == failure.container.as_str())?;
        let volume = |name: &Value| {
            let mut volumes = spec["volumes"].as_array().into_iter().flatten();
            volumes.find(|volume| volume["name"] == *name)
        };
        let mounts = container["volumeMounts"].as_array().into_iter().flatten();
        let mounts = mounts.map(|mount| {
            let volume = volume(&mount["name"]).unwrap_or(&Value::Null);
            let claim = &volume["persistentVolumeClaim"];
            let path = mount["mountPath"].as_str().unwrap_or_default();
            Mount {
                path: path.trim_end_matches('/').to_owned(),
                claim: claim["claimName"].as_str().map(str::to_owned),
                is_claim: claim.is_object() || volume["ephemeral"].is_object(),
            }
        });
        Some(Mounts {
            mounts: mounts.collect(),
        })
    }

    /// Reports whether a path is on a claim.
    pub(super) fn holds_claim(&self, path: &str) -> bool {
        self.at(path).is_some_and(|mount| mount.is_claim)
    }

    /// Returns the claim on which the first of some paths is that is on one, or else the only claim of the container.
    pub(crate) fn claim_of<'p>(&self, mut paths: impl Iterator<Item = &'p str>) -> Option<&str> {
        let on_path = paths.find_map(|path| self.at(path)?.claim.as_deref());
        let only = || {
            let mut claims: Vec<&str> = self
                .mounts
                .iter()
                .filter_map(|it| it.claim.as_deref())
                .collect();
            claims.dedup();
            match claims.as_slice() {
                [claim] => Some(*claim),
                _ => None,
            }
        };
        on_path.or_else(only)
    }

    /// Returns the mount that a path is in: the closest one.
    fn at(&self, path: &str) -> Option<&Mount> {
        let holds = |mount: &&Mount| {
            let rest = path.strip_prefix(&*mount.path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.mounts
            .iter()
            .filter(holds)
            .max_by_key(|mount| mount.path.len())
    }
}

/// Returns the absolute paths in the words of a process.
pub(crate) fn paths_in(words: &str) -> impl Iterator<Item = &str> {
    let is_end = |c: char| c.is_whitespace() || "\"'`,;:()[]".contains(c);
    let words = words.split(is_end);
    words.filter(|word| word.starts_with('/') && word.len() > 1)
}
