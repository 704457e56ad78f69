//! The API server's rejections of a change, word for word.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::acts::Place;
use super::control_plane::control_plane;
use super::program::{self, Question};
use super::reality::{claiming, web};

/// A change as flags and as a merge patch of the spec.
type Case = (&'static [&'static str], Value);

fn cases() -> Vec<Case> {
    let labels = |app: &str| json!({"metadata": {"labels": {"app": app}}});
    vec![
        (
            &["--set", "spec.serviceName=other"],
            json!({"serviceName": "other"}),
        ),
        (
            &["--set", "spec.podManagementPolicy=Parallel"],
            json!({"podManagementPolicy": "Parallel"}),
        ),
        (
            &["--set", "spec.selector.matchLabels.tier=db"],
            json!({"selector": {"matchLabels": {"tier": "db"}}}),
        ),
        (
            &["--set", "spec.volumeClaimTemplates=[]", "--image", "app:2"],
            json!({
                "volumeClaimTemplates": [],
                "template": {"spec": {"containers": [{"name": "main", "image": "app:2"}]}},
            }),
        ),
        (&["--replicas=-1"], json!({"replicas": -1})),
        (
            &["--partition=-2"],
            json!({"updateStrategy": {"rollingUpdate": {"partition": -2}}}),
        ),
        // The block of the other type stays, and is not allowed with this one.
        (
            &["--set", "spec.updateStrategy.type=OnDelete"],
            json!({"updateStrategy": {"type": "OnDelete"}}),
        ),
        (
            &["--set", "spec.updateStrategy.type=Sometimes"],
            json!({"updateStrategy": {"type": "Sometimes"}}),
        ),
        (
            &["--set", "spec.template.spec.restartPolicy=Never"],
            json!({"template": {"spec": {"restartPolicy": "Never"}}}),
        ),
        (
            &["--set", "spec.template.metadata.labels.app=other"],
            json!({"template": labels("other")}),
        ),
        (
            &["--set", "spec.template.metadata.labels.tier=-db-"],
            json!({"template": {"metadata": {"labels": {"tier": "-db-"}}}}),
        ),
        (
            &[
                "--set",
                "spec.template.spec.terminationGracePeriodSeconds=-1",
            ],
            json!({"template": {"spec": {"terminationGracePeriodSeconds": -1}}}),
        ),
        (
            &["--set", "spec.template.spec.activeDeadlineSeconds=5"],
            json!({"template": {"spec": {"activeDeadlineSeconds": 5}}}),
        ),
        (
            &[
                "--set",
                "spec.template.spec.containers[0].imagePullPolicy=Now",
            ],
            json!({"template": {"spec": {"containers": [
                {"name": "main", "image": "app:1", "imagePullPolicy": "Now"},
            ]}}}),
        ),
        (
            &["--set", "spec.template.spec.containers[0].name=No_Name"],
            json!({"template": {"spec": {"containers": [{"name": "No_Name", "image": "app:1"}]}}}),
        ),
        (
            &["--set", "spec.template.spec.dnsPolicy=Mine"],
            json!({"template": {"spec": {"dnsPolicy": "Mine"}}}),
        ),
        // These are accepted.
        (&["--replicas", "0"], json!({"replicas": 0})),
        (
            &[
                "--set",
                "spec.template.spec.terminationGracePeriodSeconds=0",
            ],
            json!({"template": {"spec": {"terminationGracePeriodSeconds": 0}}}),
        ),
        (
            &["--set", "spec.template.metadata.labels.tier=db"],
            json!({"template": {"metadata": {"labels": {"tier": "db"}}}}),
        ),
        (
            &["--partition", "9"],
            json!({"updateStrategy": {"rollingUpdate": {"partition": 9}}}),
        ),
    ]
}

#[test]
fn refusals_are_those_of_the_server() {
    let Some(plane) = control_plane() else { return };
    let place = Place::new(plane, "refusals");
    program::grant(&place, "sts-plan", &["-n", "refusals"], false);
    let set = claiming(web(0), &["data"]);
    let path = place.path("statefulsets");
    place.rest.create(&path, &set).unwrap();
    let mut wrong = Vec::new();
    let (mut taken, mut refused) = (0, 0);
    for (flags, spec) in cases() {
        let question = Question {
            flags: flags.to_vec(),
            ..Question::default()
        };
        let plan = program::plan(&place, &question);
        let ours: BTreeSet<String> = plan["outcome"]["blockedBy"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|_| plan["outcome"]["result"] == "rejected")
            .map(words)
            .collect();
        let tried = format!("{path}/web?dryRun=All");
        let theirs = match place.rest.merge(&tried, &json!({"spec": spec})) {
            Ok(_) => BTreeSet::new(),
            Err(answer) => answer.causes.into_iter().map(in_short).collect(),
        };
        if theirs.is_empty() {
            taken += 1;
        } else {
            refused += 1;
        }
        if ours != theirs {
            wrong.push(format!("{flags:?}\n  ours   {ours:?}\n  theirs {theirs:?}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    println!("refusals: {refused} changes rejected with the server's message, {taken} accepted");
}

/// Returns the text of a plan about a rejection.
fn words(obstacle: &Value) -> String {
    if obstacle["reason"] == "Forbidden" {
        return in_short("Forbidden".to_owned());
    }
    in_short(obstacle["message"].as_str().unwrap().to_owned())
}

/// The server names all immutable fields in one sentence; the plan names each field. The server also prints memory
/// addresses, which differ each time.
fn in_short(cause: String) -> String {
    if cause.contains("Forbidden") {
        return "Forbidden".to_owned();
    }
    let Some((before, address)) = cause.split_once("(0x") else {
        return cause;
    };
    let (_, after) = address.split_once(')').unwrap();
    format!("{before}(address){after}")
}
