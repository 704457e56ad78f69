//! The executable as users and scripts run it: docs/contract.md.

use std::fs;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::program::{self, PROGRAM, feed_to, program};

const WEB: &str = "\
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: 2
  serviceName: web
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: c
        image: nginx:1
";

/// The exit code and the output of a run.
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Ran {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A folder of its own for each test.
fn folder(test: &str) -> PathBuf {
    program::new_folder(&format!("cli-{test}"))
}

fn feed(mut command: Command, stdin: &str) -> Ran {
    feed_to(&mut command, stdin).into()
}

/// Runs the program with these arguments, separated by spaces, and this standard input.
fn run(args: &str, stdin: &str) -> Ran {
    run_args(&args.split_whitespace().collect::<Vec<_>>(), stdin)
}

fn run_args(args: &[&str], stdin: &str) -> Ran {
    let mut command = program();
    command.args(args);
    feed(command, stdin)
}

fn assert_done(ran: &Ran, code: i32) {
    assert_eq!(ran.code, Some(code), "{}{}", ran.out, ran.err);
    let reason = ran.err.starts_with(&format!("exit code {code}: "));
    assert_eq!(reason, code != 0, "{}", ran.err);
    assert_eq!(ran.err.lines().count(), usize::from(code != 0));
    assert_ne!(ran.out, "");
}

/// Asserts that the run ends in an error with these words, and prints nothing else.
fn assert_error(ran: &Ran, says: &[&str]) {
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert_eq!(ran.out, "");
    assert!(ran.err.starts_with("error: "), "{}", ran.err);
    for text in says {
        assert!(ran.err.contains(text), "{text:?} is not in {}", ran.err);
    }
}

fn named(name: &str) -> String {
    WEB.replacen("name: web", &format!("name: {name}"), 1)
}

/// Returns the objects of a cluster in which a set without replicas is at rest.
fn at_rest() -> String {
    let manifest = WEB.replace("replicas: 2", "replicas: 0");
    let ran = run("-f - -o json --now 2026-01-01T00:00:00Z", &manifest);
    let plan: Value = serde_json::from_str(&ran.out).unwrap();
    let write = &plan["next"]["writes"][0];
    assert_eq!(write["resource"], "controllerrevisions");
    let mut revision = write["object"].clone();
    revision["apiVersion"] = "apps/v1".into();
    revision["kind"] = "ControllerRevision".into();
    revision["metadata"]["name"] = write["name"].clone();
    revision["metadata"]["namespace"] = "default".into();
    revision["metadata"]["uid"] = "uid-of-the-revision".into();
    let template = &mut revision["data"]["spec"]["template"].clone();
    template.as_object_mut().unwrap().remove("$patch");
    let set = json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "web", "namespace": "default", "generation": 1,
            "uid": revision["metadata"]["ownerReferences"][0]["uid"]},
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": {"app": "web"}},
            "template": template,
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
        },
        "status": plan["outcome"]["status"],
    });
    json!({"apiVersion": "v1", "kind": "List", "items": [set, revision]}).to_string()
}

#[test]
fn exit_codes_show_what_to_do() {
    let rest = at_rest();
    for (args, stdin, code) in [
        ("-f -", WEB, 0),
        ("-f - --detailed-exitcode", WEB, 2),
        ("-f - --detailed-exitcode", &rest, 0),
        (
            "-f - --detailed-exitcode --assume web-0=never-ready",
            WEB,
            3,
        ),
        ("-f - --assume web-0=never-ready", WEB, 0),
        ("-f - --detailed-exitcode --assume web-0=fails", WEB, 3),
        ("-f - --assume web-0=fails", WEB, 0),
        ("--help", "", 0),
        ("-h", "", 0),
        ("--version", "", 0),
        ("versions", "", 0),
        ("versions --no-headers", "", 0),
    ] {
        let ran = run(args, stdin);
        assert_done(&ran, code);
    }
    // Of several sets, the worst decides.
    let both = format!("{WEB}---\n{}", named("db"));
    assert_done(
        &run("-f - --detailed-exitcode --assume db-0=never-ready", &both),
        3,
    );
}

