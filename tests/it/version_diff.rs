//! `versions --diff`: what changes between two Kubernetes versions.

use serde_json::Value;

use crate::program;

fn run(args: &str) -> (i32, String, String) {
    let args: Vec<&str> = std::iter::once("versions").chain(args.split(' ')).collect();
    program::run(&args)
}

#[test]
fn each_change_has_its_version_and_its_source() {
    let (code, out, err) = run("--diff 1.33 1.36");
    assert_eq!((code, &*err), (0, ""));
    let mut lines = out.lines();
    assert_eq!(
        lines.next(),
        Some("AREA        APPLIES        DESCRIPTION (SOURCE)")
    );
    for line in [
        "controller  from 1.34.0    a rolling update waits until a pod is available, not only ready \
         (pkg/controller/statefulset/stateful_set_control.go)",
        "validation  from 1.36.0    IP addresses must not have leading zeros (staging/src/k8s.io/apimachinery/pkg/util/validation/ip.go)",
        "gate                       MaxUnavailableStatefulSet: false (alpha) -> false (beta)",
    ] {
        assert!(
            out.lines().any(|found| found == line),
            "{line:?} is not in {out}"
        );
    }
    let (_, bare, _) = run("--diff 1.33 1.36 --no-headers");
    // A column is as wide as its cells and its header.
    let rows = |text: &str| -> Vec<Vec<String>> {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
        text.lines().map(words).collect()
    };
    assert_eq!(rows(&out)[1..], rows(&bare));
}

#[test]
fn programs_read_the_same_changes() {
    let (code, out, _) = run("--diff 1.36 1.33 -o json");
    assert_eq!(code, 0);
    let diff: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(diff["kind"], "VersionDiff");
    assert_eq!(
        (&diff["from"], &diff["to"]),
        (&"1.36".into(), &"1.33".into())
    );
    let changes = diff["changes"].as_array().unwrap();
    let address = changes
        .iter()
        .find(|change| change["what"] == "IP addresses must not have leading zeros")
        .unwrap();
    assert_eq!(address["area"], "refusals");
    assert_eq!(address["change"], "ends");
    assert_eq!(address["version"], "1.36.0");
    assert_eq!(
        address["source"],
        "staging/src/k8s.io/apimachinery/pkg/util/validation/ip.go"
    );
    let gates = diff["gates"].as_array().unwrap();
    let gate = |name: &str| gates.iter().find(|gate| gate["name"] == name).unwrap();
    let max = gate("MaxUnavailableStatefulSet");
    assert_eq!(max["from"]["stage"], "beta");
    assert_eq!(max["to"]["default"], false);
    assert_eq!(gate("StatefulSetAutoDeletePVC").get("from"), None);
    let (_, yaml, _) = run("--diff 1.36 1.33 -o yaml");
    assert_eq!(serde_yaml::from_str::<Value>(&yaml).unwrap(), diff);
}

#[test]
fn equal_versions_say_so_and_unknown_ones_are_rejected() {
    let (code, out, _) = run("--diff 1.33.1 1.33.2");
    assert_eq!(
        (code, &*out),
        (
            0,
            "No differences for StatefulSets between Kubernetes 1.33.1 and 1.33.2.\n"
        )
    );
    for (args, says) in [
        ("--diff 1.33 1.99", "Kubernetes 1.99 is not supported"),
        ("--diff 1.18 1.33", "Kubernetes 1.18 is not supported"),
        ("--diff 1.33 soon", "is not a Kubernetes version"),
        ("--diff 1.33", "2 values required"),
        ("-o json", "--diff"),
        ("--diff 1.33 1.36 -o html", "table, json or yaml"),
    ] {
        let (code, out, err) = run(args);
        assert_eq!((code, &*out), (1, ""), "{args}");
        assert!(err.contains(says), "{args}: {err}");
    }
}
