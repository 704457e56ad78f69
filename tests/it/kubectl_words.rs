//! Words that kubectl users type: each works as in kubectl, or one line says what to type instead.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::program::{self, program};

const ROLLOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rollout.yaml");

fn run(args: &[&str]) -> Output {
    program().args(args).output().unwrap()
}

fn out(args: &[&str]) -> String {
    let output = run(args);
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{args:?}: {err}");
    String::from_utf8(output.stdout).unwrap()
}

/// The single line of the error.
fn refusal(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(1), "{args:?}");
    assert!(output.stdout.is_empty(), "{args:?}");
    let err = String::from_utf8(output.stderr).unwrap();
    let said = err
        .strip_suffix("\n\nFor more information, try '--help'.\n")
        .unwrap_or(&err);
    assert_eq!(said.trim_end().lines().count(), 1, "{args:?}: {err}");
    assert!(!err.contains("tip:"), "{args:?}: {err}");
    said.to_owned()
}

#[test]
fn a_directory_is_searched_only_if_it_is_named() {
    let said = refusal(&["-R"]);
    assert!(
        said.contains("--recursive requires a directory: add -f DIR"),
        "{said}"
    );
}

/// A negative number is the value of its flag, as in kubectl, and is for the API server to refuse.
#[test]
fn negative_numbers_are_values() {
    for (flag, says) in [
        ("--replicas", "spec.replicas: Invalid value: -1"),
        ("--partition", "partition: Invalid value: -1"),
        (
            "--min-ready-seconds",
            "spec.minReadySeconds: Invalid value: -1",
        ),
        ("--max-unavailable", "maxUnavailable: Invalid value: -1"),
    ] {
        let output = run(&["-f", ROLLOUT, flag, "-1"]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(says), "{flag}: {text}");
        assert_eq!(output.status.code(), Some(4), "{flag}");
    }
}

#[test]
fn flags_of_kubectl_are_rejected_with_the_flags_to_use() {
    for (flags, instead) in [
        (
            "-k base",
            "kubectl kustomize DIR | kubectl sts-plan --apply -",
        ),
        ("--kustomize=base", "kubectl kustomize DIR"),
        ("--dry-run", "every plan is a dry run; omit it"),
        ("--dry-run=client", "every plan is a dry run; omit it"),
        ("--all", "omit it, or use -A"),
        (
            "--field-selector metadata.name=web",
            "use NAME or -l SELECTOR",
        ),
        ("--show-labels", "use -l SELECTOR"),
        ("--sort-by=.metadata.name", "sort the items of -o json"),
        ("--undo", "use --to-revision 0"),
        ("--scale 3", "use --replicas N"),
        ("--cascade=orphan", "--delete=orphan"),
        ("--since 1h", "use kubectl logs POD --since DURATION"),
        ("--tail=10", "kubectl logs POD --tail N"),
        ("--revision 2", "use --to-revision N"),
        ("--template={{.x}}", "use -o jsonpath=TEMPLATE"),
        ("-o go-template={{.x}}", "use jsonpath=TEMPLATE"),
        ("-o go-template-file=x", "use jsonpath=TEMPLATE"),
        ("--timeout 1m", "--timeout requires a watch: add -w"),
        ("--timeout=1m", "--timeout requires a watch: add -w"),
        ("--on-change true", "--on-change requires a watch: add -w"),
        // Flags that would do nothing.
        (
            "--on-change-timeout 3s",
            "requires a command: add --on-change CMD",
        ),
        ("--faults 1", "requires an exploration: add --explore"),
        ("--return-after 5m", "requires a drain: add --drain NODE"),
        (
            "--apply-mode local",
            "requires a manifest: add --apply FILE",
        ),
        // Numbers and files that there are not.
        ("--replicas x", "expected a whole number"),
        (
            "--min-ready-seconds 99999999999",
            "expected a number from -2147483648 to 2147483647",
        ),
        ("--what-if-fails=3", "expected a number from 1 to 2"),
        (
            "--policy nowhere.yaml",
            "nowhere.yaml: no such file or directory",
        ),
        (
            "--stages nowhere.yaml",
            "nowhere.yaml: no such file or directory",
        ),
        ("--causes nowhere", "nowhere: no such file or directory"),
        ("-f ", "-f: the name of a file is empty"),
        (
            "web -l app=web",
            "-l cannot be combined with names: omit one of them",
        ),
        ("--ready-after 90", "use 90s for seconds"),
        ("-f -", "use -f - once"),
    ] {
        let mut args = vec![
            "-f",
            if instead == "use -f - once" {
                "-"
            } else {
                ROLLOUT
            },
        ];
        args.extend(flags.split(' '));
        let said = refusal(&args);
        assert!(said.contains(instead), "{flags}: {said}");
    }
}

