//! Components of a cluster that causes are about, and their pods.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use super::component_entry::ComponentEntry;
use sts_controller::object::Pod;

/// The components by id, as the build script has read them.
static COMPONENTS: LazyLock<BTreeMap<String, ComponentEntry>> = LazyLock::new(|| {
    let text = include_str!(concat!(env!("OUT_DIR"), "/components.json"));
    serde_json::from_str(text).unwrap_or_default()
});

/// Returns a component; `None` for an id that is not declared.
pub(crate) fn component(id: &str) -> Option<&'static ComponentEntry> {
    COMPONENTS.get(id)
}

/// Returns the component without which a container is not ready.
pub(crate) fn component_behind(container: &str) -> Option<&'static ComponentEntry> {
    COMPONENTS
        .values()
        .find(|it| it.proxies.iter().any(|name| name == container))
}

/// Labels of the names of drivers that many drivers have.
const OF_ANY_DRIVER: [&str; 6] = ["csi", "com", "driver", "disk", "storage", "k8s"];

/// Minimum length of a label of a driver's name that tells its pods from those of others.
const TELLING: usize = 3;

impl ComponentEntry {
    /// Reports whether a pod is of the component, and of one of these CSI drivers if each driver has its own. Names are
    /// compared first: the specification of every pod of a cluster is too much to read.
    pub(crate) fn is_of(&self, pod: &Pod, drivers: &[Arc<str>]) -> bool {
        let owner = pod.meta.controller().map_or("", |owner| &*owner.name);
        if self.of_driver && !is_of_drivers(pod, drivers) {
            return false;
        }
        self.has_owner(owner) || !self.containers.is_empty() && self.has_container(pod)
    }

    /// Reports whether a DaemonSet or Deployment of this name is of the component.
    pub(crate) fn has_owner(&self, name: &str) -> bool {
        self.owners.iter().any(|part| match part.strip_prefix('=') {
            // The name of a ReplicaSet has a hash at its end.
            Some(whole) => {
                let rest = name.strip_prefix(whole);
                let hash = |rest: &str| rest.strip_prefix('-').is_some_and(|it| !it.contains('-'));
                rest.is_some_and(|rest| {
                    rest.is_empty() || hash(rest) && rest.chars().any(|c| c.is_ascii_digit())
                })
            }
            None => name.contains(&**part),
        })
    }

    fn has_container(&self, pod: &Pod) -> bool {
        let given = pod.given();
        let containers = given
            .as_ref()
            .and_then(|it| it["spec"]["containers"].as_array());
        let mut names = containers
            .into_iter()
            .flatten()
            .filter_map(|it| it["name"].as_str());
        names.any(|name| self.containers.iter().any(|part| name.contains(&**part)))
    }
}

/// Reports whether a pod is of one of these CSI drivers, or of their storage.
pub(crate) fn is_of_drivers(pod: &Pod, drivers: &[Arc<str>]) -> bool {
    let owner = pod.meta.controller().map_or("", |owner| &*owner.name);
    drivers.iter().any(|driver| serves(pod, owner, driver))
}

/// Reports whether the pod of a driver serves the one of this name: its owner or namespace has a label of it.
fn serves(pod: &Pod, owner: &str, driver: &str) -> bool {
    let labels = driver.split(['.', '-']);
    let mut telling =
        labels.filter(|label| label.len() >= TELLING && !OF_ANY_DRIVER.contains(label));
    telling.any(|label| owner.contains(label) || pod.meta.namespace.contains(label))
}
