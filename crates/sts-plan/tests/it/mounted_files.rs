//! Files that volumes give to a container, and a claim that is new: the advice says which object has to change.

use serde_json::{Value, json};
use test_kit::kv::{LONG_AGO, crashes, of, plan, running, status};

fn fix(objects: &[Value]) -> String {
    let report = plan(objects);
    let fix = report["outcome"]["blockedBy"][0]["fix"].as_str();
    fix.unwrap_or_default().to_owned()
}

/// kv-2 crash-loops with a message, and mounts a volume.
fn mounting(message: &str, volume: &Value) -> Vec<Value> {
    let mut objects = status(crashes(message));
    let pod = of(&mut objects, "Pod", "kv-2");
    let mut volume = volume.clone();
    volume["name"] = json!("files");
    pod["spec"]["volumes"].as_array_mut().unwrap().push(volume);
    pod["spec"]["containers"][0]["volumeMounts"] =
        json!([{"name": "files", "mountPath": "/etc/kv"}]);
    objects
}

fn object(kind: &str, data: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": "kv-files", "namespace": "prod", "uid": "f",
        "creationTimestamp": "2026-10-01T00:00:00Z"}, "data": data})
}

#[test]
fn the_object_that_lacks_the_key_of_a_missing_file_is_named() {
    let words = "Error: Unable to open pwfile \"/etc/kv/passwd\".";
    let mut objects = mounting(words, &json!({"secret": {"secretName": "kv-files"}}));
    objects.push(object("Secret", &json!({"passwd.txt": "eA=="})));
    let found = fix(&objects);
    let wanted = "Secret kv-files, mounted at /etc/kv, has no key passwd, but passwd.txt: add the key, or correct the path";
    assert_eq!(found, wanted);
    // With the key, something else is wrong.
    let mut objects = mounting(words, &json!({"secret": {"secretName": "kv-files"}}));
    objects.push(object("Secret", &json!({"passwd": "eA=="})));
    assert!(!fix(&objects).contains("kv-files"));
}

#[test]
fn an_empty_volume_hides_the_files_of_the_image() {
    let words = "Error: Cannot find module '/etc/kv/server.js'";
    let found = fix(&mounting(words, &json!({"emptyDir": {}})));
    assert!(
        found.starts_with("emptyDir files, mounted at /etc/kv, hides what the image has there"),
        "{found}"
    );
}

#[test]
fn the_rejected_names_are_told_with_the_config_map_that_has_them() {
    let words = "failed parsing config: /etc/kv/config.yaml: yaml: unmarshal errors:\n  line 2: field old_one not found in \
                 type a.Config\n  line 3: field old_two not found in type b.Config";
    let mut objects = mounting(words, &json!({"configMap": {"name": "kv-files"}}));
    let text = "a:\n  old_one: 1\n  old_two: 2\n";
    objects.push(object("ConfigMap", &json!({"config.yaml": text})));
    let found = fix(&objects);
    assert_eq!(
        found,
        "remove or correct old_one, old_two in ConfigMap kv-files (config.yaml)"
    );
}

#[test]
fn a_claim_that_is_much_newer_than_the_others_is_told() {
    let words = "discovery failed: member 8211f1d0f64f3269 has already been bootstrapped";
    let mut objects = status(crashes(words));
    assert!(!fix(&objects).contains("is new"));
    for (ordinal, created) in [
        (0, "2026-10-01T00:00:00Z"),
        (1, "2026-10-01T00:00:00Z"),
        (2, LONG_AGO),
    ] {
        let claim = of(
            &mut objects,
            "PersistentVolumeClaim",
            &format!("data-kv-{ordinal}"),
        );
        claim["metadata"]["creationTimestamp"] = json!(created);
    }
    let found = fix(&objects);
    assert!(
        found.starts_with("claim data-kv-2 is new (40m; the others 51d"),
        "{found}"
    );
}

#[test]
fn an_init_container_waits_for_a_service_that_does_not_exist() {
    let mut state = running();
    state["phase"] = json!("Pending");
    state["initContainerStatuses"] = json!([{"name": "wait", "image": "b", "ready": false, "restartCount": 0,
        "state": {"running": {"startedAt": LONG_AGO}}}]);
    state["containerStatuses"][0]["state"] = json!({"waiting": {"reason": "PodInitializing"}});
    let mut objects = status(state);
    let mut waits_for = |host: &str| {
        let script = format!("until nc -z {host} 6379; do echo waiting for {host}; sleep 2; done");
        let pod = of(&mut objects, "Pod", "kv-2");
        let command = json!(["sh", "-c", script]);
        pod["spec"]["initContainers"] = json!([{"name": "wait", "image": "b", "command": command}]);
        fix(&objects)
    };
    let found = waits_for("redis-master");
    assert!(
        found.starts_with("the input has no Service redis-master of namespace prod"),
        "{found}"
    );
    // The set has the Service kv; `sleep 2` asks nobody.
    let found = waits_for("kv");
    assert!(!found.contains("has no Service"), "{found}");
}

#[test]
fn the_line_that_a_message_names_is_quoted_from_the_config_map() {
    let words =
        "nats-server: /etc/kv/nats.conf:3:1: interface conversion: interface {} is bool, not int64";
    let mut objects = mounting(words, &json!({"configMap": {"name": "kv-files"}}));
    let text = "port: 4222\ncluster {\n  port: true\n}\n";
    objects.push(object("ConfigMap", &json!({"nats.conf": text})));
    let found = fix(&objects);
    assert_eq!(
        found,
        "correct what the log names in ConfigMap kv-files (nats.conf, line 3: \"port: true\")"
    );
}
