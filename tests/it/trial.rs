//! Real incidents: the program's output about each, in every format.

use crate::golden;
use crate::program;
use test_kit::kv::NOW;

/// A situation: the file, and the words of its verdict.
const SITUATIONS: [(&str, &str); 14] = [
    (
        "kafka-par-crash",
        "BLOCKED 30m: kafka-5 crash-loops on the new revision (kafka, exit 1, 17 restarts)",
    ),
    ("p-attach", "BLOCKED 35m: pg-2 cannot attach a volume"),
    (
        "p-quota",
        "STUCK for 1h0m: pg-2 cannot be created: it exceeds quota compute",
    ),
    ("p-zone", "BLOCKED 1h0m: pg-1 cannot be scheduled"),
    (
        "pg-crash",
        "BLOCKED 38m: pg-2 crash-loops on the new revision (postgres, exit 1, 17 restarts)",
    ),
    (
        "pg-done",
        "Nothing to do: the set matches its specification",
    ),
    ("pg-half", "Next: delete pg-1 (outdated, highest first)"),
    (
        "pg-nodelost",
        "STUCK for 36m: pg-1 is terminating on a node that is not responding",
    ),
    ("pg-ondelete", "WAITING FOR YOU: 2 pods are outdated"),
    (
        "pg-pending",
        "BLOCKED 12m: pg-2 cannot be scheduled on the new revision",
    ),
    ("pg-scaledown-blocked", "delete pg-2 (scale down to 1)"),
    (
        "pg-stsonly",
        "INPUT INCOMPLETE: status says 3 pods, the input has none",
    ),
    (
        "r-pvcterm",
        "Nothing to do: the set matches its specification",
    ),
    (
        "s-steady-notready",
        "STUCK for 1h59m: pg-1 is running but not ready",
    ),
];

fn file(name: &str) -> String {
    let root = golden::root();
    let path = root.join(format!("fixtures/trial/{name}.yaml"));
    path.to_string_lossy().into_owned()
}

/// Plans a situation.
fn run(name: &str, more: &[&str]) -> (i32, String, String) {
    program::run(&[&["-f", &file(name), "--now", NOW], more].concat())
}

#[test]
fn screens() {
    for (name, verdict) in SITUATIONS {
        let (_, screen, _) = run(name, &[]);
        let path = golden::root().join(format!("golden/trial/{name}.txt"));
        golden::check(&path, &screen.replace(&file(name), &format!("{name}.yaml")));
        let second = screen.lines().nth(1).unwrap();
        assert!(second.contains(verdict), "{name}: line 2 is\n{second}");
    }
}

