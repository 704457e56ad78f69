//! Pods whose creation admission refuses: by a quota, and by limits of a namespace.

use serde_json::{Value, json};

use super::acts::Place;
use super::control_plane::control_plane;
use super::kubelet::Kubelet;
use super::program::{self, Question};
use super::reality::web;
use super::seen::PredictedWrites;
use super::wait_for;

/// A namespace with a set of this many replicas, some of whose pods are refused. Returns once the program sees the
/// refusal.
fn refused<'p>(name: &str, around: &[(&str, Value)], set: &Value) -> Option<(Place<'p>, Value)> {
    let place = Place::new(control_plane()?, name);
    program::grant(&place, "sts-plan", &["-n", name], false);
    for (resource, object) in around {
        place.rest.create(&place.path(resource), object).unwrap();
        if let Some(status) = object.get("status") {
            // Set by hand, because no controller does it here.
            let named = format!(
                "{resource}/{}",
                object["metadata"]["name"].as_str().unwrap()
            );
            let path = format!("{}/status", place.path(&named));
            place.rest.merge(&path, &json!({"status": status})).unwrap();
        }
    }
    place.rest.create(&place.path("statefulsets"), set).unwrap();
    let plan = wait_for("the program to see the refusal", 60, || {
        Kubelet::new(&place, &[]).run(None, false);
        let plan = program::plan(&place, &Question::default());
        (plan["outcome"]["result"] == "blocked").then_some(plan)
    });
    Some((place, plan))
}

/// Returns the obstacle that blocks a plan: the reason, the pod and the message.
fn blocked(plan: &Value) -> (&str, &str, &str) {
    let obstacle = &plan["outcome"]["blockedBy"][0];
    let text = |member: &str| obstacle[member].as_str().unwrap_or_default();
    (text("reason"), text("pod"), text("message"))
}

fn change(place: &Place, flags: &[&str], patch: &Value) -> (Value, Vec<(String, String, String)>) {
    let plan = program::plan(
        place,
        &Question {
            flags: flags.to_vec(),
            ..Question::default()
        },
    );
    let kubelet = Kubelet::new(place, &[]);
    let path = place.path("statefulsets/web");
    place.rest.merge(&path, &json!({"spec": patch})).unwrap();
    let written = kubelet.settle(&PredictedWrites::new(&plan).writes_after(0), 0);
    let written = written
        .into_iter()
        .map(|(write, _)| (write.verb, write.resource, write.name));
    (plan, written.collect())
}

#[test]
fn an_exhausted_quota_blocks_the_pod_of_a_rollout() {
    let hard = json!({"pods": "2"});
    let quota = json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"},
        "spec": {"hard": hard}, "status": {"hard": hard, "used": {"pods": "0"}},
    });
    let Some((place, plan)) = refused("quota", &[("resourcequotas", quota)], &web(3)) else {
        return;
    };
    let (reason, pod, words) = blocked(&plan);
    assert_eq!((reason, pod), ("CreationRefused", "web-2"));
    assert!(words.contains("exceeds quota few"), "{words}");
    // An ordered set cannot pass the missing pod: a new template is only recorded.
    let template = json!({"spec": {"containers": [{"name": "main", "image": "app:2"}]}});
    let (plan, written) = change(
        &place,
        &["--image", "app:2"],
        &json!({"template": template}),
    );
    assert_eq!(blocked(&plan).1, "web-2");
    let steps: Vec<(String, String, String)> = accepted(&plan);
    assert_eq!(steps, written);
    assert!(
        !written.iter().any(|(_, resource, _)| resource == "pods"),
        "{written:?}"
    );
    // With one replica less, the set is complete and begins.
    let (plan, written) = change(&place, &["--replicas", "1"], &json!({"replicas": 1}));
    let first = |writes: &[(String, String, String)]| {
        let mut pods = writes.iter().filter(|(_, resource, _)| resource == "pods");
        pods.next().cloned()
    };
    assert_eq!(first(&accepted(&plan)), first(&written));
    assert!(first(&written).is_some_and(|(verb, _, name)| verb == "delete" && name == "web-1"));
}

#[test]
fn limits_of_a_namespace_block_the_first_pod() {
    let limits = json!({
        "apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "small"},
        "spec": {"limits": [{"type": "Container", "max": {"cpu": "1"}}]},
    });
    let mut set = web(2);
    set["spec"]["template"]["spec"]["containers"][0]["resources"] = json!({"limits": {"cpu": "2"}});
    let Some((place, plan)) = refused("limits", &[("limitranges", limits)], &set) else {
        return;
    };
    let (reason, pod, words) = blocked(&plan);
    assert_eq!((reason, pod), ("CreationRefused", "web-0"));
    assert!(
        words.contains("maximum cpu usage per Container is 1"),
        "{words}"
    );
    assert!(place.list("pods").is_empty());
}

/// The predicted writes that are not refused.
fn accepted(plan: &Value) -> Vec<(String, String, String)> {
    let steps = plan["steps"].as_array().unwrap().iter();
    let writes = steps.flat_map(|step| step["writes"].as_array().into_iter().flatten());
    writes
        .filter(|write| !write["error"].is_string())
        .map(|write| {
            let text = |member: &str| write[member].as_str().unwrap().to_owned();
            (text("verb"), text("resource"), text("name"))
        })
        .collect()
}
