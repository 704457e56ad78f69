//! Fields and marks by which users stop the controller of an object of any kind.

use sts_controller::object::Bystander;

/// Fields of `spec` with which users stop the controller of an object.
const PAUSES: [&str; 6] = [
    "paused",
    "pause",
    "suspend",
    "suspended",
    "pauseReconciliation",
    "reconciliationPaused",
];
/// Labels and annotations with which users stop the controller of an object, with the value.
const PAUSE_MARKS: [(&str, &str); 14] = [
    ("rabbitmq.com/pauseReconciliation", "true"),
    ("strimzi.io/pause-reconciliation", "true"),
    ("eck.k8s.elastic.co/managed", "false"),
    ("common.k8s.elastic.co/pause", "true"),
    ("kustomize.toolkit.fluxcd.io/reconcile", "disabled"),
    ("helm.toolkit.fluxcd.io/reconcile", "disabled"),
    ("cluster.x-k8s.io/paused", "true"),
    ("argocd.argoproj.io/skip-reconcile", "true"),
    ("crossplane.io/paused", "true"),
    ("cnpg.io/reconciliationLoop", "disabled"),
    ("opensearch.opster.io/pause", "true"),
    ("mysql.oracle.com/paused", "true"),
    ("pingcap.com/paused", "true"),
    ("camel.apache.org/operator.paused", "true"),
];

/// Returns the field, label or annotation that pauses the reconciliation of an object: `spec.paused: true`.
pub(crate) fn paused(object: &Bystander) -> Option<String> {
    let field = PAUSES.iter().find(|name| object.spec[**name] == true);
    let field = field.map(|name| format!("spec.{name}: true"));
    field.or_else(|| {
        PAUSE_MARKS.iter().find_map(|(key, value)| {
            let label = object
                .meta
                .labels
                .get(key)
                .is_some_and(|it| **it == **value);
            let is_annotated = object.annotations[*key] == **value;
            match (label, is_annotated) {
                (true, _) => Some(format!("label {key}: {value}")),
                (_, true) => Some(format!("annotation {key}: {value}")),
                _ => None,
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use sts_controller::object::Bystander;

    use super::paused;

    #[test]
    fn an_object_is_paused_by_a_field_or_a_mark() {
        let read = |metadata: Value, spec: Value| {
            let object =
                json!({"apiVersion": "a/v1", "kind": "Thing", "metadata": metadata, "spec": spec});
            paused(&Bystander::from_json(&object).unwrap())
        };
        let label = json!({"name": "x", "labels": {"rabbitmq.com/pauseReconciliation": "true"}});
        assert_eq!(
            read(label, json!({})).unwrap(),
            "label rabbitmq.com/pauseReconciliation: true"
        );
        let plain = || json!({"name": "x"});
        assert_eq!(
            read(plain(), json!({"paused": true})).unwrap(),
            "spec.paused: true"
        );
        assert_eq!(read(plain(), json!({"paused": false})), None);
    }
}
