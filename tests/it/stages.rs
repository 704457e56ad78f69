//! `--then` and `--stages` on the command line and in the formats.

use serde_json::{Value, json};

use crate::program;

fn run_program(args: &[&str]) -> (i32, String, String) {
    let usual = [
        "-f",
        "tests/fixtures/rollout.yaml",
        "--now",
        "2026-11-21T12:00:00Z",
    ];
    program::run(&[&usual[..], args].concat())
}

fn plan(args: &[&str]) -> Value {
    let (_, out, error) = run_program(&[args, &["-o", "json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{args:?}: {error}"))
}

const CANARY: [&str; 10] = [
    "--image",
    "app=app:2",
    "--partition",
    "2",
    "--then",
    "--partition",
    "1",
    "--then",
    "--partition",
    "0",
];

#[test]
fn the_exit_code_is_that_of_the_worst_stage() {
    for (args, expected) in [
        (&["--detailed-exitcode"][..], 2),
        (&["--detailed-exitcode", "--assume", "web-1=never-ready"], 3),
        (
            &["--fail-on", "blocked", "--assume", "web-1=never-ready"],
            3,
        ),
        (&["--require", "ready>=3"], 5),
        (&["--then", "--set", "spec.serviceName=other"], 4),
        (&[], 0),
    ] {
        let (exit, _, error) = run_program(&[&CANARY, args].concat());
        assert_eq!(exit, expected, "{args:?}: {error}");
    }
}

#[test]
fn inapplicable_flags_are_rejected_with_stages() {
    for (args, expected) in [
        (&["--then"][..], "stage 2 changes nothing"),
        (
            &["--then", "--partition", "0", "--explore"],
            "--explore cannot be used with stages",
        ),
        (
            &["--then", "--partition", "0", "--drain", "node-1"],
            "--drain cannot be used with stages",
        ),
        (
            &["--then", "--apply", "-"],
            "only the first stage can read standard input",
        ),
        (
            &["--then", "--delete", "--replicas", "3"],
            "stage 2: --delete leaves no set for --replicas to change",
        ),
        (&["--then", "--to-revision", "77"], "stage 2: "),
        (&["--stages", "-"], "--stages cannot read standard input"),
        (
            &["--then", "--delete-pod", "web-9"],
            "--delete-pod web-9: no planned set has this pod",
        ),
    ] {
        let (exit, out, error) = run_program(args);
        assert_eq!((exit, &*out), (1, ""), "{args:?}");
        assert!(error.contains(expected), "{args:?}: {error}");
    }
}

/// Stages that only lower a partition: the way back raises it again, which returns no pod.
#[test]
fn the_way_back_says_how_many_pods_stay() {
    let lowered = [
        "demo",
        "canary",
        "--partition",
        "3",
        "--then",
        "--partition",
        "0",
    ];
    let (_, out, _) = program::run(&lowered);
    assert!(out.contains("0s, 0 restarts, 4 pods stay"), "{out}");
    let sentence = "4 updated pods are not rolled back";
    assert!(out.contains(sentence), "{out}");
}

#[test]
fn a_rejected_stage_prints_no_command() {
    let refused = file("refused.yaml", "stages:\n- change: {partition: -1}\n");
    let (exit, out, error) = run_program(&["--stages", &refused]);
    assert_eq!(exit, 4, "{error}");
    assert!(out.contains("Takes: REJECTED"), "{out}");
    assert!(out.contains("Plan: 1 stage: 0 to replace"), "{out}");
    assert!(!out.contains("Run:"), "{out}");
}

fn file(name: &str, text: &str) -> String {
    let path = format!("{}/stages-{name}", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_stages_file_equals_the_command_line_and_adds_more() {
    let text = "\
stages:
- name: one pod
  change: {image: app=app:2, partition: 2}
- name: all but one
  approval: the <database> team
  soak: 10m
  require: ['ready>=3']
  change: {partition: 1}
- change: {partition: 0}
";
    let path = file("more.yaml", text);
    let report = plan(&["--stages", &path]);
    let stages = report["stages"].as_array().unwrap();
    assert_eq!(stages[1]["name"], "all but one");
    assert_eq!(stages[1]["afterSeconds"], 600);
    assert_eq!(stages[1]["course"]["at"], 627);
    assert_eq!(stages[1]["course"]["requirements"][0]["holds"], false);
    let required = report["requirements"].as_array().unwrap();
    assert_eq!(required[0]["text"], "ready>=3 in stage 2");
    let (exit, page, error) = run_program(&["--stages", &path, "-o", "markdown"]);
    assert_eq!(exit, 5, "{error}");
    for line in [
        "#### Stage 2: all but one",
        "- [ ] Approval by the &lt;database&gt; team",
        "- [ ] Run 10m0s after the previous stage completes, 10m27s from now:",
        "- [ ] Check: 3 of 3 pods ready, 1 on revision web-7664b45cfb",
    ] {
        assert!(page.contains(line), "{line}: {page}");
    }
    // The same without the keys that only a file has.
    let plain = "\
stages:
- change: {image: app=app:2, partition: 2}
- change: {partition: 1}
- change: {partition: 0}
";
    let path = file("plain.yaml", plain);
    assert_eq!(plan(&["--stages", &path]), plan(&CANARY));
    let (exit, _, error) = run_program(&["--stages", &path, "--replicas", "2"]);
    assert_eq!(exit, 1);
    assert!(error.contains("move --replicas to the file"), "{error}");
}

#[test]
fn every_format_shows_the_stages() {
    for (format, parts) in [
        (
            "table",
            &[
                "STAGE  STARTS",
                "Stage 2, when the previous stage completes, 27s from now",
                "Undo:  54s and 2 restarts",
            ][..],
        ),
        ("wide", &["Stage 3, when"]),
        (
            "markdown",
            &["- [ ] Run now:", "Rollback from here: 1m21s and 3 restarts"],
        ),
        (
            "html",
            &[
                "Stage 3</h3>",
                "type=\"checkbox\"",
                "Rollback from here: 27s and 1 restart",
            ],
        ),
        ("svg", &["complete after 27s"]),
        ("yaml", &["noWayBack", "begins: at-rest"][1..]),
        ("summary", &["3 stages"]),
    ] {
        let (exit, out, error) = run_program(&[&CANARY[..], &["-o", format]].concat());
        assert_eq!(exit, 0, "{format}: {error}");
        for part in parts {
            assert!(out.contains(part), "{format}: {part}: {out}");
        }
    }
}

#[test]
fn the_set_is_created_again_in_a_stage_of_its_own() {
    let manifest = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/rollout.yaml"
    ))
    .unwrap();
    assert!(manifest.contains("serviceName: web"));
    let report = plan(&[
        "--delete=orphan",
        "--then",
        "--apply",
        "tests/fixtures/rollout.yaml",
    ]);
    let stages = report["stages"].as_array().unwrap();
    assert_eq!(stages[0]["course"]["check"]["replicas"], 0);
    assert_eq!(
        stages[1]["course"]["commands"],
        json!(["kubectl apply -f tests/fixtures/rollout.yaml -n prod"])
    );
    // The pods stayed, and are adopted.
    assert_eq!(report["outcome"]["result"], "complete");
    let operations = report["operations"].as_array().unwrap();
    let adopted = operations
        .iter()
        .filter(|it| it["operation"] == "adopt")
        .count();
    assert_eq!(adopted, 3, "{operations:?}");
    // The way back from a deleted set is to create it from a copy.
    let back = &stages[0]["course"]["back"];
    assert_eq!(
        back["commands"],
        json!(["kubectl apply -f web-before.yaml -n prod"])
    );
    assert!(
        back["copy"]
            .as_str()
            .unwrap()
            .ends_with("> web-before.yaml"),
        "{back}"
    );
}

#[test]
fn verify_says_which_stage_reality_is_in() {
    let saved = format!("{}/stages-saved.json", env!("CARGO_TARGET_TMPDIR"));
    let args = [
        "--partition",
        "3",
        "--then",
        "--partition",
        "0",
        "--save",
        &saved,
    ];
    let (exit, _, error) = run_program(&args);
    assert_eq!(exit, 0, "{error}");
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rollout.yaml");
    let before = std::fs::read_to_string(fixture).unwrap();
    for (generation, partition, stage) in [(3, 0, 1), (4, 3, 1), (5, 0, 2)] {
        let now = before
            .replace("generation: 3\n", &format!("generation: {generation}\n"))
            .replace("partition: 0\n", &format!("partition: {partition}\n"));
        let now = file("now.yaml", &now);
        let args = [
            "verify",
            &saved,
            "-f",
            &now,
            "-o",
            "json",
            "--now",
            "2026-11-21T12:00:03Z",
        ];
        let (_, out, error) = program::run(&args);
        let found: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{error}"));
        let told = &found["stage"];
        assert_eq!(
            (&told["number"], &told["of"]),
            (&json!(stage), &json!(2)),
            "{told}"
        );
        // The controller has not observed it yet, and nothing is finished.
        match stage {
            1 => assert_eq!(told["next"]["mayBegin"], false, "{told}"),
            _ => assert!(told.get("next").is_none(), "{told}"),
        }
    }
}

#[test]
fn the_stages_schema_matches_the_reader() {
    let schema = std::process::Command::new(env!("CARGO_BIN_EXE_kubectl-sts_plan"))
        .args(["schema", "stages"])
        .output()
        .unwrap();
    let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (text, valid) in [
        (
            r#"{"stages": [{"change": {"image": "app=app:2", "partition": 2}}]}"#,
            true,
        ),
        (
            r#"{"stages": [{"name": "a", "approval": "b", "require": "quorum", "change": {"restart": true}}, {"soak": "10m", "require": ["ready>=1"], "change": {"partition": "50%"}}]}"#,
            true,
        ),
        (
            r#"{"stages": [{}, {"after": "1m", "change": {"set": ["spec.minReadySeconds=5"]}}]}"#,
            true,
        ),
        (r#"{"stages": [{"change": {"delete": "orphan"}}]}"#, true),
        (r#"{"stages": [{"change": {"delete": true}}]}"#, true),
        ("{}", false),
        (r#"{"stages": []}"#, false),
        (r#"{"stages": [{"change": {"partiton": 2}}]}"#, false),
        (r#"{"stages": [{"change": {"delete": "slowly"}}]}"#, false),
        (
            r#"{"stages": [{"change": {"partition": {"at": 2}}}]}"#,
            false,
        ),
        (r#"{"stages": [{"change": {"restart": "now"}}]}"#, false),
        (r#"{"stages": [{"change": {"partition": [1, 2]}}]}"#, false),
        (r#"{"stages": [{"after": "1m", "soak": "1m"}]}"#, false),
        (r#"{"stages": [{"titel": "a"}]}"#, false),
        (r#"{"stages": [{}], "steps": []}"#, false),
    ] {
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(validator.is_valid(&value), valid, "{text}");
        // JSON is also YAML.
        let path = file("schema.yaml", text);
        let (_, _, error) = run_program(&["--stages", &path]);
        assert_eq!(!error.contains("schema.yaml: "), valid, "{text}: {error}");
    }
    // The schema has exactly the flags of the reader.
    let path = file("unknown.yaml", "stages:\n- change: {nonsense: 1}\n");
    let (_, _, error) = run_program(&["--stages", &path]);
    let (_, known) = error.trim().split_once("use one of ").unwrap();
    let known: Vec<&str> = known.split(", ").collect();
    let told = schema["$defs"]["Change"]["properties"].as_object().unwrap();
    let mut sorted = known.clone();
    sorted.sort_unstable();
    assert_eq!(told.keys().map(String::as_str).collect::<Vec<_>>(), sorted);
}

#[test]
fn the_last_of_many_images_is_the_image() {
    let images: Vec<String> = (0..5_000).map(|number| format!("app=x:{number}")).collect();
    let file = program::folder("many-images").join("stages.yaml");
    let stages = json!({"stages": [{"change": {"image": images}}]});
    std::fs::write(&file, stages.to_string()).unwrap();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rollout.yaml");
    let (code, out, error) = program::run(&[
        "-f",
        path.to_str().unwrap(),
        "--stages",
        file.to_str().unwrap(),
        "-o",
        "json",
        "--now",
        "2026-11-21T12:00:00Z",
    ]);
    assert_eq!(code, 0, "{error}");
    assert!(out.contains("x:4999"), "{out}");
    assert!(!out.contains("x:4998"), "{out}");
}