/// Flags and formats that this program had before its first release.
#[test]
fn removed_flags_are_rejected_with_the_flags_to_use() {
    for (flags, instead) in [
        (
            "-o html --link-page https://example.com/plan.html",
            "drop the output of kubectl sts-plan dump on it",
        ),
        (
            "--restart --then-after 10m --partition 3",
            "use --stages FILE with {change: ..., after: DURATION}",
        ),
        ("--explore --max-states 2000", "use --budget MILLIONS"),
        ("-o tap", "use junit"),
        ("--report tap=a.tap", "use junit"),
        ("-o jsonpath-file=a", "use jsonpath=\"$(cat FILE)\""),
        ("-o custom-columns-file=a", "use custom-columns=HEADER:PATH"),
        ("--learn rollouts", "use --ready-after and --gone-after"),
        ("--learn=rollouts", "use --ready-after and --gone-after"),
    ] {
        let args = [&["-f", ROLLOUT][..], &flags.split(' ').collect::<Vec<_>>()].concat();
        let said = refusal(&args);
        assert!(said.contains(instead), "{flags}: {said}");
    }
    let said = refusal(&["verify", "plan.json", "--save", "later.json"]);
    assert!(
        said.contains("use kubectl sts-plan verify PLAN -o json > FILE"),
        "{said}"
    );
}

#[test]
fn commands_of_kubectl_are_rejected_with_the_flags_to_use() {
    for (words, instead) in [
        ("status web", "kubectl sts-plan NAME -w"),
        ("rollout status sts/web", "kubectl sts-plan NAME -w"),
        ("rollout undo sts/web --to-revision=3", "--to-revision 0"),
        ("scale web --replicas 3", "--replicas N"),
        ("get sts web", "use kubectl sts-plan NAME"),
        ("drain node-1 --ignore-daemonsets", "-A --drain NODE"),
        ("logs web-0", "kubectl logs POD"),
        ("logs web-0 --since 1h", "kubectl logs POD"),
        ("top pods", "kubectl top pods"),
        ("list sts", "kubectl sts-plan, or -A"),
        ("events web", "kubectl events --for"),
    ] {
        let said = refusal(&words.split(' ').collect::<Vec<_>>());
        assert!(said.contains(instead), "{words}: {said}");
        let command = words.split(' ').next().unwrap();
        assert!(said.contains(&format!("sts/{command}")), "{said}");
    }
    // Alone, or with its kind, such a word is the name of a set.
    for name in ["status", "sts/status"] {
        let said = refusal(&["-f", ROLLOUT, name]);
        assert!(
            said.contains("StatefulSet \"status\" not found in the input"),
            "{said}"
        );
    }
}

#[test]
fn a_command_of_kubectl_alone_is_answered_with_the_flag_to_use() {
    for (word, instead) in [
        ("apply", "use kubectl sts-plan --apply FILE"),
        ("plan", "use kubectl sts-plan NAME"),
        ("list", "use kubectl sts-plan, or -A"),
        ("logs", "use kubectl logs POD"),
        ("events", "use kubectl events"),
        ("top", "use kubectl top pods"),
    ] {
        let said = refusal(&[word, "-f", ROLLOUT]);
        assert!(
            said.contains(&format!("StatefulSet {word:?} not found")),
            "{said}"
        );
        let hint = format!("for the kubectl command {word}, {instead}");
        assert!(said.contains(&hint), "{word}: {said}");
    }
    for flags in [&["-f", ROLLOUT][..], &["--filename", ROLLOUT], &["x", "-R"]] {
        let said = refusal(&[&["diff"], flags].concat());
        assert!(said.contains("use kubectl sts-plan --apply FILE"), "{said}");
    }
}

