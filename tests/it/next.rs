//! `--next` on the command line.

use std::process::Command;

use serde_json::Value;

use crate::fixtures::items;
use crate::program;

/// Runs the program on these objects.
fn run(objects: &[Value], args: &[&str]) -> (i32, String, String) {
    let usual = ["--now", "2026-11-20T03:00:00Z", "--next"];
    program::run_on(objects, &[&usual[..], args].concat())
}

#[test]
fn standard_output_has_only_the_command_and_the_exit_code_the_rest() {
    let objects = items("on-delete");
    let (code, out, _) = run(&objects, &["--context", "prod eu"]);
    assert_eq!(
        (code, out.as_str()),
        (0, "kubectl delete pod web-1 -n prod --context='prod eu'\n")
    );
    let (code, out, error) = run(&objects, &["--require", "ready>=3"]);
    assert_eq!((code, out.as_str()), (5, ""), "{error}");
    assert!(error.contains("held back: "), "{error}");
    let (code, out, error) = run(&items("rollout"), &[]);
    assert_eq!((code, out.as_str()), (2, ""), "{error}");
    assert!(error.contains("wait: "), "{error}");
    let (code, out, error) = run(&items("crashloop"), &[]);
    assert_eq!((code, out.as_str()), (3, ""), "{error}");
    // If the controller decides the order, a message says so.
    let (code, out, error) = run(
        &items("partition"),
        &["--order", "primary-last=role=primary"],
    );
    assert!(error.contains("--order does not apply"), "{error}");
    assert_eq!((code, out.is_empty()), (2, true), "{error}");
    for (args, part) in [
        (&["--image", "app:2"][..], "make the change first"),
        (&["-o", "json"], "--output cannot be used with --next"),
        (&["--token", "x"], "--token would appear in the command"),
    ] {
        let (code, out, error) = run(&objects, args);
        assert_eq!((code, out.as_str()), (1, ""));
        assert!(error.contains(part), "{args:?}: {error}");
    }
}

/// The loop in the help, in a real shell, with recorded answers.
#[cfg(unix)]
#[test]
fn the_loop_of_the_help_waits_runs_and_ends() {
    let script = r#"
        n=0
        ask() { n=$(($(cat "$count") + 1)); echo $n > "$count"
            case $n in
                1|3) echo "echo ran $n"; return 0;;
                2) return 2;;
                *) return $end;;
            esac; }
        while cmd=$(ask) && [ -n "$cmd" ] || [ $? -eq 2 ]; do
            eval "${cmd:-echo waited}" || break
        done
    "#;
    for end in ["0", "1", "3", "5"] {
        let count = std::env::temp_dir().join(format!("next-loop-{}-{end}", std::process::id()));
        std::fs::write(&count, "0").unwrap();
        let output = Command::new("sh")
            .args(["-c", script])
            .env("count", &count)
            .env("end", end)
            .output()
            .unwrap();
        std::fs::remove_file(&count).unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        assert_eq!(out, "ran 1\nwaited\nran 3\n", "{end}");
    }
    let help = include_str!("../../docs/usage.md");
    assert!(help.contains(r#"while cmd=$(next) && [ -n "$cmd" ] || [ $? -eq 2 ]; do"#));
}
