//! Objects that only a cause needs: read if they can explain a problem, and by `dump`.

use serde_json::{Value, json};

use super::server::{Answer, Server};
use super::{plan, run};
use test_kit::kv::{node, not_ready, put, serving};

const NOW: &str = "--now 2026-11-21T12:00:00Z -o json";
/// The resources that no healthy plan reads.
const ON_DEMAND: [&str; 9] = [
    "csinodes",
    "leases",
    "limitranges",
    "mutatingwebhookconfigurations",
    "resourcequotas",
    "validatingadmissionpolicies",
    "validatingadmissionpolicybindings",
    "validatingwebhookconfigurations",
    "volumeattachments",
];

/// Two pods that serve, and a third one that is not created.
fn refused(words: &str) -> Vec<Value> {
    let mut objects = serving();
    objects.retain(|it| it["metadata"]["name"] != "kv-2" && it["metadata"]["name"] != "data-kv-2");
    objects.push(event(
        "StatefulSet",
        "kv",
        "FailedCreate",
        &format!("create Pod kv-2 in StatefulSet kv failed error: {words}"),
    ));
    objects
}

fn event(kind: &str, name: &str, reason: &str, message: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": reason, "message": message, "count": 9,
        "metadata": {"name": format!("{name}.1"), "namespace": "prod"},
        "involvedObject": {"kind": kind, "namespace": "prod", "name": name},
        "firstTimestamp": "2026-11-21T11:50:00Z", "lastTimestamp": "2026-11-21T11:58:00Z"})
}

/// The requested resources among these.
fn asked(server: &Server) -> Vec<String> {
    let mut asked: Vec<String> = server
        .asked()
        .iter()
        .filter_map(|asked| asked.path.rsplit('/').next().map(str::to_owned))
        .filter(|plural| ON_DEMAND.contains(&plural.as_str()))
        .collect();
    asked.sort();
    asked.dedup();
    asked
}

/// A cause requests only these resources, and their content is among its facts.
fn assert_reveals(
    test: &str,
    mut objects: Vec<Value>,
    more: Value,
    resources: &[&str],
    fact: &str,
) {
    objects.push(more);
    let server = Server::new(objects);
    let config = server.kubeconfig(&format!("demanded-{test}"), "prod");
    let report = plan(&run(&config, &format!("kv {NOW}")));
    let facts = report["outcome"]["blockedBy"][0]["evidence"].to_string();
    assert!(
        facts.contains(fact),
        "{test}: {facts}\n{}",
        report["analysis"]["headline"]
    );
    assert_eq!(asked(&server), resources, "{test}");
    // If they may not be read, the plan is the same and says what is uncertain.
    let server = server.with_whim(|asked, _| {
        let plural = asked.path.rsplit('/').next().unwrap_or_default();
        ON_DEMAND
            .contains(&plural)
            .then(|| Answer::error(403, "Forbidden", "not for you"))
    });
    let config = server.kubeconfig(&format!("demanded-{test}-not"), "prod");
    let barred = plan(&run(&config, &format!("kv {NOW}")));
    assert_eq!(
        barred["analysis"]["cause"], report["analysis"]["cause"],
        "{test}"
    );
    let notes = barred["assumptions"].to_string();
    let note = format!("not allowed to list {}", resources[0]);
    assert!(
        notes.contains(&note) && notes.contains("so it is uncertain"),
        "{test}: {notes}"
    );
}

#[test]
fn a_healthy_plan_makes_no_extra_request() {
    let server = Server::new(serving());
    let config = server.kubeconfig("demanded-healthy", "prod");
    let report = plan(&run(&config, &format!("kv {NOW}")));
    assert_eq!(report["outcome"]["result"], "complete");
    assert_eq!(asked(&server), Vec::<String>::new());
}

