//! Edits of single fields: what they do, the patch that kubectl sends for them, and the flag that they come from.

use serde_json::{Map, Value, json};

use super::ChangeError;
use super::path::{Path, PathError};
use super::rollback::with_data;
use crate::object::Revision;

/// The path of the replicas.
const REPLICAS: &[&str] = &["spec", "replicas"];
/// The path of the annotation of `kubectl rollout restart`.
const RESTARTED_AT: &[&str] = &[
    "spec",
    "template",
    "metadata",
    "annotations",
    "kubectl.kubernetes.io/restartedAt",
];

/// A change of one field. Like `kubectl scale` and `kubectl set image`, no edit changes the last-applied annotation.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// Any field; `null` removes it.
    Set {
        /// The path of the field.
        path: Path,
        /// The new value.
        value: Value,
    },
    /// The partition as a percentage of the replicas, which the API does not accept: see [`partition_of`].
    PartitionShare(i32),
    /// The image of a container or init container.
    Image {
        /// The container's name; optional if there is only one container.
        container: Option<String>,
        /// The image.
        image: String,
    },
    /// The data of a revision, a strategic merge patch, as `kubectl rollout undo` sends it.
    ToRevision(Value),
}

impl Edit {
    /// Rolls back to a revision.
    #[must_use]
    pub fn to_revision(revision: &Revision) -> Self {
        Edit::ToRevision((**revision.data()).clone())
    }

    /// Sets `spec.replicas`.
    #[must_use]
    pub fn replicas(number: i32) -> Self {
        Edit::at(REPLICAS, json!(number))
    }

    /// Sets the partition of the rolling update.
    #[must_use]
    pub fn partition(number: i32) -> Self {
        Edit::of_rolling_update("partition", json!(number))
    }

    /// Sets `maxUnavailable`: a number, or any other string, such as `25%`.
    #[must_use]
    pub fn max_unavailable(text: &str) -> Self {
        let value = text
            .parse::<i32>()
            .map_or(json!(text), |number| json!(number));
        Edit::of_rolling_update("maxUnavailable", value)
    }

    /// Sets `spec.minReadySeconds`.
    #[must_use]
    pub fn min_ready_seconds(seconds: i32) -> Self {
        Edit::at(&["spec", "minReadySeconds"], json!(seconds))
    }

    /// Sets the type of the update strategy. `OnDelete` and `Recreate` also remove the block for rolling updates, which
    /// the server would reject with them. No edit restores that block.
    #[must_use]
    pub fn update_strategy(kind: &str) -> Self {
        match kind {
            "RollingUpdate" => Edit::at(&["spec", "updateStrategy", "type"], json!(kind)),
            _ => Edit::at(&["spec", "updateStrategy"], json!({"type": kind})),
        }
    }

    /// Sets the annotation of `kubectl rollout restart` to this timestamp.
    #[must_use]
    pub fn restart(time: &str) -> Self {
        Edit::at(RESTARTED_AT, json!(time))
    }

    fn at(members: &[&str], value: Value) -> Self {
        let path = Path::of_members(members);
        Edit::Set { path, value }
    }

    fn of_rolling_update(member: &str, value: Value) -> Self {
        Edit::at(&["spec", "updateStrategy", "rollingUpdate", member], value)
    }

    /// Returns the value that it sets at the path of these members, if it sets that field.
    #[must_use]
    pub fn value_at(&self, members: &[&str]) -> Option<&Value> {
        match self {
            Edit::Set { path, value } if path.members()? == members => Some(value),
            _ => None,
        }
    }

    /// Returns the replicas that it sets, if it is what `kubectl scale` does.
    #[must_use]
    pub fn scales_to(&self) -> Option<i64> {
        self.value_at(REPLICAS)?.as_i64()
    }

    /// Returns the type of the update strategy that it sets, if it sets one.
    #[must_use]
    pub fn strategy(&self) -> Option<&str> {
        let whole = self.value_at(&["spec", "updateStrategy"]);
        let kind = self.value_at(&["spec", "updateStrategy", "type"]);
        kind.or(whole.map(|whole| &whole["type"]))?.as_str()
    }

    /// Reports whether it is what `kubectl rollout restart` does.
    #[must_use]
    pub fn restarts(&self) -> bool {
        self.value_at(RESTARTED_AT).is_some()
    }

    /// Makes the edit.
    pub(super) fn make(&self, set: &mut Value) -> Result<(), ChangeError> {
        match self {
            Edit::Set { path, value } => {
                if !["metadata", "spec"].contains(&path.root()) {
                    return Err(PathError::Elsewhere(path.to_string()).into());
                }
                Ok(path.set(set, value.clone())?)
            }
            Edit::PartitionShare(percent) => partition_edit(*percent, set).make(set),
            Edit::Image { container, image } => set_image(set, container.as_deref(), image),
            Edit::ToRevision(data) => {
                *set = with_data(set, data)?;
                Ok(())
            }
        }
    }