#[test]
fn usage_errors_name_the_flag_and_what_to_write() {
    for (args, says) in [
        (
            "--bogus",
            &["unexpected argument '--bogus'", "Usage: kubectl sts-plan"][..],
        ),
        (
            "-f - -A web",
            &["-A cannot be combined with names: omit the names"],
        ),
        (
            "-f - -o xml",
            &["unknown output format \"xml\"", "table, wide, json, yaml"],
        ),
        (
            "-f - --color sometimes",
            &["sometimes", "auto, always, never"],
        ),
        (
            "-f - --now yesterday",
            &["--now <TIME>", "expected an RFC 3339 time"],
        ),
        (
            "-f - --ready-after soon",
            &[
                "--ready-after <DURATION|auto>",
                "invalid duration: \"soon\"",
            ],
        ),
        (
            "-f - --gone-after 5",
            &[
                "--gone-after <DURATION>",
                "invalid duration: \"5\" has no unit; use 5s",
            ],
        ),
        (
            "-f - --assume web-0",
            &["--assume <OBJECT=WHAT>", "expected POD=WHAT", "never-ready"],
        ),
        (
            "-f - --assume web-0=late",
            &["unknown assumption \"late\"", "never-gone"],
        ),
        (
            "-f - --assume web-0=ready-after:x",
            &["invalid duration: \"x\""],
        ),
        (
            "-f - --kubernetes-version 1",
            &["\"1\" is not a Kubernetes version: write 1.NN"],
        ),
        (
            "-f - --kubernetes-version 1.18",
            &["Kubernetes 1.18 is not supported", "1.19 to 1.37"],
        ),
        (
            "-f - --feature-gates A",
            &["invalid feature gate \"A\": write NAME=true"],
        ),
        (
            "-f - --feature-gates NoSuchGate=true",
            &[
                "unknown feature gate NoSuchGate in Kubernetes 1.37",
                "MaxUnavailableStatefulSet",
            ],
        ),
        (
            "-f - --kubernetes-version 1.33 --feature-gates StatefulSetAutoDeletePVC=false",
            &["StatefulSetAutoDeletePVC is locked to true in Kubernetes 1.33"],
        ),
        ("-f - -l a==b==c", &["--selector \"a==b==c\""]),
    ] {
        assert_error(&run(args, WEB), says);
    }
}

#[test]
fn a_newer_version_is_planned_as_the_newest() {
    let ran = run("-f - -o json --kubernetes-version 1.99", WEB);
    assert_done(&ran, 0);
    let plan: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(plan["kubernetes"]["version"], "1.99");
    let assumptions = plan["assumptions"].to_string();
    assert!(
        assumptions.contains("known difference, not planned: under podManagementPolicy Parallel")
    );
    assert!(
        assumptions.contains("1.99 is newer than the newest supported version: planned as 1.37")
    );
}

