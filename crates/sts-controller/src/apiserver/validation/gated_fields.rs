//! Gated fields of a pod template. The server silently drops them before validation, unless the stored template already
//! has them.

use serde_json::{Map, Value};

use super::read::{is_given, list, text};
use crate::apiserver::schema::{CONTAINER_LISTS, Era};

/// A dropped field of the request.
#[derive(Debug, Clone, PartialEq)]
pub struct Dropped {
    /// Path.
    pub path: String,
    /// Its value in the request.
    pub value: Value,
    /// The disabled feature gate.
    pub gate: &'static str,
}

/// Fields behind a feature gate.
struct GatedFields {
    gate: &'static str,
    /// Minors whose servers drop the fields, unless the gate is on.
    off: Era,
    /// Their paths in the pod: `a.b` is a member, `a[]` every element, `@` every container of any kind.
    fields: &'static [&'static str],
    removal: Removal,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Removal {
    /// Removes the field.
    Removed,
    /// Removes the field, and its parent if that is empty then.
    Pruned,
    /// Sets the field to this value.
    Becomes(&'static str),
    /// Removes the field unless it has this value.
    Only(&'static str),
}

/// Returns the fields of a gate that is on by default from the minor `on` on.
const fn gated(gate: &'static str, on: u32, fields: &'static [&'static str]) -> GatedFields {
    GatedFields {
        gate,
        off: Era::since(0).until(on.saturating_sub(1)),
        fields,
        removal: Removal::Removed,
    }
}

impl GatedFields {
    const fn removing(mut self, removal: Removal) -> Self {
        self.removal = removal;
        self
    }

    /// Sets the minors, for a gate that is newer than its fields.
    const fn of(mut self, minors: Era) -> Self {
        self.off = minors;
        self
    }

    fn dropped(&self, field: &str, value: Value) -> Dropped {
        Dropped {
            path: format!("spec.template.spec.{field}"),
            value,
            gate: self.gate,
        }
    }

    /// Reports whether a stored template uses the feature. A field that the server overwrites counts only if its value
    /// differs from the server's.
    fn is_used(&self, pod: &Value) -> bool {
        self.fields.iter().any(|field| match self.removal {
            Removal::Removed | Removal::Pruned => is_used(pod, field, &|_| true),
            Removal::Becomes(text) | Removal::Only(text) => {
                is_used(pod, field, &|value| value != text)
            }
        })
    }
}

/// Off in every known minor.
const NEVER: u32 = u32::MAX;

/// Gates by default value; facts of the published feature lists of 1.20 to 1.37.
static GATES: [GatedFields; 33] = [
    gated(
        "PodAffinityNamespaceSelector",
        22,
        &[
            "affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[].namespaceSelector",
            "affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm.namespaceSelector",
            "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[].namespaceSelector",
            "affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm.namespaceSelector",
        ],
    ),
    gated(
        "ProbeTerminationGracePeriod",
        25,
        &[
            "@.livenessProbe.terminationGracePeriodSeconds",
            "@.startupProbe.terminationGracePeriodSeconds",
        ],
    ),
    gated("IdentifyPodOS", 24, &["os"]),
    gated(
        "GRPCContainerProbe",
        24,
        &[
            "@.livenessProbe.grpc",
            "@.readinessProbe.grpc",
            "@.startupProbe.grpc",
        ],
    ),
    gated(
        "MinDomainsInPodTopologySpread",
        27,
        &["topologySpreadConstraints[].minDomains"],
    ),
    gated(
        "NodeInclusionPolicyInPodTopologySpread",
        26,
        &[
            "topologySpreadConstraints[].nodeAffinityPolicy",
            "topologySpreadConstraints[].nodeTaintsPolicy",
        ],
    ),
    gated(
        "MatchLabelKeysInPodTopologySpread",
        27,
        &["topologySpreadConstraints[].matchLabelKeys"],
    ),
    gated("PodSchedulingReadiness", 27, &["schedulingGates"]),
    gated("UserNamespacesSupport", 33, &["hostUsers"]),
    gated(
        "DynamicResourceAllocation",
        34,
        &["resourceClaims", "@.resources.claims"],
    ),
    gated("InPlacePodVerticalScaling", 33, &["@.resizePolicy"]),
    gated("SidecarContainers", 29, &["initContainers[].restartPolicy"]),
    gated(
        "MatchLabelKeysInPodAffinity",
        31,
        &[
            "affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[].matchLabelKeys",
            "affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[].mismatchLabelKeys",
            "affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm.matchLabelKeys",
            "affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm.mismatchLabelKeys",
            "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[].matchLabelKeys",
            "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[].mismatchLabelKeys",
            "affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm.matchLabelKeys",
            "affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm.mismatchLabelKeys",
        ],
    ),
    gated(
        "PodLifecycleSleepAction",
        30,
        &["@.lifecycle.preStop.sleep", "@.lifecycle.postStart.sleep"],
    )
    .removing(Removal::Pruned),
    gated(
        "ClusterTrustBundleProjection",
        37,
        &["volumes[].projected.sources[].clusterTrustBundle"],
    ),
    gated(
        "RecursiveReadOnlyMounts",
        31,
        &["@.volumeMounts[].recursiveReadOnly"],
    ),
    gated("ProcMountType", 33, &["@.securityContext.procMount"])
        .removing(Removal::Becomes("Default")),
    gated(
        "SupplementalGroupsPolicy",
        33,
        &["securityContext.supplementalGroupsPolicy"],
    ),
    gated("PodLevelResources", 34, &["resources"]),
    gated(
        "SELinuxChangePolicy",
        33,
        &["securityContext.seLinuxChangePolicy"],
    ),
    gated("ContainerStopSignals", NEVER, &["@.lifecycle.stopSignal"]).removing(Removal::Pruned),
    gated("HostnameOverride", 35, &["hostnameOverride"]),
    gated("EnvFiles", 35, &["@.env[].valueFrom.fileKeyRef"]),
    gated(
        "ContainerRestartRules",
        35,
        &[
            "@.restartPolicyRules",
            "containers[].restartPolicy",
            "ephemeralContainers[].restartPolicy",
        ],
    )
    .of(Era::since(34).until(34)),
    gated(
        "ContainerRestartRules",
        35,
        &["initContainers[].restartPolicy"],
    )
    .removing(Removal::Only("Always"))
    .of(Era::since(34).until(34)),
    gated(
        "PodCertificateRequest",
        37,
        &["volumes[].projected.sources[].podCertificate"],
    ),
    gated("EvictionRequestAPI", NEVER, &["evictionResponders"]),
    gated(
        "H2CContainerProbe",
        NEVER,
        &[
            "@.livenessProbe.httpGet.protocol",
            "@.readinessProbe.httpGet.protocol",
            "@.startupProbe.httpGet.protocol",
            "@.lifecycle.postStart.httpGet.protocol",
            "@.lifecycle.preStop.httpGet.protocol",
        ],
    ),
    gated(
        "GRPCContainerProbeTLS",
        NEVER,
        &[
            "@.livenessProbe.grpc.mode",
            "@.readinessProbe.grpc.mode",
            "@.startupProbe.grpc.mode",
        ],
    ),
    gated(
        "VolumeBindMountOptions",
        NEVER,
        &["@.volumeMounts[].bindMountOptions"],
    ),
    gated("EmptyDirVolumeMode", NEVER, &["volumes[].emptyDir.mode"]),
    gated(
        "AtomicWriteVolumeUserFields",
        NEVER,
        &[
            "volumes[].secret.defaultUser",
            "volumes[].secret.items[].user",
            "volumes[].configMap.defaultUser",
            "volumes[].configMap.items[].user",
            "volumes[].downwardAPI.defaultUser",
            "volumes[].downwardAPI.items[].user",
            "volumes[].projected.defaultUser",
            "volumes[].projected.sources[].secret.items[].user",
            "volumes[].projected.sources[].configMap.items[].user",
            "volumes[].projected.sources[].downwardAPI.items[].user",
            "volumes[].projected.sources[].serviceAccountToken.user",
            "volumes[].projected.sources[].clusterTrustBundle.user",
            "volumes[].projected.sources[].podCertificate.user",
        ],
    ),
    gated(
        "GenericWorkload",
        NEVER,
        &["schedulingGroup", "workloadRef"],
    ),
];

/// Drops the gated fields of a template, and returns them.
pub(super) fn drop_fields(
    template: &mut Value,
    old: Option<&Value>,
    minor: u32,
    out: &mut Vec<Dropped>,
) {
    let Some(pod) = template.get_mut("spec") else {
        return;
    };
    let old = old.map(|old| &old["spec"]);
    for gate in &GATES {
        if !gate.off.has(minor) {
            continue;
        }
        if old.is_some_and(|old| gate.is_used(old)) {
            continue;
        }
        for field in gate.fields {
            let Some(rest) = field.strip_prefix("@.") else {
                if let Some(value) = remove(pod, field, gate.removal) {
                    out.push(gate.dropped(field, value));
                }
                continue;
            };
            for containers in CONTAINER_LISTS {
                if let Some(value) = remove_in_list(pod, containers, rest, gate.removal) {
                    out.push(gate.dropped(&format!("{containers}[].{rest}"), value));
                }
            }
        }
    }
    if Era::since(31).until(34).has(minor)
        && !old.is_some_and(|old| is_used(old, "volumes[].image", &|_| true))
    {
        drop_image_volumes(pod, out);
    }
}

fn is_used(pod: &Value, field: &str, counts: &dyn Fn(&Value) -> bool) -> bool {
    match field.strip_prefix("@.") {
        None => has(pod, field, counts),
        Some(rest) => CONTAINER_LISTS
            .iter()
            .any(|containers| has_in_list(pod, containers, rest, counts)),
    }
}

fn has(owner: &Value, path: &str, counts: &dyn Fn(&Value) -> bool) -> bool {
    let (first, rest) = match path.split_once('.') {
        None => (path, None),
        Some((first, rest)) => (first, Some(rest)),
    };
    match (first.strip_suffix("[]"), rest) {
        (Some(member), Some(rest)) => has_in_list(owner, member, rest, counts),
        (None, Some(rest)) => has(&owner[first], rest, counts),
        (_, None) => match &owner[first] {
            Value::Null => false,
            Value::Array(items) => !items.is_empty(),
            value => counts(value),
        },
    }
}

/// Tests the items of a list.
fn has_in_list(owner: &Value, member: &str, path: &str, counts: &dyn Fn(&Value) -> bool) -> bool {
    let mut items = list(owner, member).iter();
    items.any(|item| has(item, path, counts))
}

/// Removes a field at every occurrence, and returns its first value.
fn remove(owner: &mut Value, path: &str, removal: Removal) -> Option<Value> {
    let Some((first, rest)) = path.split_once('.') else {
        return remove_member(owner.as_object_mut()?, path, removal);
    };
    if let Some(member) = first.strip_suffix("[]") {
        return remove_in_list(owner, member, rest, removal);
    }
    let owner = owner.as_object_mut()?;
    let inner = owner.get_mut(first)?;
    let found = remove(inner, rest, removal)?;
    let nothing = inner
        .as_object()
        .is_some_and(|members| members.values().all(Value::is_null));
    if removal == Removal::Pruned && nothing {
        owner.remove(first);
    }
    Some(found)
}

/// Removes a field in every item of a list.
fn remove_in_list(owner: &mut Value, member: &str, path: &str, removal: Removal) -> Option<Value> {
    let mut found = None;
    for item in owner.as_object_mut()?.get_mut(member)?.as_array_mut()? {
        let removed = remove(item, path, removal);
        found = found.or(removed);
    }
    found
}

fn remove_member(owner: &mut Map<String, Value>, member: &str, removal: Removal) -> Option<Value> {
    match removal {
        Removal::Removed | Removal::Pruned => owner.remove(member).filter(|value| !value.is_null()),
        Removal::Becomes(text) => {
            let value = owner.get_mut(member).filter(|value| !value.is_null())?;
            let before = std::mem::replace(value, Value::from(text));
            (before != text).then_some(before)
        }
        Removal::Only(text) => {
            let value = owner.get(member)?;
            if value == text {
                return None;
            }
            owner.remove(member).filter(|value| !value.is_null())
        }
    }
}

/// Removes image volumes together with their mounts (gate ImageVolume, 1.31 to 1.34).
fn drop_image_volumes(pod: &mut Value, out: &mut Vec<Dropped>) {
    let images: Vec<Value> = list(pod, "volumes")
        .iter()
        .filter(|volume| is_given(volume, "image"))
        .cloned()
        .collect();
    if images.is_empty() {
        return;
    }
    let named = |item: &Value| {
        images
            .iter()
            .any(|image| text(image, "name") == text(item, "name"))
    };
    retain(pod, "volumes", |volume| !is_given(volume, "image"));
    for member in CONTAINER_LISTS {
        let containers = pod.get_mut(member).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten() {
            retain(container, "volumeMounts", |mount| !named(mount));
        }
    }
    out.push(Dropped {
        path: "spec.template.spec.volumes[].image".to_owned(),
        value: Value::Array(images),
        gate: "ImageVolume",
    });
}

/// Keeps some items of a list, and removes an empty list.
fn retain(owner: &mut Value, member: &str, keep: impl Fn(&Value) -> bool) {
    let Some(owner) = owner.as_object_mut() else {
        return;
    };
    let list = owner.get_mut(member).and_then(Value::as_array_mut);
    let Some(list) = list.filter(|list| !list.is_empty()) else {
        return;
    };
    list.retain(keep);
    if list.is_empty() {
        owner.remove(member);
    }
}
