//! A set in place of one that the input lacks, as its pods show it: `kubectl get pod web-1 -o yaml` says why web-1 fails.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use sts_controller::controller::ordinal_of;
use sts_controller::object::{Pod, Set, Status};

/// Annotation of a set that stands in for the one that the input lacks.
const STANDS_IN: &str = "sts-plan/stands-in";
/// Labels that the controller adds to those of the template.
const ADDED: [&str; 3] = [
    "apps.kubernetes.io/pod-index",
    "controller-revision-hash",
    "statefulset.kubernetes.io/pod-name",
];
/// Members of a pod's specification that are its own.
const OF_POD: [&str; 3] = ["hostname", "nodeName", "subdomain"];

/// Returns the set that owns all these pods, with the ordinals and the template that they show; `None` if they are all
/// ready, if they are on several revisions, or if the input lacks pods between them: then nothing tells what the
/// controller does with them.
#[must_use]
pub fn set_of_pods(pods: &[&Arc<Pod>]) -> Option<(Set, Status)> {
    let first = pods.first()?;
    let owner = first.meta.controller()?;
    let is_like = |pod: &&Arc<Pod>| pod.revision == first.revision && pod.is_created();
    if !pods.iter().all(is_like) || pods.iter().all(|pod| pod.is_running_and_ready()) {
        return None;
    }
    let given = first.given()?;
    let (template, claims) = template(&given, &first.meta.name);
    let ordinals = || pods.iter().map(|pod| ordinal_of(&pod.meta.name));
    let (start, end) = (ordinals().min()?, ordinals().max()?);
    let replicas = end.checked_sub(start)?.checked_add(1)?;
    if usize::try_from(replicas) != Ok(pods.len()) {
        return None;
    }
    let ready = pods.iter().filter(|pod| pod.is_ready()).count();
    let object = json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {
            "name": owner.name, "namespace": first.meta.namespace, "uid": owner.uid, "generation": 1,
            "creationTimestamp": given["metadata"]["creationTimestamp"],
            "annotations": {STANDS_IN: "true"},
        },
        "spec": {
            "replicas": replicas,
            "ordinals": {"start": start},
            "serviceName": given["spec"]["subdomain"].as_str().unwrap_or(&owner.name),
            "podManagementPolicy": "OrderedReady",
            "selector": {"matchLabels": template["metadata"]["labels"]},
            "template": template,
            "updateStrategy": {"type": "RollingUpdate"},
            "volumeClaimTemplates": claims,
        },
        "status": {
            "observedGeneration": 1, "replicas": replicas, "readyReplicas": ready, "availableReplicas": ready,
            "currentReplicas": replicas, "updatedReplicas": replicas,
            "currentRevision": first.revision, "updateRevision": first.revision,
        },
    });
    let status = Status::of_set(&object).ok()?;
    Some((Set::from_json(object).ok()?, status))
}

/// Returns the template and the claim templates of a pod.
fn template(pod: &Value, name: &str) -> (Value, Vec<Value>) {
    let object = |value: &Value| value.as_object().cloned().unwrap_or_default();
    let mut labels: Map<String, Value> = object(&pod["metadata"]["labels"]);
    labels.retain(|key, _| !ADDED.contains(&key.as_str()));
    let mut spec = object(&pod["spec"]);
    spec.retain(|key, _| !OF_POD.contains(&key.as_str()));
    let mut claims = Vec::new();
    if let Some(volumes) = spec.get_mut("volumes").and_then(Value::as_array_mut) {
        volumes.retain(|volume| {
            let volume_name = volume["name"].as_str().unwrap_or_default();
            let claim = volume["persistentVolumeClaim"]["claimName"].as_str();
            let is_of_set = claim == Some(&*format!("{volume_name}-{name}"));
            if is_of_set {
                claims.push(json!({"metadata": {"name": volume_name}, "spec": {}}));
            }
            !is_of_set
        });
    }
    (
        json!({"metadata": {"labels": labels}, "spec": spec}),
        claims,
    )
}

/// Reports whether a set stands in for the one that the input lacks.
pub(crate) fn stands_in(set: &Set) -> bool {
    let object = set.object.open();
    object["metadata"]["annotations"].get(STANDS_IN).is_some()
}
