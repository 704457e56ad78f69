//! Data of a pod in directories of its node, which another node does not have.

use serde_json::Value;

use sts_controller::object::Pod;

/// Directories that belong to the node, not to a pod that mounts them.
const OF_THE_NODE: [&str; 11] = [
    "/boot", "/dev", "/etc", "/lib", "/opt/cni", "/proc", "/run", "/sys", "/usr", "/var/log",
    "/var/run",
];
/// Types of a volume that has no data.
const WITHOUT_DATA: [&str; 3] = ["Socket", "CharDevice", "BlockDevice"];

/// Returns the paths of the `hostPath` volumes of a pod, except for those that its containers only read, and those of the
/// node.
pub(super) fn data(pod: &Pod) -> Vec<String> {
    let Some(given) = pod.given() else {
        return Vec::new();
    };
    let spec = &given["spec"];
    fn list(value: &Value) -> impl Iterator<Item = &Value> + Clone {
        value.as_array().into_iter().flatten()
    }
    let containers = ["containers", "initContainers"];
    let mounts: Vec<&Value> = containers
        .iter()
        .flat_map(|kind| list(&spec[*kind]))
        .flat_map(|container| list(&container["volumeMounts"]))
        .collect();
    let paths = list(&spec["volumes"]).filter_map(|volume| {
        let path = volume["hostPath"]["path"].as_str()?;
        let kind = volume["hostPath"]["type"].as_str().unwrap_or_default();
        let of_volume = mounts.iter().filter(|it| it["name"] == volume["name"]);
        let mut read_only = of_volume.map(|it| it["readOnly"].as_bool().unwrap_or(false));
        let is_written = read_only.clone().next().is_none() || read_only.any(|it| !it);
        let is_of_node = OF_THE_NODE.iter().any(|of| {
            let below = path.strip_prefix(of);
            below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
        });
        let has_data = is_written && !is_of_node && !WITHOUT_DATA.contains(&kind);
        has_data.then(|| path.to_owned())
    });
    paths.collect()
}
