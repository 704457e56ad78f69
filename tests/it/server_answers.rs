//! The program's version of the API server's answers about stored objects, pods and statuses.

use serde_json::{Value, json};

use crate::program;

/// Plans standard input. Returns the exit code, standard output and standard error.
fn run(input: &Value, flags: &[&str]) -> (i32, String, String) {
    let args = [&["-f", "-", "--now", "2026-01-02T00:00:00Z"], flags].concat();
    program::feed(&args, &input.to_string())
}

fn plan(input: &Value, flags: &[&str]) -> Value {
    let (_, text, errors) = run(input, &[flags, &["-o", "json"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{errors}"))
}

fn web(pod: &Value) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": "web", "namespace": "prod"},
        "spec": {
            "replicas": 1, "serviceName": "web",
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": pod},
        },
    })
}

fn container(more: &Value) -> Value {
    let mut container = json!({"name": "main", "image": "app:1"});
    let members = container.as_object_mut().unwrap();
    members.extend(more.as_object().unwrap().clone());
    json!({"containers": [container]})
}

#[test]
fn a_template_that_gives_no_pod_blocks_the_rollout() {
    let mut pod = container(&json!({}));
    pod["dnsPolicy"] = "Mine".into();
    let words = "spec.dnsPolicy: Unsupported value: \"Mine\": supported values: \"ClusterFirstWithHostNet\", \
                 \"ClusterFirst\", \"Default\", \"None\"";
    let old = ["--kubernetes-version", "1.30"];
    let (_, screen, _) = run(&web(&pod), &old);
    let verdict = format!("BLOCKED: web-0 cannot be created: Pod \"web-0\" is invalid: {words}");
    // The second line is short; its evidence has the whole answer.
    let second = screen.lines().nth(1).unwrap();
    assert!(
        second.starts_with(&verdict[..60]) && second.ends_with("\"None\""),
        "{screen}"
    );
    let evidence = |line: &str| line.starts_with("  Evidence: ") && line.contains(words);
    assert!(screen.lines().any(evidence), "{screen}");
    let (code, ..) = run(&web(&pod), &[&old[..], &["--detailed-exitcode"]].concat());
    assert_eq!(code, 3);
    let plan = plan(&web(&pod), &old);
    assert_eq!(plan["analysis"]["headline"], verdict);
    assert_eq!(plan["outcome"]["blockedBy"][0]["reason"], "CreationRefused");
    let events = plan["next"]["events"].as_array().unwrap();
    assert_eq!(events[0]["reason"], "FailedCreate");
    // From 1.34 on, the set itself is rejected.
    let (code, screen, _) = run(
        &web(&pod),
        &["--kubernetes-version", "1.34", "--detailed-exitcode"],
    );
    let path = "REJECTED: The StatefulSet \"web\" is invalid: spec.template.spec.dnsPolicy: Unsupported value: ";
    assert!(
        screen.contains(path) && screen.contains("\"Mine\""),
        "{screen}"
    );
    assert_eq!(code, 4);
}

/// A policy that has refused a pod once refuses it again, whatever is assumed about pods.
#[test]
fn a_pod_that_admission_refuses_blocks_the_plan() {
    let (set, revision) = stored(&container(&json!({})));
    let words = "pods \"web-0\" is forbidden: ValidatingAdmissionPolicy 'images' with binding 'images' denied request: \
                 failed expression: object.spec.containers.all(c, c.image.startsWith('mirror/'))";
    let event = |message: &str| {
        json!({
            "apiVersion": "v1", "kind": "Event",
            "metadata": {"name": "web.refused", "namespace": "prod"},
            "involvedObject": {"kind": "StatefulSet", "name": "web", "namespace": "prod"},
            "type": "Warning", "reason": "FailedCreate", "count": 1,
            "lastTimestamp": "2026-01-01T23:59:00Z",
            "message": format!("create Pod web-0 in StatefulSet web failed error: {message}"),
        })
    };
    let with = |message: &str| {
        let items = json!([set, revision, event(message)]);
        json!({"apiVersion": "v1", "kind": "List", "items": items})
    };
    for flags in [&[][..], &["--ready-after", "90s"]] {
        let plan = plan(&with(words), flags);
        assert_eq!(plan["outcome"]["result"], "blocked", "{flags:?}");
        let reason = &plan["outcome"]["blockedBy"][0]["reason"];
        assert_eq!(reason, "CreationRefused", "{flags:?}");
    }
    // Other errors may pass: they are reported (STS032), and the plan completes.
    let passing = plan(&with("etcdserver: request timed out"), &[]);
    assert_eq!(passing["outcome"]["result"], "complete");
    assert!(passing["findings"].to_string().contains("STS032"));
}

