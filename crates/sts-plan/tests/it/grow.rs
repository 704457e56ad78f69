//! `--grow CLAIM_TEMPLATE=SIZE`: larger volumes as stages.

use serde_json::{Value, json};
use test_kit::growing::Growing;
use test_kit::input::Input;
use test_kit::kv::NOW;

/// The plan of growing to 20Gi.
fn plan(growing: &Growing) -> Value {
    to_20(growing).json()
}

fn to_20(growing: &Growing) -> Input {
    input(growing).grow("data=20Gi")
}

fn input(growing: &Growing) -> Input {
    Input::of(&growing.objects(), NOW).version("1.33")
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

#[test]
fn claims_grow_and_a_new_set_adopts_the_pods() {
    let plan = plan(&Growing::of_10_gi());
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
    let mounted = to_20(&Growing::of_10_gi())
        .granting("storageclass/fast", "expands-on-mount")
        .json();
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
    let by_hand = Growing::of_10_gi()
        .with(|it| it.set["spec"]["updateStrategy"] = json!({"type": "OnDelete"}));
    let by_hand = to_20(&by_hand)
        .granting("storageclass/fast", "expands-on-mount")
        .json();
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
    let plan = to_20(&Growing::of_10_gi())
        .granting("sc/fast", "expands-offline")
        .json();
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
        Growing::of_10_gi()
            .with(|it| it.set["spec"]["persistentVolumeClaimRetentionPolicy"] = policy)
    };
    let offline = |policy: &str| to_20(&keeps(policy)).granting("sc/fast", "expands-offline");
    let error = offline("Delete").error();
    assert!(error.contains("set it to Retain first"), "{error}");
    assert!(offline("Retain").fleet().errors.is_empty());
}

#[test]
fn the_state_of_claims_shows_how_storage_expands() {
    let waits = |kind: &str, size: &str| {
        Growing::of_10_gi().with(|it| {
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
    let told = plan(&waits("FileSystemResizePending", "20Gi"));
    assert_eq!(names(&told), ["restart the pods"]);
    let told = plan(&waits("Resizing", "20Gi"));
    assert_eq!(names(&told), ["scale down to 0", "scale up to 3"]);
    let more = plan(&waits("FileSystemResizePending", "15Gi"));
    assert_eq!(names(&more)[..2], ["grow the claims", "restart the pods"]);
}

#[test]
fn only_smaller_claims_grow() {
    let template = |size: &str| {
        let size = json!(size);
        Growing::of_10_gi().with(|it| {
            let template = &mut it.set["spec"]["volumeClaimTemplates"][0];
            template["spec"]["resources"]["requests"]["storage"] = size;
        })
    };
    assert_eq!(names(&plan(&template("20Gi"))), ["grow the claims"]);
    let one = Growing::of_10_gi().with(|it| {
        it.claims[0]["spec"]["resources"]["requests"]["storage"] = json!("20Gi");
        it.claims[0]["status"]["capacity"]["storage"] = json!("20Gi");
    });
    assert_eq!(commands(courses(&plan(&one))[0]).len(), 2);
}

#[test]
fn claims_that_cannot_grow_say_what_to_do() {
    let claim = |path: &str, value: Value| {
        Growing::of_10_gi().with(|it| *it.claims[1].pointer_mut(path).unwrap() = value)
    };
    let class = |class: Option<Value>| Growing::of_10_gi().with(|it| it.class = class);
    let no_expansion = json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": {"name": "fast"}, "provisioner": "example.com"});
    let other = json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": {"name": "slow"}, "provisioner": "example.com"});
    let finalizers =
        Growing::of_10_gi().with(|it| it.set["metadata"]["finalizers"] = json!(["a/b"]));
    let storage = "/spec/resources/requests/storage";
    for (input, size, says) in [
        (
            Growing::of_10_gi(),
            "wal=20Gi",
            "unknown claim template \"wal\" (one of: data)",
        ),
        (
            Growing::of_10_gi(),
            "data=5Gi",
            "claim template data already requests 10Gi, and storage cannot shrink: use 10Gi or more",
        ),
        (
            Growing::of_10_gi(),
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
        let error = self::input(&input).grow(size).error();
        assert!(error.contains(says), "{size}: {error}");
    }
    let twice = to_20(&Growing::of_10_gi()).grow("data=30Gi").error();
    assert!(twice.contains("given twice"), "{twice}");
    // Without any class in the input, the class may still exist.
    let unknown = plan(&class(None));
    let assumed = unknown["assumptions"].to_string();
    assert!(
        assumed.contains(
            "StorageClass fast, which is not in the input, has allowVolumeExpansion: true"
        ),
        "{assumed}"
    );
}
