//! `--grow CLAIM_TEMPLATE=SIZE`: larger volumes as stages.

use serde_json::{Value, json};

use crate::program;
use test_kit::kv::NOW;

/// The revision of the template in 1.33.
const REVISION: &str = "kv-58d875f68f";
const UID: &str = "0b0e7d4c-0000-4000-8000-000000000001";

/// `prod/kv` of three replicas, each with a claim of 10Gi of class fast.
struct Input {
    set: Value,
    claims: Vec<Value>,
    class: Option<Value>,
}

impl Input {
    fn new() -> Self {
        let resources = json!({"requests": {"storage": "10Gi"}});
        Input {
            set: json!({
                "apiVersion": "apps/v1", "kind": "StatefulSet",
                "metadata": {"name": "kv", "namespace": "prod", "uid": UID, "generation": 1},
                "status": {"observedGeneration": 1, "replicas": 3, "readyReplicas": 3, "currentReplicas": 3,
                    "updatedReplicas": 3, "availableReplicas": 3, "currentRevision": REVISION,
                    "updateRevision": REVISION, "collisionCount": 0},
                "spec": {
                    "replicas": 3, "serviceName": "kv",
                    "selector": {"matchLabels": {"app": "kv"}},
                    "template": {
                        "metadata": {"labels": {"app": "kv"}},
                        "spec": {"containers": [{"name": "app", "image": "kv:1",
                            "volumeMounts": [{"name": "data", "mountPath": "/data"}]}]},
                    },
                    "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {
                        "accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "resources": resources}}],
                },
            }),
            claims: (0..3).map(claim).collect(),
            class: Some(json!({
                "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast"},
                "provisioner": "example.com", "allowVolumeExpansion": true,
            })),
        }
    }

    fn with(mut self, change: impl FnOnce(&mut Input)) -> Self {
        change(&mut self);
        self
    }

    fn text(&self) -> String {
        let pods = (0..3).map(pod);
        let claims = self.claims.iter().cloned();
        // As the API server stores it.
        let template = json!({
            "$patch": "replace",
            "metadata": {"creationTimestamp": null, "labels": {"app": "kv"}},
            "spec": {
                "containers": [{"name": "app", "image": "kv:1", "imagePullPolicy": "IfNotPresent", "resources": {},
                    "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
                    "volumeMounts": [{"name": "data", "mountPath": "/data"}]}],
                "dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "schedulerName": "default-scheduler",
                "securityContext": {}, "terminationGracePeriodSeconds": 30,
            },
        });
        let revision = json!({
            "apiVersion": "apps/v1", "kind": "ControllerRevision", "revision": 1,
            "metadata": {"name": REVISION, "namespace": "prod", "uid": REVISION, "labels": {"app": "kv",
                "controller.kubernetes.io/hash": REVISION.trim_start_matches("kv-")},
                "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "kv", "uid": UID,
                    "controller": true, "blockOwnerDeletion": true}]},
            "data": {"spec": {"template": template}},
        });
        let items: Vec<Value> = [self.set.clone(), revision]
            .into_iter()
            .chain(pods)
            .chain(claims)
            .chain(self.class.clone())
            .collect();
        json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
    }
}

fn claim(ordinal: usize) -> Value {
    let name = format!("data-kv-{ordinal}");
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "prod", "uid": name},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "volumeName": format!("pv-{ordinal}"),
            "resources": {"requests": {"storage": "10Gi"}}},
        "status": {"phase": "Bound", "capacity": {"storage": "10Gi"}},
    })
}

fn pod(ordinal: usize) -> Value {
    let name = format!("kv-{ordinal}");
    let claim = format!("data-kv-{ordinal}");
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": name, "namespace": "prod", "uid": name, "creationTimestamp": "2026-11-21T10:00:00Z",
            "labels": {"app": "kv", "controller-revision-hash": REVISION, "statefulset.kubernetes.io/pod-name": name,
                "apps.kubernetes.io/pod-index": ordinal.to_string()},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "kv", "uid": UID,
                "controller": true, "blockOwnerDeletion": true}],
        },
        "spec": {"nodeName": "node-1", "containers": [{"name": "app", "image": "kv:1"}],
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]},
        "status": {"phase": "Running", "conditions": [
            {"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-21T10:00:20Z"},
        ]},
    })
}

fn run(input: &Input, args: &[&str]) -> (i32, String, String) {
    let usual = ["-f", "-", "--now", NOW, "--kubernetes-version", "1.33"];
    program::feed(&[&usual[..], args].concat(), &input.text())
}

