//! A volume that was bound to an earlier claim of the same name has the data, and is no longer bound by itself.

use serde_json::{Value, json};
use test_kit::kv::{claim, event, plan};

/// kv-2 waits for a claim of a class without provisioner, beside a volume that names a claim with this uid.
fn fix(uid: Option<&str>, provisioner: &str) -> String {
    let mut objects = claim(|it| it["spec"]["storageClassName"] = json!("manual"));
    objects.retain(|it| {
        !matches!(
            it["kind"].as_str(),
            Some("StorageClass" | "PersistentVolume")
        )
    });
    objects.push(json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "manual"},
        "provisioner": provisioner}));
    let mut reference =
        json!({"kind": "PersistentVolumeClaim", "namespace": "prod", "name": "data-kv-2"});
    if let Some(uid) = uid {
        reference["uid"] = json!(uid);
    }
    objects.push(json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv-old"},
        "spec": {"capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce"], "claimRef": reference,
            "storageClassName": "manual", "persistentVolumeReclaimPolicy": "Retain"},
        "status": {"phase": "Released"}}));
    let words = "storageclass.storage.k8s.io \"manual\" not found";
    objects.push(event(
        "PersistentVolumeClaim",
        "data-kv-2",
        "ProvisioningFailed",
        words,
    ));
    let report: Value = plan(&objects);
    report["outcome"]["blockedBy"][0]["fix"].to_string()
}

#[test]
fn the_volume_is_named_with_the_command_that_frees_it() {
    let told = fix(Some("an-earlier-one"), "kubernetes.io/no-provisioner");
    assert!(
        told.contains("volume pv-old was bound to an earlier claim data-kv-2"),
        "{told}"
    );
    assert!(
        told.contains("kubectl patch pv pv-old --type json"),
        "{told}"
    );
}

#[test]
fn a_provisioner_makes_a_new_volume() {
    let told = fix(Some("an-earlier-one"), "ebs.csi.aws.com");
    assert!(!told.contains("pv-old"), "{told}");
}
