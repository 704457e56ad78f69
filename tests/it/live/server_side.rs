//! Server-side apply with several managers on a real server, compared with the result computed from managedFields.

use serde_json::{Value, json};

use super::acts::Place;
use super::control_plane::control_plane;
use super::program::{self, Question};
use super::reality::web;

/// The manifest that a manager applies.
fn manifest(place: &Place, replicas: Option<i64>, edit: impl FnOnce(&mut Value)) -> Value {
    let mut set = web(0);
    set["metadata"]["namespace"] = place.namespace.as_str().into();
    set["metadata"]["labels"] = json!({"tier": "db"});
    let spec = set["spec"].as_object_mut().unwrap();
    match replicas {
        Some(replicas) => spec.insert("replicas".to_owned(), replicas.into()),
        None => spec.remove("replicas"),
    };
    let container = &mut set["spec"]["template"]["spec"]["containers"][0];
    container["env"] = json!([{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]);
    container["ports"] = json!([{"containerPort": 80, "name": "http"}]);
    edit(&mut set);
    set
}

fn container(set: &mut Value) -> &mut Value {
    &mut set["spec"]["template"]["spec"]["containers"][0]
}

/// The effects of an apply in a plan: the changes, the recorded revision, and the conflicts with their owners.
fn effects(plan: &Value) -> Value {
    let refused = plan["outcome"]["result"] == "rejected";
    let obstacles = plan["outcome"]["blockedBy"]
        .as_array()
        .into_iter()
        .flatten();
    let obstacles = obstacles.filter(|_| refused);
    let mut conflicts: Vec<&Value> = obstacles.map(|obstacle| &obstacle["conflict"]).collect();
    // The server lists them in no order.
    conflicts.sort_by_key(|conflict| conflict["field"].as_str());
    let writes = plan["next"]["writes"].as_array().into_iter().flatten();
    let revisions = writes.filter(|write| write["resource"] == "controllerrevisions");
    let headline = match conflicts.len() {
        1 => &plan["analysis"]["headline"],
        _ => &Value::Null,
    };
    json!({
        "change": plan["change"],
        "revisions": revisions.collect::<Vec<_>>(),
        "conflicts": conflicts,
        "headline": headline,
    })
}

#[test]
fn a_server_side_apply_is_computed_as_by_the_server() {
    let Some(plane) = control_plane() else { return };
    let place = Place::new(plane, "server-side");
    program::grant(&place, "sts-plan", &["-n", "server-side"], true);
    let path = place.path("statefulsets/web");
    let as_manager = |manager: &str| format!("{path}?fieldManager={manager}");
    let first = manifest(&place, Some(0), |_| {});
    place.rest.apply(&as_manager("flux"), &first).unwrap();
    // An autoscaler takes the replicas, and an operator adds a field that nobody else has.
    let scaled = json!({"spec": {"replicas": 1}});
    place.rest.merge(&as_manager("hpa"), &scaled).unwrap();
    let annotated =
        json!({"spec": {"template": {"metadata": {"annotations": {"operator/hash": "1"}}}}});
    place
        .rest
        .merge(&as_manager("operator"), &annotated)
        .unwrap();

    type Edit = fn(&mut Value);
    let cases: [(&str, bool, Option<i64>, Edit); 9] = [
        ("flux", false, Some(2), |_| {}),
        ("flux", true, Some(2), |_| {}),
        ("flux", false, Some(1), |_| {}),
        ("flux", false, None, |set| {
            container(set)["env"] = json!([{"name": "A", "value": "3"}]);
        }),
        ("flux", false, None, |set| {
            container(set)["ports"][0] =
                json!({"containerPort": 80, "protocol": "TCP", "name": "web"});
        }),
        ("other", false, None, |set| {
            container(set)["image"] = "app:9".into()
        }),
        ("other", true, None, |set| {
            container(set)["image"] = "app:9".into()
        }),
        ("other", false, Some(3), |set| {
            set["metadata"]["labels"]["tier"] = "web".into();
            set["spec"]["template"]["metadata"]["annotations"] = json!({"operator/hash": "2"});
        }),
        ("kubectl", false, None, |set| {
            container(set)["env"] = json!([{"name": "C", "value": "3"}]);
        }),
    ];
    let (mut taken, mut refused) = (0, 0);
    for (manager, force, replicas, edit) in cases {
        let applied = manifest(&place, replicas, edit);
        let mut flags = vec!["--server-side", "--field-manager", manager];
        if force {
            flags.push("--force-conflicts");
        }
        let ask = |edit: Option<fn(&mut Vec<Value>)>| {
            let question = Question {
                flags: flags.clone(),
                apply: Some(&applied),
                edit,
            };
            effects(&program::plan(&place, &question))
        };
        let (live, offline) = (ask(None), ask(Some(|_| {})));
        assert_eq!(live, offline, "{manager} {force} {replicas:?}");

        let tried = format!("{path}?dryRun=All&fieldManager={manager}&force={force}");
        let conflicts = live["conflicts"].as_array().unwrap();
        match place.rest.apply(&tried, &applied) {
            Ok(_) => {
                taken += 1;
                assert_eq!(conflicts.len(), 0, "{conflicts:?}");
            }
            Err(answer) => {
                refused += 1;
                assert_eq!(answer.code, 409, "{answer:?}");
                let mut ours: Vec<&str> = conflicts
                    .iter()
                    .map(|conflict| conflict["field"].as_str().unwrap())
                    .collect();
                let theirs = answer.causes.iter();
                let mut theirs: Vec<&str> = theirs
                    .map(|cause| cause.split(": conflict with ").next().unwrap())
                    .collect();
                ours.sort_unstable();
                theirs.sort_unstable();
                assert_eq!(ours, theirs);
            }
        }
    }
    assert!(taken > 3 && refused > 2, "{taken} taken, {refused} refused");
    program::assert_read_only(plane);
    println!("server-side apply: {taken} accepted and {refused} rejected as by the server");
}