#[test]
fn a_name_may_come_with_its_kind() {
    let both = format!("{WEB}---\n{}", named("db"));
    let plain = run("-f - --now 2026-01-01T00:00:00Z web", &both);
    assert_done(&plain, 0);
    assert!(plain.out.contains("default/web") && !plain.out.contains("default/db"));
    for name in [
        "sts/web",
        "statefulset/web",
        "statefulsets/web",
        "StatefulSet/web",
        "statefulsets.apps/web",
    ] {
        let ran = run(&format!("-f - --now 2026-01-01T00:00:00Z {name}"), &both);
        assert_done(&ran, 0);
        assert_eq!(ran.out, plain.out, "{name}");
    }
    // Each command has its own help, with --help and with the help command.
    for command in [
        "verify",
        "explain",
        "schema",
        "versions",
        "rbac",
        "completion",
    ] {
        let help = run(&format!("help {command}"), "");
        assert_done(&help, 0);
        assert_eq!(help.out, run(&format!("{command} --help"), "").out);
        let usage = format!("Usage: kubectl sts-plan {command}");
        assert!(
            help.out.contains(&usage) && !help.out.contains("--replicas"),
            "{}",
            help.out
        );
    }
    assert_eq!(run("help", "").out, run("--help", "").out);
    assert_error(&run("help us", ""), &["no help on \"us\"", "verify"]);
    let several = run("-f - db web", &both);
    assert!(several.out.contains("default/web") && several.out.contains("default/db"));

    assert_error(
        &run("-f - deploy/web", &both),
        &["not a StatefulSet: \"deploy/web\"", "sts/NAME"],
    );
    assert_error(
        &run("-f - nowhere", &both),
        &["\"nowhere\" not found in the input", "default/web"],
    );
    // Findings and their pages can be read without any input.
    let all = run("explain", "");
    let findings = all.out.lines().filter(|line| line.starts_with("STS"));
    assert_eq!((all.code, findings.count()), (Some(0), 55));
    let page = run("explain STS014", "");
    assert!(
        page.out
            .contains("\n  before 1.34 (with the defaults of feature gates)\n"),
        "{}",
        page.out
    );
    assert_error(
        &run("explain STS999", ""),
        &["unknown finding \"STS999\": expected an id (STS001 to "],
    );

    // A name that is also a command selects a set only if its kind is given.
    let page = run("explain STS003", "").out;
    assert!(page.contains("STS003"), "{page}");
    assert_error(
        &run("-f - explain", &both),
        &[
            "unexpected argument '-f'",
            "to plan a set named \"explain\", use sts/explain",
            "Usage: kubectl sts-plan explain",
        ],
    );
    assert_error(
        &run("-f - sts/explain", &both),
        &["StatefulSet \"explain\" not found in the input"],
    );
}

#[test]
fn namespaces_and_labels_select() {
    let input = format!(
        "{}---\n{}---\n{}",
        WEB.replacen("name: web", "name: web\n  namespace: default", 1),
        WEB.replacen("name: web", "name: web\n  namespace: prod", 1),
        WEB.replacen(
            "  name: web\n  labels: {app: web}",
            "  name: db\n  namespace: prod",
            1
        ),
    );
    let shown = |args: &str| {
        let ran = run(args, &input);
        assert_done(&ran, 0);
        ["default/web", "prod/web", "prod/db"].map(|name| ran.out.contains(name))
    };
    assert_eq!(shown("-f - -n prod"), [false, true, true]);
    assert_eq!(shown("-f - -A"), [true, true, true]);
    assert_eq!(shown("-f -"), [true, true, true]);
    assert_eq!(shown("-f - -l app=web"), [true, true, false]);
    assert_eq!(shown("-f - -n prod -l app!=web"), [false, false, true]);
    assert_eq!(shown("-f - -n prod web"), [false, true, false]);
    assert_error(
        &run("-f - web", &input),
        &["in several namespaces (default, prod)", "-n"],
    );
    assert_error(
        &run("-f - -n test db", &input),
        &["\"db\" not found in the input in namespace \"test\""],
    );
    assert_error(
        &run("-f - -l app=x", &input),
        &["none of the 3 StatefulSets of the input match -l app=x"],
    );
    assert_error(
        &run("-f - -l app=x", WEB),
        &["the only StatefulSet of the input does not match -l app=x"],
    );
    // Objects without a namespace belong to the requested one.
    assert!(run("-f - -n test", WEB).out.contains("test/web"));
}