#[test]
fn a_refusal_names_its_source() {
    assert_reveals(
        "quota",
        refused(
            "pods \"kv-2\" is forbidden: exceeded quota: compute, requested: requests.memory=2Gi, used: \
            requests.memory=9Gi, limited: requests.memory=10Gi",
        ),
        json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "compute", "namespace": "prod"},
            "spec": {"hard": {"requests.memory": "10Gi"}},
            "status": {"hard": {"requests.memory": "10Gi", "pods": "9"}, "used": {"requests.memory": "9Gi"}}}),
        &["resourcequotas"],
        "quota compute: requests.memory 9Gi of 10Gi used",
    );
    assert_reveals(
        "limits",
        refused(
            "pods \"kv-2\" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi",
        ),
        json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "limits", "namespace": "prod"},
            "spec": {"limits": [{"type": "Container", "max": {"memory": "1Gi"}}]}}),
        &["limitranges"],
        "LimitRange limits (Container): max memory 1Gi",
    );
    assert_reveals(
        "webhook",
        refused(
            "Internal error occurred: failed calling webhook \"pods.guard.example.com\": failed to call webhook: \
            Post \\\"https://guard.guard.svc:443/pods\\\": dial tcp 10.0.0.7:443: connect: connection refused",
        ),
        json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "guard"}, "webhooks": [{"name": "pods.guard.example.com", "failurePolicy": "Fail",
                "clientConfig": {"caBundle": "Y2E=", "service": {"namespace": "guard", "name": "guard"}}}]}),
        &[
            "mutatingwebhookconfigurations",
            "validatingwebhookconfigurations",
        ],
        "webhook pods.guard.example.com (ValidatingWebhookConfiguration guard): service guard/guard, failurePolicy \
         Fail",
    );
    assert_reveals(
        "policy",
        refused(
            "pods \"kv-2\" is forbidden: ValidatingAdmissionPolicy 'no-latest' with binding 'prod' denied request: \
            tag it",
        ),
        json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": "no-latest"}, "spec": {"failurePolicy": "Ignore"}}),
        &[
            "validatingadmissionpolicies",
            "validatingadmissionpolicybindings",
        ],
        "ValidatingAdmissionPolicy no-latest: failurePolicy Ignore",
    );
}

#[test]
fn an_attached_volume_names_its_node_and_a_lost_node_its_last_heartbeat() {
    let mut objects = serving();
    let mut waiting = not_ready(
        "Pending",
        json!({"waiting": {"reason": "ContainerCreating"}}),
        0,
        0,
    );
    put(&mut objects, 2, waiting.clone());
    objects.push(event(
        "Pod",
        "kv-2",
        "FailedAttachVolume",
        "Multi-Attach error for volume \"pv-2\" Volume is already exclusively attached to one node",
    ));
    assert_reveals(
        "attachment",
        objects,
        json!({"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": "csi-1"},
            "spec": {"attacher": "ebs.csi.aws.com", "nodeName": "n-7", "source": {"persistentVolumeName": "pv-2"}},
            "status": {"attached": true}}),
        &["volumeattachments"],
        "volume pv-2 is attached to node n-7 (VolumeAttachment csi-1)",
    );
    let mut objects = serving();
    waiting["phase"] = json!("Running");
    put(&mut objects, 2, waiting);
    let pod = objects
        .iter_mut()
        .find(|it| it["metadata"]["name"] == "kv-2")
        .unwrap();
    pod["spec"]["nodeName"] = json!("n-2");
    objects.push(node("n-2", "a", false));
    assert_reveals(
        "lease",
        objects,
        json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": {"name": "n-2", "namespace": "kube-node-lease"},
            "spec": {"renewTime": "2026-11-21T11:10:30.000000Z"}}),
        &["leases"],
        "the kubelet on node n-2 last renewed its lease 49m30s ago",
    );
}

#[test]
fn a_dump_has_all_of_them_except_forbidden_ones() {
    let mut objects = serving();
    objects.push(json!({"apiVersion": "v1", "kind": "ResourceQuota",
        "metadata": {"name": "compute", "namespace": "prod"}, "status": {"used": {"pods": "3"}}}));
    objects.push(
        json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": "n-1", "namespace": "kube-node-lease"}, "spec": {}}),
    );
    let server = Server::new(objects);
    let config = server.kubeconfig("demanded-dump", "prod");
    let dump = run(&config, "dump kv");
    assert_eq!((dump.code, dump.err.as_str()), (Some(0), ""));
    assert!(
        dump.out.contains("kind: ResourceQuota") && dump.out.contains("kind: Lease"),
        "{}",
        dump.out
    );
    assert_eq!(asked(&server), ON_DEMAND);
    let server = server.with_whim(|asked, _| {
        asked
            .path
            .ends_with("/resourcequotas")
            .then(|| Answer::error(403, "Forbidden", "not for you"))
    });
    let config = server.kubeconfig("demanded-dump-not", "prod");
    let dump = run(&config, "dump kv");
    assert_eq!((dump.code, dump.err.as_str()), (Some(0), ""));
    assert!(
        dump.out.contains("sts-plan/not-read") && dump.out.contains("resourcequotas"),
        "{}",
        dump.out
    );
    // Nothing in the plan is uncertain without it.
    assert!(
        !dump.out.contains("not allowed to list resourcequotas"),
        "{}",
        dump.out
    );
}
