//! Secret or ConfigMap that lacks a key.

use std::sync::Arc;

use serde_json::Value;

use super::Witness;
use super::chain;
use crate::catalogue::{Made, maker};
use crate::cause::template::containers;
use crate::plan::Plan;
use sts_controller::object::{Pod, RelatedObjects};

/// A Secret or ConfigMap that lacks a key which a volume or a variable of a pod references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LackingKey {
    /// `Secret` or `ConfigMap`.
    pub kind: &'static str,
    /// Name of the object.
    pub name: String,
    /// The key.
    pub key: String,
    /// True if subPath of a mount names the key.
    pub is_sub_path: bool,
    /// The keys that it has; empty if the input does not have it.
    pub keys: Vec<Arc<str>>,
}

impl LackingKey {
    /// Reads the report of the kubelet, which names the object, or the volume of the pod, or a mount of it.
    pub(super) fn of(report: &str, pod: &Pod, related: &RelatedObjects) -> Option<Self> {
        let found = in_volume(report, pod).or_else(|| of_variable(report));
        let mut found = found.or_else(|| of_mount(report, pod))?;
        let mut objects = related.bystanders(&pod.meta.namespace);
        let object = objects.find(|it| *it.kind == *found.kind && *it.meta.name == *found.name);
        found.keys = object.map_or_else(Vec::new, |object| object.keys.clone());
        // Only the object tells whether a mount fails of its key.
        let is_proven = !found.keys.is_empty() && !found.keys.iter().any(|it| **it == *found.key);
        (is_proven || !found.is_sub_path).then_some(found)
    }

    fn new(kind: &'static str, name: &str, key: &str) -> Self {
        LackingKey {
            kind,
            name: name.to_owned(),
            key: key.to_owned(),
            is_sub_path: false,
            keys: Vec::new(),
        }
    }
}

/// Returns the object that writes the one that lacks a key, which would undo what is added by hand: one that makes it, or
/// else its owner.
pub(super) fn writer(plan: &Plan, pod: &Pod, lacking: &LackingKey) -> Option<Witness> {
    let namespace = &pod.meta.namespace;
    let made = match lacking.kind {
        "Secret" => Made::Secret,
        _ => Made::ConfigMap,
    };
    if let Some(maker) = maker(&plan.related, namespace, made, &lacking.name) {
        return Some(Witness::of(plan, maker));
    }
    let mut objects = plan.related.bystanders(namespace);
    let object = objects.find(|it| *it.kind == *lacking.kind && *it.meta.name == *lacking.name)?;
    let owner = object.meta.controller()?;
    Some(Witness {
        kind: Arc::clone(&owner.kind),
        name: Arc::clone(&owner.name),
        namespace: Arc::clone(namespace),
        is_elsewhere: chain::is_elsewhere(plan, &object.meta),
        trouble: String::new(),
    })
}

/// Reads `couldn't find key user in Secret db/creds`.
fn of_variable(report: &str) -> Option<LackingKey> {
    let (_, rest) = report.split_once("couldn't find key ")?;
    let (key, rest) = rest.split_once(" in ")?;
    let mut words = rest.split_whitespace();
    let kind = match words.next()? {
        "Secret" => "Secret",
        "ConfigMap" => "ConfigMap",
        _ => return None,
    };
    let name = words.next()?.rsplit('/').next()?;
    Some(LackingKey::new(kind, name, key))
}

/// Reads `error mounting "/var/lib/kubelet/x" to rootfs at "/etc/pg.conf": not a directory`: the kubelet makes a directory for
/// a key that the object of a volume does not have.
fn of_mount(report: &str, pod: &Pod) -> Option<LackingKey> {
    let (_, path) = report.split_once("to rootfs at \"")?;
    let (path, rest) = path.split_once('"')?;
    let is_directory = ["not a directory", "directory onto a file"];
    if !is_directory.iter().any(|words| rest.contains(words)) {
        return None;
    }
    let given = pod.given()?;
    let mounts = containers(&given["spec"])
        .flat_map(|it| it["volumeMounts"].as_array().into_iter().flatten());
    let mut mounts = mounts.filter(|it| it["subPath"].is_string());
    let mount = mounts.find(|it| it["mountPath"].as_str() == Some(path))?;
    let key = mount["subPath"].as_str()?;
    let mut volumes = given["spec"]["volumes"].as_array()?.iter();
    let volume = volumes.find(|it| it["name"] == mount["name"])?;
    // Items give the keys other names.
    let object = [
        ("Secret", "secret", "secretName"),
        ("ConfigMap", "configMap", "name"),
    ];
    let (kind, name) = object.iter().find_map(|(kind, member, named)| {
        let source = &volume[*member];
        let name = source[*named].as_str()?;
        source["items"].is_null().then_some((*kind, name))
    })?;
    Some(LackingKey {
        is_sub_path: true,
        ..LackingKey::new(kind, name, key)
    })
}

/// Reads `MountVolume.SetUp failed for volume "tls" : references non-existent secret key: ca.crt`.
fn in_volume(report: &str, pod: &Pod) -> Option<LackingKey> {
    let (_, key) = report.split_once("references non-existent ")?;
    let (kind, key) = key.split_once(" key: ")?;
    let (kind, member, named) = match kind {
        "secret" => ("Secret", "secret", "secretName"),
        "config" => ("ConfigMap", "configMap", "name"),
        _ => return None,
    };
    let key = key.split_whitespace().next()?;
    let (_, volume) = report.split_once("for volume \"")?;
    let (volume, _) = volume.split_once('"')?;
    let given = pod.given()?;
    let mut volumes = given["spec"]["volumes"].as_array()?.iter();
    let volume = volumes.find(|it| it["name"] == volume)?;
    let projected = || {
        let sources = volume["projected"]["sources"].as_array()?;
        let has_key = |source: &Value| {
            let items = source[member]["items"].as_array();
            items.into_iter().flatten().any(|item| item["key"] == key)
        };
        let source = sources.iter().find(|it| has_key(it))?;
        source[member]["name"].as_str()
    };
    let name = volume[member][named].as_str().or_else(projected)?;
    Some(LackingKey::new(kind, name, key))
}
