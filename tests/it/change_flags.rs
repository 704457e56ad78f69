//! Every change flag, alone and combined with every other one.

use kubectl_sts_plan::Exit;
use serde_json::Value;

/// Runs the program in this process. Returns exit code, output and errors.
fn run(args: &[&str], stdin: &str) -> (Exit, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let fixed = [
        "kubectl-sts_plan",
        "--now",
        "2026-11-20T03:00:00Z",
        "--color",
        "never",
    ];
    let args = fixed.iter().chain(args).map(std::ffi::OsString::from);
    let exit = kubectl_sts_plan::run(args, &mut stdin.as_bytes(), &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (exit, text(out), text(err))
}

fn plan(args: &[&str], stdin: &str) -> Value {
    let (_, out, err) = run(&[args, &["-o", "json"]].concat(), stdin);
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{args:?}: {err}"))
}

/// A flag, the path that it changes in `partition.yaml`, and the new value.
const FLAGS: [(&[&str], &str, &str); 12] = [
    (&["--replicas", "7"], "spec.replicas", "scale"),
    (
        &["--partition", "1"],
        "spec.updateStrategy.rollingUpdate.partition",
        "none",
    ),
    (
        &["--max-unavailable", "2"],
        "spec.updateStrategy.rollingUpdate.maxUnavailable",
        "none",
    ),
    (
        &["--min-ready-seconds", "3"],
        "spec.minReadySeconds",
        "none",
    ),
    (
        &["--update-strategy", "OnDelete"],
        "spec.updateStrategy.type",
        "none",
    ),
    (
        &["--image", "app=registry.example.com/shop/web:9"],
        "spec.template.spec.containers[0].image",
        "rollout",
    ),
    (
        &["--restart"],
        "spec.template.metadata.annotations[\"kubectl.kubernetes.io/restartedAt\"]",
        "rollout",
    ),
    (
        &["--to-revision", "1"],
        "spec.template.spec.containers[0].image",
        "rollout",
    ),
    (
        &["--set", "spec.revisionHistoryLimit=4"],
        "spec.revisionHistoryLimit",
        "none",
    ),
    (
        &["--set", "spec.template.spec.priorityClassName=high"],
        "spec.template.spec.priorityClassName",
        "rollout",
    ),
    (&["--delete-pod", "web-1"], "pod/web-1", "delete"),
    (&["--delete-pod", "web-4"], "pod/web-4", "delete"),
];

/// Returns true if the flags combine OnDelete with a block that it forbids.
fn contradicts_itself(flags: &[usize]) -> bool {
    flags.contains(&4) && (flags.contains(&1) || flags.contains(&2))
}

#[test]
fn a_rejected_field_is_invalid_or_immutable() {
    let file = format!("{}/tests/fixtures/rollout.yaml", env!("CARGO_MANIFEST_DIR"));
    for (flag, path, rejection, words) in [
        (
            "--partition=-4",
            "partition",
            "invalid",
            "(REJECTED: invalid value)",
        ),
        (
            "--max-unavailable=0",
            "maxUnavailable",
            "invalid",
            "(REJECTED: invalid value)",
        ),
        (
            "--set=spec.serviceName=other",
            "serviceName",
            "immutable",
            "(REJECTED: immutable field)",
        ),
    ] {
        // From 1.37 on, the server words the field differently.
        for version in ["1.36", "1.37"] {
            let gates = "MaxUnavailableStatefulSet=true";
            let args = [
                "-f",
                &*file,
                flag,
                "--kubernetes-version",
                version,
                "--feature-gates",
                gates,
            ];
            let report = plan(&args, "");
            let changes = report["change"].as_array().unwrap();
            let change = changes
                .iter()
                .find(|change| change["path"].as_str().unwrap().contains(path))
                .unwrap();
            assert_eq!(change["effect"], "rejected", "{flag} {version}");
            assert_eq!(change["rejection"], rejection, "{flag} {version}");
            let (_, screen, _) = run(&args, "");
            assert!(screen.contains(words), "{screen}");
        }
    }
}

#[test]
fn flags_change_their_fields_alone_and_combined() {
    let base = [
        "-f",
        "tests/fixtures/partition.yaml",
        "--feature-gates",
        "MaxUnavailableStatefulSet=true",
    ];
    let mut sets: Vec<Vec<usize>> = Vec::new();
    for a in 0..FLAGS.len() {
        sets.push(vec![a]);
        for b in a + 1..FLAGS.len() {
            sets.push(vec![a, b]);
        }
    }
    // All flags that can be combined.
    sets.push((0..FLAGS.len()).filter(|flag| *flag != 4).collect());
    for flags in sets {
        let mut args = base.to_vec();
        for flag in &flags {
            args.extend(FLAGS[*flag].0);
        }
        let plan = plan(&args, "");
        let result = plan["outcome"]["result"].as_str().unwrap();
        let rejected = contradicts_itself(&flags);
        assert_eq!(result == "rejected", rejected, "{args:?}: {result}");
        let change = plan["change"].as_array().unwrap();
        for flag in &flags {
            let (given, path, effect) = FLAGS[*flag];
            if rejected && effect == "none" {
                continue;
            }
            let made = change.iter().find(|change| change["path"] == path);
            let made = made.unwrap_or_else(|| panic!("{given:?} in {args:?}: {change:?}"));
            assert_eq!(made["effect"], effect, "{given:?} in {args:?}");
        }
        if rejected {
            assert!(
                change.iter().any(|change| change["effect"] == "rejected"),
                "{args:?}: {change:?}"
            );
            assert_eq!(plan["steps"].as_array().unwrap().len(), 0);
        }
        let deleted = flags
            .iter()
            .filter(|flag| FLAGS[**flag].2 == "delete")
            .count();
        let by_user = plan["steps"].as_array().unwrap().iter();
        let by_user = by_user.filter(|step| step["actor"] == "user").count();
        assert_eq!(by_user, deleted * usize::from(!rejected), "{args:?}");
    }
}

#[test]
fn contradictions_are_rejected_in_one_sentence() {
    let base = ["-f", "tests/fixtures/partition.yaml"];
    for (args, expected) in [
        (
            &["--delete", "--image", "app=x"][..],
            "--delete leaves no set for --image to change",
        ),
        (
            &["--delete=orphan", "--replicas", "3", "--restart"],
            "--delete leaves no set for --replicas, --restart to change",
        ),
        (
            &["--delete=foreground", "--apply", "-"],
            "--delete=foreground keeps the set until its pods are gone",
        ),
        (
            &["--apply", "-", "--to-revision", "1"],
            "--apply and --to-revision each replace the whole pod template",
        ),
        (
            &["--delete-pod", "web-9"],
            "--delete-pod web-9: no planned set has this pod; there are web-0, web-1",
        ),
        (&["--delete=sideways"], "possible values"),
    ] {
        let (exit, out, err) = run(&[&base[..], args].concat(), MANIFEST);
        assert_eq!((exit, out.as_str()), (Exit::Error, ""), "{args:?}");
        // clap writes to the process's own standard error.
        assert!(
            err.contains(expected) || args == ["--delete=sideways"],
            "{args:?}: {err}"
        );
    }
    let (exit, _, err) = run(&["-f", "-", "--delete"], MANIFEST);
    assert_eq!(exit, Exit::Error);
    assert!(
        err.contains("does not exist in the input: nothing to delete"),
        "{err}"
    );
}

/// The set of `rollout.yaml` as a user might write it.
const MANIFEST: &str = "\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web, namespace: prod}
spec:
  serviceName: web
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: app
          image: registry.example.com/shop/web:1.5.0
          ports: [{containerPort: 8080, name: http}]
          readinessProbe: {httpGet: {path: /ready, port: http}}
          resources: {requests: {cpu: 250m, memory: 512Mi}}
          volumeMounts: [{name: data, mountPath: /var/lib/web}]
  volumeClaimTemplates:
    - metadata: {name: data}
      spec:
        accessModes: [ReadWriteOnce]
        storageClassName: standard
        resources: {requests: {storage: 10Gi}}
";

#[test]
fn a_set_with_the_same_template_adopts_orphans() {
    let args = ["-f", "tests/fixtures/rollout.yaml", "--apply", "-"];
    let plan = plan(&[&args[..], &["--delete=orphan"]].concat(), MANIFEST);
    assert_eq!(plan["outcome"]["result"], "complete");
    let change = plan["change"].as_array().unwrap();
    assert_eq!(change[0]["path"], "statefulset/web");
    assert_eq!(change[0]["new"]["propagationPolicy"], "Orphan");
    assert_eq!(
        plan["metadata"]["uid"], "planned-set",
        "another set, not the old one"
    );
    let writes = plan["next"]["writes"].as_array().unwrap();
    let adopted = writes.iter().filter(|write| {
        write["verb"] == "patch"
            && write["patch"]["metadata"]["ownerReferences"][0]["uid"] == "planned-set"
    });
    assert_eq!(adopted.count(), 4, "three pods and a revision");
    let created = writes.iter().filter(|write| write["verb"] == "create");
    assert!(
        created
            .clone()
            .all(|write| write["resource"] == "controllerrevisions"),
        "{created:?}"
    );
}

#[test]
fn a_recreated_set_waits_for_the_names_of_old_pods() {
    let args = ["-f", "tests/fixtures/rollout.yaml", "--apply", "-"];
    let plan = plan(&[&args[..], &["--delete"]].concat(), MANIFEST);
    assert_eq!(plan["outcome"]["result"], "complete");
    let first = plan["next"]["writes"].as_array().unwrap();
    let refused = first.iter().find(|write| write["name"] == "web-0").unwrap();
    assert_eq!(refused["error"], "AlreadyExists");
}

/// The manifest with a second claim template.
fn with_a_cache() -> String {
    MANIFEST.replace(
        "volumeMounts: [",
        "volumeMounts: [{name: cache, mountPath: /cache}, ",
    ) + "    - metadata: {name: cache}\n      spec:\n        accessModes: [ReadWriteOnce]\n        \
           resources: {requests: {storage: 1Gi}}\n"
}

#[test]
fn k141876_a_new_claim_template_wedges_the_pods_that_lack_it() {
    let args = ["-f", "tests/fixtures/rollout.yaml", "--apply", "-"];
    let recreated = plan(&[&args[..], &["--delete=orphan"]].concat(), &with_a_cache());
    assert_eq!(recreated["outcome"]["result"], "blocked");
    let stuck = &recreated["outcome"]["blockedBy"][0];
    assert_eq!(stuck["reason"], "PodUpdateRefused");
    assert_eq!(stuck["pod"], "web-0");
    let facts = stuck["evidence"].to_string();
    assert!(
        facts.contains("pod web-0 has no volume for claim template cache"),
        "{facts}"
    );
    let events = recreated["next"]["events"].to_string();
    assert!(events.contains("FailedUpdate"), "{events}");
    let remedies = stuck["remedies"].as_array().unwrap();
    let way_out = remedies.iter().find(|it| it["helps"] == true).unwrap();
    let deletes: Vec<String> = (0..3)
        .map(|ordinal| format!("kubectl delete pod web-{ordinal} -n prod"))
        .collect();
    assert_eq!(way_out["commands"], Value::from(deletes.clone()));

    // The rejection of the plain apply promises exactly that.
    let rejected = plan(&args, &with_a_cache());
    assert_eq!(rejected["outcome"]["result"], "rejected");
    let way_round = &rejected["outcome"]["blockedBy"][0]["remedies"][0];
    let commands = way_round["commands"].as_array().unwrap();
    assert_eq!(
        commands[0],
        "kubectl delete sts web -n prod --cascade=orphan"
    );
    assert_eq!(commands[1], "kubectl apply -f FILE");
    assert_eq!(commands[2..], Value::from(deletes).as_array().unwrap()[..]);
    assert_eq!(
        way_round["completesAfterSeconds"].as_i64(),
        Some(
            recreated["outcome"]["at"].as_i64().unwrap()
                + way_out["completesAfterSeconds"].as_i64().unwrap()
        )
    );
}

#[test]
fn the_workaround_equals_deleting_and_creating() {
    let manifest = MANIFEST.replace("serviceName: web", "serviceName: other");
    let args = ["-f", "tests/fixtures/rollout.yaml", "--apply", "-"];
    let rejected = plan(&args, &manifest);
    assert_eq!(rejected["outcome"]["result"], "rejected");
    let way_round = &rejected["outcome"]["blockedBy"][0]["remedies"][0];
    let done = plan(&[&args[..], &["--delete=orphan"]].concat(), &manifest);
    assert_eq!(done["outcome"]["result"], "complete");
    assert_eq!(way_round["completesAfterSeconds"], done["outcome"]["at"]);
    let effect = way_round["effect"].as_str().unwrap();
    assert!(effect.contains("3 pods are replaced"), "{effect}");
    // A single flag also has a workaround: the stored set is created again.
    let flags = [
        "-f",
        "tests/fixtures/rollout.yaml",
        "--set",
        "spec.serviceName=other",
    ];
    let rejected = plan(&flags, "");
    let way_round = &rejected["outcome"]["blockedBy"][0]["remedies"][0];
    assert_eq!(way_round["completesAfterSeconds"], done["outcome"]["at"]);
    let (_, table, _) = run(&flags, "");
    assert!(
        table.contains("  Try:  if FILE is the manifest that you want\n")
            && table.contains("\n        kubectl delete sts web -n prod --cascade=orphan\n"),
        "{table}"
    );
}

#[test]
fn a_manifest_combines_with_flags_and_a_deleted_pod() {
    let args = [
        "-f",
        "tests/fixtures/rollout.yaml",
        "--apply",
        "-",
        "--replicas",
        "4",
        "--partition",
        "2",
        "--delete-pod",
        "web-0",
    ];
    let plan = plan(&args, &MANIFEST.replace("1.5.0", "1.6.0"));
    assert_eq!(plan["outcome"]["result"], "complete");
    let change: Vec<String> = plan["change"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| format!("{} {}", change["path"], change["effect"]).replace('"', ""))
        .collect();
    assert_eq!(
        change,
        [
            "pod/web-0 delete",
            "spec.replicas scale",
            "spec.template.spec.containers[0].image rollout",
            "spec.updateStrategy.rollingUpdate.partition none",
        ]
    );
    let pods = plan["outcome"]["pods"].as_array().unwrap();
    let of = |name: &str| {
        let pod = pods.iter().find(|pod| pod["name"] == name).unwrap();
        pod["revision"].as_str().unwrap()
    };
    assert_eq!(
        of("web-0"),
        of("web-1"),
        "below the partition it comes back as it was"
    );
    assert_ne!(of("web-0"), of("web-2"));
}

#[test]
fn a_percentage_partition_is_rounded_like_max_unavailable() {
    let file = "tests/fixtures/partition.yaml";
    for (flags, partition, replicas) in [
        (&["--partition", "50%"][..], 2, 5),
        (&["--partition", "0%"], 0, 5),
        (&["--partition", "1%"], 1, 5),
        (&["--partition", "100%"], 5, 5),
        (&["--partition", "50%", "--replicas", "8"], 4, 8),
        (&["--partition", "50%", "--set", "spec.replicas=9"], 4, 9),
    ] {
        let report = plan(&[&["-f", file], flags].concat(), "");
        assert_eq!(report["set"]["replicas"], replicas, "{flags:?}");
        let share = flags[1];
        let sentence = format!(
            "partition {share} is {partition} of {replicas} replicas: rounded down to at least 1, like maxUnavailable"
        );
        let assumed = report["assumptions"].to_string();
        assert!(assumed.contains(&sentence), "{flags:?}: {assumed}");
        let number = partition.to_string();
        let flags = [&["--partition", &*number], &flags[2..]].concat();
        let by_number = plan(&[&["-f", file], &flags[..]].concat(), "");
        for part in ["change", "steps", "outcome"] {
            assert_eq!(report[part], by_number[part], "{flags:?}");
        }
    }
    for wrong in ["-1%", "101%", "half%", "%"] {
        let flag = format!("--partition={wrong}");
        let (exit, _, _) = run(&["-f", file, &flag], "");
        assert_eq!(exit, Exit::Error, "{wrong}");
    }
}
