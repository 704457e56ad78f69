//! The printed JSON can be read back into the types that wrote it, without loss and without manual parsing.

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sts_plan::fleet::ReportList;
use sts_plan::plan_diff::{PlanDiff, PlanDiffList};
use sts_plan::report::{Report, VersionDiff};
use sts_plan::verify::Update;
use sts_plan::verify::{Verification, VerificationList};

use crate::program;

const NOW: [&str; 2] = ["--now", "2026-11-21T12:00:00Z"];

/// Reads a document into the type of its kind, and compares the result of writing it again. Returns the kind.
fn assert_reads_back(text: &str) -> String {
    let kind: Value = serde_json::from_str(text).unwrap();
    let kind = kind["kind"].as_str().unwrap().to_owned();
    match kind.as_str() {
        "Plan" => same_bytes::<Report>(text),
        "PlanList" => same_bytes::<ReportList<'static>>(text),
        "Verification" => same_bytes::<Verification>(text),
        "VerificationList" => same_bytes::<VerificationList<'static>>(text),
        "PlanDiff" => same_bytes::<PlanDiff>(text),
        "PlanDiffList" => same_bytes::<PlanDiffList<'static>>(text),
        "VersionDiff" => same_bytes::<VersionDiff>(text),
        other => panic!("a document of kind {other}"),
    }
    kind
}

fn same_bytes<T: Serialize + DeserializeOwned>(text: &str) {
    let read: T = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let written = serde_json::to_string_pretty(&read).unwrap();
    let first = text.lines().zip(written.lines()).find(|(a, b)| a != b);
    assert_eq!(first, None);
    assert_eq!(text, format!("{written}\n"));
}

/// The same for a value, for tests that have a report and no text.
pub fn assert_value_reads_back(value: &Value) {
    let read = Report::deserialize(value).unwrap();
    assert_eq!(&serde_json::to_value(read).unwrap(), value);
}

/// All files of a folder, by name.
fn files(folder: &str) -> Vec<String> {
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    let files = paths.filter(|path| path.is_file());
    let mut files: Vec<String> = files
        .map(|path| path.to_str().unwrap().to_owned())
        .collect();
    files.sort();
    files
}

/// Goldens have their members in alphabetical order, so values are compared.
#[test]
fn goldens_read_back() {
    let goldens = files("tests/golden").into_iter();
    let goldens = goldens.filter(|path| path.ends_with(".json"));
    let texts = goldens.map(|path| fs::read_to_string(path).unwrap());
    let values = texts.map(|text| serde_json::from_str::<Value>(&text).unwrap());
    let plans: Vec<Value> = values
        .filter(|value| value["apiVersion"] == "sts-plan/v1")
        .collect();
    assert!(plans.len() >= 7, "{}", plans.len());
    plans.iter().for_each(assert_value_reads_back);
}

#[test]
fn plans_with_every_answer_read_back() {
    let stages = program::folder("report-types").join("stages.yaml");
    let text = "stages: [{change: {partition: 1}}, {after: 5m, change: {replicas: 5}}]\n";
    fs::write(&stages, text).unwrap();
    let stages = stages.to_string_lossy();
    let questions: [&[&str]; 9] = [
        &["--explore", "--faults", "1", "--budget", "1"],
        &[
            "--every-partition",
            "--what-if-fails",
            "--require",
            "quorum",
            "--ignore",
            "STS001",
        ],
        &["--what-if-fails=2", "--replicas", "5"],
        &["--drain", "na"],
        &["--image", "app:2", "--partition", "-1"],
        &["-A", "--options"],
        &[
            "-A",
            "--kubernetes-version",
            "1.32",
            "--upgrade-to",
            "1.34.1,1.36",
        ],
        &[
            "--partition",
            "1",
            "--restart",
            "--then",
            "--partition",
            "0",
            "--then",
            "--replicas",
            "5",
        ],
        &["--stages", &stages],
    ];
    let mut told = String::new();
    for file in [
        files("tests/fixtures"),
        files("demos"),
        files("tests/fixtures/trial"),
    ]
    .concat()
    {
        for flags in questions {
            let args = [&["-f", &file, "-o", "json"], &NOW[..], flags].concat();
            let (code, out, err) = program::run(&args);
            // Not every question fits every set.
            if out.is_empty() {
                assert!(code != 0 && !err.is_empty(), "{args:?}");
                continue;
            }
            assert_reads_back(&out);
            told.push_str(&out);
        }
    }
    let rollout = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rollout.yaml");
    let missing = [
        "sts/web",
        "sts/missing",
        "-n",
        "prod",
        "-f",
        rollout,
        "-o",
        "json",
    ];
    let (_, list, _) = program::run(&[&missing, &NOW[..]].concat());
    assert_reads_back(&list);
    told.push_str(&list);
    let server_side = |name: &str| {
        let root = env!("CARGO_MANIFEST_DIR");
        format!("{root}/tests/fixtures/server-side/{name}.json")
    };
    let manifest = fs::read_to_string(server_side("manifest")).unwrap();
    let mut manifest: Value = serde_json::from_str(&manifest).unwrap();
    manifest["spec"]["replicas"] = 5.into();
    let cluster = server_side("cluster");
    let apply = [
        "-f",
        &cluster,
        "--apply",
        "-",
        "--server-side",
        "-o",
        "json",
    ];
    let (_, conflict, _) = program::feed(&[&apply, &NOW[..]].concat(), &manifest.to_string());
    assert_reads_back(&conflict);
    told.push_str(&conflict);
    // The comparison above contains all of these. A member that never occurs would be untested.
    for member in [
        "analysis",
        "blames",
        "branches",
        "conflict",
        "counterexample",
        "eta",
        "evictions",
        "exploration",
        "history",
        "ignored",
        "leftOut",
        "lostClaims",
        "missing",
        "nextRollout",
        "nodes",
        "object",
        "options",
        "partitions",
        "remedies",
        "requirements",
        "skipped",
        "stages",
        "templateDiff",
        "upgrade",
        "errors",
    ] {
        assert!(
            told.contains(&format!("\"{member}\":")),
            "no plan has {member}"
        );
    }
}

