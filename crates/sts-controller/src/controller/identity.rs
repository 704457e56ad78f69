//! Names and identities of pods and claims, and the construction of pods: docs/semantics.md 3.2.2 and 3.9.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

use serde_json::Value;

use crate::object::{
    Claim, ClaimTemplate, Labels, Meta, OwnerReference, Pod, PodBlueprint, Set, Volume,
    decoded_labels,
};
use crate::version::Behaviour;

/// Label with the pod's own name.
const POD_NAME_LABEL: &str = "statefulset.kubernetes.io/pod-name";
/// Label with the pod's ordinal.
const POD_INDEX_LABEL: &str = "apps.kubernetes.io/pod-index";

/// Reports whether the label's value is the pod's own name or ordinal.
pub(crate) fn is_identity_label(key: &str) -> bool {
    key == POD_NAME_LABEL || key == POD_INDEX_LABEL
}

/// `getParentNameAndOrdinal`: splits `web-3` into `web` and 3. Returns `None` for a name that does not end in a dash
/// and digits. Digits beyond 32 bits give a parent but no ordinal (-1).
#[must_use]
pub fn parent_and_ordinal(pod: &str) -> Option<(&str, i64)> {
    let bytes = pod.as_bytes();
    let mut at = bytes.len();
    let (mut ordinal, mut place) = (0i64, 1i64);
    while let Some(digit @ b'0'..=b'9') = at.checked_sub(1).and_then(|last| bytes.get(last)) {
        ordinal = ordinal.saturating_add(i64::from(digit - b'0').saturating_mul(place));
        place = place.saturating_mul(10);
        at -= 1;
    }
    if at == bytes.len() {
        return None;
    }
    let parent = pod.get(..at)?.strip_suffix('-')?;
    Some((parent, i32::try_from(ordinal).map_or(-1, i64::from)))
}

/// `getOrdinal`: returns -1 for a name without one.
#[must_use]
pub fn ordinal_of(pod: &str) -> i64 {
    parent_and_ordinal(pod).map_or(-1, |(_, ordinal)| ordinal)
}

/// `isMemberOf`: reports whether the pod's name belongs to this set.
#[must_use]
pub fn is_member(set: &Set, pod: &str) -> bool {
    parent_and_ordinal(pod).is_some_and(|(parent, _)| parent == &*set.meta.name)
}

/// `getPodName`.
#[must_use]
pub fn pod_name(set: &Set, ordinal: i64) -> String {
    let mut name = String::with_capacity(set.meta.name.len() + 8);
    name.push_str(&set.meta.name);
    push_ordinal(&mut name, ordinal);
    name
}

/// Appends a dash and an ordinal. Written by hand: names are built often, and formatting is slow.
fn push_ordinal(name: &mut String, ordinal: i64) {
    name.push('-');
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut left = ordinal.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    if ordinal < 0 {
        name.push('-');
    }
    name.push_str(str::from_utf8(&digits[at..]).unwrap_or_default());
}

/// `getPersistentVolumeClaimName`: returns the name of the claim that a pod has of a template.
#[must_use]
pub fn claim_of_pod(template: &str, pod: &str) -> String {
    format!("{template}-{pod}")
}

/// Returns the name of the pod whose claim of a template has this name, the inverse of [`claim_of_pod`].
#[must_use]
pub fn pod_of_claim<'c>(template: &str, claim: &'c str) -> Option<&'c str> {
    claim.strip_prefix(template)?.strip_prefix('-')
}

/// The same name as [`claim_of_pod`], written into a reused buffer.
pub(super) fn claim_name<'b>(
    buffer: &'b mut String,
    template: &ClaimTemplate,
    set: &Set,
    ordinal: i64,
) -> &'b str {
    buffer.clear();
    buffer.push_str(&template.name);
    buffer.push('-');
    buffer.push_str(&set.meta.name);
    push_ordinal(buffer, ordinal);
    buffer
}

/// Returns the owner reference to the set as a controller.
#[must_use]
pub fn controller_reference(set: &Set) -> OwnerReference {
    OwnerReference {
        api_version: Arc::from("apps/v1"),
        kind: Arc::from("StatefulSet"),
        name: Arc::clone(&set.meta.name),
        uid: Arc::clone(&set.meta.uid),
        controller: Some(true),
        block_owner_deletion: Some(true),
    }
}

