//! Edits of single fields, one for each flag.

use serde_json::{Map, Value, json};

use super::ChangeError;
use super::path::{Path, PathError};

/// A change of one field. Like `kubectl scale` and `kubectl set image`, no edit changes the last-applied annotation.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// `spec.replicas`.
    Replicas(i32),
    /// The partition of the rolling update.
    Partition(i32),
    /// The partition as a percentage of the replicas, which the API does not accept: see [`partition_of`].
    PartitionShare(i32),
    /// `maxUnavailable`: a number, or any other string, such as `25%`.
    MaxUnavailable(String),
    /// `spec.minReadySeconds`.
    MinReadySeconds(i32),
    /// The type of the update strategy. `OnDelete` and `Recreate` also remove the block for rolling updates, which the
    /// server would reject with them. No edit restores that block.
    UpdateStrategy(String),
    /// The image of a container or init container.
    Image {
        /// The container's name; optional if there is only one container.
        container: Option<String>,
        /// The image.
        image: String,
    },
    /// The annotation of `kubectl rollout restart`, with this timestamp.
    Restart(String),
    /// Another template, as returned by [`super::template_of_revision`].
    ToRevision(Value),
    /// Any field; `null` removes it.
    Set {
        /// The path of the field.
        path: Path,
        /// The new value.
        value: Value,
    },
}

impl Edit {
    pub(super) fn make(&self, set: &mut Value) -> Result<(), ChangeError> {
        match self {
            Edit::Replicas(number) => put(set, "spec.replicas", json!(number)),
            Edit::Partition(number) => put(
                set,
                "spec.updateStrategy.rollingUpdate.partition",
                json!(number),
            ),
            Edit::PartitionShare(percent) => {
                let replicas = set["spec"]["replicas"].as_i64().unwrap_or(1);
                let partition = partition_of(*percent, replicas);
                put(
                    set,
                    "spec.updateStrategy.rollingUpdate.partition",
                    json!(partition),
                )
            }
            Edit::MaxUnavailable(text) => {
                let value = match text.parse::<i32>() {
                    Ok(number) => json!(number),
                    Err(_) => json!(text),
                };
                put(
                    set,
                    "spec.updateStrategy.rollingUpdate.maxUnavailable",
                    value,
                )
            }
            Edit::MinReadySeconds(number) => put(set, "spec.minReadySeconds", json!(number)),
            Edit::UpdateStrategy(kind) if kind != "RollingUpdate" => {
                put(set, "spec.updateStrategy", json!({"type": kind}))
            }
            Edit::UpdateStrategy(kind) => put(set, "spec.updateStrategy.type", json!(kind)),
            Edit::Image { container, image } => set_image(set, container.as_deref(), image),
            Edit::Restart(time) => put(
                set,
                "spec.template.metadata.annotations[\"kubectl.kubernetes.io/restartedAt\"]",
                json!(time),
            ),
            Edit::ToRevision(template) => {
                let mut template = template.clone();
                if let Some(members) = template.as_object_mut() {
                    members.remove("$patch");
                }
                put(set, "spec.template", template)
            }
            Edit::Set { path, value } => {
                if !["metadata", "spec"].contains(&path.root()) {
                    return Err(PathError::Elsewhere(path.to_string()).into());
                }
                Ok(path.set(set, value.clone())?)
            }
        }
    }
}

/// Returns the partition for a percentage of the replicas. It is rounded down, and at least 1 unless it is 0%, like a
/// percentage of `maxUnavailable` from 1.25 on.
#[must_use]
pub fn partition_of(percent: i32, replicas: i64) -> i64 {
    let share = i64::from(percent).saturating_mul(replicas).div_euclid(100);
    share.max(i64::from(percent.signum()))
}

fn put(set: &mut Value, path: &str, value: Value) -> Result<(), ChangeError> {
    Ok(path.parse::<Path>()?.set(set, value)?)
}

/// Sets an image like `kubectl set image`, except that a single container need not be named.
fn set_image(set: &mut Value, wanted: Option<&str>, image: &str) -> Result<(), ChangeError> {
    let pod = set
        .pointer_mut("/spec/template/spec")
        .and_then(Value::as_object_mut);
    let mut nothing = Map::new();
    let pod = pod.unwrap_or(&mut nothing);
    const LISTS: [&str; 2] = ["containers", "initContainers"];
    let regular = pod
        .get(LISTS[0])
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    let mut found = false;
    for list in LISTS {
        let containers = pod.get_mut(list).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten() {
            let meant = match wanted {
                Some(wanted) => name_of(container) == wanted,
                None => list == LISTS[0] && regular == 1,
            };
            if meant && let Some(members) = container.as_object_mut() {
                members.insert("image".to_owned(), image.into());
                found = true;
            }
        }
    }
    if found {
        return Ok(());
    }
    let lists = LISTS.iter().filter_map(|list| pod.get(*list)?.as_array());
    let known: Vec<&str> = lists.flatten().map(name_of).collect();
    let known = match known.len() {
        0 => "none".to_owned(),
        _ => known.join(", "),
    };
    Err(match wanted {
        Some(wanted) => ChangeError::NoSuchContainer {
            wanted: wanted.to_owned(),
            known,
        },
        None => ChangeError::WhichContainer { known },
    })
}

fn name_of(container: &Value) -> &str {
    container["name"].as_str().unwrap_or_default()
}