/// The plain text of a format, without markup and escapes.
fn plain(text: &str) -> String {
    let mut out = text.to_owned();
    for (from, to) in [
        ("&#39;", "'"),
        ("&quot;", "\""),
        ("&gt;", ">"),
        ("&lt;", "<"),
        ("&amp;", "&"),
        ("\\", ""),
        ("`", ""),
        ("%25", "%"),
        ("%0A", " "),
    ] {
        out = out.replace(from, to);
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_format_says_the_verdict() {
    for (name, verdict) in SITUATIONS {
        // Only formats for people report a healthy set; a script format has its result.
        let stuck = ["BLOCKED", "STUCK", "INPUT"];
        if !stuck.iter().any(|word| verdict.starts_with(word)) {
            continue;
        }
        let (_, why) = verdict.split_once(": ").unwrap();
        for format in [
            "table", "wide", "markdown", "html", "svg", "github", "junit", "sarif", "json", "yaml",
        ] {
            let (_, text, errors) = run(name, &["-o", format]);
            let said = plain(&text);
            assert!(said.contains(why), "{name} -o {format}: {errors}\n{said}");
        }
        let (_, summary, _) = run(name, &["-o", "summary"]);
        let (state, _) = verdict.split_once(':').unwrap();
        assert!(summary.contains(state), "{name}: {summary}");
    }
}

#[test]
fn no_gate_passes_on_a_stuck_set_or_incomplete_input() {
    for (name, flags, code) in [
        ("pg-crash", &["--fail-on", "blocked"][..], 3),
        ("pg-nodelost", &["--detailed-exitcode"], 3),
        ("s-steady-notready", &["--fail-on", "blocked"], 3),
        ("p-attach", &["--fail-on", "blocked"], 3),
        ("p-quota", &["--fail-on", "blocked"], 3),
        // A crash loop counts as evidence, whatever is assumed about ready times.
        (
            "pg-crash",
            &["--fail-on", "blocked", "--ready-after", "90s"],
            3,
        ),
        // Evidence from elapsed time does not count if the time is given.
        (
            "s-steady-notready",
            &["--fail-on", "blocked", "--ready-after", "90s"],
            0,
        ),
        (
            "pg-nodelost",
            &["--fail-on", "blocked", "--gone-after", "5s"],
            0,
        ),
        (
            "pg-nodelost",
            &["--fail-on", "blocked", "--assume", "pg-1=recovers"],
            0,
        ),
        (
            "p-quota",
            &["--fail-on", "blocked", "--assume", "pg-2=recovers"],
            0,
        ),
        ("pg-stsonly", &[], 0),
        ("pg-stsonly", &["--fail-on", "blocked"], 1),
        ("pg-stsonly", &["--detailed-exitcode"], 1),
        ("pg-stsonly", &["--require", "unavailable<=3"], 1),
        (
            "pg-stsonly",
            &["--fail-on", "blocked", "--ignore", "STS033"],
            0,
        ),
        // The file has no budget, and does not claim to be complete.
        ("pg-nodelost", &["--fail-on", "pdb"], 1),
    ] {
        let (exit, _, errors) = run(name, flags);
        assert_eq!(exit, code, "{name} {flags:?}: {errors}");
        let gate = flags.contains(&"--fail-on");
        assert!(
            code == 0 || !gate || !errors.is_empty(),
            "{name} {flags:?} says no reason"
        );
    }
}

/// The commands of a remedy follow its condition and its risk, and each of them helps.
#[test]
fn remedies_address_the_cause() {
    for (name, wanted, never) in [
        (
            "pg-crash",
            &[
                "kubectl rollout undo sts/pg --to-revision=1 -n db\n        kubectl delete pod pg-2 -n db",
                "kubectl apply -f FILE",
            ][..],
            &["(not enough)"][..],
        ),
        (
            "kafka-par-crash",
            &["kubectl rollout undo", "kubectl apply -f FILE"],
            &["delete pod"],
        ),
        (
            "s-steady-notready",
            &["Look: kubectl describe pod pg-1 -n db"],
            &["apply", "undo", "delete pod"],
        ),
        (
            "pg-pending",
            &["kubectl describe pod pg-2"],
            &["undo", "apply", "completes after 25s"],
        ),
        ("p-zone", &["kubectl uncordon na"], &["undo", "apply"]),
        (
            "p-quota",
            &["kubectl describe quota compute -n db"],
            &["undo", "apply"],
        ),
        (
            "p-attach",
            &["kubectl describe pod pg-2"],
            &["undo", "apply", "delete pod"],
        ),
        (
            "pg-nodelost",
            &["out-of-service", "kubectl delete node"],
            &["undo", "apply"],
        ),
    ] {
        let (_, screen, _) = run(name, &[]);
        for words in wanted {
            assert!(screen.contains(words), "{name} lacks {words}\n{screen}");
        }
        let commands: Vec<&str> = screen
            .lines()
            .filter(|line| line.contains("kubectl "))
            .collect();
        for words in never {
            let found = commands.iter().find(|command| command.contains(words));
            assert_eq!(found, None, "{name}");
        }
    }
    let (_, screen, _) = run("pg-nodelost", &[]);
    let at = |words: &str| screen.find(words).unwrap();
    assert!(at("risk:") < at("kubectl taint") && at("if node") < at("risk:"));
    let (_, all, _) = run("pg-nodelost", &["-v"]);
    let at = |words: &str| all.find(words).unwrap();
    assert!(
        at("kubectl delete node") < at("--force"),
        "force comes last"
    );
}

const FORMATS: [&str; 9] = [
    "table", "wide", "summary", "markdown", "html", "svg", "github", "junit", "sarif",
];

/// Checks that the text contains the words in this order.
fn stand_in_order(text: &str, words: &[&str]) -> Result<(), String> {
    let mut from = 0;
    for word in words {
        match text[from..].find(word) {
            Some(at) => from += at + word.len(),
            None => return Err(format!("{word:?} is not there, or too early")),
        }
    }
    Ok(())
}

/// A broken requirement follows the verdict directly, in every format.
#[test]
fn every_format_shows_broken_requirements_after_the_verdict() {
    for (name, verdict) in SITUATIONS {
        let (_, why) = verdict.split_once(": ").unwrap_or(("", verdict));
        for format in FORMATS {
            let (code, text, errors) = run(name, &["-o", format, "--require", "ready>=9"]);
            let said = plain(&text);
            let stuck = ["BLOCKED", "STUCK", "INPUT"];
            let stuck = stuck.iter().any(|word| verdict.starts_with(word));
            // A script's line has the whole plan, and tests have theirs.
            let verdict = match format {
                "summary" | "github" | "junit" if !stuck => "Plan: ",
                "summary" if name == "pg-stsonly" => "INPUT INCOMPLETE",
                "github" | "junit" if name == "pg-stsonly" => "Plan: ",
                _ => why,
            };
            let breaks = match format {
                "summary" => "BREAKS ready>=9",
                _ => "ready>=9 is violated:",
            };
            if let Err(why) = stand_in_order(&said, &[verdict, breaks]) {
                panic!("{name} -o {format}: {why}\n{errors}\n{said}");
            }
            assert!(code == 5 || code == 1, "{name} -o {format}: {code}");
            assert_eq!(errors.lines().count(), 1, "{name} -o {format}: {errors}");
        }
    }
}

/// So does data loss, after the broken requirement.
#[test]
fn every_format_shows_data_loss_after_broken_requirements() {
    let file = golden::root().join("fixtures/trial/pg-half.yaml");
    let text = std::fs::read_to_string(file).unwrap();
    let text = text.replace("whenScaled: Retain", "whenScaled: Delete");
    let temporary = std::env::temp_dir().join(format!("sts-plan-lost-{}.yaml", std::process::id()));
    std::fs::write(&temporary, text).unwrap();
    let path = temporary.to_string_lossy();
    for format in FORMATS {
        let broken = ["--replicas", "1", "--require", "ready>=9"];
        let usual = ["-f", &path, "--now", NOW, "-o", format];
        let said = plain(&program::run(&[&usual[..], &broken].concat()).1);
        let verdict = match format {
            "summary" | "github" | "junit" => "Plan: ",
            _ => "Next: delete pg-2",
        };
        let words = match format {
            "summary" => [verdict, "BREAKS ready>=9", "LOSES DATA"],
            _ => [
                verdict,
                "ready>=9 is violated",
                "2 claims are deleted with their data",
            ],
        };
        if let Err(why) = stand_in_order(&said, &words) {
            panic!("-o {format}: {why}\n{said}");
        }
    }
    std::fs::remove_file(&temporary).unwrap();
}

/// Every format for people answers the additional questions.
#[test]
fn every_format_for_people_answers_the_questions() {
    let flags = [
        "--what-if-fails",
        "--partitions",
        "--explore",
        "--require",
        "ready>=0",
    ];
    for format in ["table", "wide", "markdown", "html", "svg"] {
        let (_, text, errors) = run("pg-half", &[&flags[..], &["-o", format]].concat());
        let said = plain(&text).to_lowercase();
        for words in [
            "ready>=0",
            "holds throughout",
            "every order",
            "if it fails",
            "revert, then delete pg-1",
            "revision after restart",
        ] {
            let svg = format == "svg" && matches!(words, "if it fails" | "revision after restart");
            assert!(
                svg || said.contains(words),
                "-o {format} lacks {words:?}: {errors}\n{said}"
            );
        }
    }
}
