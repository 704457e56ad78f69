//! Facts behind a refusal: the pods that use a quota, the containers that a webhook adds, the constraints of OpenShift, and the
//! age of a token.

use serde_json::{Value, json};
use test_kit::kv::{
    DAY, event, node, not_ready, of, plan, pod, serving, set, starting, status, told, waits,
};

fn fix(objects: &[Value]) -> String {
    let report = plan(objects);
    let fix = report["outcome"]["blockedBy"][0]["fix"].as_str();
    fix.unwrap_or_default().to_owned()
}

/// kv-2 cannot be created.
fn refused(message: &str) -> Vec<Value> {
    let mut objects = serving();
    objects.retain(|it| it["kind"] != "Pod" || it["metadata"]["name"] != "kv-2");
    let words = format!(
        "create Pod kv-2 in StatefulSet kv failed error: pods \"kv-2\" is forbidden: {message}"
    );
    objects.push(event("StatefulSet", "kv", "FailedCreate", &words));
    objects
}

#[test]
fn the_pods_that_use_most_of_a_quota_are_named() {
    let with = |scopes: Value, phase: &str| {
        let mut objects = refused(
            "exceeded quota: q, requested: requests.memory=8Gi, used: requests.memory=58Gi, limited: requests.memory=64Gi",
        );
        objects.push(json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "prod"},
            "spec": {"hard": {"requests.memory": "64Gi"}, "scopes": scopes},
            "status": {"hard": {"requests.memory": "64Gi"}, "used": {"requests.memory": "58Gi"}}}));
        for (name, memory) in [("fill-1", "18Gi"), ("fill-2", "30Gi"), ("small-1", "1Gi")] {
            objects.push(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "prod", "uid": name,
                "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "fill", "uid": "j", "controller": true}]},
                "spec": {"containers": [{"name": "c", "image": "c", "resources": {"requests": {"memory": memory}}}]},
                "status": {"phase": phase}}));
        }
        fix(&objects)
    };
    let told = with(json!([]), "Running");
    assert!(
        told.contains(
            "use most of it, if it may: fill-2 (30Gi, Job fill), fill-1 (18Gi, Job fill); or raise"
        ),
        "{told}"
    );
    for other in [
        with(json!([]), "Succeeded"),
        with(json!(["NotTerminating"]), "Running"),
    ] {
        assert!(!other.contains("fill"), "{other}");
    }
}

#[test]
fn a_container_that_a_webhook_adds_is_set_where_it_comes_from() {
    let by_quota = |name: &str| {
        fix(&refused(&format!(
            "failed quota: q: must specify limits.cpu for: {name}; limits.memory for: {name}"
        )))
    };
    let known = by_quota("vault-agent");
    assert!(
        known.contains("annotations vault.hashicorp.com/agent-limits-cpu"),
        "{known}"
    );
    let unknown = by_quota("shipper");
    assert!(
        unknown.starts_with("container shipper is not in the template: a webhook adds it"),
        "{unknown}"
    );
    let own = by_quota("kv");
    assert!(!own.contains("webhook"), "{own}");
    let policy = fix(&refused(
        "[limits] container <istio-proxy> has no resource limits",
    ));
    assert!(
        policy.contains("sidecar.istio.io/proxyCPULimit"),
        "{policy}"
    );
}

#[test]
fn the_constraints_of_an_account_are_told_with_the_command_that_widens_them() {
    let message = "unable to validate against any security context constraint: [provider restricted-v2: \
        .containers[0].runAsUser: Invalid value: 1001: must be in the ranges: [1, 2], provider \"nonroot-v2\": Forbidden: not \
        usable by user or serviceaccount]";
    let with = |account: Value| {
        let mut objects = refused(message);
        of(&mut objects, "StatefulSet", "kv")["spec"]["template"]["spec"]["serviceAccountName"] =
            account;
        fix(&objects)
    };
    let told = with(json!("kv"));
    assert!(
        told.starts_with("restricted-v2 does not allow containers[0].runAsUser 1001 (must be in the ranges: [1, 2])"),
        "{told}"
    );
    assert!(
        told.ends_with("oc adm policy add-scc-to-user nonroot-v2 -z kv -n prod"),
        "{told}"
    );
    let default = with(Value::Null);
    assert!(
        default.ends_with("-z NAME -n prod (a ServiceAccount of its own)"),
        "{default}"
    );
}