    /// Returns the strategic merge patch that makes the edit in this set; `None` if such a patch cannot express it.
    #[must_use]
    pub fn patch(&self, set: &Value) -> Option<Value> {
        match self {
            Edit::Set { path, value } => {
                let members = path.members()?;
                let stored = members.iter().fold(set, |value, member| &value[*member]);
                let value = replacing(stored, value);
                let nested = |inner, member: &&str| json!({*member: inner});
                Some(members.iter().rev().fold(value, nested))
            }
            Edit::PartitionShare(percent) => partition_edit(*percent, set).patch(set),
            Edit::Image { container, image } => {
                let pod = &set["spec"]["template"]["spec"];
                let only = || only_container(set).map(str::to_owned);
                let name = container.clone().or_else(only)?;
                let mut lists = ["containers", "initContainers"].into_iter();
                let list = lists.find(|list| {
                    let containers = pod[*list].as_array().into_iter().flatten();
                    containers.into_iter().any(|one| one["name"] == *name)
                });
                let list = list.unwrap_or("containers");
                let containers = json!([{"name": name, "image": image}]);
                Some(json!({"spec": {"template": {"spec": {list: containers}}}}))
            }
            Edit::ToRevision(_) => None,
        }
    }
}

/// Returns the name of the only container of a set's template.
#[must_use]
pub fn only_container(set: &Value) -> Option<&str> {
    match set["spec"]["template"]["spec"]["containers"]
        .as_array()?
        .as_slice()
    {
        [one] => one["name"].as_str(),
        _ => None,
    }
}

/// Returns the value of a merge patch that replaces a stored value: members that the new one lacks are removed.
fn replacing(stored: &Value, new: &Value) -> Value {
    let (Value::Object(stored), Value::Object(new)) = (stored, new) else {
        return new.clone();
    };
    let kept = new.iter().map(|(key, value)| {
        let before = stored.get(key).unwrap_or(&Value::Null);
        (key.clone(), replacing(before, value))
    });
    let removed = stored.keys().filter(|key| !new.contains_key(*key));
    let removed = removed.map(|key| (key.clone(), Value::Null));
    Value::Object(kept.chain(removed).collect())
}

fn partition_edit(percent: i32, set: &Value) -> Edit {
    let replicas = set["spec"]["replicas"].as_i64().unwrap_or(1);
    Edit::of_rolling_update("partition", json!(partition_of(percent, replicas)))
}

/// Returns the partition for a percentage of the replicas. It is rounded down, and at least 1 unless it is 0%, like a
/// percentage of `maxUnavailable` from 1.25 on.
#[must_use]
pub fn partition_of(percent: i32, replicas: i64) -> i64 {
    let share = i64::from(percent).saturating_mul(replicas).div_euclid(100);
    share.max(i64::from(percent.signum()))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Merges as RFC 7386 says, and lists of containers by name, as a strategic merge patch does.
    fn merged(value: Value, patch: &Value) -> Value {
        match (value, patch) {
            (value, Value::Object(patch)) => {
                let mut members = value.as_object().cloned().unwrap_or_default();
                for (key, new) in patch {
                    match new.is_null() {
                        true => members.remove(key),
                        false => {
                            let before = members.get(key).cloned().unwrap_or(Value::Null);
                            members.insert(key.clone(), merged(before, new))
                        }
                    };
                }
                members.into()
            }
            (Value::Array(containers), Value::Array(patch)) => {
                let of_same_name =
                    |one: &Value| patch.iter().find(|new| new["name"] == one["name"]);
                let containers = containers.into_iter().map(|one| match of_same_name(&one) {
                    Some(new) => merged(one, new),
                    None => one,
                });
                containers.collect()
            }
            (_, new) => new.clone(),
        }
    }

    #[test]
    fn the_patch_of_an_edit_has_its_effect() {
        let set = json!({
            "metadata": {"name": "web", "labels": {"team": "a"}},
            "spec": {
                "replicas": 3,
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
                "template": {
                    "metadata": {"labels": {"app": "web", "tier": "db"}},
                    "spec": {"containers": [{"name": "app", "image": "app:1"}, {"name": "log", "image": "log:1"}]},
                },
            },
        });
        let field = |path: &str, value: Value| Edit::Set {
            path: path.parse().unwrap(),
            value,
        };
        let edits = [
            Edit::replicas(5),
            Edit::partition(2),
            Edit::PartitionShare(50),
            Edit::max_unavailable("25%"),
            Edit::max_unavailable("2"),
            Edit::min_ready_seconds(10),
            Edit::update_strategy("OnDelete"),
            Edit::update_strategy("RollingUpdate"),
            Edit::restart("2026-01-01T00:00:00Z"),
            Edit::Image {
                container: Some("log".to_owned()),
                image: "log:2".to_owned(),
            },
            // A value replaces the whole field, so its patch removes the other members.
            field("spec.template.metadata.labels", json!({"app": "web"})),
            field("metadata.labels", Value::Null),
            field("spec.ordinals.start", json!(1)),
        ];
        for edit in edits {
            let mut made = set.clone();
            edit.make(&mut made).unwrap();
            let patch = edit.patch(&set).unwrap();
            // A member that is set to null is one that the server drops.
            let without_null = |value: &Value| merged(json!({}), value);
            assert_eq!(
                without_null(&merged(set.clone(), &patch)),
                without_null(&made),
                "{edit:?}: {patch}"
            );
        }
        // No patch names an element by its place.
        assert_eq!(
            field("spec.template.spec.containers[0].image", json!("x")).patch(&set),
            None
        );
        assert_eq!(Edit::ToRevision(json!({})).patch(&set), None);
    }

    #[test]
    fn an_edit_knows_the_command_that_does_the_same() {
        assert_eq!(Edit::replicas(5).scales_to(), Some(5));
        assert_eq!(Edit::partition(5).scales_to(), None);
        assert!(Edit::restart("now").restarts());
        assert!(!Edit::replicas(1).restarts());
    }
}