#[test]
fn files_directories_and_standard_input_are_read_together() {
    let folder = folder("files");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    fs::create_dir_all(path("dir/below")).unwrap();
    fs::write(path("one.txt"), named("one")).unwrap();
    fs::write(path("dir/two.yaml"), named("two")).unwrap();
    fs::write(path("dir/notes.txt"), "no manifest").unwrap();
    fs::write(
        path("dir/below/three.json"),
        serde_json::to_string(&serde_yaml::from_str::<Value>(&named("three")).unwrap()).unwrap(),
    )
    .unwrap();
    let (one, dir) = (path("one.txt"), path("dir"));
    let shown = |args: &[&str]| {
        let ran = run_args(args, &named("four"));
        assert_done(&ran, 0);
        ["one", "two", "three", "four"].map(|name| ran.out.contains(&format!("default/{name} ")))
    };
    assert_eq!(shown(&["-f", &one]), [true, false, false, false]);
    assert_eq!(shown(&["-f", &one, "-f", &dir]), [true, true, false, false]);
    assert_eq!(shown(&["-f", &dir, "-R"]), [false, true, true, false]);
    assert_eq!(shown(&["-f", "-", "-Rf", &dir, "-f", &one]), [true; 4]);

    let twice = run_args(&["-f", "-", "-f", &one], &named("one"));
    let stdin = "standard input: document 1, line 1, column 1";
    assert_error(
        &twice,
        &[&format!(
            "{one}: document 1, line 1, column 1: duplicate StatefulSet one, first defined in {stdin}"
        )],
    );
    assert_error(
        &run("-f - -f -", WEB),
        &["standard input can be read only once"],
    );
    assert_error(
        &run_args(&["-f", &path("none.yaml")], ""),
        &["none.yaml", "no such file or directory"],
    );
    fs::create_dir_all(path("empty")).unwrap();
    assert_error(
        &run_args(&["-f", &path("empty")], ""),
        &["no manifests in this directory"],
    );
}

#[test]
fn invalid_input_is_reported_with_file_document_and_line() {
    let folder = folder("wrong");
    let file = folder.join("web.yaml");
    let check = |text: &str| {
        fs::write(&file, text).unwrap();
        run_args(&["-f", file.to_str().unwrap(), "-o", "json"], "")
    };
    let lines = WEB.lines().count();

    let wrong = WEB.replace("replicas: 2", "replicas: two");
    let ran = check(&format!("{}---\n{wrong}", named("db")));
    let place = format!("web.yaml: document 2, line {}", lines + 1 + 7);
    assert_error(
        &ran,
        &[
            &place,
            "StatefulSet web is invalid at spec.replicas",
            "\"two\"",
        ],
    );

    let unknown = WEB.replace("  replicas: 2\n", "  replicas: 2\n  replica: 3\n");
    let ran = check(&unknown);
    assert_eq!(ran.code, Some(0));
    // A finding has it, with its place.
    assert!(!ran.err.contains("spec.replica"), "{}", ran.err);
    assert!(
        ran.out.contains("web.yaml: document 1, line 8"),
        "{}",
        ran.out
    );
    // Only the plan goes to standard output.
    let plan: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(plan["kind"], "Plan");

    assert_error(&check("a: [\n"), &["web.yaml", "document 1"]);
    assert_error(
        &check("kind: StatefulSet\n"),
        &["web.yaml: document 1, line 1", "apiVersion"],
    );
    assert_error(
        &check(""),
        &[&format!("no StatefulSet in {}", file.display())],
    );
    // A checkout may be deeply nested.
    let deep = folder.join("deployments/of/the/team/that/has/the/longest/name/in/the/company");
    fs::create_dir_all(&deep).unwrap();
    let long = deep.join("web.yaml").to_string_lossy().into_owned();
    let there = format!("no StatefulSet in {long}");
    for (text, says) in [
        ("", there),
        ("a: [\n", format!("{long}: document 1, line 2")),
    ] {
        fs::write(&long, text).unwrap();
        assert_error(&run_args(&["-f", &long], ""), &[&says]);
    }
    fs::remove_file(&long).unwrap();
    let missing = format!("{long}: no such file or directory");
    assert_error(&run_args(&["-f", &long], ""), &[&missing]);
    let nothing = run_args(&["-f", "-"], "");
    assert_error(&nothing, &["no StatefulSet in standard input"]);
    let other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n";
    let none = check(other);
    assert_error(
        &none,
        &["web.yaml, only 1 object of another kind (ConfigMap)"],
    );
    let beta = WEB.replace("apps/v1", "apps/v1beta1");
    assert_error(&check(&beta), &["apps/v1beta1", "use apps/v1"]);

    fs::write(&file, format!("{WEB}---\n{other}")).unwrap();
    let ran = run_args(&["-v", "-f", file.to_str().unwrap()], "");
    assert_eq!(
        (ran.code, &*ran.err),
        (Some(0), "skipped: 1 of kind ConfigMap\n")
    );
}