fn plan(input: &Input, args: &[&str]) -> Value {
    let (_, out, error) = run(input, &[args, &["-o", "json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{args:?}: {error}"))
}

fn courses(plan: &Value) -> Vec<&Value> {
    let stages = plan["stages"].as_array().unwrap();
    stages.iter().map(|stage| &stage["course"]).collect()
}

fn names(plan: &Value) -> Vec<&str> {
    let stages = plan["stages"].as_array().unwrap().iter();
    stages
        .map(|stage| stage["name"].as_str().unwrap())
        .collect()
}

fn commands(course: &Value) -> Vec<&str> {
    let commands = course["commands"].as_array().unwrap().iter();
    commands.map(|command| command.as_str().unwrap()).collect()
}

/// The pending growth of each claim at the end of a stage.
fn pending(course: &Value) -> Vec<Option<&str>> {
    let claims = course["check"]["claims"].as_array().unwrap().iter();
    claims.map(|claim| claim["pending"].as_str()).collect()
}

fn error(input: &Input, args: &[&str]) -> String {
    let (code, out, error) = run(input, args);
    assert_eq!((code, out.as_str()), (1, ""), "{args:?}: {error}");
    error
}

const GROW: [&str; 2] = ["--grow", "data=20Gi"];

#[test]
fn claims_grow_and_a_new_set_adopts_the_pods() {
    let plan = plan(&Input::new(), &GROW);
    assert_eq!(
        names(&plan),
        [
            "grow the claims",
            "delete the StatefulSet, keep its pods",
            "recreate the StatefulSet with the new size"
        ]
    );
    let courses = courses(&plan);
    assert_eq!(
        commands(courses[0])[0],
        "kubectl patch pvc data-kv-0 -n prod --type merge -p \
         '{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"20Gi\"}}}}'"
    );
    assert_eq!(commands(courses[0]).len(), 3);
    assert_eq!(
        commands(courses[1])[1],
        "kubectl delete sts kv --cascade=orphan -n prod"
    );
    assert!(commands(courses[1])[0].starts_with("kubectl patch sts kv --dry-run=client -o yaml"));
    assert_eq!(
        commands(courses[2]),
        ["kubectl apply -f kv-grown.yaml -n prod"]
    );
    // Volumes grow within a minute, and no pod is touched.
    assert_eq!(courses[0]["seconds"], 60);
    assert_eq!(pending(courses[0]), [None, None, None]);
    for course in &courses {
        assert_eq!(
            (&course["restarts"], &course["lowestReady"]),
            (&json!(0), &json!(3))
        );
        assert_eq!(course["grownClaims"].as_array().unwrap().len(), 3);
    }
    let change = &courses[0]["change"][0];
    assert_eq!(
        change["path"],
        "persistentvolumeclaim/data-kv-0.spec.resources.requests.storage"
    );
    assert_eq!(
        (&change["old"], &change["new"]),
        (&json!("10Gi"), &json!("20Gi"))
    );
    let steps = plan["steps"].as_array().unwrap().iter();
    let events: Vec<&str> = steps.filter_map(|step| step["event"].as_str()).collect();
    assert_eq!(events[..3], ["ClaimResizing"; 3]);
    assert_eq!(events[3..6], ["ClaimResized"; 3]);
    assert_eq!(plan["outcome"]["result"], "complete");
}

#[test]
fn file_systems_that_wait_for_a_mount_need_a_restart() {
    let assumed = ["--assume", "storageclass/fast=expands-on-mount"];
    let mounted = plan(&Input::new(), &[&GROW[..], &assumed].concat());
    assert_eq!(names(&mounted)[1], "restart the pods");
    let courses = courses(&mounted);
    assert_eq!(pending(courses[0]), [Some("file-system"); 3]);
    assert_eq!(
        (pending(courses[1]), &courses[1]["restarts"]),
        (vec![None; 3], &json!(3))
    );
    // The created set has the template of the restart, so no pod restarts again.
    assert_eq!(courses[3]["restarts"], 0);

    // A rolling update does not reach these pods.
    let by_hand =
        Input::new().with(|it| it.set["spec"]["updateStrategy"] = json!({"type": "OnDelete"}));
    let by_hand = plan(&by_hand, &[&GROW[..], &assumed].concat());
    assert_eq!(
        names(&by_hand)[1..4],
        ["restart kv-2", "restart kv-1", "restart kv-0"]
    );
    let courses = self::courses(&by_hand);
    assert_eq!(commands(courses[1]), ["kubectl delete pod kv-2 -n prod"]);
    let whole = [Some("file-system"), Some("file-system"), None];
    assert_eq!(pending(courses[1]), whole);
    assert_eq!(pending(courses[3]), [None; 3]);
}

#[test]
fn volumes_that_grow_offline_scale_the_pods_down() {
    let assumed = ["--assume", "sc/fast=expands-offline"];
    let plan = plan(&Input::new(), &[&GROW[..], &assumed].concat());
    assert_eq!(names(&plan)[1..3], ["scale down to 0", "scale up to 3"]);
    let courses = courses(&plan);
    assert_eq!(pending(courses[0]), [Some("volume"); 3]);
    // The last pod is gone after 15s, and its volume has grown a minute later.
    assert_eq!(
        (pending(courses[1]), &courses[1]["seconds"]),
        (vec![Some("file-system"); 3], &json!(75))
    );
    assert_eq!(pending(courses[2]), [None; 3]);
    let keeps = |policy: &str| {
        let policy = json!({"whenDeleted": "Retain", "whenScaled": policy});
        Input::new().with(|it| it.set["spec"]["persistentVolumeClaimRetentionPolicy"] = policy)
    };
    let args = [&GROW[..], &assumed].concat();
    let error = error(&keeps("Delete"), &args);
    assert!(error.contains("set it to Retain first"), "{error}");
    assert_eq!(run(&keeps("Retain"), &args).0, 0);
}

#[test]
fn the_state_of_claims_shows_how_storage_expands() {
    let waits = |kind: &str, size: &str| {
        Input::new().with(|it| {
            for claim in &mut it.claims {
                claim["spec"]["resources"]["requests"]["storage"] = json!(size);
                claim["status"]["conditions"] = json!([{"type": kind, "status": "True",
                    "lastTransitionTime": "2026-11-21T11:00:00Z"}]);
            }
            let template = &mut it.set["spec"]["volumeClaimTemplates"][0];
            template["spec"]["resources"]["requests"]["storage"] = json!(size);
        })
    };
    // Patched before, and waiting for an hour: only the restart of the pods is left.
    let told = plan(&waits("FileSystemResizePending", "20Gi"), &GROW);
    assert_eq!(names(&told), ["restart the pods"]);
    let told = plan(&waits("Resizing", "20Gi"), &GROW);
    assert_eq!(names(&told), ["scale down to 0", "scale up to 3"]);
    let more = plan(&waits("FileSystemResizePending", "15Gi"), &GROW);
    assert_eq!(names(&more)[..2], ["grow the claims", "restart the pods"]);
}

#[test]
fn only_smaller_claims_grow() {
    let template = |size: &str| {
        let size = json!(size);
        Input::new().with(|it| {
            let template = &mut it.set["spec"]["volumeClaimTemplates"][0];
            template["spec"]["resources"]["requests"]["storage"] = size;
        })
    };
    assert_eq!(names(&plan(&template("20Gi"), &GROW)), ["grow the claims"]);
    let one = Input::new().with(|it| {
        it.claims[0]["spec"]["resources"]["requests"]["storage"] = json!("20Gi");
        it.claims[0]["status"]["capacity"]["storage"] = json!("20Gi");
    });
    assert_eq!(commands(courses(&plan(&one, &GROW))[0]).len(), 2);
}

#[test]
fn claims_that_cannot_grow_say_what_to_do() {
    let claim = |path: &str, value: Value| {
        Input::new().with(|it| *it.claims[1].pointer_mut(path).unwrap() = value)
    };
    let class = |class: Option<Value>| Input::new().with(|it| it.class = class);
    let no_expansion = json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": {"name": "fast"}, "provisioner": "example.com"});
    let other = json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": {"name": "slow"}, "provisioner": "example.com"});
    let finalizers = Input::new().with(|it| it.set["metadata"]["finalizers"] = json!(["a/b"]));
    let storage = "/spec/resources/requests/storage";
    for (input, size, says) in [
        (
            Input::new(),
            "wal=20Gi",
            "unknown claim template \"wal\" (one of: data)",
        ),
        (
            Input::new(),
            "data=5Gi",
            "claim template data already requests 10Gi, and storage cannot shrink: use 10Gi or more",
        ),
        (
            Input::new(),
            "data=10Gi",
            "nothing to grow: claim template data and its claims already request 10Gi",
        ),
        (
            claim(storage, json!("30Gi")),
            "data=20Gi",
            "data-kv-1 already requests 30Gi, and storage cannot shrink",
        ),
        (
            claim("/status/phase", json!("Pending")),
            "data=20Gi",
            "data-kv-1 is not bound",
        ),
        (
            claim("/spec/storageClassName", json!("")),
            "data=20Gi",
            "data-kv-1 has no StorageClass",
        ),
        (
            class(Some(no_expansion)),
            "data=20Gi",
            "StorageClass fast of data-kv-0 does not allow expansion",
        ),
        (
            class(Some(other)),
            "data=20Gi",
            "StorageClass fast of data-kv-0 does not exist",
        ),
        (finalizers, "data=20Gi", "the set has finalizers"),
    ] {
        let error = error(&input, &["--grow", size]);
        assert!(error.contains("--grow: StatefulSet prod/kv: "), "{error}");
        assert!(error.contains(says), "{size}: {error}");
    }
    let twice = error(
        &Input::new(),
        &["--grow", "data=20Gi", "--grow", "data=30Gi"],
    );
    assert!(twice.contains("given twice"), "{twice}");
    // Without any class in the input, the class may still exist.
    let unknown = plan(&class(None), &GROW);
    let assumed = unknown["assumptions"].to_string();
    assert!(
        assumed.contains(
            "StorageClass fast, which is not in the input, has allowVolumeExpansion: true"
        ),
        "{assumed}"
    );
}

#[test]
fn it_is_a_change_of_its_own() {
    for (other, flag) in [
        (&["--image", "kv:2"][..], "--image"),
        (&["--then", "--partition", "0"], "--then"),
        (&["--stages", "x.yaml"], "--stages"),
        (&["--apply", "x.yaml"], "--apply"),
    ] {
        let error = error(&Input::new(), &[&GROW[..], other].concat());
        let says = format!("--grow cannot be combined with other changes: omit {flag}");
        assert!(error.contains(&says), "{error}");
    }
    let explored = error(&Input::new(), &[&GROW[..], &["--explore"]].concat());
    assert!(
        explored.contains("--explore cannot be used with stages"),
        "{explored}"
    );
    let alone = error(&Input::new(), &["--assume", "sc/fast=expands-offline"]);
    assert!(alone.contains("requires --grow"), "{alone}");
}

#[test]
fn the_next_stage_may_not_begin_before_the_claims_have_grown() {
    let folder = program::folder("grow-verified");
    let saved = folder.join("plan.json");
    let saved = saved.to_str().unwrap();
    let (code, _, error) = run(&Input::new(), &[&GROW[..], &["--save", saved]].concat());
    assert_eq!(code, 0, "{error}");
    let asking = |has: &str| {
        let has = json!(has);
        Input::new().with(|it| {
            for claim in &mut it.claims {
                claim["spec"]["resources"]["requests"]["storage"] = json!("20Gi");
                claim["status"]["capacity"]["storage"] = has.clone();
            }
        })
    };
    let stage = |input: &Input| {
        let args = [
            "verify",
            saved,
            "-f",
            "-",
            "--now",
            "2026-11-21T12:05:00Z",
            "-o",
            "json",
        ];
        let (_, out, error) = program::feed(&args, &input.text());
        let told: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{error}"));
        told["stage"].clone()
    };
    for (input, may_begin) in [
        (Input::new(), false),
        (asking("10Gi"), false),
        (asking("20Gi"), true),
    ] {
        let stage = stage(&input);
        assert_eq!(stage["number"], 1, "{stage}");
        assert_eq!(stage["next"]["mayBegin"], may_begin, "{stage}");
    }
    let message = stage(&asking("10Gi"))["message"].to_string();
    assert!(message.contains("data-kv-0 and 2 more"), "{message}");
}

#[test]
fn a_runbook_has_the_commands_and_what_to_check() {
    let (code, out, error) = run(&Input::new(), &[&GROW[..], &["-o", "markdown"]].concat());
    assert_eq!(code, 0, "{error}");
    for says in [
        "Stage 1: grow the claims",
        "20Gi in status.capacity of data-kv-0, data-kv-1, data-kv-2",
        "kubectl get pvc data-kv-0 data-kv-1 data-kv-2 -o",
        "claims keep the requested size: storage cannot shrink",
        "kubectl delete sts kv --cascade=orphan -n prod",
    ] {
        assert!(out.contains(says), "{says}: {out}");
    }
}