#[test]
fn a_pull_secret_that_is_older_than_its_token_is_told() {
    let with = |host: &str, written: &str| {
        let words = format!(
            "Back-off pulling image \"kv:1\": ErrImagePull: HEAD https://{host}/v2/kv/manifests/1: 403 Forbidden"
        );
        let mut objects = status(not_ready(
            "Pending",
            waits("ImagePullBackOff", &words),
            0,
            0,
        ));
        of(&mut objects, "Pod", "kv-2")["spec"]["imagePullSecrets"] = json!([{"name": "pull"}]);
        objects.push(json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "pull", "namespace": "prod",
            "creationTimestamp": DAY, "managedFields": [{"manager": "kubectl", "operation": "Update", "time": written}]}}));
        objects.push(
            json!({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "ecr-refresh",
            "namespace": "prod"}, "spec": {"suspend": true}}),
        );
        fix(&objects)
    };
    let ecr = "1.dkr.ecr.eu-west-1.amazonaws.com";
    let told = with(ecr, "2026-11-20T10:00:00Z");
    assert!(
        told.starts_with("Secret pull was written 1d2h ago by kubectl (CronJob ecr-refresh is suspended), and a token"),
        "{told}"
    );
    for other in [
        with(ecr, "2026-11-21T08:00:00Z"),
        with("reg.example", "2026-11-20T10:00:00Z"),
    ] {
        assert!(!other.contains("12 hours: write"), "{other}");
    }
}

#[test]
fn a_network_that_another_namespace_has_is_told() {
    let words = "plugin type=\"multus\" failed (add): cannot find a network-attachment-definition (n6) in namespace (prod): \
        network-attachment-definitions.k8s.cni.cncf.io \"n6\" not found";
    let told = |namespace: &str| {
        let mut objects = status(starting());
        objects.push(event("Pod", "kv-2", "FailedCreatePodSandBox", words));
        objects.push(
            json!({"apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition",
            "metadata": {"name": "n6", "namespace": namespace}, "spec": {}}),
        );
        fix(&objects)
    };
    let other = told("staging");
    assert!(
        other.contains("namespace staging has one of that name: staging/n6"),
        "{other}"
    );
    assert!(!told("prod").contains("one of that name"));
}

#[test]
fn the_new_ca_of_a_webhook_is_told() {
    let told = |namespace: &str| {
        let mut objects = refused("");
        objects.retain(|it| it["kind"] != "Event");
        let words = "create Pod kv-2 in StatefulSet kv failed error: Internal error occurred: failed calling webhook \
            \"v.ops\": failed to call webhook: Post \"https://v.ops.svc:443/\": tls: failed to verify certificate: x509: \
            certificate signed by unknown authority";
        objects.push(event("StatefulSet", "kv", "FailedCreate", words));
        objects.push(json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "v-ca", "namespace": namespace,
            "creationTimestamp": "2026-11-21T11:00:00Z"}, "data": {"ca.crt": ""}}));
        fix(&objects)
    };
    let new = told("ops");
    assert!(
        new.starts_with("Secret v-ca was written 1h0m ago, after the ready pods"),
        "{new}"
    );
    assert!(!told("other").contains("v-ca"));
}

