//! `--apply` against a live server: its dry run and its messages.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::reading::{NOW, pod, set};
use super::server::{Answer, Server, folder};
use super::{assert_error, plan, run};

/// A manifest of the set `web` that differs from the stored set.
fn manifest(test: &str, change: impl FnOnce(&mut Value)) -> PathBuf {
    let mut manifest = json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {"replicas": 2, "serviceName": "web", "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "c", "image": "nginx:2"}]}}},
    });
    change(&mut manifest);
    let file = folder(&format!("manifest-{test}")).join("web.yaml");
    fs::write(&file, manifest.to_string()).unwrap();
    file
}

fn stored() -> Vec<Value> {
    let mut set = set("web", 2);
    // Another manager's field, which a merge does not touch.
    set["metadata"]["annotations"] = json!({"of": "another"});
    vec![set, pod("web", 0), pod("web", 1)]
}

#[test]
fn the_server_gets_a_dry_run() {
    let server = Server::new(stored()).with_whim(|asked, _| {
        // Admission changes the image.
        (asked.method == "PATCH").then(|| {
            let mut set = set("web", 2);
            set["spec"]["template"]["spec"]["containers"][0]["image"] = "mirror/nginx:2".into();
            Answer::json(&set).with_header("Warning", "299 - \"this image is \\\"old\\\"\"")
        })
    });
    let config = server.kubeconfig("apply", "prod");
    let file = manifest("apply", |_| {});
    let ran = run(&config, &format!("{NOW} --apply {}", file.display()));
    assert_eq!(ran.err, "warning: web: this image is \"old\"\n");
    let plan = plan(&ran);
    let change = plan["change"].as_array().unwrap();
    let image = change
        .iter()
        .find(|change| change["path"].as_str().unwrap().ends_with("image"))
        .unwrap();
    assert_eq!(
        (&image["old"], &image["new"]),
        (&json!("nginx:1"), &json!("mirror/nginx:2"))
    );
    assert_eq!(image["effect"], "rollout");
    assert!(
        plan["assumptions"]
            .to_string()
            .contains("the manifest was admitted by a server-side dry run")
    );

    let asked = server.asked();
    let others: Vec<_> = asked.iter().filter(|asked| asked.method != "GET").collect();
    let [patch] = others.as_slice() else {
        panic!("{others:?}");
    };
    assert_eq!(patch.path, "/apis/apps/v1/namespaces/prod/statefulsets/web");
    assert_eq!(patch.query["dryRun"], "All");
    assert_eq!(patch.query["fieldManager"], "kubectl-client-side-apply");
    assert_eq!(
        patch.header("content-type"),
        ["application/merge-patch+json"]
    );
    let mut patch = patch.json();
    let annotations = patch["metadata"]["annotations"].take();
    let last = annotations["kubectl.kubernetes.io/last-applied-configuration"]
        .as_str()
        .unwrap();
    assert!(
        last.contains("nginx:2") && !annotations.to_string().contains("another"),
        "{last}"
    );
    // Includes the defaults of a server of that version, which this server has omitted.
    let containers = json!([{
        "name": "c", "image": "nginx:2", "imagePullPolicy": "IfNotPresent", "resources": {},
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
    }]);
    assert_eq!(
        patch,
        json!({"metadata": {"annotations": null}, "spec": {"template": {"spec": {"containers": containers}}}})
    );
}

#[test]
fn a_missing_set_is_created_in_a_dry_run() {
    let server = Server::new(Vec::new());
    let config = server.kubeconfig("apply-new", "prod");
    let file = manifest("apply-new", |_| {});
    let plan = plan(&run(&config, &format!("{NOW} --apply {}", file.display())));
    assert_eq!(plan["outcome"]["result"], "complete");
    assert_eq!(plan["outcome"]["pods"].as_array().unwrap().len(), 2);
    let asked = server.asked();
    let post = asked.iter().find(|asked| asked.method == "POST").unwrap();
    assert_eq!(post.path, "/apis/apps/v1/namespaces/prod/statefulsets");
    assert_eq!(post.query["dryRun"], "All");
    assert_eq!(post.json()["metadata"]["namespace"], "prod");
}

#[test]
fn flags_change_the_answer_of_the_server() {
    let server = Server::new(stored());
    let config = server.kubeconfig("apply-flags", "prod");
    let file = manifest("apply-flags", |_| {});
    let plan = plan(&run(
        &config,
        &format!("{NOW} --partition 1 --apply {}", file.display()),
    ));
    let paths: Vec<&str> = plan["change"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["path"].as_str().unwrap())
        .collect();
    assert!(
        paths.iter().any(|path| path.ends_with("image")),
        "{paths:?}"
    );
    assert!(
        paths.iter().any(|path| path.ends_with("partition")),
        "{paths:?}"
    );
}