/// If no known rule of the minor makes a check, the plan says so in every format.
#[test]
fn an_omitted_check_is_an_assumption_of_the_plan() {
    let mut pod = container(&json!({}));
    pod["hostIPC"] = true.into();
    pod["securityContext"] = json!({"sysctls": [{"name": "kernel.shm_rmid_forced", "value": "1"}]});
    let told = |version: &str| {
        let plan = plan(&web(&pod), &["--kubernetes-version", version]);
        let assumptions = plan["assumptions"].as_array().unwrap().clone();
        let mut texts = assumptions.into_iter().map(|text| text.to_string());
        texts.find(|text| text.contains("not verified for 1.28; 1.30 rejects it"))
    };
    assert!(told("1.28").is_some());
    assert_eq!(told("1.30"), None);
    let (_, screen, errors) = run(&web(&pod), &["--kubernetes-version", "1.28"]);
    let words = "not verified for 1.28";
    assert!(screen.replace('\n', " ").contains(words), "{screen}");
    assert!(!errors.contains(words), "{errors}");
}

/// The writes of the first sync to a resource, each with its error.
fn writes<'p>(plan: &'p Value, resource: &str) -> Vec<(&'p Value, &'p Value)> {
    let writes = plan["next"]["writes"].as_array().unwrap().iter();
    writes
        .filter(|write| write["resource"] == resource)
        .map(|write| (&write["object"], &write["error"]))
        .collect()
}

/// A set from a server, with the revision that its controller has recorded.
fn stored(pod: &Value) -> (Value, Value) {
    let mut set = web(pod);
    set["metadata"]["uid"] = "uid-of-the-set".into();
    set["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z".into();
    let recorded = plan(&set, &[]);
    let mut revision = writes(&recorded, "controllerrevisions")[0].0.clone();
    revision["metadata"]["namespace"] = "prod".into();
    (set, revision)
}

#[test]
fn an_edited_stored_set_is_read_as_by_a_server() {
    let (mut set, revision) = stored(&container(&json!({"resources": {"limits": {"cpu": "2"}}})));
    let both = |set: &Value| json!({"apiVersion": "v1", "kind": "List", "items": [set, revision]});
    assert!(writes(&plan(&both(&set), &[]), "controllerrevisions").is_empty());
    // Another spelling, omitted defaults, and a field of a later version: equal for the server.
    let template = &mut set["spec"]["template"]["spec"];
    template["containers"][0]["resources"]["limits"]["cpu"] = "2000m".into();
    template["containers"][0]["imagePullPolicy"] = Value::Null;
    template["fieldOfTomorrow"] = true.into();
    let (_, _, errors) = run(&both(&set), &["-o", "json"]);
    let dropped =
        "unknown field dropped, as by the API server: spec.template.spec.fieldOfTomorrow: unknown";
    assert!(errors.contains(dropped), "{errors}");
    assert!(writes(&plan(&both(&set), &[]), "controllerrevisions").is_empty());
    // A different meaning is a rollout.
    set["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["cpu"] = "2001m".into();
    assert_eq!(
        writes(&plan(&both(&set), &[]), "controllerrevisions").len(),
        1
    );
}

/// Orphans under another template make a negative count, which a server rejects if a change is planned. Stored objects
/// without a change may be a recording from a server that accepts every status.
#[test]
fn a_negative_count_is_refused_if_a_change_is_planned() {
    let orphan = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": "web-0", "namespace": "prod", "uid": "orphan",
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": {
                "app": "web", "controller-revision-hash": "web-old",
                "statefulset.kubernetes.io/pod-name": "web-0",
            },
        },
        "spec": {"nodeName": "node", "containers": [{"name": "main", "image": "app:0"}]},
        "status": {"phase": "Running", "conditions": [
            {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:10Z"},
        ]},
    });
    let (set, revision) = stored(&container(&json!({})));
    let there = json!({"apiVersion": "v1", "kind": "List", "items": [set, revision, orphan]});
    let status = |flags: &[&str]| {
        let plan = plan(&there, flags);
        let (object, error) = writes(&plan, "statefulsets/status")[0];
        assert_eq!(object["currentReplicas"], -1, "{flags:?}");
        let steps = plan["steps"].as_array().unwrap().iter();
        let later = steps.flat_map(|step| step["writes"].as_array().cloned().unwrap_or_default());
        let refused = later.filter(|write| write["error"] == "Invalid").count();
        (error.clone(), refused, plan["outcome"]["result"].clone())
    };
    assert_eq!(status(&[]), (Value::Null, 0, json!("complete")));
    assert_eq!(
        status(&["--image", "app:2"]),
        (json!("Invalid"), 1, json!("complete"))
    );
}