#[test]
fn without_files_and_clusters_it_says_what_works() {
    for args in ["", "web", "-n prod web", "-A"] {
        let ran = run(args, "");
        assert_error(
            &ran,
            &["no cluster configured", "--context", "-f", "sts-plan demo"],
        );
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
        assert!(!ran.err.contains("\\n"), "{}", ran.err);
    }
}

#[test]
fn foreign_text_does_not_affect_the_terminal() {
    let escape = "\u{1b}[31m\u{7}\u{9b}2J\u{202e}";
    let quiet = |ran: &Ran| {
        let loud = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!ran.err.contains(loud), "{:?}", ran.err);
        assert!(!ran.out.contains(loud), "{:?}", ran.out);
        ran.code
    };
    let name = format!("we{escape}b");
    assert_eq!(quiet(&run_args(&["-f", "-", &name], WEB)), Some(1));
    assert_eq!(quiet(&run_args(&["-f", &name], WEB)), Some(1));
    assert_eq!(
        quiet(&run_args(&["-f", "-", &format!("x{escape}/web")], WEB)),
        Some(1)
    );
    for flag in [
        "--now",
        "--assume",
        "--kubernetes-version",
        "--feature-gates",
        "-l",
        "-o",
        "--bogus",
    ] {
        assert_eq!(
            quiet(&run_args(&["-f", "-", flag, &name], WEB)),
            Some(1),
            "{flag}"
        );
    }
    assert_eq!(
        quiet(&run_args(&["-f", "-", &format!("--{escape}")], WEB)),
        Some(1)
    );

    let quoted = serde_json::to_string(&name).unwrap();
    let named = WEB.replacen("name: web", &format!("name: {quoted}"), 1);
    quiet(&run("-f -", &named));
    quiet(&run(
        "-f - -v",
        &WEB.replacen("kind: StatefulSet", &format!("kind: {quoted}"), 1),
    ));
    quiet(&run(
        "-f -",
        &WEB.replacen("replicas: 2", &format!("replicas: {quoted}"), 1),
    ));
    quiet(&run(
        "-f -",
        &WEB.replacen("replicas: 2", &format!("{quoted}: 2"), 1),
    ));
    quiet(&run("-f - -v", &WEB.replacen("nginx:1", &quoted, 1)));
}

/// GitHub's runner treats a line that begins with `::error` as a command.
#[test]
fn a_line_break_in_an_argument_is_escaped_in_the_error() {
    for args in [
        &["--such\n::error::x"][..],
        &["-o", "a\n::error::x"],
        &["--now", "a\n::error::x"],
        &["--color", "a\n::error::x"],
        &["--partition", "a\n::error::x"],
        &["-f", "x", "explain", "a", "--such=b\n::error::x"],
    ] {
        let ran = run_args(args, "");
        assert_eq!(ran.code, Some(1), "{args:?}: {}", ran.err);
        let forged = ran.err.lines().any(|line| line.starts_with("::"));
        assert!(!forged, "{args:?}: {}", ran.err);
    }
}

