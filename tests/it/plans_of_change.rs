//! Plans of a change, from the command line to the plan.

use serde_json::Value;

use crate::program;

const NOW: [&str; 2] = ["--now", "2026-11-21T12:00:00Z"];

fn run(args: &[&str], stdin: &str) -> (i32, String, String) {
    program::feed(&[args, &NOW].concat(), stdin)
}

/// The plan as JSON, and the exit code under `--detailed-exitcode`.
fn plan(args: &[&str], stdin: &str) -> (Value, i32) {
    let args: Vec<&str> = args
        .iter()
        .copied()
        .chain(["-o", "json", "--detailed-exitcode"])
        .collect();
    let (code, out, error) = run(&args, stdin);
    let plan = serde_json::from_str(&out).unwrap_or_else(|_| panic!("no plan but {error}"));
    (plan, code)
}

/// The pods that the steps delete, in order.
fn deleted(plan: &Value) -> Vec<&str> {
    let steps = plan["steps"].as_array().unwrap().iter();
    steps
        .flat_map(|step| step["writes"].as_array().into_iter().flatten())
        .filter(|write| write["verb"] == "delete" && write["resource"] == "pods")
        .map(|write| write["name"].as_str().unwrap())
        .collect()
}

/// Path, old, new and effect of every change.
fn changes(plan: &Value) -> Vec<String> {
    let show = |change: &Value| {
        let part = |name: &str| change.get(name).map_or("-".to_owned(), Value::to_string);
        format!(
            "{} {} -> {} {}",
            change["path"],
            part("old"),
            part("new"),
            change["effect"]
        )
        .replace(['"', '\\'], "")
    };
    plan["change"]
        .as_array()
        .unwrap()
        .iter()
        .map(show)
        .collect()
}

const MANIFEST: &str = "\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: prod}
spec:
  serviceName: db
  replicas: 2
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers:
        - name: db
          image: postgres:17
  volumeClaimTemplates:
    - metadata: {name: data}
      spec:
        accessModes: [ReadWriteOnce]
        resources: {requests: {storage: 10Gi}}
";

#[test]
fn a_partition_reorders_the_rollout() {
    let file = ["-f", "tests/fixtures/partition.yaml"];
    let (held, code) = plan(&file, "");
    assert_eq!((deleted(&held), code), (vec!["web-3"], 2));
    let (walked, code) = plan(&[&file[..], &["--partition", "1"]].concat(), "");
    assert_eq!(
        (deleted(&walked), code),
        (vec!["web-3", "web-2", "web-1"], 2)
    );
    assert_eq!(
        changes(&walked),
        ["spec.updateStrategy.rollingUpdate.partition 3 -> 1 none"]
    );
}

#[test]
fn each_flag_changes_its_field() {
    let cases: &[(&[&str], &[&str])] = &[
        (&["--replicas", "5"], &["spec.replicas 3 -> 5 scale"]),
        (
            &["--min-ready-seconds", "7"],
            &["spec.minReadySeconds - -> 7 none"],
        ),
        (
            &["--update-strategy", "OnDelete"],
            &[
                "spec.updateStrategy.rollingUpdate.maxUnavailable 1 -> - none",
                "spec.updateStrategy.rollingUpdate.partition 0 -> - none",
                "spec.updateStrategy.type RollingUpdate -> OnDelete none",
            ],
        ),
        (
            &["--image", "app=registry.example.com/shop/web:9"],
            &[
                "spec.template.spec.containers[0].image registry.example.com/shop/web:1.5.0 -> \
               registry.example.com/shop/web:9 rollout",
            ],
        ),
        (
            &["--restart"],
            &[
                "spec.template.metadata.annotations[kubectl.kubernetes.io/restartedAt] - -> \
               2026-11-21T12:00:00Z rollout",
            ],
        ),
        (
            &[
                "--set",
                "spec.template.spec.terminationGracePeriodSeconds=5",
            ],
            &["spec.template.spec.terminationGracePeriodSeconds 30 -> 5 rollout"],
        ),
        (
            &["--set", "spec.revisionHistoryLimit=3", "--replicas", "1"],
            &[
                "spec.replicas 3 -> 1 scale",
                "spec.revisionHistoryLimit 10 -> 3 none",
            ],
        ),
    ];
    for (flags, expected) in cases {
        let (plan, _) = plan(
            &[&["-f", "tests/fixtures/rollout.yaml"], *flags].concat(),
            "",
        );
        let mut found = changes(&plan);
        found.sort();
        assert_eq!(found, *expected, "{flags:?}");
    }
}

#[test]
fn max_unavailable_is_dropped_if_its_gate_is_off() {
    let args = [
        "-f",
        "tests/fixtures/rollout.yaml",
        "--max-unavailable",
        "2",
    ];
    let gate = ["--feature-gates", "MaxUnavailableStatefulSet=false"];
    let without = [&args[..], &gate].concat();
    let (off, _) = plan(&without, "");
    assert_eq!(changes(&off), Vec::<String>::new());
    let (_, _, warnings) = run(&without, "");
    assert!(warnings.contains("MaxUnavailableStatefulSet"), "{warnings}");
    let (on, _) = plan(&args, "");
    assert_eq!(
        changes(&on),
        ["spec.updateStrategy.rollingUpdate.maxUnavailable 1 -> 2 none"]
    );
    let first = &on["next"]["writes"].as_array().unwrap();
    assert_eq!(
        first
            .iter()
            .filter(|write| write["verb"] == "delete")
            .count(),
        2
    );
}

