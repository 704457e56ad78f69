//! Keys that a Secret or ConfigMap lacks, and others that decide from outside: who writes the object, a policy on tags, a
//! component behind a sidecar, the certificate of a registry.

use serde_json::{Value, json};
use test_kit::kv::{DAY, crashes, event, not_ready, of, plan, serving, starting, status, waits};

fn first(objects: &[Value]) -> Value {
    plan(objects)["outcome"]["blockedBy"][0].clone()
}

fn fix(objects: &[Value]) -> String {
    let fix = first(objects)["fix"].as_str().map(str::to_owned);
    fix.unwrap_or_default()
}

fn object(kind: &str, name: &str, owner: Option<&str>, keys: &[&str]) -> Value {
    let data: serde_json::Map<String, Value> = keys
        .iter()
        .map(|key| ((*key).to_owned(), json!("")))
        .collect();
    let owners: Vec<Value> = owner
        .map(|it| json!({"apiVersion": "x/v1", "kind": it, "name": name, "uid": "o", "controller": true}))
        .into_iter()
        .collect();
    json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "prod", "creationTimestamp": DAY,
        "ownerReferences": owners}, "data": data})
}

#[test]
fn a_key_is_added_where_its_object_is_written() {
    let words = "couldn't find key user in Secret prod/creds";
    let objects = |owner: Option<&str>| {
        let waiting = waits("CreateContainerConfigError", words);
        let mut objects = status(not_ready("Pending", waiting, 0, 0));
        objects.push(object("Secret", "creds", owner, &["password"]));
        objects
    };
    let owned = first(&objects(Some("ExternalSecret")));
    assert_eq!(
        owned["fix"],
        "let ExternalSecret creds, which writes Secret creds, give it the key user; it has only password. A key that is added \
         by hand does not last"
    );
    assert!(!owned["remedies"].to_string().contains("edit secret"));
    let free = plan(&objects(None)).to_string();
    assert!(free.contains("kubectl edit secret creds"), "{free}");
}

#[test]
fn a_sub_path_that_names_no_key_is_told() {
    let told = |keys: &[&str]| {
        let words = "error mounting \"/var/lib/kubelet/x\" to rootfs at \"/etc/kv.conf\": not a directory: Are you trying to \
            mount a directory onto a file (or vice-versa)?";
        let mut objects = status(not_ready(
            "Running",
            waits("RunContainerError", words),
            0,
            0,
        ));
        let pod = of(&mut objects, "Pod", "kv-2");
        let volume = json!({"name": "conf", "configMap": {"name": "kv"}});
        pod["spec"]["volumes"].as_array_mut().unwrap().push(volume);
        pod["spec"]["containers"][0]["volumeMounts"] =
            json!([{"name": "conf", "mountPath": "/etc/kv.conf", "subPath": "kv.yaml"}]);
        objects.push(object("ConfigMap", "kv", None, keys));
        let report = first(&objects);
        format!("{} {}", report["message"], report["fix"])
    };
    let lacking = told(&["kv.conf"]);
    assert!(
        lacking.contains("ConfigMap kv has no key kv.yaml"),
        "{lacking}"
    );
    assert!(lacking.contains("it has only kv.conf"), "{lacking}");
    assert!(!lacking.contains('{'), "{lacking}");
    assert!(!told(&["kv.yaml"]).contains("has no key"));
}

#[test]
fn a_probe_whose_program_is_not_in_the_image_is_told() {
    let mut objects = status(crashes(""));
    let words = "Liveness probe errored and resulted in unknown state: failed to exec in container: exec: \"sh\": executable \
        file not found in $PATH";
    objects.push(event("Pod", "kv-2", "Unhealthy", words));
    objects.push(event(
        "Pod",
        "kv-2",
        "Killing",
        "Container kv failed liveness probe, will be restarted",
    ));
    let fix = fix(&objects);
    assert!(
        fix.starts_with("the command of the probe runs sh, which the image does not have"),
        "{fix}"
    );
}