/// `identityMatches`: compares ordinal, parent, name, namespace and the pod-name label. It does not look at the
/// pod-index label (quirk Q28). The name reveals leading zeros.
pub(super) fn identity_matches(set: &Set, pod: &Pod) -> bool {
    let Some((parent, ordinal)) = parent_and_ordinal(&pod.meta.name) else {
        return false;
    };
    let digits = &pod.meta.name[parent.len() + 1..];
    let canonical = digits == "0" || !digits.starts_with('0');
    ordinal >= 0
        && parent == &*set.meta.name
        && canonical
        && pod.meta.namespace == set.meta.namespace
        && pod
            .meta
            .labels
            .get(POD_NAME_LABEL)
            .is_some_and(|label| **label == *pod.meta.name)
}

/// `updateIdentity`: returns the pod with its canonical name and identity labels.
pub(super) fn with_identity(set: &Set, pod: &Pod, behaviour: &Behaviour) -> Pod {
    let ordinal = ordinal_of(&pod.meta.name);
    let mut pod = pod.clone();
    pod.meta.name = Arc::from(pod_name(set, ordinal));
    pod.meta.namespace = Arc::clone(&set.meta.namespace);
    write_identity_labels(&mut pod.meta, ordinal, behaviour);
    pod
}

/// Keys of the identity labels, one copy for all pods.
static IDENTITY_KEYS: LazyLock<[Arc<str>; 2]> =
    LazyLock::new(|| [Arc::from(POD_NAME_LABEL), Arc::from(POD_INDEX_LABEL)]);

fn write_identity_labels(meta: &mut Meta, ordinal: i64, behaviour: &Behaviour) {
    let [name, index] = &*IDENTITY_KEYS;
    let labels = Arc::make_mut(&mut meta.labels);
    labels.insert(Arc::clone(name), Arc::clone(&meta.name));
    if behaviour.pod_index_label {
        labels.insert(Arc::clone(index), Arc::from(ordinal.to_string()));
    }
}

/// `storageMatches`: reports whether every claim template has a volume with the right claim. If several volumes have
/// one name, the last one counts.
pub(super) fn storage_matches(set: &Set, pod: &Pod, buffer: &mut String) -> bool {
    let ordinal = ordinal_of(&pod.meta.name);
    if ordinal < 0 {
        return false;
    }
    if set.claim_templates.len() > FEW_TEMPLATES {
        let by_name = pod.volumes.iter().map(|volume| (&volume.name, volume));
        let volumes: BTreeMap<&Arc<str>, &Volume> = by_name.collect();
        return set.claim_templates.iter().all(|template| {
            let expected = claim_name(buffer, template, set, ordinal);
            let volume = volumes.get(&template.name);
            volume.is_some_and(|volume| volume.claim.as_deref() == Some(expected))
        });
    }
    set.claim_templates.iter().all(|template| {
        let expected = claim_name(buffer, template, set, ordinal);
        pod.volumes
            .iter()
            .rev()
            .find(|volume| volume.name == template.name)
            .is_some_and(|volume| volume.claim.as_deref() == Some(expected))
    })
}

/// Number of claim templates above which a pod's volumes are sorted before the lookup.
const FEW_TEMPLATES: usize = 16;

/// Returns the volumes of a pod's claim templates, in the order of the templates. The controller iterates over a map
/// here, so its order is arbitrary.
pub(super) fn claim_volumes(set: &Set, ordinal: i64) -> Arc<[Volume]> {
    let mut buffer = String::new();
    set.claim_templates
        .iter()
        .map(|template| Volume {
            name: Arc::clone(&template.name),
            claim: Some(Arc::from(claim_name(&mut buffer, template, set, ordinal))),
        })
        .collect()
}

/// `getPersistentVolumeClaims`: returns the claim of a template for an ordinal.
pub(super) fn claim(set: &Set, template: &ClaimTemplate, name: Arc<str>) -> Claim {
    let meta = Meta {
        name,
        namespace: Arc::clone(&set.meta.namespace),
        labels: Arc::clone(&template.labels),
        owner_references: Arc::clone(&template.owner_references),
        resource_version: Arc::clone(&template.resource_version),
        ..Meta::default()
    };
    Claim::from_template(template, meta)
}

pub(super) fn template_labels(template: &Value) -> Labels {
    decoded_labels(&template["metadata"]["labels"])
}

/// A builder that is initialized with the first pod.
pub(super) type LazyBuilder = Arc<OnceLock<PodTemplateBuilder>>;

