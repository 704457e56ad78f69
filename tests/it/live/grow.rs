//! Larger volumes by `--grow`: predicted as a whole, executed by the printed commands with kubectl, and compared write
//! by write.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::acts::{Act, Place};
use super::control_plane::with_controllers;
use super::kubelet::{GONE_AFTER, Kubelet, READY_AFTER};
use super::program::{self, Question};
use super::reality::{claiming, web};
use super::scenario::{come_to_rest, compare_segments};
use super::seen::{PredictedWrites, Segment, in_one_order, of_pods_and_claims};
use super::staged::alone;
use crate::needs::did_not_run;

const CLAIMS: [&str; 2] = ["data-web-0", "data-web-1"];

/// Writes the status of a claim, as volume provisioners and resizers do.
fn has(place: &Place<'_>, claim: &str, size: &str) {
    let path = place.path(&format!("persistentvolumeclaims/{claim}/status"));
    let status = json!({"phase": "Bound", "capacity": {"storage": size}});
    place.rest.merge(&path, &json!({"status": status})).unwrap();
}

/// Runs a command of the runbook.
fn type_in(place: &Place<'_>, folder: &Path, command: &str) {
    let done = Command::new("sh")
        .args(["-c", command])
        .env("KUBECONFIG", place.plane.kubeconfig("admin"))
        .env("HOME", folder)
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command}: {said}");
}

/// Executes a stage, lets the predicted events happen, and compares the writes.
fn follow(place: &Place<'_>, folder: &Path, staged: &Value, course: &Value) -> usize {
    let predicted = PredictedWrites::new(&alone(staged, course));
    let kubelet = Kubelet::new(place, &[]);
    for command in course["commands"].as_array().unwrap() {
        type_in(place, folder, command.as_str().unwrap());
    }
    let (mut happened, mut told) = (Vec::new(), 0);
    for (index, segment) in predicted.segments.iter().enumerate() {
        if let Some(event) = &segment.event {
            assert_eq!(event.event, "ClaimResized");
            has(place, &event.name, "2Gi");
        }
        let writes = kubelet.settle(&predicted.writes_after(index), told);
        let new = writes[told..].iter().map(|(write, _)| write.clone());
        happened.push(Segment {
            event: segment.event.clone(),
            writes: new.collect(),
        });
        told = writes.len();
    }
    let order = |segment: &Segment| match predicted.races() {
        true => of_pods_and_claims(segment.writes.clone()),
        false => in_one_order(segment.writes.clone(), false),
    };
    compare_segments(&predicted.segments, &happened, order).unwrap_or_else(|what| {
        let all =
            |segments: &[Segment]| -> String { segments.iter().map(ToString::to_string).collect() };
        let (ours, theirs) = (all(&predicted.segments), all(&happened));
        panic!("{what}\npredicted:\n{ours}\nhappened:\n{theirs}")
    });
    told
}

/// The metadata of the pods, by name.
fn pods(place: &Place<'_>) -> Vec<Value> {
    let mut pods = place.list("pods");
    pods.sort_by_key(|pod| pod["metadata"]["name"].to_string());
    pods.iter_mut().map(|pod| pod["metadata"].take()).collect()
}

#[test]
fn claims_grow_as_predicted_and_the_pods_stay() {
    let kubectl = Command::new("kubectl")
        .args(["version", "--client"])
        .output();
    if !kubectl.is_ok_and(|ran| ran.status.success()) {
        return did_not_run("kubectl", "there is no kubectl to type the commands with");
    }
    // The claims of other tests name no class, and must not find one.
    let Some(plane) = with_controllers("grow", &[]) else {
        return;
    };
    let place = Place::new(&plane, "grown");
    program::grant(&place, "sts-plan", &["-n", &place.namespace], false);
    let class = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast"},
        "provisioner": "example.com/disks", "allowVolumeExpansion": true,
    });
    let classes = "/apis/storage.k8s.io/v1/storageclasses";
    place.rest.create(classes, &class).unwrap();
    let mut set = claiming(web(2), &["data"]);
    set["spec"]["volumeClaimTemplates"][0]["spec"]["storageClassName"] = json!("fast");
    place.act(&Act::Create(set), &Value::Null);
    come_to_rest(&place, &[]);
    for claim in CLAIMS {
        let path = place.path(&format!("persistentvolumeclaims/{claim}"));
        let volume = json!({"spec": {"volumeName": format!("volume-of-{claim}")}});
        place.rest.merge(&path, &volume).unwrap();
        has(&place, claim, "1Gi");
    }

    let (ready, gone) = (format!("{READY_AFTER}s"), format!("{GONE_AFTER}s"));
    let question = Question {
        flags: vec![
            "--grow",
            "data=2Gi",
            "--ready-after",
            &ready,
            "--gone-after",
            &gone,
        ],
        ..Question::default()
    };
    let staged = program::plan(&place, &question);
    let stages = staged["stages"].as_array().unwrap();
    let names: Vec<&Value> = stages.iter().map(|stage| &stage["name"]).collect();
    assert_eq!(
        names,
        [
            "grow the claims",
            "delete the StatefulSet, keep its pods",
            "recreate the StatefulSet with the new size"
        ]
    );
    let before = pods(&place);
    let folder = plane.folder.join("runbook");
    fs::create_dir_all(&folder).unwrap();
    let mut writes = 0;
    for stage in stages {
        let course = &stage["course"];
        assert_eq!(course["restarts"], 0);
        writes += follow(&place, &folder, &staged, course);
    }

    let set = place.rest.get(&place.path("statefulsets/web")).unwrap();
    let templates = &set["spec"]["volumeClaimTemplates"][0];
    assert_eq!(templates["spec"]["resources"]["requests"]["storage"], "2Gi");
    let after = pods(&place);
    assert_eq!(after.len(), 2);
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before["uid"], after["uid"]);
        assert_ne!(before["ownerReferences"], after["ownerReferences"]);
        assert_eq!(after["ownerReferences"][0]["uid"], set["metadata"]["uid"]);
    }
    for claim in place.list("persistentvolumeclaims") {
        let asks = &claim["spec"]["resources"]["requests"]["storage"];
        assert_eq!(
            (asks, &claim["status"]["capacity"]["storage"]),
            (&json!("2Gi"), &json!("2Gi"))
        );
    }
    // Nothing is left to do or to predict.
    come_to_rest(&place, &[]);
    program::assert_read_only(&plane);
    println!("--grow: {writes} writes of three stages as predicted");
}
