//! The objects of a fleet: any number of namespaces, sets and pods, as in a real cluster.

use std::io::{self, Write};
use std::time::Duration;

use serde_json::{Value, json};

/// The size of a fleet.
pub struct Fleet {
    pub namespaces: usize,
    /// Number of sets in each namespace.
    pub sets: usize,
    /// Number of pods of each set.
    pub pods: usize,
    /// Duration of each response.
    pub delay: Duration,
    /// True if every third set is in the middle of a rollout.
    pub rolls: bool,
    templates: Templates,
}

/// Objects as text, with placeholders such as `@NS@` and `@REV@`.
struct Templates {
    set: String,
    ready: String,
    stuck: String,
    claim: String,
    revision: String,
}

impl Fleet {
    pub fn new(namespaces: usize, sets: usize, pods: usize, delay: Duration) -> Self {
        Fleet {
            namespaces,
            sets,
            pods,
            delay,
            rolls: true,
            templates: Templates::new(pods),
        }
    }

    /// Returns the number of objects of a kind that each set has.
    pub fn per_set(&self, kind: &str) -> usize {
        match kind {
            "statefulsets" => 1,
            "controllerrevisions" => 2,
            "pods" | "persistentvolumeclaims" => self.pods,
            _ => 0,
        }
    }

    /// Returns an object as a list item, without its kind.
    pub fn object(&self, kind: &str, namespace: usize, set: usize, ordinal: usize) -> String {
        let rolls = self.rolls && set.is_multiple_of(3);
        // Pods are replaced in descending order.
        let is_new = rolls && ordinal + 1 == self.pods;
        let stuck = is_new && set.is_multiple_of(30);
        let newest = if rolls { 2 } else { 1 };
        let (template, revision) = match kind {
            "statefulsets" => (&self.templates.set, newest),
            // The newest and the one before.
            "controllerrevisions" => (&self.templates.revision, newest - 1 + ordinal),
            "persistentvolumeclaims" => (&self.templates.claim, 1),
            _ if stuck => (&self.templates.stuck, newest),
            _ if is_new => (&self.templates.ready, newest),
            _ => (&self.templates.ready, 1),
        };
        let (current, updated) = if rolls {
            (self.pods - 1, 1)
        } else {
            (self.pods, self.pods)
        };
        template
            .replace("@NS@", &format!("team-{namespace:03}"))
            .replace("@SET@", &format!("web-{set:04}"))
            .replace("@UID@", &format!("{namespace:04x}-{set:08x}"))
            .replace("\"@REVISION@\"", &revision.to_string())
            .replace("\"@CURRENT@\"", &current.to_string())
            .replace("\"@UPDATED@\"", &updated.to_string())
            .replace("@REV@", &revision.to_string())
            .replace("@ORD@", &ordinal.to_string())
    }
}

/// The kinds of a dump, in the order of `kubectl get sts,po,pvc,controllerrevisions`.
const KINDS: [(&str, &str, &str); 4] = [
    ("statefulsets", "apps/v1", "StatefulSet"),
    ("pods", "v1", "Pod"),
    ("persistentvolumeclaims", "v1", "PersistentVolumeClaim"),
    ("controllerrevisions", "apps/v1", "ControllerRevision"),
];

/// The syntax of a dump.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    Json,
    Yaml,
}

impl Fleet {
    /// Writes all objects like `kubectl get -A -o json` or `-o yaml`, without managed fields.
    pub fn dump(&self, syntax: Syntax, out: &mut dyn Write) -> io::Result<()> {
        let (head, tail) = match syntax {
            Syntax::Json => (
                "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n",
                "\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n",
            ),
            Syntax::Yaml => (
                "apiVersion: v1\nitems:\n",
                "kind: List\nmetadata:\n  resourceVersion: \"\"\n",
            ),
        };
        write!(out, "{head}")?;
        let mut is_first = true;
        for (plural, version, kind) in KINDS {
            for (namespace, set) in self.each_set() {
                for ordinal in 0..self.per_set(plural) {
                    let object = self.object(plural, namespace, set, ordinal);
                    let mut object: Value = serde_json::from_str(&object)?;
                    object["apiVersion"] = version.into();
                    object["kind"] = kind.into();
                    if let Some(metadata) = object["metadata"].as_object_mut() {
                        metadata.remove("managedFields");
                    }
                    match syntax {
                        Syntax::Json => {
                            let comma = if is_first { "" } else { ",\n" };
                            write!(out, "{comma}        {}", indented(&object)?)?;
                        }
                        Syntax::Yaml => {
                            for (number, line) in block(&object).iter().enumerate() {
                                let dash = if number == 0 { "- " } else { "  " };
                                writeln!(out, "{dash}{line}")?;
                            }
                        }
                    }
                    is_first = false;
                }
            }
        }
        write!(out, "{tail}")
    }

    fn each_set(&self) -> impl Iterator<Item = (usize, usize)> {
        let sets = self.sets;
        (0..self.namespaces).flat_map(move |namespace| (0..sets).map(move |set| (namespace, set)))
    }
}

/// Formats a list item in JSON, with kubectl's indentation.
fn indented(object: &Value) -> io::Result<String> {
    let mut text = Vec::new();
    let style = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    let mut writer = serde_json::Serializer::with_formatter(&mut text, style);
    serde::Serialize::serialize(object, &mut writer)?;
    Ok(String::from_utf8_lossy(&text).replace('\n', "\n        "))
}

/// Returns the lines of a value in YAML, with kubectl's indentation.
fn block(value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let lines = members.iter().flat_map(|(name, member)| match member {
                Value::Object(inner) if !inner.is_empty() => {
                    let inner = block(member).into_iter().map(|line| format!("  {line}"));
                    std::iter::once(format!("{name}:")).chain(inner).collect()
                }
                Value::Array(items) if !items.is_empty() => {
                    let items = block(member).into_iter();
                    std::iter::once(format!("{name}:")).chain(items).collect()
                }
                _ => vec![format!("{name}: {}", scalar(member))],
            });
            lines.collect()
        }
        Value::Array(items) if !items.is_empty() => {
            let lines = items.iter().flat_map(|item| {
                let lines = block(item).into_iter().enumerate();
                let lines = lines.map(|(number, line)| match number {
                    0 => format!("- {line}"),
                    _ => format!("  {line}"),
                });
                lines.collect::<Vec<_>>()
            });
            lines.collect()
        }
        _ => vec![scalar(value)],
    }
}

/// Formats a scalar, without quotes if it is safe without them.
fn scalar(value: &Value) -> String {
    let is_word = |text: &&str| {
        let is_ordinary = |byte: u8| byte.is_ascii_alphanumeric() || b"-./".contains(&byte);
        let starts = text
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_alphabetic());
        let reads_as_else = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];
        let lower = text.to_ascii_lowercase();
        starts && text.bytes().all(is_ordinary) && !reads_as_else.contains(&lower.as_str())
    };
    match value.as_str().filter(is_word) {
        Some(word) => word.to_owned(),
        None => value.to_string(),
    }
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
                    "currentReplicas": "@CURRENT@", "updatedReplicas": "@UPDATED@", "collisionCount": 0,
                    "currentRevision": "@SET@-1", "updateRevision": "@SET@-@REV@"},
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

/// Returns a pod template of two containers.
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

/// Returns the managed fields of an object.
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
