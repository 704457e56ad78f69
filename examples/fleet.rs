//! Serves a fleet that does not exist, to measure what reading and planning a large cluster takes:
//!
//! ```text
//! cargo run --release --example fleet -- 50 100 10        # namespaces, sets of each, pods of each set
//! /usr/bin/time -v kubectl-sts_plan -A --server http://127.0.0.1:PORT
//! ```
//!
//! A fourth argument is the milliseconds that each answer takes. Pods are as a cluster has them: some 5 KB of JSON, and
//! as much again of `managedFields`. Every third set is in the middle of a rollout, and every thirtieth is stuck in it.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used)]

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// How many of each there are.
struct Fleet {
    namespaces: usize,
    sets: usize,
    pods: usize,
    delay: Duration,
    templates: Templates,
}

/// Objects as text, with `@NS@`, `@SET@`, `@UID@`, `@ORD@` and `@REV@` for what differs.
struct Templates {
    set: String,
    ready: String,
    stuck: String,
    claim: String,
    revision: String,
}

fn main() -> ExitCode {
    let numbers: Result<Vec<usize>, _> = std::env::args().skip(1).map(|arg| arg.parse()).collect();
    let (namespaces, sets, pods, delay) = match numbers.as_deref() {
        Ok([namespaces, sets, pods]) => (*namespaces, *sets, *pods, 0),
        Ok([namespaces, sets, pods, delay]) => (*namespaces, *sets, *pods, *delay),
        _ => {
            eprintln!("usage: fleet NAMESPACES SETS-OF-EACH PODS-OF-EACH-SET [MILLISECONDS]");
            return ExitCode::from(2);
        }
    };
    let fleet = Arc::new(Fleet {
        namespaces,
        sets,
        pods,
        delay: Duration::from_millis(delay as u64),
        templates: Templates::new(pods),
    });
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("http://{}", listener.local_addr().unwrap());
    for stream in listener.incoming().flatten() {
        let fleet = Arc::clone(&fleet);
        thread::spawn(move || serve(stream, &fleet));
    }
    ExitCode::SUCCESS
}

fn serve(mut stream: TcpStream, fleet: &Fleet) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        let mut line = String::new();
        while reader.read_line(&mut line).unwrap_or(0) > 2 {
            line.clear();
        }
        let target = first.split_whitespace().nth(1).unwrap_or("/");
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        thread::sleep(fleet.delay);
        let (status, body) = match fleet.answer(path, query) {
            Some(body) => (200, body),
            None => (
                404,
                json!({"kind": "Status", "code": 404, "message": "not found"}).to_string(),
            ),
        };
        let head = format!(
            "HTTP/1.1 {status} Answer\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let sent = stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(body.as_bytes()));
        if sent.is_err() {
            return;
        }
    }
}

impl Fleet {
    fn answer(&self, path: &str, query: &str) -> Option<String> {
        if path == "/version" {
            return Some(json!({"major": "1", "minor": "35", "gitVersion": "v1.35.2"}).to_string());
        }
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let rest = match parts.as_slice() {
            ["api", _, rest @ ..] | ["apis", _, _, rest @ ..] => rest,
            _ => return None,
        };
        match rest {
            ["namespaces", namespace, kind] => {
                let namespace: usize = namespace.strip_prefix("team-")?.parse().ok()?;
                let per_set = self.per_set(kind);
                Some(page(query, self.sets * per_set, |index| {
                    self.object(kind, namespace, index / per_set, index % per_set)
                }))
            }
            ["namespaces", namespace, "statefulsets", name] => {
                let namespace: usize = namespace.strip_prefix("team-")?.parse().ok()?;
                let set: usize = name.strip_prefix("web-")?.parse().ok()?;
                (set < self.sets).then(|| self.object("statefulsets", namespace, set, 0))
            }
            ["statefulsets"] => Some(page(query, self.namespaces * self.sets, |index| {
                self.object("statefulsets", index / self.sets, index % self.sets, 0)
            })),
            [_] => Some(page(query, 0, |_| String::new())),
            _ => None,
        }
    }

    fn per_set(&self, kind: &str) -> usize {
        match kind {
            "statefulsets" => 1,
            "controllerrevisions" => 2,
            "pods" | "persistentvolumeclaims" => self.pods,
            _ => 0,
        }
    }

