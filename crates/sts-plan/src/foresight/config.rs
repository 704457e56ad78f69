//! Missing Secrets and ConfigMaps, as waiting pods report them: the input of a live run does not have them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::{Foreseen, Foresight, Input, PodTemplateView};
use crate::grant;
use sts_controller::object::{Pod, RelatedObjects};

/// Records the pods that need an object which another pod of the set reports as missing.
pub(super) fn foresee(view: &Input<'_>, foresight: &mut Foresight, pods: &PodTemplateView<'_>) {
    let mut missing: BTreeMap<String, Arc<str>> = BTreeMap::new();
    for name in &view.wanted {
        let Some(pod) = view.there(name).filter(|pod| !pod.is_ready()) else {
            continue;
        };
        let object = missing_for(pod, view.related, &view.snapshot.set.meta.namespace);
        let object = object.filter(|object| !grant::exists(&view.conditions.grants, object));
        if let Some(object) = object {
            missing.entry(object).or_insert_with(|| Arc::clone(name));
        }
    }
    for (object, shown_by) in missing {
        if !needs(&pods.template["spec"], &object) {
            continue;
        }
        for name in &view.wanted {
            foresight.note(name, pods.revision, || Foreseen::MissingConfig {
                object: object.clone(),
                shown_by: Arc::clone(&shown_by),
            });
        }
    }
}

/// Returns the Secret or ConfigMap that a pod waits for.
pub(crate) fn missing_for(pod: &Pod, related: &RelatedObjects, namespace: &str) -> Option<String> {
    let trouble = pod.trouble.as_ref();
    let reported = trouble.and_then(|trouble| missing_object(&trouble.message));
    reported.or_else(|| {
        let events = related
            .events(namespace, "Pod", &pod.meta.name)
            .iter()
            .rev();
        let of_this = events.filter(|event| event.is_about(&pod.meta.uid));
        let mut failures =
            of_this.filter(|event| event.is_warning && &*event.reason == "FailedMount");
        failures.find_map(|event| missing_object(&event.message))
    })
}

/// Returns the object that a kubelet message reports as missing, such as `Secret app-credentials` for
/// `MountVolume.SetUp failed for volume "x" : secret "app-credentials" not found`.
pub(crate) fn missing_object(message: &str) -> Option<String> {
    let kinds = [("secret \"", "Secret"), ("configmap \"", "ConfigMap")];
    kinds.into_iter().find_map(|(opening, kind)| {
        let mut openings = message.match_indices(opening);
        openings.find_map(|(at, _)| {
            let (name, rest) = message[at + opening.len()..].split_once('"')?;
            rest.starts_with(" not found")
                .then(|| format!("{kind} {name}"))
        })
    })
}

/// Reports whether a pod with this specification cannot start without the object.
pub(crate) fn needs(spec: &Value, object: &str) -> bool {
    let Some((kind, name)) = object.split_once(' ') else {
        return false;
    };
    let (member, name_member, reference, from) = match kind {
        "Secret" => ("secret", "secretName", "secretKeyRef", "secretRef"),
        _ => ("configMap", "name", "configMapKeyRef", "configMapRef"),
    };
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let is_it = |source: &Value, member: &str| source[member] == name && source["optional"] != true;
    let in_volumes = list(&spec["volumes"]).iter().any(|volume| {
        let projected = list(&volume["projected"]["sources"]);
        is_it(&volume[member], name_member)
            || projected
                .iter()
                .any(|source| is_it(&source[member], "name"))
    });
    let containers = ["containers", "initContainers"];
    let containers = containers.iter().flat_map(|kind| list(&spec[*kind]));
    let in_environment = |container: Value| {
        let env = list(&container["env"]);
        let all = list(&container["envFrom"]);
        env.iter()
            .any(|variable| is_it(&variable["valueFrom"][reference], "name"))
            || all.iter().any(|source| is_it(&source[from], "name"))
    };
    in_volumes || containers.into_iter().any(in_environment)
}

#[cfg(test)]
mod tests {
    use super::missing_object;

    #[test]
    fn the_kubelet_names_what_is_missing() {
        for (message, object) in [
            (
                "MountVolume.SetUp failed for volume \"tls\" : secret \"pg-tls\" not found",
                Some("Secret pg-tls"),
            ),
            (
                "configmap \"pg-config\" not found",
                Some("ConfigMap pg-config"),
            ),
            (
                "secret \"a\" is empty; secret \"b\" not found",
                Some("Secret b"),
            ),
            ("secret \"pg", None),
            ("couldn't find key x in Secret db/pg", None),
        ] {
            assert_eq!(missing_object(message).as_deref(), object);
        }
    }
}