#[test]
fn the_last_second_of_the_year_9999_is_a_time() {
    let args = "-f - --now 9999-12-31T23:59:59Z";
    let ran = run(args, &named("web"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let created = named("web").replacen(
        "name: web",
        "name: web\n  creationTimestamp: '9999-12-31T23:59:59Z'",
        1,
    );
    let ran = run("-f -", &created);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for wrong in ["9999-12-32T00:00:00Z", "9999-12-31T25:00:00Z", "9999-12-31"] {
        assert_ne!(
            run(&format!("-f - --now {wrong}"), &named("web")).code,
            Some(0)
        );
    }
}

#[test]
fn one_input_gives_the_same_bytes_twice() {
    let both = format!("{WEB}---\n{}", named("db"));
    for format in ["table", "json", "yaml"] {
        for input in [WEB, &both] {
            let args = format!("-f - --now 2026-01-01T00:00:00Z -v -o {format}");
            let first = run(&args, input);
            assert_done(&first, 0);
            assert_eq!(first.out, run(&args, input).out, "{format}");
        }
    }
}

/// `kubectl sts-plan -f - | head -1`: no error and no message, and the exit code that the flags ask for.
#[test]
fn a_closed_pipe_is_no_error() {
    let works = "exit code 2: default/web has work to do and completes\n";
    // More than a pipe buffers.
    let many: String = (0..300)
        .map(|number| format!("{}---\n", named(&format!("web{number}"))))
        .collect();
    for (args, stdin, expected) in [
        ("-f - -o json", &*many, (0, "")),
        ("-f - -o yaml", &many, (0, "")),
        ("-f - -o table", &many, (0, "")),
        ("-f -", WEB, (0, "")),
        ("-f - --detailed-exitcode", WEB, (2, works)),
    ] {
        let mut command = program();
        command
            .args(args.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        // Only now does it get an object to plan.
        child
            .stdin
            .take()
            .unwrap()
            .write_all(stdin.as_bytes())
            .unwrap();
        let ran = Ran::from(child.wait_with_output().unwrap());
        let (code, said) = expected;
        assert_eq!((ran.code, &*ran.err), (Some(code), said), "{args}");
    }
}

#[test]
fn usage_has_the_name_of_the_executable() {
    for (argv0, shown) in [
        ("kubectl-sts_plan", "Usage: kubectl sts-plan [OPTIONS]"),
        (
            "/usr/local/bin/kubectl-sts_plan",
            "Usage: kubectl sts-plan [OPTIONS]",
        ),
        ("/opt/sts-plan", "Usage: sts-plan [OPTIONS]"),
    ] {
        let mut command = program();
        command.arg0(argv0).arg("--help");
        let ran = feed(command, "");
        assert!(ran.out.contains(shown), "{argv0}: {}", ran.out);
    }
}

/// Runs through kubectl itself, if installed: it passes on arguments, standard input and the exit code.
#[test]
fn kubectl_finds_its_plugin() {
    let plugins = Path::new(PROGRAM).parent().unwrap().to_str().unwrap();
    let path = format!("{plugins}:/usr/local/bin:/usr/bin:/bin");
    let kubectl = |args: &str| {
        let mut command = Command::new("kubectl");
        command
            .env_clear()
            .env("HOME", nonexistent!())
            .env("PATH", &path)
            .args(args.split_whitespace());
        command
    };
    let found = kubectl("version --client").output();
    if !found.is_ok_and(|output| output.status.success()) {
        println!("not tested: no kubectl on the PATH");
        return;
    }
    let ran = feed(kubectl("sts-plan -f - --detailed-exitcode sts/web"), WEB);
    assert_done(&ran, 2);
    assert!(ran.out.contains("default/web"), "{}", ran.out);
    let ran = feed(
        kubectl("sts-plan -f - --detailed-exitcode --assume web-0=never-ready"),
        WEB,
    );
    assert_done(&ran, 3);
    assert_error(&feed(kubectl("sts-plan"), ""), &["no cluster configured"]);
    let ran = feed(kubectl("sts-plan --help"), "");
    assert!(
        ran.out.contains("Usage: kubectl sts-plan [OPTIONS]"),
        "{}",
        ran.out
    );
}

/// Fields that kubectl would reject are rejected, unless `--validate` allows them.
#[test]
fn unknown_fields_are_rejected_or_found() {
    let typo = WEB.replace("  replicas: 2\n", "  replica: 2\n");
    let folder = folder("unknown");
    let file = folder.join("new.yaml");
    fs::write(&file, &typo).unwrap();
    let file = file.to_str().unwrap();
    let apply = |more: &[&str]| {
        run_args(
            &[&["-f", "-", "--apply", file, "-o", "json"], more].concat(),
            WEB,
        )
    };
    let refused = apply(&["--fail-on", "rejected"]);
    assert_eq!(refused.code, Some(4), "{}", refused.err);
    let plan: Value = serde_json::from_str(&refused.out).unwrap();
    let by = &plan["outcome"]["blockedBy"][0];
    assert_eq!(by["reason"], "UnknownField");
    let says = "spec.replica: unknown field, did you mean replicas?";
    assert_eq!(by["message"], says);
    for format in [
        "table", "markdown", "summary", "sarif", "github", "junit", "html",
    ] {
        let ran = run_args(&["-f", "-", "--apply", file, "-o", format], WEB);
        assert!(ran.out.contains("spec.replica"), "{format}: {}", ran.out);
    }
    for how in ["--validate=warn", "--validate=ignore"] {
        let ran = apply(&[how, "--fail-on", "unknown-field"]);
        let warns = how.ends_with("warn");
        assert_eq!(
            ran.code,
            Some(if warns { 5 } else { 0 }),
            "{how}: {}",
            ran.err
        );
        // Once, as a finding with its place.
        let found = ran.out.contains("STS034") && ran.out.contains("did you mean replicas?");
        assert_eq!(found, warns, "{how}: {}", ran.out);
        assert!(!ran.err.contains("replicas?"), "{how}: {}", ran.err);
        let place = format!("(at {file}: document 1, line ");
        assert_eq!(ran.out.contains(&place), warns, "{how}: {}", ran.out);
    }
    let manifest = run("-f - --fail-on STS034", &typo);
    assert_eq!(manifest.code, Some(5), "{}", manifest.err);
    assert!(manifest.out.contains("STS034"), "{}", manifest.out);
}

/// A chart is applied without a namespace: the set of the dump is meant, not another one in `default`.
#[test]
fn a_manifest_goes_to_the_namespace_of_its_set() {
    let folder = folder("homeless");
    let file = folder.join("new.yaml");
    fs::write(&file, WEB).unwrap();
    let file = file.to_str().unwrap();
    let of = |namespace: &str| {
        let name = format!("name: web\n  namespace: {namespace}");
        WEB.replacen("name: web", &name, 1).replacen(
            "metadata:",
            &format!("metadata:\n  uid: {namespace}"),
            1,
        )
    };
    let ran = run_args(&["-f", "-", "--apply", file], &of("prod"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("prod/web") && !ran.out.contains("default/web"));
    assert!(ran.err.contains("assuming prod/web"), "{}", ran.err);
    let both = format!("{}---\n{}", of("prod"), of("test"));
    let several = run_args(&["-f", "-", "--apply", file], &both);
    assert_error(&several, &["prod/web and test/web", "-n"]);
    let chosen = run_args(&["-f", "-", "--apply", file, "-n", "test"], &both);
    assert!(
        chosen.out.contains("test/web"),
        "{}{}",
        chosen.out,
        chosen.err
    );
    assert_eq!(chosen.err, "");
}

#[test]
fn misplaced_words_suggest_their_meaning() {
    for (args, says) in [
        ("web.yaml", "use -f web.yaml to plan the sets in it"),
        ("-f - web.json", "--apply web.json"),
        ("verfy plan.json", "did you mean verify?"),
        ("-f - explian", "or did you mean the command explain?"),
        ("-f - -n nowhere", "StatefulSets exist in namespace default"),
        ("explain nonsense", "unknown finding \"nonsense\""),
    ] {
        let input = WEB.replacen("name: web", "name: web\n  namespace: default", 1);
        assert_error(&run(args, &input), &[says]);
    }
    let pages = run("explain downtime pdb", "").out;
    for id in ["STS015", "STS016", "STS023"] {
        assert!(pages.contains(id), "{id}");
    }
}

#[test]
fn findings_are_silenced_by_flag_and_annotation_and_counted() {
    let ids = |args: &[&str], input: &str| {
        let ran = run_args(&[&["-f", "-", "-o", "json"], args].concat(), input);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let plan: Value = serde_json::from_str(&ran.out).unwrap();
        let findings = plan["findings"].as_array().unwrap().iter();
        let ids: Vec<String> = findings
            .map(|finding| finding["id"].as_str().unwrap().to_owned())
            // The set has no readiness probe.
            .filter(|id| id != "STS040")
            .collect();
        (ids, ran.err)
    };
    let input = WEB.replace(
        "spec:\n  replicas: 2",
        "spec:\n  replicas: 2\n  revisionHistoryLimit: 0",
    );
    assert_eq!(ids(&[], &input).0, ["STS018"]);
    let (none, said) = ids(&["--ignore", "STS001,sts018", "-v"], &input);
    assert_eq!(
        (none.len(), &*said),
        (0, "ignored: STS018 on default/web (--ignore)\n")
    );
    let annotated = input.replace(
        "labels: {app: web}\nspec",
        "labels: {app: web}\n  annotations: {sts-plan/ignore: 'STS018,STS404'}\nspec",
    );
    let (none, said) = ids(&[], &annotated);
    assert!(none.is_empty());
    assert_eq!(
        said,
        "warning: StatefulSet web: annotation sts-plan/ignore has unknown finding \"STS404\": see kubectl sts-plan explain\n"
    );
    assert_error(
        &run("-f - --ignore STS404", &input),
        &["STS404", "expected an id (STS001 to"],
    );
}

#[test]
fn sets_of_one_run_are_checked_together() {
    let budget = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: all}\nspec: {maxUnavailable: 1, \
                  selector: {matchLabels: {app: web}}}\n";
    let twin = WEB.replace("name: web\n  labels", "name: twin\n  labels");
    let ran = run_args(
        &["-f", "-", "-o", "json"],
        &format!("{WEB}---\n{twin}---\n{budget}"),
    );
    let plans: Value = serde_json::from_str(&ran.out).unwrap();
    for plan in plans["items"].as_array().unwrap() {
        let found = plan["findings"].as_array().unwrap().iter();
        let ids: Vec<&Value> = found.map(|finding| &finding["id"]).collect();
        assert_eq!(ids, ["STS021", "STS040"]);
    }
}

/// A manifest without a set is an error: otherwise, a chart that renders nothing would pass every gate.
#[test]
fn applying_no_set_is_an_error() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n";
    for applied in ["", service] {
        let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rollout.yaml");
        let ran = run_args(&["-f", fixture, "--apply", "-"], applied);
        assert_eq!((ran.code, &*ran.out), (Some(1), ""));
        assert_eq!(
            ran.err,
            "error: no StatefulSet in the manifest to apply: standard input\n"
        );
    }
}

/// Every form of `kubectl get`, and the output of `-o name`.
#[test]
fn a_set_is_named_as_kubectl_get_names_it() {
    let folder = folder("names");
    let file = folder.join("web.yaml");
    fs::write(
        &file,
        format!("{WEB}---\n{}", WEB.replace("name: web", "name: api")),
    )
    .unwrap();
    let run = |names: &[&str]| {
        let mut command = program();
        command.args(names).args(["-o", "name", "-f"]).arg(&file);
        Ran::from(command.output().unwrap())
    };
    let printed = run(&["web"]).out;
    for names in [
        &[printed.trim()][..],
        &["statefulset.v1.apps/web"],
        &["sts", "web"],
        &["pod/web-1"],
        &["po", "web-0", "web-1"],
    ] {
        let ran = run(names);
        assert_eq!(
            (ran.code, &*ran.out),
            (Some(0), "statefulset.apps/web\n"),
            "{names:?}: {}",
            ran.err
        );
    }
    let both = "statefulset.apps/api\nstatefulset.apps/web\n";
    for names in [&["sts"][..], &["sts", "-A"], &["sts", "api", "web"]] {
        assert_eq!(run(names).out, both, "{names:?}");
    }
}