#[test]
fn a_sidecar_that_starts_first_waits_for_its_control_plane() {
    let mut objects = status(starting());
    let pod = of(&mut objects, "Pod", "kv-2");
    pod["spec"]["initContainers"] =
        json!([{"name": "istio-proxy", "image": "proxyv2", "restartPolicy": "Always"}]);
    pod["status"]["initContainerStatuses"] = json!([{"name": "istio-proxy", "ready": false, "started": false,
        "restartCount": 0, "state": {"running": {"startedAt": DAY}}}]);
    let refused = json!({"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
        "message": "0/6 nodes are available: 6 Insufficient memory. preemption: 0/6 nodes are available."});
    objects.push(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "istiod-1", "namespace": "istio-system",
        "uid": "i", "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "istiod-7d9f5bb9c8", "uid": "r",
        "controller": true}]}, "spec": {"containers": []}, "status": {"phase": "Pending", "conditions": [refused]}}));
    let fix = fix(&objects);
    assert_eq!(
        fix,
        "istio-system/istiod-1 does not run (Pending: 0/6 nodes are available: 6 Insufficient memory): repair it first, and \
         kv-2 follows"
    );
}

#[test]
fn a_policy_that_names_the_tag_of_the_new_image_is_met_by_the_old_one() {
    let refused = |old: &str, new: &str| {
        let mut objects = serving();
        objects.retain(|it| it["metadata"]["name"] != "kv-2");
        let words = "create Pod kv-2 in StatefulSet kv failed error: pods \"kv-2\" is forbidden: ValidatingAdmissionPolicy \
            'pinned' with binding 'pinned' denied request: containers must not use the :latest tag";
        objects.push(event("StatefulSet", "kv", "FailedCreate", words));
        let set = of(&mut objects, "StatefulSet", "kv");
        set["spec"]["template"]["spec"]["containers"][0]["image"] = json!(new);
        set["status"]["updateRevision"] = json!("kv-new");
        let mut revision = of(&mut objects, "ControllerRevision", "kv-old").clone();
        for (name, number, image) in [("kv-old", 1, old), ("kv-new", 2, new)] {
            revision["metadata"]["name"] = json!(name);
            revision["metadata"]["uid"] = json!(name);
            revision["revision"] = json!(number);
            revision["data"]["spec"]["template"]["spec"]["containers"][0]["image"] = json!(image);
            objects.retain(|it| it["metadata"]["name"] != name);
            objects.push(revision.clone());
        }
        plan(&objects).to_string()
    };
    for new in ["kv:latest", "kv"] {
        assert!(refused("kv:31", new).contains("rollout undo"), "{new}");
    }
    assert!(!refused("kv:31", "kv:32").contains("rollout undo"));
}

#[test]
fn the_certificate_of_a_registry_tells_why_it_has_expired() {
    let words = "Back-off pulling image \"reg.example:5000/kv:1\": ErrImagePull: Head \"https://reg.example:5000/v2/\": tls: \
        failed to verify certificate: x509: certificate has expired or is not yet valid";
    let found = |host: &str| {
        let mut objects = status(not_ready("Pending", waits("ImagePullBackOff", words), 0, 0));
        let issuing = json!({"type": "Issuing", "status": "False", "reason": "Failed", "message": "permission denied"});
        let ready = json!({"type": "Ready", "status": "False", "reason": "Expired", "message": "Certificate expired"});
        objects.push(json!({"apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": {"name": "reg",
            "namespace": "infra"}, "spec": {"secretName": "reg", "dnsNames": [host]},
            "status": {"conditions": [ready, issuing]}}));
        fix(&objects)
    };
    assert_eq!(
        found("reg.example"),
        "Certificate infra/reg reports: permission denied. Repair that first: Certificate infra/reg makes the certificate of \
         the registry"
    );
    assert!(!found("other.example").contains("Certificate infra/reg"));
}

#[test]
fn an_init_container_waits_behind_a_new_policy() {
    let found = |created: &str| {
        let mut objects = status(starting());
        let pod = of(&mut objects, "Pod", "kv-2");
        pod["metadata"]["creationTimestamp"] = json!("2026-11-21T10:00:00Z");
        pod["spec"]["initContainers"] = json!([{"name": "wait", "image": "busybox"}]);
        pod["status"]["initContainerStatuses"] = json!([{"name": "wait", "ready": false, "restartCount": 0,
            "state": {"running": {"startedAt": DAY}}}]);
        objects.push(json!({"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "deny",
            "namespace": "prod", "creationTimestamp": created}, "spec": {"podSelector": {}, "policyTypes": ["Egress"]}}));
        fix(&objects)
    };
    let told = found("2026-11-21T09:50:00Z");
    assert!(
        told.starts_with("NetworkPolicy deny allows kv-2 no egress at all, DNS included"),
        "{told}"
    );
    assert!(!found("2026-10-01T00:00:00Z").contains("NetworkPolicy"));
}