#[test]
fn a_switch_may_have_a_boolean_value() {
    let moment = ["-f", ROLLOUT, "--now", "2026-01-01T00:00:00Z"];
    let plan = |flags: &[&str]| out(&[&moment[..], flags].concat());
    for flag in [
        "--watch=false",
        "-w=false",
        "-A=true",
        "--all-namespaces=false",
    ] {
        assert_eq!(plan(&[flag]), plan(&[]), "{flag}");
    }
    let said = refusal(&["-f", ROLLOUT, "-w=true"]);
    assert!(said.contains("-w watches a live cluster"), "{said}");
}

#[test]
fn one_flag_takes_several_files() {
    let folder = program::folder("several-files");
    let path = folder.join("other.yaml");
    let other = fs::read_to_string(ROLLOUT).unwrap();
    fs::write(&path, other.replace("namespace: prod", "namespace: test")).unwrap();
    let other = path.to_str().unwrap();
    let moment = ["--now", "2026-01-01T00:00:00Z"];
    let apart = out(&[&moment[..], &["-f", ROLLOUT, "-f", other]].concat());
    assert!(
        apart.contains("test/web") && apart.contains("prod/web"),
        "{apart}"
    );
    let joined = format!("{ROLLOUT},{other}");
    assert_eq!(out(&[&moment[..], &["-f", &joined]].concat()), apart);
}

#[test]
fn a_log_level_prints_more() {
    let plan =
        |flags: &[&str]| out(&[&["-f", ROLLOUT, "--now", "2026-01-01T00:00:00Z"], flags].concat());
    let more = plan(&["-v"]);
    assert_ne!(more, plan(&[]));
    for level in [&["-v=6"][..], &["-v", "6"], &["--v=6"]] {
        assert_eq!(plan(level), more, "{level:?}");
    }
    assert_eq!(plan(&["-v=0"]), plan(&[]));
}

#[test]
fn a_directory_with_a_kustomization_is_not_read_as_manifests() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kustomization");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("base")).unwrap();
    fs::copy(ROLLOUT, folder.join("rollout.yaml")).unwrap();
    let path = folder.to_str().unwrap();
    out(&["-f", path]);
    for name in ["kustomization.yaml", "base/Kustomization"] {
        let file = folder.join(name);
        // With a kind, it would be one object among others.
        fs::write(
            &file,
            "kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1\n",
        )
        .unwrap();
        let said = refusal(&["-R", "-f", path]);
        let wanted = "kubectl kustomize DIR | kubectl sts-plan -f -";
        assert!(said.contains(wanted), "{said}");
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn topics_have_a_page() {
    for (word, shows) in [
        ("drain", "--drain node-7"),
        ("undo", "--to-revision 0"),
        ("canary", "--partition"),
        ("pause", "--partition 3"),
        ("quorum", "--require quorum"),
        ("rollout", "-w"),
    ] {
        let page = out(&["help", word]);
        assert!(page.contains(shows), "{word}: {page}");
        assert!(
            page.lines().all(|line| line.chars().count() <= 80),
            "{page}"
        );
        let topic = page.lines().last().unwrap().rsplit(' ').next().unwrap();
        assert!(out(&["help", topic]).contains("Options:"), "{topic}");
    }
}

#[test]
fn other_words_for_a_topic_have_its_page() {
    for (word, page) in [
        ("watch", "watching"),
        ("policy", "gates"),
        ("causes", "explain"),
        ("findings", "explain"),
        ("output", "formats"),
    ] {
        assert_eq!(out(&["help", word]), out(&["help", page]), "{word}");
    }
}