#[test]
fn a_rejection_is_a_plan_with_the_servers_message() {
    let spec =
        "Forbidden: updates to statefulset spec for fields other than 'replicas' are forbidden";
    let invalid = json!({"kind": "Status", "code": 422, "reason": "Invalid",
        "message": format!("StatefulSet.apps \"web\" is invalid: spec: {spec}"),
        "details": {"causes": [{"reason": "FieldValueForbidden", "field": "spec", "message": spec}]}});
    let hook = "admission webhook \"images.example\" denied the request: \u{1b}[31mno mirror";
    let cases: [(&str, u16, Value, &[&str]); 3] = [
        (
            "invalid",
            422,
            invalid,
            &[
                "spec.serviceName",
                "'replicas' are forbidden",
                "cascade=orphan",
            ],
        ),
        (
            "webhook",
            403,
            json!({"kind": "Status", "message": hook}),
            &["images.example", "\\x1b[31mno mirror"],
        ),
        (
            "strict",
            400,
            json!({"kind": "Status", "message": "strict decoding error: unknown field \"spec.replica\""}),
            &["unknown field \"spec.replica\""],
        ),
    ];
    for (name, status, body, says) in cases {
        let server = Server::new(stored()).with_whim(move |asked, _| {
            (asked.method == "PATCH").then(|| Answer {
                status,
                ..Answer::json(&body)
            })
        });
        let config = server.kubeconfig(&format!("refused-{name}"), "prod");
        let file = manifest(&format!("refused-{name}"), |manifest| {
            manifest["spec"]["serviceName"] = "other".into();
        });
        let ran = run(
            &config,
            &format!("--detailed-exitcode --apply {}", file.display()),
        );
        assert_eq!(ran.code, Some(4), "{name}: {}{}", ran.out, ran.err);
        for text in says {
            assert!(
                ran.out.contains(text),
                "{name}: {text:?} is not in {}",
                ran.out
            );
        }
        assert!(!ran.out.contains('\u{1b}'), "{:?}", ran.out);
        let ran = run(&config, &format!("{NOW} --apply {}", file.display()));
        assert_eq!(ran.code, Some(4), "{name}: {}{}", ran.out, ran.err);
        let plan: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(plan["outcome"]["result"], "rejected");
    }
}

#[test]
fn other_answers_than_rejections_are_errors() {
    let forbidden =
        "statefulsets.apps \"web\" is forbidden: User \"u\" cannot patch resource \"statefulsets\"";
    let cases: [(u16, &str, &[&str]); 4] = [
        (
            403,
            forbidden,
            &[
                "in a dry run",
                "cannot patch resource",
                "--apply-mode=local",
            ],
        ),
        (
            400,
            "admission webhook \"x\" does not support dry run",
            &["does not support dry run", "--apply-mode=local"],
        ),
        (
            409,
            "the object has been modified",
            &["409", "has been modified"],
        ),
        (
            500,
            "failed calling webhook \"x\"",
            &["500", "failed calling webhook"],
        ),
    ];
    for (status, message, says) in cases {
        let server = Server::new(stored()).with_whim(move |asked, _| {
            (asked.method == "PATCH").then(|| Answer::error(status, "", message))
        });
        let config = server.kubeconfig(&format!("no-refusal-{status}"), "prod");
        let file = manifest(&format!("no-refusal-{status}"), |_| {});
        assert_error(&run(&config, &format!("--apply {}", file.display())), says);
        // It is not asked twice: only reads may be retried.
        assert_eq!(
            server
                .asked()
                .iter()
                .filter(|asked| asked.method == "PATCH")
                .count(),
            1
        );
    }
}

#[test]
fn in_local_mode_only_reads_are_sent() {
    let server = Server::new(stored());
    let config = server.kubeconfig("apply-local", "prod");
    let file = manifest("apply-local", |_| {});
    let args = format!("{NOW} --apply {} --apply-mode=local", file.display());
    let plan = plan(&run(&config, &args));
    assert!(
        plan["assumptions"]
            .to_string()
            .contains("locally, without admission")
    );
    assert!(server.asked().iter().all(|asked| asked.method == "GET"));
    let args = format!("-f {0} --apply {0} --apply-mode=server", file.display());
    assert_error(&run(&config, &args), &["cannot be combined with -f"]);
}

