//! Real causes: the messages of server and controller are recognized, and the printed remedy is executed and helps.

use serde_json::{Value, json};

use super::acts::{Act, Place};
use super::control_plane::control_plane;
use super::kubelet::{Kubelet, is_ready};
use super::program::{self, Question};
use super::reality::{crash_loop, web};
use super::wait_for;

/// A namespace that the program may read.
fn place<'p>(name: &str) -> Option<Place<'p>> {
    let place = Place::new(control_plane()?, name);
    program::grant(&place, "sts-plan", &["-n", name], false);
    Some(place)
}

/// Runs the controllers and the kubelet stand-in.
fn run(place: &Place, assume: &[&str]) {
    let assume: Vec<String> = assume.iter().map(|&text| text.to_owned()).collect();
    Kubelet::new(place, &assume).run(None, false);
}

fn start(place: &Place, set: &Value) {
    place.rest.create(&place.path("statefulsets"), set).unwrap();
    run(place, &[]);
}

/// Starts a set whose pods nothing blocks.
fn start_whole(place: &Place, replicas: usize) {
    let set = web(i32::try_from(replicas).unwrap());
    place
        .rest
        .create(&place.path("statefulsets"), &set)
        .unwrap();
    wait_for("the pods to be ready", 60, || {
        run(place, &[]);
        let pods = place.list("pods");
        (pods.iter().filter(|pod| is_ready(pod)).count() == replicas).then_some(())
    });
}

/// Waits until a plan of the set is stuck for this cause, and returns the plan.
fn stuck(place: &Place, id: &str) -> Value {
    let mut last = Value::Null;
    let told = wait_for(id, 60, || {
        run(place, &["web-1=never-ready"]);
        let plan = program::plan(place, &Question::default());
        let analysis = plan["analysis"].clone();
        let is_stuck = analysis["verdict"] == "stuck" && analysis["cause"]["id"] == id;
        if !is_stuck && analysis != last {
            println!("{id}: {}", analysis["headline"]);
            last = analysis;
        }
        is_stuck.then_some(plan)
    });
    println!("{id}: {}", told["analysis"]["headline"]);
    told
}

/// The commands of the first remedy that should help and does more than look.
fn remedy(plan: &Value) -> Option<Vec<String>> {
    let remedies = plan["outcome"]["blockedBy"][0]["remedies"].as_array()?;
    let first = remedies
        .iter()
        .find(|remedy| remedy["helps"] == true && remedy["looks"] != true)?;
    let commands = first["commands"].as_array()?.iter();
    Some(
        commands
            .map(|command| command.as_str().unwrap().to_owned())
            .collect(),
    )
}

/// Executes a printed command.
fn execute(place: &Place, command: &str) {
    let command = command.replace(&format!(" -n {}", place.namespace), "");
    let words: Vec<&str> = command.split(' ').collect();
    let of = |pod: &str| place.path(&format!("pods/{pod}"));
    let done = match words.as_slice() {
        ["kubectl", "describe" | "get" | "logs", ..] => return,
        ["kubectl", "rollout", "undo", "sts/web", number] => {
            let number = number.strip_prefix("--to-revision=").unwrap();
            return place.act(&Act::Undo(number.parse().unwrap()), &Value::Null);
        }
        ["kubectl", "delete", "pod", pod] => place.rest.delete(&of(pod), &json!({})),
        [
            "kubectl",
            "patch",
            "pod",
            pod,
            "--type",
            "merge",
            "-p",
            patch,
        ] => {
            let patch: Value = serde_json::from_str(patch.trim_matches('\'')).unwrap();
            place.rest.merge(&of(pod), &patch)
        }
        _ => panic!("{command} is unknown to this test"),
    };
    done.unwrap();
}

/// Writes something to the set, so that the controller retries at once.
fn touch(place: &Place) {
    let patch = json!({"metadata": {"annotations": {"touched": "now"}}});
    place
        .rest
        .merge(&place.path("statefulsets/web"), &patch)
        .unwrap();
}

/// Asserts that the set matches its spec, in the cluster and in the plan.
fn assert_whole(place: &Place, replicas: usize, assume: &[&str]) {
    run(place, assume);
    let plan = wait_for("the set to be whole", 30, || {
        run(place, assume);
        let plan = program::plan(place, &Question::default());
        (plan["analysis"]["verdict"] == "nothing-to-do").then_some(plan)
    });
    assert_eq!(plan["outcome"]["result"], "complete");
    assert_eq!(place.list("pods").len(), replicas);
}

/// The owner of a webhook or quota fixes a refusal of pods; the set is not changed.
#[track_caller]
fn assert_mended(place: &Place, id: &str, mend: impl FnOnce(), replicas: usize) {
    assert_mended_by(place, id, None, mend, replicas);
}

