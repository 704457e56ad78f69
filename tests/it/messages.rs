//! Messages about invalid input: the position, the problem, and what to write.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::program;

fn folder() -> PathBuf {
    program::folder("messages")
}

/// Returns the program's message about a file.
fn message(name: &str, bytes: &[u8]) -> String {
    let path = folder().join(name);
    fs::write(&path, bytes).unwrap();
    let (code, _, message) = program::run(&["-f", path.to_str().unwrap()]);
    assert_eq!(code, 1, "{name}: {message}");
    assert_eq!(message.lines().count(), 1, "{name}: {message}");
    message.replace(&format!("{}/", folder().display()), "")
}

const SET: &str = "\
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: web
spec:
  replicas: 3
  serviceName: web
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: nginx
";

/// The manifest of a set with one replacement.
fn with(old: &str, new: &str) -> String {
    assert!(SET.contains(old), "{old}");
    SET.replacen(old, new, 1)
}

#[test]
fn unknown_fields_suggest_the_intended_one() {
    for (name, text, says) in [
        (
            "core.yaml",
            with("apps/v1", "v1"),
            "core.yaml: document 1, line 1, column 1: StatefulSet web has the apiVersion \"v1\", which has no \
             StatefulSet: use apps/v1",
        ),
        (
            "group.yaml",
            with("apps/v1", "apps"),
            "line 1, column 1: StatefulSet web has the apiVersion \"apps\", which has no StatefulSet: use apps/v1",
        ),
        (
            "old.yaml",
            with("apps/v1", "apps/v1beta2"),
            "line 1, column 1: StatefulSet web is of apps/v1beta2, which is no longer served: use apps/v1",
        ),
        (
            "case.yaml",
            with("kind: StatefulSet", "kind: Statefulset"),
            "line 2, column 1: Statefulset web has the unknown kind \"Statefulset\": use StatefulSet",
        ),
        (
            "plural.yaml",
            with("kind: StatefulSet", "kind: StatefulSets"),
            "use StatefulSet",
        ),
        (
            "letters.yaml",
            with("kind: StatefulSet", "kind: StatfulSet"),
            "use StatefulSet",
        ),
        (
            "number.yaml",
            with("name: web", "name: 123"),
            "line 4, column 3: StatefulSet is invalid at metadata.name: expected a string, found the number 123: \
             put it in quotes, \"123\"",
        ),
        (
            "list.yaml",
            with("name: web", "- name: web"),
            "line 3, column 1: StatefulSet is invalid at metadata: expected a mapping, found a list",
        ),
        (
            "nameless.yaml",
            with("  name: web", "  namespace: prod"),
            "line 3, column 1: StatefulSet has no metadata.name: add one",
        ),
        (
            "pod.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata: {name: web-0}\nstatus: {phase: 3}\n".to_owned(),
            "line 4, column 10: Pod web-0 is invalid at status.phase: expected a string, found the number 3",
        ),
    ] {
        let message = message(name, text.as_bytes());
        assert!(message.contains(says), "{name}: {message}");
    }
}

#[test]
fn kinds_of_other_groups_are_skipped() {
    for (name, text) in [
        ("kruise.yaml", with("apps/v1", "apps.kruise.io/v1beta1")),
        (
            "deployment.yaml",
            with("kind: StatefulSet", "kind: Deployment"),
        ),
        ("scale.yaml", with("kind: StatefulSet", "kind: Scale")),
        (
            "custom.yaml",
            with("apps/v1\nkind: StatefulSet", "a.b/v1\nkind: Statefulset"),
        ),
    ] {
        let message = message(name, text.as_bytes());
        assert!(message.contains("no StatefulSet in "), "{name}: {message}");
    }
}