/// Env A, B, A, C and ports 53/UDP, 80, 53/TCP: kubectl says `unchanged`, and no rollout follows.
#[test]
fn a_merge_key_that_occurs_twice_starts_no_rollout() {
    for name in ["env", "port"] {
        let path = |ending: &str| {
            let root = crate::golden::root();
            let path = root.join(format!("fixtures/twice/{name}.{ending}"));
            path.to_str().unwrap().to_owned()
        };
        let (stored, manifest) = (path("json"), path("yaml"));
        let now = ["--now", "2026-01-02T00:00:00Z", "-o", "json"];
        let plan = |more: &[&str]| {
            let args = [&["-f", &*stored][..], &now, more].concat();
            let (code, out, err) = program::run(&args);
            assert_eq!(code, 0, "{name}: {err}");
            serde_json::from_str::<Value>(&out).unwrap()
        };
        let (before, after) = (plan(&[]), plan(&["--apply", &manifest]));
        assert_eq!(after["change"], json!([]), "{name}");
        assert_eq!(after["next"]["writes"], before["next"]["writes"], "{name}");
    }
}

/// Creates that a server up to 1.33 accepts and whose pods it refuses. Later servers reject the set.
#[test]
fn a_set_whose_pods_are_refused_blocks_up_to_1_33_and_is_rejected_later() {
    let volume = |source: Value| {
        let mut pod = container(&json!({}));
        let mut volume = json!({"name": "v"});
        volume
            .as_object_mut()
            .unwrap()
            .extend(source.as_object().unwrap().clone());
        pod["volumes"] = json!([volume]);
        pod
    };
    let port = |number: i64| json!({"name": "http", "containerPort": number});
    let mut preempting = container(&json!({}));
    preempting["preemptionPolicy"] = "".into();
    for (pod, says) in [
        (
            volume(json!({"csi": {"driver": ""}})),
            "spec.volumes[0].csi.driver: Required value",
        ),
        (
            container(&json!({"ports": [port(80), port(81)]})),
            "spec.containers[0].ports[1].name: Duplicate value: \"http\"",
        ),
        (preempting, "spec.preemptionPolicy: Required value"),
    ] {
        let in_version = |version| run(&web(&pod), &["--kubernetes-version", version]);
        let (code, screen, _) = in_version("1.33");
        assert_eq!(code, 0);
        assert!(
            screen.contains("BLOCKED: web-0 cannot be created: "),
            "{screen}"
        );
        assert!(screen.contains(says), "{screen}");
        let (code, screen, _) = in_version("1.35");
        assert_eq!(code, 4);
        assert!(
            screen.contains(&format!("spec.template.{says}")),
            "{screen}"
        );
    }
}