/// The same, where a command is offered to do it.
fn assert_mended_by(
    place: &Place,
    id: &str,
    command: Option<&str>,
    mend: impl FnOnce(),
    replicas: usize,
) {
    let plan = stuck(place, id);
    let offered = remedy(&plan).map(|commands| commands.join("; "));
    assert_eq!(offered.as_deref(), command, "{id}: {plan:#}");
    mend();
    touch(place);
    assert_whole(place, replicas, &[]);
}

fn with_template(spec: &Value) -> Value {
    let mut set = web(2);
    let template = set["spec"]["template"]["spec"].as_object_mut().unwrap();
    for (member, value) in spec.as_object().unwrap() {
        template.insert(member.clone(), value.clone());
    }
    set
}

#[test]
fn a_quota_is_raised() {
    let Some(place) = place("cause-quota") else {
        return;
    };
    let hard = json!({"pods": "1"});
    let quota = json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": hard}});
    let set_hard = |number: &str| {
        // No controller counts here.
        let path = place.path("resourcequotas/few");
        let (hard, used) = (json!({"pods": number}), json!({"pods": "0"}));
        place
            .rest
            .merge(&path, &json!({"spec": {"hard": hard}}))
            .unwrap();
        let status = json!({"status": {"hard": hard, "used": used}});
        place
            .rest
            .merge(&format!("{path}/status"), &status)
            .unwrap();
    };
    place
        .rest
        .create(&place.path("resourcequotas"), &quota)
        .unwrap();
    set_hard("1");
    start(&place, &web(2));
    assert_mended(&place, "quota", || set_hard("5"), 2);
}

#[test]
fn a_quota_requires_limits_that_the_template_lacks() {
    let Some(place) = place("cause-unset") else {
        return;
    };
    let quota = json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "cpu"},
        "spec": {"hard": {"limits.cpu": "4"}}});
    let path = place.path("resourcequotas");
    place.rest.create(&path, &quota).unwrap();
    let hard = json!({"limits.cpu": "4"});
    let status = json!({"status": {"hard": hard, "used": {"limits.cpu": "0"}}});
    place
        .rest
        .merge(&format!("{path}/cpu/status"), &status)
        .unwrap();
    start(&place, &web(2));
    let path = format!("{path}/cpu");
    let mend = || drop(place.rest.delete(&path, &json!({})).unwrap());
    assert_mended(&place, "quota-unset", mend, 2);
}

#[test]
fn a_rollback_satisfies_the_limits_of_the_namespace() {
    let Some(place) = place("cause-limits") else {
        return;
    };
    start_whole(&place, 2);
    let limits = json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "small"},
        "spec": {"limits": [{"type": "Container", "max": {"cpu": "1"}, "default": {"cpu": "1"}}]}});
    let path = place.path("limitranges");
    place.rest.create(&path, &limits).unwrap();
    let container =
        json!({"name": "main", "image": "app:1", "resources": {"limits": {"cpu": "2"}}});
    let template = json!({"spec": {"template": {"spec": {"containers": [container]}}}});
    place
        .rest
        .merge(&place.path("statefulsets/web"), &template)
        .unwrap();
    run(&place, &[]);
    let plan = stuck(&place, "limit-range");
    let commands = remedy(&plan).unwrap();
    assert!(commands[0].contains("rollout undo"), "{commands:?}");
    for command in &commands {
        execute(&place, command);
    }
    assert_whole(&place, 2, &[]);
}

#[test]
fn a_priority_class_is_created() {
    let Some(place) = place("cause-priority") else {
        return;
    };
    start(
        &place,
        &with_template(&json!({"priorityClassName": "cause-high"})),
    );
    let class = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
        "metadata": {"name": "cause-high"}, "value": 7});
    let path = "/apis/scheduling.k8s.io/v1/priorityclasses";
    let mend = || drop(place.rest.create(path, &class).unwrap());
    let command = Some("kubectl apply -f FILE");
    assert_mended_by(&place, "priority-class-missing", command, mend, 2);
}

#[test]
fn a_runtime_class_is_created() {
    let Some(place) = place("cause-runtime") else {
        return;
    };
    start(
        &place,
        &with_template(&json!({"runtimeClassName": "cause-sandbox"})),
    );
    let class = json!({"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass",
        "metadata": {"name": "cause-sandbox"}, "handler": "sandbox"});
    let path = "/apis/node.k8s.io/v1/runtimeclasses";
    let mend = || drop(place.rest.create(path, &class).unwrap());
    assert_mended(&place, "runtime-class-missing", mend, 2);
}