#[test]
fn immutable_fields_are_rejected_with_a_workaround() {
    let args = [
        "-f",
        "tests/fixtures/rollout.yaml",
        "--set",
        "spec.serviceName=other",
    ];
    for (version, fields) in [
        ("1.20", "'replicas', 'template', and 'updateStrategy'"),
        (
            "1.36",
            "'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', \
             'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds'",
        ),
    ] {
        let (plan, code) = plan(
            &[&args[..], &["--kubernetes-version", version]].concat(),
            "",
        );
        assert_eq!(code, 4, "{version}");
        assert_eq!(plan["outcome"]["result"], "rejected");
        assert_eq!(changes(&plan), ["spec.serviceName web -> other rejected"]);
        assert_eq!(plan["steps"].as_array().unwrap().len(), 0);
        let headline = plan["next"]["summary"].as_str().unwrap();
        assert_eq!(
            headline,
            format!(
                "REJECTED: The StatefulSet \"web\" is invalid: spec: Forbidden: updates to statefulset \
                 spec for fields other than {fields} are forbidden"
            )
        );
        let remedy = &plan["outcome"]["blockedBy"][0]["remedy"];
        assert_eq!(remedy[0], "kubectl delete sts web -n prod --cascade=orphan");
    }
}

#[test]
fn a_manifest_that_no_server_accepts_is_rejected() {
    let manifest = MANIFEST.replace("labels: {app: db}}", "labels: {app: other}}");
    let (plan, code) = plan(&["-f", "-"], &manifest);
    assert_eq!(
        (code, &plan["outcome"]["result"]),
        (4, &Value::from("rejected"))
    );
    let message = plan["outcome"]["blockedBy"][0]["message"].as_str().unwrap();
    assert!(
        message.ends_with("`selector` does not match template `labels`"),
        "{message}"
    );
}

/// The server calls the labels of a template by another path than where they stand.
#[test]
fn a_malformed_label_is_rejected_with_the_servers_message() {
    let set = "spec.template.metadata.labels.tier=-db-";
    let (plan, _) = plan(&["-f", "-", "--set", set], MANIFEST);
    let message = plan["outcome"]["blockedBy"][0]["message"].as_str().unwrap();
    assert!(
        message.starts_with("spec.template.labels: Invalid value: \"-db-\": a valid label must"),
        "{message}"
    );
}

#[test]
fn applying_creates_missing_sets() {
    let args = ["-f", "tests/fixtures/rollout.yaml", "--apply", "-"];
    let (plan, code) = plan(&args, MANIFEST);
    assert_eq!(code, 2);
    assert_eq!(
        plan["metadata"]["name"], "db",
        "only what is applied is planned"
    );
    let claims = plan["outcome"]["claims"].as_array().unwrap();
    assert_eq!(claims, &["data-db-0", "data-db-1"]);
    let created = &plan["next"]["writes"][0]["object"]["metadata"]["annotations"];
    let last = created["kubectl.kubernetes.io/last-applied-configuration"]
        .as_str()
        .unwrap();
    assert!(
        last.ends_with("}\n"),
        "a new revision copies what apply writes: {last}"
    );
}

#[test]
fn applying_merges_three_ways_with_the_annotation() {
    let mut first = serde_yaml::from_str::<Value>(MANIFEST).unwrap();
    first["spec"]["template"]["spec"]["nodeSelector"] = serde_json::json!({"disk": "ssd"});
    let mut stored = first.clone();
    let last = format!("{first}\n");
    stored["metadata"]["annotations"] =
        serde_json::json!({"kubectl.kubernetes.io/last-applied-configuration": last});
    stored["metadata"]["uid"] = "1".into();
    stored["metadata"]["generation"] = 1.into();
    let folder = std::env::temp_dir().join(format!("sts-plan-apply-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let dump = folder.join("dump.json");
    std::fs::write(&dump, stored.to_string()).unwrap();
    let (plan, _) = plan(&["-f", dump.to_str().unwrap(), "--apply", "-"], MANIFEST);
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(
        changes(&plan),
        ["spec.template.spec.nodeSelector.disk ssd -> - rollout"]
    );
}

#[test]
fn a_rollback_uses_the_template_of_that_revision() {
    let (plan, _) = plan(
        &["-f", "tests/fixtures/partition.yaml", "--to-revision", "1"],
        "",
    );
    assert!(
        changes(&plan)
            .iter()
            .any(|change| change.ends_with("rollout")),
        "{:?}",
        changes(&plan)
    );
    let writes = plan["next"]["writes"].as_array().unwrap();
    let renumbered = writes
        .iter()
        .find(|write| write["resource"] == "controllerrevisions")
        .unwrap();
    assert_eq!(
        renumbered["verb"], "update",
        "the old revision is renumbered, not recreated"
    );
    let flags = ["-f", "tests/fixtures/partition.yaml", "--to-revision", "1"];
    let (_, printed, _) = run(&flags, "");
    assert!(
        printed.contains("(earlier revision)") && !printed.contains("(new revision)"),
        "{printed}"
    );
}

#[test]
fn invalid_flag_values_say_so() {
    for (flags, expected) in [
        (
            &["--image", "x=nginx"][..],
            "unknown container \"x\" (available: app)",
        ),
        (
            &["--to-revision", "99"],
            "unknown revision 99 (available: 1)",
        ),
        (&["--set", "spec.replicas"], "expected PATH=VALUE"),
        (&["--set", "spec.replicas={"], "not a YAML value"),
        (
            &["--set", "spec.replicas=many"],
            "expected a 32-bit integer",
        ),
        (
            &["--replicas", "200000"],
            "exceed the supported maximum of 20000",
        ),
    ] {
        let (code, _, error) = run(
            &[&["-f", "tests/fixtures/rollout.yaml"], flags].concat(),
            "",
        );
        assert_eq!(code, 1, "{flags:?}");
        assert!(error.contains(expected), "{flags:?}: {error}");
    }
}