#[test]
fn a_set_at_rest_names_the_trouble_of_its_owner() {
    let with = |message: &str, upgrade: Value| {
        let revision = if upgrade.is_null() {
            "kv-old"
        } else {
            "kv-new"
        };
        let mut objects = set(3, "OrderedReady", revision);
        for ordinal in 0..3 {
            objects.extend(pod(ordinal, "kv-old", DAY, DAY, "n-1"));
        }
        objects.push(node("n-1", "a", true));
        let set = of(&mut objects, "StatefulSet", "kv");
        set["metadata"]["ownerReferences"] = json!([{"apiVersion": "elasticsearch.k8s.elastic.co/v1",
            "kind": "Elasticsearch", "name": "es", "uid": "es", "controller": true}]);
        set["spec"]["updateStrategy"] = json!({"type": "OnDelete"});
        set["status"] = json!({"replicas": 3, "readyReplicas": 3, "availableReplicas": 3, "currentReplicas": 3,
            "updatedReplicas": if upgrade.is_null() { 3 } else { 0 }, "observedGeneration": 3,
            "currentRevision": "kv-old", "updateRevision": revision});
        objects.push(json!({"apiVersion": "elasticsearch.k8s.elastic.co/v1", "kind": "Elasticsearch", "metadata": {
            "name": "es", "namespace": "prod", "uid": "es"}, "status": {"health": "yellow",
            "conditions": [{"type": "Reconciled", "status": "False", "reason": "E", "message": message}],
            "inProgressOperations": {"upgrade": {"nodes": [upgrade]}}}}));
        told(&objects)
    };
    let rest = with("secret \"x\" lacks a key: y", Value::Null);
    assert!(rest.contains("Elasticsearch es reports: secret"), "{rest}");
    assert!(!with("pod kv-1 is not ready: wait", Value::Null).contains("es reports"));
    let waits = json!({"name": "kv-2", "message": "Operation is pending", "status": "PENDING"});
    let waiting = with("x", waits);
    assert!(
        waiting.contains("its health is yellow, and kv-2 waits (Operation is pending)"),
        "{waiting}"
    );
}

#[test]
fn a_place_that_the_template_does_not_have_is_that_of_a_webhook() {
    let told = |place: &str| {
        fix(&refused(&format!(
            "limits are required. rule limits failed at path /spec/{place}/resources/limits/cpu/"
        )))
    };
    let added = told("initContainers/0");
    assert!(
        added.contains("container initContainers[0] is not in the template"),
        "{added}"
    );
    assert!(!told("containers/0").contains("not in the template"));
}

#[test]
fn a_pull_secret_that_azure_refuses_is_told_with_its_age() {
    let told = |method: &str| {
        let words = format!(
            "Back-off pulling image \"a.azurecr.io/kv:1\": ErrImagePull: failed to authorize: failed to fetch {method} \
             request to https://a.azurecr.io/oauth2/token: 401 Unauthorized"
        );
        let mut objects = status(not_ready(
            "Pending",
            waits("ImagePullBackOff", &words),
            0,
            0,
        ));
        of(&mut objects, "Pod", "kv-2")["spec"]["imagePullSecrets"] = json!([{"name": "acr"}]);
        objects.push(json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "acr", "namespace": "prod",
            "creationTimestamp": "2025-11-20T12:00:00Z"}}));
        fix(&objects)
    };
    let refused = told("oauth token: unexpected status from POST");
    assert!(
        refused.contains("the credentials of the pull secret: Secret acr was written 366d0h ago"),
        "{refused}"
    );
    let anonymous = told("anonymous token: unexpected status from GET");
    assert!(!anonymous.contains("Secret acr was"), "{anonymous}");
}

#[test]
fn a_config_map_of_every_namespace_is_not_made_by_hand() {
    let mut objects = status(starting());
    let words = "MountVolume.SetUp failed for volume \"istiod-ca-cert\" : configmap \"istio-ca-root-cert\" not found";
    objects.push(event("Pod", "kv-2", "FailedMount", words));
    let fix = fix(&objects);
    assert!(
        fix.starts_with("istiod writes ConfigMap istio-ca-root-cert into every namespace"),
        "{fix}"
    );
    assert!(!told(&objects).contains("apply -f"));
}

#[test]
fn a_kernel_parameter_is_set_on_the_nodes_instead() {
    let with = |name: &str, command: &str| {
        let mut objects = refused(&format!(
            "violates PodSecurity \"baseline:latest\": privileged (container \"{name}\" must not set securityContext.privileged=true)"
        ));
        let set = of(&mut objects, "StatefulSet", "kv");
        set["spec"]["template"]["spec"]["initContainers"] = json!([{"name": "tune", "image": "busybox",
            "command": ["sh", "-c", command], "securityContext": {"privileged": true}}]);
        fix(&objects)
    };
    let told = with("tune", "sysctl -w vm.max_map_count=262144");
    assert!(
        told.contains("container tune sets vm.max_map_count of the node"),
        "{told}"
    );
    for other in [
        with("tune", "chown -R 1000 /data"),
        with("other", "sysctl -w vm.max_map_count=262144"),
    ] {
        assert!(!other.contains("of the node, for which"), "{other}");
    }
}