/// A webhook for an operation on the pods of a namespace, whose service does not exist.
fn webhook(place: &Place, operation: &str) -> String {
    let name = &place.namespace;
    let labels = json!({"metadata": {"labels": {"cause": name}}});
    place
        .rest
        .merge(&format!("/api/v1/namespaces/{name}"), &labels)
        .unwrap();
    let hook = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": [{
            "name": "guard.example.com", "sideEffects": "None", "admissionReviewVersions": ["v1"],
            "failurePolicy": "Fail", "timeoutSeconds": 1,
            "namespaceSelector": {"matchLabels": {"cause": name}},
            "clientConfig": {"service": {"namespace": name, "name": "guard", "path": "/"}},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": [operation]}],
        }],
    });
    let path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    place.rest.create(path, &hook).unwrap();
    // The server takes a moment to load it.
    std::thread::sleep(std::time::Duration::from_secs(2));
    format!("{path}/{name}")
}

#[test]
fn a_failing_webhook_is_fixed() {
    let Some(place) = place("cause-webhook") else {
        return;
    };
    let hook = webhook(&place, "CREATE");
    start(&place, &web(2));
    let mend = || {
        place.rest.delete(&hook, &json!({})).unwrap();
        std::thread::sleep(std::time::Duration::from_secs(2));
    };
    assert_mended(&place, "webhook-service-missing", mend, 2);
}

#[test]
fn a_refused_deletion_is_for_others_to_fix() {
    let Some(place) = place("cause-deletion") else {
        return;
    };
    start_whole(&place, 2);
    let hook = webhook(&place, "DELETE");
    let template = json!({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "app:2"}]}}}});
    place
        .rest
        .merge(&place.path("statefulsets/web"), &template)
        .unwrap();
    let plan = stuck(&place, "deletion-refused");
    assert_eq!(remedy(&plan), None, "{plan:#}");
    place.rest.delete(&hook, &json!({})).unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    touch(&place);
    assert_whole(&place, 2, &[]);
}

#[test]
fn finalizers_are_removed_last() {
    let Some(place) = place("cause-finalizers") else {
        return;
    };
    start_whole(&place, 2);
    let path = place.path("pods/web-1");
    let kept = json!({"metadata": {"finalizers": ["example.com/hold"]}});
    place.rest.merge(&path, &kept).unwrap();
    let now = json!({"gracePeriodSeconds": 0});
    place.rest.delete(&path, &now).unwrap();
    let plan = stuck(&place, "finalizers");
    for command in remedy(&plan).unwrap() {
        execute(&place, &command);
    }
    assert_whole(&place, 2, &[]);
}

/// Rolls out a second template whose pods get this status, and executes the printed remedy.
fn broken_rollout(namespace: &str, id: &str, status: &Value) {
    let Some(place) = place(namespace) else {
        return;
    };
    start_whole(&place, 2);
    let template = json!({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "app:2"}]}}}});
    place
        .rest
        .merge(&place.path("statefulsets/web"), &template)
        .unwrap();
    wait_for("a pod of the new template", 30, || {
        run(&place, &["web-1=never-ready"]);
        let pod = place.rest.get(&place.path("pods/web-1")).ok()?;
        let is_new = pod["spec"]["containers"][0]["image"] == "app:2";
        (is_new && pod["spec"]["nodeName"].is_string()).then_some(())
    });
    place.act(&Act::Status("web-1", status.clone()), &Value::Null);
    let plan = stuck(&place, id);
    let commands = remedy(&plan).unwrap();
    let kinds: Vec<bool> = ["rollout undo", "delete pod web-1"]
        .iter()
        .zip(&commands)
        .map(|(words, command)| command.contains(words))
        .collect();
    assert_eq!(kinds, [true, true], "{commands:?}");
    // A rollback alone is not enough, so the pod is also deleted.
    execute(&place, &commands[0]);
    run(&place, &["web-1=never-ready"]);
    let plan = program::plan(&place, &Question::default());
    assert_eq!(plan["analysis"]["verdict"], "stuck");
    // The deletion is then the first step.
    let commands = remedy(&plan).unwrap();
    assert_eq!(
        commands,
        [format!("kubectl delete pod web-1 -n {namespace}")]
    );
    execute(&place, &commands[0]);
    assert_whole(&place, 2, &[]);
}

#[test]
fn a_crash_loop_of_a_new_template_is_rolled_back() {
    broken_rollout("cause-crash", "crash-loop", &crash_loop());
}

#[test]
fn a_missing_image_is_rolled_back() {
    let waiting = json!({"waiting": {"reason": "ImagePullBackOff",
        "message": "Back-off pulling image \"app:2\": ErrImagePull: rpc error: code = NotFound desc = app:2: not found"}});
    let status = json!({"phase": "Pending", "containerStatuses": [{"name": "main", "image": "app:2", "imageID": "",
        "ready": false, "restartCount": 0, "state": waiting}]});
    broken_rollout("cause-image", "image-not-found", &status);
}