#[test]
fn verifications_and_differences_read_back() {
    let folder = program::new_folder("report-types");
    let fixture = |name: &str| format!("{}/tests/fixtures/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    let save = |name: &str, file: &str, flags: &[&str]| {
        let path = folder.join(name).to_str().unwrap().to_owned();
        let args = ["-f", file, "--save", &path];
        let (_, _, err) = program::run(&[&args, &NOW[..], flags].concat());
        assert_eq!(err, "");
        path
    };
    let rollout = fixture("rollout");
    let plan = save("plan.json", &rollout, &[]);
    let other = save(
        "other.json",
        &rollout,
        &["--replicas", "1", "--image", "app:9"],
    );
    let read_back = |args: &[&str]| assert_reads_back(&program::run(args).1);
    let mut kinds = vec![
        read_back(&["diff", &plan, &other, "-o", "json"]),
        read_back(&["versions", "--diff", "1.24", "1.36", "-o", "json"]),
    ];
    for (plan, file) in [
        (&plan, &rollout),
        (&other, &rollout),
        (&plan, &fixture("scale-down")),
    ] {
        for now in ["2026-11-21T12:00:07Z", "2026-11-21T13:00:00Z"] {
            kinds.push(read_back(&[
                "verify", plan, "-f", file, "-o", "json", "--now", now,
            ]));
        }
    }
    // Answers to other questions are saved with a plan.
    let zones = fixture("trial/p-zone");
    let upgrade = ["--kubernetes-version", "1.32", "--upgrade-to", "1.36"];
    let stages = [
        "--partition",
        "1",
        "--restart",
        "--then",
        "--partition",
        "0",
    ];
    for (at, (file, flags)) in [
        (&rollout, &["--options"][..]),
        (&fixture("crashloop"), &["--options"]),
        (&rollout, &upgrade),
        (&rollout, &stages),
        (
            &rollout,
            &["--explore", "--what-if-fails", "--every-partition"],
        ),
        (&zones, &["--drain", "na", "--require", "quorum"]),
    ]
    .into_iter()
    .enumerate()
    {
        let saved = save(&format!("asked-{at}.json"), file, flags);
        assert_reads_back(&fs::read_to_string(&saved).unwrap());
        kinds.push(read_back(&["diff", &plan, &saved, "-o", "json"]));
        let verify = ["verify", &saved, "-f", file, "-o", "json"];
        kinds.push(read_back(&[&verify, &NOW[..]].concat()));
    }
    let many = concat!(env!("CARGO_MANIFEST_DIR"), "/demos/many.yaml");
    let (first, second) = (
        save("many.json", many, &["-A"]),
        save("more.json", many, &["-A", "--replicas", "7"]),
    );
    kinds.push(read_back(&["diff", &first, &second, "-o", "json"]));
    let verify = ["verify", &first, "-f", many, "-o", "json"];
    kinds.push(read_back(&[&verify, &NOW[..]].concat()));
    for kind in [
        "PlanDiff",
        "PlanDiffList",
        "VersionDiff",
        "Verification",
        "VerificationList",
    ] {
        assert!(kinds.iter().any(|found| found == kind), "{kind}: {kinds:?}");
    }
}

/// A watch writes one line per update: the members of the plan, and `since`.
#[test]
fn updates_of_a_watch_read_back() {
    let rollout = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rollout.yaml");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report-types-update.json");
    let path = path.to_str().unwrap();
    let plan = [&["-f", rollout, "--save", path, "-o", "json"], &NOW[..]].concat();
    let mut update: Value = serde_json::from_str(&program::run(&plan).1).unwrap();
    let verify = [&["verify", path, "-f", rollout, "-o", "json"], &NOW[..]].concat();
    update["since"] = serde_json::from_str(&program::run(&verify).1).unwrap();
    let read = Update::deserialize(&update).unwrap();
    assert!(read.since.is_some());
    assert_eq!(serde_json::to_value(read).unwrap(), update);
}