    fn object(&self, kind: &str, namespace: usize, set: usize, ordinal: usize) -> String {
        let rolls = set.is_multiple_of(3);
        // Pods are replaced from the last one down.
        let is_new = rolls && ordinal + 1 == self.pods;
        let stuck = is_new && set.is_multiple_of(30);
        let newest = if rolls { 2 } else { 1 };
        let (template, revision) = match kind {
            "statefulsets" => (&self.templates.set, newest),
            "controllerrevisions" => (&self.templates.revision, newest - 1 + ordinal),
            "persistentvolumeclaims" => (&self.templates.claim, 1),
            _ if stuck => (&self.templates.stuck, newest),
            _ if is_new => (&self.templates.ready, newest),
            _ => (&self.templates.ready, 1),
        };
        template
            .replace("@NS@", &format!("team-{namespace:02}"))
            .replace("@SET@", &format!("web-{set:04}"))
            .replace("@UID@", &format!("{namespace:04x}-{set:08x}"))
            .replace("\"@REVISION@\"", &revision.to_string())
            .replace("@REV@", &revision.to_string())
            .replace("@ORD@", &ordinal.to_string())
    }
}

/// A page of a list, as its query wants it.
fn page(query: &str, all: usize, object: impl Fn(usize) -> String) -> String {
    let number = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let found = pairs.find(|(given, _)| *given == name);
        found.and_then(|(_, value)| value.parse::<usize>().ok())
    };
    let from = number("continue").unwrap_or(0);
    let end = from
        .saturating_add(number("limit").unwrap_or(usize::MAX))
        .min(all);
    let next = if end < all {
        end.to_string()
    } else {
        String::new()
    };
    let mut out = format!(
        "{{\"kind\":\"List\",\"apiVersion\":\"v1\",\"metadata\":{{\"resourceVersion\":\"4711\",\"continue\":\"{next}\"}},\"items\":["
    );
    for index in from..end {
        let comma = if index == from { "" } else { "," };
        write!(out, "{comma}{}", object(index)).unwrap();
    }
    out.push_str("]}");
    out
}

impl Templates {
    fn new(pods: usize) -> Self {
        let template = pod_template();
        let owner = json!([{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "@SET@", "uid": "set-@UID@",
            "controller": true, "blockOwnerDeletion": true}]);
        let mut labels = template["metadata"]["labels"].clone();
        labels["controller-revision-hash"] = "@SET@-@REV@".into();
        labels["statefulset.kubernetes.io/pod-name"] = "@SET@-@ORD@".into();
        labels["apps.kubernetes.io/pod-index"] = "@ORD@".into();
        let mut spec = template["spec"].clone();
        spec["hostname"] = "@SET@-@ORD@".into();
        spec["subdomain"] = "@SET@".into();
        spec["nodeName"] = "node-@ORD@.eu-central-1.compute.internal".into();
        spec["volumes"].as_array_mut().unwrap().insert(
            0,
            json!({"name": "data", "persistentVolumeClaim": {"claimName": "data-@SET@-@ORD@"}}),
        );
        let pod = |ready: bool| {
            let mut pod = json!({
                "metadata": {
                    "name": "@SET@-@ORD@", "generateName": "@SET@-", "namespace": "@NS@",
                    "uid": "pod-@UID@-@ORD@", "resourceVersion": "81@ORD@", "creationTimestamp": "2026-10-01T08:00:00Z",
                    "labels": labels, "ownerReferences": owner,
                    "annotations": template["metadata"]["annotations"],
                },
                "spec": spec,
                "status": status(ready),
            });
            pod["metadata"]["managedFields"] =
                managed(&[&pod["metadata"], &pod["spec"], &pod["status"]]);
            pod.to_string()
        };
        let of_set = |mut object: Value| {
            object["metadata"]["namespace"] = "@NS@".into();
            object["metadata"]["creationTimestamp"] = "2026-10-01T08:00:00Z".into();
            object.to_string()
        };
        let mut data = template.clone();
        data["$patch"] = "replace".into();
        Templates {
            set: of_set(json!({
                "metadata": {"name": "@SET@", "uid": "set-@UID@", "resourceVersion": "7", "generation": 2,
                    "labels": {"app": "@SET@"}},
                "spec": {"replicas": pods, "serviceName": "@SET@", "podManagementPolicy": "OrderedReady",
                    "revisionHistoryLimit": 10, "selector": {"matchLabels": {"app": "@SET@"}},
                    "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
                    "template": template,
                    "volumeClaimTemplates": [{"apiVersion": "v1", "kind": "PersistentVolumeClaim",
                        "metadata": {"name": "data"}, "spec": claim_spec(), "status": {"phase": "Pending"}}]},
                "status": {"observedGeneration": 2, "replicas": pods, "readyReplicas": pods, "availableReplicas": pods,
                    "currentReplicas": pods, "currentRevision": "@SET@-1", "updateRevision": "@SET@-@REV@",
                    "collisionCount": 0},
            })),
            ready: pod(true),
            stuck: pod(false),
            claim: of_set(json!({
                "metadata": {"name": "data-@SET@-@ORD@", "uid": "claim-@UID@-@ORD@", "resourceVersion": "9",
                    "labels": {"app": "@SET@"}, "finalizers": ["kubernetes.io/pvc-protection"],
                    "annotations": {"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes",
                        "volume.kubernetes.io/storage-provisioner": "ebs.csi.aws.com"}},
                "spec": claim_spec(),
                "status": {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "100Gi"}},
            })),
            revision: of_set(json!({
                "metadata": {"name": "@SET@-@REV@", "uid": "revision-@UID@-@REV@", "ownerReferences": owner,
                    "labels": {"app": "@SET@", "controller.kubernetes.io/hash": "@REV@"}},
                "revision": "@REVISION@", "data": {"spec": {"template": data}},
            })),
        }
    }
}