#[test]
fn several_sets_are_sent_one_by_one_and_other_kinds_skipped() {
    let server = Server::new(stored());
    let config = server.kubeconfig("apply-several", "prod");
    let one = fs::read_to_string(manifest("apply-several", |_| {})).unwrap();
    let two = one.replace("\"web\"", "\"other\"");
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}});
    let file = folder("apply-several-all").join("all.yaml");
    fs::write(&file, format!("{one}\n---\n{map}\n---\n{two}\n")).unwrap();
    let plan = plan(&run(&config, &format!("{NOW} --apply {}", file.display())));
    assert_eq!(plan["items"].as_array().unwrap().len(), 2);
    let asked = server.asked();
    let methods: Vec<&str> = asked
        .iter()
        .map(|asked| asked.method.as_str())
        .filter(|method| *method != "GET")
        .collect();
    assert_eq!(methods, ["PATCH", "POST"]);
}

#[test]
fn a_server_side_apply_sends_its_manager() {
    let server = Server::new(stored())
        .with_whim(|asked, _| (asked.method == "PATCH").then(|| Answer::json(&set("web", 2))));
    let config = server.kubeconfig("server-side", "prod");
    let file = manifest("server-side", |_| {});
    let args = format!(
        "{NOW} --apply {} --server-side --field-manager a&dryRun=None --force-conflicts",
        file.display()
    );
    plan(&run(&config, &args));
    let asked = server.asked();
    let others: Vec<_> = asked.iter().filter(|asked| asked.method != "GET").collect();
    let [patch] = others.as_slice() else {
        panic!("{others:?}");
    };
    assert_eq!(patch.method, "PATCH");
    assert_eq!(patch.path, "/apis/apps/v1/namespaces/prod/statefulsets/web");
    assert_eq!(
        patch.header("content-type"),
        ["application/apply-patch+yaml"]
    );
    assert_eq!(patch.query["dryRun"], "All");
    assert_eq!(patch.query["fieldManager"], "a&dryRun=None");
    assert_eq!(patch.query["force"], "true");
    assert_eq!(patch.query["fieldValidation"], "Strict");
    // The unchanged manifest with its target namespace: kubectl keeps no copy of it.
    let text = fs::read_to_string(&file).unwrap();
    let mut sent: Value = serde_json::from_str(&text).unwrap();
    sent["metadata"]["namespace"] = "prod".into();
    assert_eq!(patch.json(), sent);
}

#[test]
fn a_conflict_of_the_server_names_the_owner_and_the_time() {
    let words = "conflict with \"hpa\" with subresource \"scale\" using apps/v1";
    let refused = json!({"kind": "Status", "code": 409, "reason": "Conflict",
        "message": format!("Apply failed with 1 conflict: {words}: .spec.replicas"),
        "details": {"causes": [
            {"reason": "FieldManagerConflict", "field": ".spec.replicas", "message": words}]}});
    let managed = |fields: Value| {
        let mut objects = stored();
        objects[0]["metadata"]["managedFields"] = fields;
        objects
    };
    let hpa = json!([{"manager": "hpa", "operation": "Update", "apiVersion": "apps/v1", "subresource": "scale",
        "time": "2026-11-20T10:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:replicas": {}}}}]);
    // managedFields supply what the server's message omits, if they exist.
    for (name, objects, since) in [
        ("told", managed(hpa), json!("2026-11-20T10:00:00Z")),
        ("untold", managed(json!([])), Value::Null),
    ] {
        let body = refused.clone();
        let server = Server::new(objects).with_whim(move |asked, _| {
            (asked.method == "PATCH").then(|| Answer {
                status: 409,
                ..Answer::json(&body)
            })
        });
        let config = server.kubeconfig(&format!("conflict-{name}"), "prod");
        let file = manifest(&format!("conflict-{name}"), |manifest| {
            manifest["spec"]["replicas"] = 5.into();
        });
        let ran = run(
            &config,
            &format!("{NOW} --server-side --apply {}", file.display()),
        );
        assert_eq!(ran.code, Some(4), "{name}: {}{}", ran.out, ran.err);
        let plan: Value = serde_json::from_str(&ran.out).unwrap();
        let conflict = &plan["outcome"]["blockedBy"][0]["conflict"];
        assert_eq!(conflict["field"], ".spec.replicas");
        assert_eq!(conflict["manager"], "hpa");
        assert_eq!(conflict["operation"], "Update");
        assert_eq!(conflict["subresource"], "scale");
        assert_eq!(conflict["since"], since, "{name}");
        let change = &plan["change"][0];
        assert_eq!(change["path"], "spec.replicas");
        assert_eq!(change["rejection"], "conflict");
    }
}