#[test]
fn files_that_are_not_manifests_are_recognized() {
    for (name, text, says) in [
        (
            "values.yaml",
            with("replicas: 3", "replicas: {{ .Values.replicas }}"),
            "document 1, line 6, column 13: unrendered template ({{ .Values.replicas }}): render \
             it first, for example with helm template",
        ),
        (
            "if.yaml",
            format!("{{{{- if .Values.web }}}}\n{SET}{{{{- end }}}}\n"),
            "line 1, column 1: unrendered template ({{- if .Values.web }})",
        ),
        (
            "conflict.yaml",
            with("  replicas: 3", "<<<<<<< HEAD\n  replicas: 3\n=======\n  replicas: 4\n>>>>>>> other"),
            "line 6, column 1: unresolved merge conflict",
        ),
        (
            "fence.yaml",
            format!("```yaml\n{SET}```\n"),
            "line 1, column 1: unexpected Markdown fence (```)",
        ),
        (
            "page.yaml",
            "\n<!DOCTYPE html>\n<html><body>404</body></html>\n".to_owned(),
            "line 2, column 1: this is a web page (HTML), not a manifest",
        ),
        (
            "table.yaml",
            "NAME   READY   AGE\nweb    3/3     2d\n".to_owned(),
            "line 1, column 1: this is a table of kubectl get, not a manifest: use kubectl get -o yaml",
        ),
        (
            "described.yaml",
            "Name:               web\nNamespace:          prod\nSelector:           app=web\nReplicas:           3\n"
                .to_owned(),
            "this is output of kubectl describe",
        ),
        (
            "failed.yaml",
            "Error from server (NotFound): statefulsets.apps \"web\" not found\n".to_owned(),
            "this is an error message of kubectl: Error from server (NotFound)",
        ),
        (
            "dedent.yaml",
            with("  serviceName: web", " serviceName: web"),
            "line 7, column 2: inconsistent indentation: this line has 1 space, and the lines above 0 or 2",
        ),
        (
            "indent.yaml",
            with("  serviceName: web", "   serviceName: web"),
            "line 7, column 15: unexpected ': ' inside a value: put the value in quotes, or align the key with the one \
             above",
        ),
        (
            "tab.yaml",
            with("  serviceName: web", "\tserviceName: web"),
            "line 7, column 1: tab in the indentation",
        ),
        (
            "space.yaml",
            with("replicas: 3", "replicas:\u{A0}3"),
            "line 6, column 12: no-break space (U+00A0)",
        ),
        (
            "comma.json",
            "{\"apiVersion\": \"apps/v1\"\n \"kind\": \"StatefulSet\"}\n".to_owned(),
            "line 1, column 25: missing ',' after the value",
        ),
    ] {
        let message = message(name, text.as_bytes());
        assert!(message.contains(says), "{name}: {message}");
    }
    let packed = message("packed.yaml", &[0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]);
    assert!(packed.contains("this is a gzip file"), "{packed}");
}

#[test]
fn a_missing_separator_is_recognized() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n";
    let path = folder().join("forgotten.yaml");
    fs::write(&path, format!("{service}{SET}")).unwrap();
    let (_, _, message) = program::run(&["-f", path.to_str().unwrap()]);
    let says = "line 4, column 1: duplicate key \"apiVersion\": this one is read; if another object starts \
                here, put '---' on the line before";
    assert!(message.contains(says), "{message}");
}

#[test]
fn names_of_a_megabyte_are_cut() {
    let long = "x".repeat(1 << 20);
    for (name, text) in [
        (
            "kind.yaml",
            format!("apiVersion: v1\nkind: {long}\nmetadata: {{name: a}}\n"),
        ),
        (
            "name.yaml",
            format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: {long}}}\nspec: 3\n"),
        ),
        (
            "key.yaml",
            format!(
                "apiVersion: v1\nkind: Pod\nmetadata: {{name: a, labels: {{{}: 3}}}}\n",
                &long[..900]
            ),
        ),
        (
            "version.yaml",
            format!("apiVersion: apps/{long}\nkind: StatefulSet\nmetadata: {{name: a}}\n"),
        ),
        (
            "metadata.yaml",
            format!("apiVersion: v1\nkind: Pod\nmetadata: {long}\n"),
        ),
    ] {
        let message = message(name, text.as_bytes());
        assert!(message.len() < 3_000, "{name}: {}", message.len());
    }
}

/// The same for everything that a plan names, in every format.
#[test]
fn names_of_a_megabyte_are_cut_in_every_format() {
    let long = "x".repeat(1 << 20);
    let set = json!({"apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": "web", "namespace": "prod", "uid": "set", "generation": 1},
        "spec": {"replicas": 2, "serviceName": "web", "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "main", "image": "app:1"}]}}}});
    let pod = json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "web-0", "namespace": "prod", "uid": "pod", "labels": {"app": "web"},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": "set",
                "controller": true}]},
        "spec": {"containers": [{"name": "main", "image": "app:0"}]},
        "status": {"phase": "Pending", "containerStatuses": [{"name": "main", "restartCount": 1,
            "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "no"}}}]}});
    let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "prod"},
        "involvedObject": {"kind": "Pod", "name": "web-0", "namespace": "prod", "uid": "pod"}, "type": "Warning",
        "reason": "Failed", "message": "no", "count": 5, "lastTimestamp": "2026-01-01T00:00:00Z"});
    let sound = [set, pod, event];
    let container = "/spec/template/spec/containers/0";
    let places = [
        (0, "/metadata/name".to_owned()),
        (0, "/metadata/namespace".to_owned()),
        (0, "/spec/serviceName".to_owned()),
        (0, format!("{container}/name")),
        (0, format!("{container}/image")),
        (0, "/spec/template/metadata/labels/app".to_owned()),
        (0, "/spec/selector/matchLabels/app".to_owned()),
        (1, "/metadata/name".to_owned()),
        (1, "/metadata/ownerReferences/0/name".to_owned()),
        (1, "/status/containerStatuses/0/name".to_owned()),
        (
            1,
            "/status/containerStatuses/0/state/waiting/message".to_owned(),
        ),
        (2, "/reason".to_owned()),
        (2, "/message".to_owned()),
    ];
    let mut worlds: Vec<(String, [Value; 3])> = places
        .into_iter()
        .map(|(object, place)| {
            let mut world = sound.clone();
            *world[object].pointer_mut(&place).unwrap() = long.as_str().into();
            (format!("{object}{place}"), world)
        })
        .collect();
    // Known and unknown keys.
    for place in ["/spec", "/metadata", "/spec/template/metadata/labels"] {
        let mut world = sound.clone();
        world[0].pointer_mut(place).unwrap()[&long] = "x".into();
        worlds.push((format!("a key of {place}"), world));
    }
    let formats = [
        "wide", "summary", "markdown", "html", "svg", "github", "gitlab", "junit", "sarif",
    ];
    for (name, world) in worlds {
        let input = folder().join("megabyte.json");
        let list = json!({"apiVersion": "v1", "kind": "List", "items": world});
        fs::write(&input, list.to_string()).unwrap();
        let reports = formats.map(|format| {
            let file = folder().join(format!("megabyte.{format}"));
            (format, file)
        });
        let mut command = program::program();
        command
            .args(["--now", "2026-01-01T00:00:00Z", "-f"])
            .arg(&input);
        for (format, file) in &reports {
            command.arg(format!("--report={format}={}", file.display()));
        }
        let ran = command.output().unwrap();
        let mut sizes = vec![("table", ran.stdout.len()), ("stderr", ran.stderr.len())];
        if ran.status.success() {
            let size = |file: &PathBuf| usize::try_from(fs::metadata(file).unwrap().len()).unwrap();
            sizes.extend(reports.iter().map(|(format, file)| (*format, size(file))));
        }
        for (format, bytes) in sizes {
            assert!(bytes < 1 << 18, "{name}, {format}: {bytes} bytes");
        }
    }
}