fn claim_spec() -> Value {
    json!({"accessModes": ["ReadWriteOnce"], "storageClassName": "gp3", "volumeMode": "Filesystem",
        "resources": {"requests": {"storage": "100Gi"}}})
}

/// A pod template of two containers.
fn pod_template() -> Value {
    let probe = |path: &str| {
        json!({"httpGet": {"path": path, "port": 8080, "scheme": "HTTP"}, "initialDelaySeconds": 5, "timeoutSeconds": 1,
            "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3})
    };
    let env: Vec<Value> = (0..8)
        .map(|number| json!({"name": format!("SETTING_{number}"), "value": format!("a value as people have them {number}")}))
        .collect();
    let container = |name: &str| {
        json!({
            "name": name, "image": format!("registry.example.com/team/{name}:1.2.@REV@"), "imagePullPolicy": "IfNotPresent",
            "args": ["--config=/etc/app/config.yaml", "--log-level=info"],
            "env": env, "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
            "resources": {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "250m", "memory": "512Mi"}},
            "livenessProbe": probe("/healthz"), "readinessProbe": probe("/readyz"),
            "volumeMounts": [{"name": "data", "mountPath": "/var/lib/app"},
                {"name": "config", "mountPath": "/etc/app", "readOnly": true},
                {"name": "token", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": true}],
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        })
    };
    json!({
        "metadata": {
            "labels": {"app": "@SET@", "app.kubernetes.io/part-of": "fleet", "team": "@NS@"},
            "annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "8080"},
        },
        "spec": {
            "containers": [container("app"), container("proxy")],
            "volumes": [{"name": "config", "configMap": {"name": "@SET@", "defaultMode": 420}},
                {"name": "token", "projected": {"defaultMode": 420, "sources": [
                    {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                    {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}]}}],
            "restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
            "serviceAccountName": "default", "serviceAccount": "default", "securityContext": {},
            "schedulerName": "default-scheduler",
            "tolerations": [
                {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
                {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}],
        },
    })
}

fn status(ready: bool) -> Value {
    let since = "2026-10-01T08:00:30Z";
    let yes = if ready { "True" } else { "False" };
    let conditions: Vec<Value> = [("Initialized", "True"), ("Ready", yes), ("ContainersReady", yes), ("PodScheduled", "True")]
        .iter()
        .map(|(kind, status)| json!({"type": kind, "status": status, "lastProbeTime": null, "lastTransitionTime": since}))
        .collect();
    let containers: Vec<Value> = ["app", "proxy"]
        .iter()
        .map(|name| {
            let state = match ready {
                true => json!({"running": {"startedAt": since}}),
                false => json!({"waiting": {"reason": "CrashLoopBackOff",
                    "message": "back-off 5m0s restarting failed container=app pod=@SET@-@ORD@"}}),
            };
            json!({"name": name, "ready": ready, "started": ready, "restartCount": 0, "state": state, "lastState": {},
                "image": format!("registry.example.com/team/{name}:1.2.@REV@"),
                "imageID": format!("registry.example.com/team/{name}@sha256:{}", "0123456789abcdef".repeat(4)),
                "containerID": format!("containerd://{}", "fedcba9876543210".repeat(4))})
        })
        .collect();
    json!({"phase": "Running", "conditions": conditions, "containerStatuses": containers, "hostIP": "10.0.1.@ORD@",
        "podIP": "10.1.1.@ORD@", "podIPs": [{"ip": "10.1.1.@ORD@"}], "qosClass": "Burstable", "startTime": since})
}

/// Who wrote which field, as a server tells of each object.
fn managed(parts: &[&Value]) -> Value {
    let entries = parts
        .iter()
        .zip(["kube-controller-manager", "kubelet", "kubelet"]);
    let entries = entries.map(|(part, manager)| {
        json!({"manager": manager, "operation": "Update", "apiVersion": "v1", "time": "2026-10-01T08:00:30Z",
            "fieldsType": "FieldsV1", "fieldsV1": fields(part)})
    });
    Value::Array(entries.collect())
}

fn fields(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, value)| (format!("f:{name}"), fields(value)));
            Value::Object(members.collect())
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| {
                let name = item["name"].as_str().unwrap_or("x");
                (format!("k:{{\"name\":\"{name}\"}}"), fields(item))
            });
            Value::Object(items.collect())
        }
        _ => json!({}),
    }
}