/// Common parts of the pods of one revision.
#[derive(Debug, Clone)]
pub(super) struct PodTemplateBuilder {
    labels: Arc<Labels>,
    owners: Arc<[OwnerReference]>,
    blueprint: Arc<PodBlueprint>,
}

impl PodTemplateBuilder {
    pub(super) fn new(set: &Set, template: &Arc<Value>, revision: &Arc<str>) -> Self {
        let mut labels = template_labels(template);
        labels.insert(
            Arc::from(crate::object::REVISION_LABEL),
            Arc::clone(revision),
        );
        let prefix = format!("{}-", set.meta.name);
        let generate_name = if is_name_prefix(&prefix) {
            Arc::from(prefix)
        } else {
            Arc::clone(&set.meta.name)
        };
        PodTemplateBuilder {
            labels: Arc::new(labels),
            owners: Arc::new([controller_reference(set)]),
            blueprint: Arc::new(PodBlueprint::new(
                Arc::clone(template),
                generate_name,
                Arc::clone(&set.service_name),
            )),
        }
    }

    /// `newVersionedStatefulSetPod`: returns the unstored pod for an ordinal.
    ///
    /// Its identity is read back from its name, where an ordinal beyond 32 bits counts as -1.
    pub(super) fn pod(&self, set: &Set, ordinal: i64, behaviour: &Behaviour) -> Pod {
        let name = pod_name(set, ordinal);
        let ordinal = ordinal_of(&name);
        let name = match ordinal {
            -1 => pod_name(set, ordinal),
            _ => name,
        };
        let claims_of = ordinal_of(&name);
        let mut meta = Meta {
            name: Arc::from(name),
            namespace: Arc::clone(&set.meta.namespace),
            labels: Arc::clone(&self.labels),
            owner_references: Arc::clone(&self.owners),
            ..Meta::default()
        };
        write_identity_labels(&mut meta, ordinal, behaviour);
        Pod::built(
            meta,
            claim_volumes(set, claims_of),
            Arc::clone(&self.blueprint),
        )
    }
}

/// Reports whether a suffix can be appended to this prefix: the trailing dash is treated as a letter.
fn is_name_prefix(prefix: &str) -> bool {
    let masked = prefix.strip_suffix('-').map(|start| {
        let kept = start.len().saturating_sub(1);
        format!("{}a", start.get(..kept).unwrap_or(start))
    });
    crate::object::is_dns_subdomain(masked.as_deref().unwrap_or(prefix))
}

/// Reports whether a pod for this slot is built from the current revision and not the update revision:
/// docs/semantics.md 3.9.1. `stored_current` comes from the status before this sync.
#[must_use]
pub fn takes_current_revision(set: &Set, stored_current: i64, slot: i64) -> bool {
    match set.strategy.rolling_update() {
        Some(rolling) => slot < i64::from(rolling.partition.unwrap_or(0)),
        None => {
            matches!(set.strategy, crate::object::Strategy::RollingUpdate(_))
                && slot < stored_current
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{is_identity_label, parent_and_ordinal, push_ordinal};

    #[test]
    fn names_split_at_their_last_dash() {
        for (name, expected) in [
            ("web-0", Some(("web", 0))),
            ("web-00", Some(("web", 0))),
            ("web-10", Some(("web", 10))),
            ("web-db-7", Some(("web-db", 7))),
            ("web--7", Some(("web-", 7))),
            ("-7", Some(("", 7))),
            ("web-2147483647", Some(("web", 2_147_483_647))),
            ("web-2147483648", Some(("web", -1))),
            ("web-0000000000000000000000001", Some(("web", 1))),
            ("web-99999999999999999999999999", Some(("web", -1))),
            ("web-x", None),
            ("web-", None),
            ("web7", None),
            ("7", None),
            ("wéb-7", Some(("wéb", 7))),
            ("", None),
        ] {
            assert_eq!(parent_and_ordinal(name), expected, "{name}");
        }
    }

    #[test]
    fn ordinals_are_written_in_decimal() {
        for ordinal in [0, 7, 10, 12_345, i64::MAX, -1, i64::MIN] {
            let mut name = String::from("web");
            push_ordinal(&mut name, ordinal);
            assert_eq!(name, format!("web-{ordinal}"));
        }
    }

    #[test]
    fn identity_labels_are_recognized() {
        assert!(is_identity_label("statefulset.kubernetes.io/pod-name"));
        assert!(is_identity_label("apps.kubernetes.io/pod-index"));
        assert!(!is_identity_label("controller-revision-hash"));
    }
}