/// Every rejection gives the position of its field in every format, and the probable correction.
#[test]
fn refusals_point_at_their_fields() {
    let manifest = "\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web, namespace: prod}
spec:
  replicas: -1
  podManagementPolicy: parallel
  serviceName: web
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: 'app:1', imagePullPolicy: Alway}
";
    let file = folder().join("refused.yaml");
    fs::write(&file, manifest).unwrap();
    let print = |args: &[&str]| {
        let now = ["--now", "2026-01-01T00:00:00Z"];
        program::run_in(&folder(), &[args, &now].concat()).1
    };
    for input in [
        &["-f", "refused.yaml"][..],
        &["-f", "/dev/null", "--apply", "refused.yaml"],
    ] {
        let as_format = |format: &str| print(&[input, &["-o", format]].concat());
        let table = as_format("table");
        for words in [
            "at refused.yaml: document 1, line 5, column 3",
            "did you mean Parallel?",
            "at refused.yaml: document 1, line 13, column 38",
            "did you mean Always?",
        ] {
            for format in [
                "table", "markdown", "html", "json", "junit", "github", "sarif",
            ] {
                let text = as_format(format);
                assert!(text.contains(words), "{words}, {format}: {text}");
            }
        }
        assert!(table.lines().all(|line| line.chars().count() < 200));
        let github = as_format("github");
        for place in ["line=5,col=3,", "line=13,col=38,"] {
            assert!(github.contains(place), "{github}");
        }
        let sarif = as_format("sarif");
        assert!(sarif.contains("\"startColumn\": 38"), "{sarif}");
    }
}

/// Many objects are read on threads, whose stacks are smaller than the program's.
#[test]
fn a_too_deeply_nested_object_is_rejected_among_many() {
    let pods = |from: usize| {
        let names = (from..from + 300).map(|number| format!("web-{number}"));
        let pods = names
            .map(|name| json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}}));
        pods.map(|pod| pod.to_string())
            .collect::<Vec<_>>()
            .join(",")
    };
    for (kind, version) in [("StatefulSet", "apps/v1"), ("Pod", "v1"), ("Node", "v1")] {
        for levels in [101, 4_900] {
            let deep = [r#"{"a":["#.repeat(levels), "]}".repeat(levels)].concat();
            let object = format!(
                r#"{{"apiVersion":"{version}","kind":"{kind}","metadata":{{"name":"deep","uid":"1"}},"spec":{deep}}}"#
            );
            let items = [pods(0), object, pods(1_000)].join(",\n");
            let list = format!(r#"{{"apiVersion":"v1","kind":"List","items":[{items}]}}"#);
            let message = message("deep.json", list.as_bytes());
            assert!(
                message.starts_with("error: deep.json: document 1, line 2, column 1: ")
                    && message.contains(&format!("{kind} deep is nested deeper than 200 levels")),
                "{message}"
            );
        }
    }
}

/// Objects that only explain others are left out if no API server has them.
#[test]
fn a_too_deeply_nested_object_of_another_kind_is_left_out() {
    for (kind, version) in [
        ("Secret", "v1"),
        ("Job", "batch/v1"),
        ("Certificate", "cert-manager.io/v1"),
    ] {
        let deep = [r#"{"a":["#.repeat(4_900), "]}".repeat(4_900)].concat();
        let object = format!(
            r#"{{"apiVersion":"{version}","kind":"{kind}","metadata":{{"name":"deep","uid":"1"}},"spec":{deep}}}"#
        );
        let list = format!(r#"{{"apiVersion":"v1","kind":"List","items":[{object}]}}"#);
        let message = message("deep.json", list.as_bytes());
        assert!(
            message.contains(&format!("only 1 object of another kind ({kind})")),
            "{message}"
        );
    }
}
