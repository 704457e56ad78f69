//! Command line completion: the candidates, kubectl's protocol, and the shell scripts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::program::{self, PROGRAM};

const ROLLOUT: &str = "tests/fixtures/rollout.yaml";
const SCRIPTS: [(&str, &str); 4] = [
    ("bash", "kubectl-sts_plan.bash"),
    ("zsh", "_kubectl-sts_plan"),
    ("fish", "kubectl-sts_plan.fish"),
    ("powershell", "kubectl-sts_plan.ps1"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn output(command: &mut Command) -> String {
    let output = command
        .current_dir(root())
        // Not the cluster of the machine that runs the tests.
        .env("KUBECONFIG", nonexistent!())
        .env_remove("KUBERNETES_SERVICE_HOST")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The candidates without descriptions, and the directive.
fn offered(words: &[&str]) -> (Vec<String>, String) {
    let answer = output(Command::new(PROGRAM).arg("__complete").args(words));
    parse(&answer)
}

fn parse(answer: &str) -> (Vec<String>, String) {
    let mut lines: Vec<&str> = answer.lines().collect();
    let directive = lines.pop().unwrap().to_owned();
    let values = lines
        .iter()
        .map(|line| line.split('\t').next().unwrap().to_owned())
        .collect();
    (values, directive)
}

#[test]
fn possible_words_are_offered() {
    let cases: [(&[&str], &[&str], &str); 45] = [
        (
            &[],
            &[
                "completion",
                "demo",
                "diff",
                "dump",
                "explain",
                "help",
                "rbac",
                "schema",
                "verify",
                "versions",
            ],
            ":4",
        ),
        (&["ver"], &["verify", "versions"], ":4"),
        (&["schema", ""], &["plan", "policy", "stages"], ":4"),
        (&["schema", "plan", ""], &[], ":4"),
        (&["rbac", ""], &[], ":4"),
        (&["rbac", "--as"], &["--as", "--as-group"], ":4"),
        (&["dump", "-f", ROLLOUT, ""], &["web"], ":4"),
        (&["help", "ve"], &["verify", "versions"], ":4"),
        (&["help", "q"], &["questions"], ":4"),
        (&["-n", "x", "verify", "pl"], &[], ":0"),
        (&["-f", ROLLOUT, "verify", "-n", ""], &["prod"], ":4"),
        (&["-f", ROLLOUT, "-n", "verify", "w"], &[], ":4"),
        (&["-f", ROLLOUT, "db", "ver"], &[], ":4"),
        (&["explain", ""], &["STS001", "STS002"], ":4"),
        (&["explain", "STS001", ""], &["STS002"], ":4"),
        (&["verify", ""], &[], ":0"),
        (&["verify", "-n", "x", "pl"], &[], ":0"),
        (&["verify", "-o", "yam"], &["yaml"], ":4"),
        (&["--fail-on", "d"], &["data-loss", "downtime"], ":4"),
        (&["--fail-on", "blocked,STS003"], &["blocked,STS003"], ":4"),
        (&["--ignore", "STS00"], &["STS001", "STS002"], ":4"),
        (
            &["--ignore", "STS001,STS00"],
            &["STS001,STS002", "STS001,STS003"],
            ":4",
        ),
        (
            &["--require", "una"],
            &["unavailable<=", "unavailable>=", "unavailable=="],
            ":6",
        ),
        (&["--report", "jso"], &["json=", "jsonpath="], ":6"),
        (&["--report", "json=Cargo.t"], &["json=Cargo.toml"], ":4"),
        (&["--save", ""], &[], ":0"),
        (&["--policy", "p"], &[], ":0"),
        (&["--kubeconfig", ""], &[], ":0"),
        (
            &["-f", ROLLOUT, "web", "--delete-pod", "web-1"],
            &["web-1"],
            ":4",
        ),
        (
            &["completion", ""],
            &["bash", "zsh", "fish", "powershell"],
            ":4",
        ),
        (&["-f", ROLLOUT, "w"], &["web"], ":4"),
        (&["-f", ROLLOUT, "sts/w"], &["sts/web"], ":4"),
        (&["-f", ROLLOUT, "web", ""], &[], ":4"),
        (&["-f", ROLLOUT, "-n", ""], &["prod"], ":4"),
        (&["-f", ROLLOUT, "-n", "other", "w"], &[], ":4"),
        (&["-f", ROLLOUT, "--to-revision", ""], &["1", "0"], ":4"),
        (&["-f", ROLLOUT, "--image", ""], &["app="], ":6"),
        (&["-f", ROLLOUT, "web", "--grow", ""], &["data="], ":6"),
        (&["-f", ROLLOUT, "other", "--grow", ""], &[], ":4"),
        (
            &["-f", ROLLOUT, "web", "--assume", ""],
            &["web-0=", "web-1=", "web-2="],
            ":6",
        ),
        (
            &["-f", ROLLOUT, "--assume", "web-1=n"],
            &["web-1=never-ready", "web-1=never-gone"],
            ":4",
        ),
        (&["--min"], &["--min-ready-seconds"], ":4"),
        (&["-f", ""], &[], ":0"),
        (&["--filename="], &[], ":0"),
        (
            &[
                "--kubernetes-version",
                "1.33",
                "--feature-gates",
                "MaxUnavailableStatefulSet=",
            ],
            &["MaxUnavailableStatefulSet=true"],
            ":4",
        ),
    ];
    for (words, values, directive) in cases {
        let (found, told) = offered(words);
        let starting: Vec<&str> = found
            .iter()
            .map(String::as_str)
            .take(values.len().max(1))
            .collect();
        assert_eq!(
            (&starting[..], told.as_str()),
            (values, directive),
            "{words:?}"
        );
    }
}

/// A file that cannot be read, standard input, and an unfinished expression.
#[test]
fn unknown_facts_are_no_error() {
    for words in [
        &["-f", "/no/such/file", "w"][..],
        &["-f", "-", "w"],
        &["--replicas", "many", "--assume", ""],
        &["-A", "-A", "--nonsense", "w"],
        &["-f", "Cargo.toml", "w"],
    ] {
        assert_eq!(offered(words), (Vec::new(), ":4".to_owned()), "{words:?}");
    }
}

#[test]
fn the_scripts_match_the_output() {
    for (shell, file) in SCRIPTS {
        let path = root().join("completions").join(file);
        let printed = output(Command::new(PROGRAM).args(["completion", shell]));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, &printed).unwrap();
        }
        assert_eq!(fs::read_to_string(path).unwrap(), printed, "{shell}");
    }
}

#[test]
fn another_shell_is_named_in_the_error() {
    for (args, part) in [
        (&["completion", "tcsh"][..], "'tcsh'"),
        (&["completion"], "<SHELL>"),
        (&["completion", "bash", "zsh"], "unexpected argument 'zsh'"),
    ] {
        let output = Command::new(PROGRAM).args(args).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.code() == Some(1) && error.contains(part),
            "{error}"
        );
    }
}

/// The request of each script is answered, here without the shell.
#[test]
fn every_shell_is_answered() {
    for (shell, _) in SCRIPTS {
        let answer = output(
            Command::new(PROGRAM)
                .args(["--", "kubectl-sts_plan", "-f", ROLLOUT, "w"])
                .env("STS_PLAN_COMPLETE", shell)
                .env("_CLAP_COMPLETE_INDEX", "3")
                .env("_CLAP_IFS", "\n"),
        );
        assert!(answer.starts_with("web"), "{shell}: {answer:?}");
    }
}

/// A folder with the program under its names.
fn folder(name: &str) -> PathBuf {
    let folder = program::new_folder(name);
    fs::copy(PROGRAM, folder.join("kubectl-sts_plan")).unwrap();
    folder
}

fn path_with(folder: &Path) -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path)))
        .unwrap()
}

/// Bash loads the script and completes through it.
#[test]
#[cfg(unix)]
fn bash_completes() {
    let folder = folder("bash_completes");
    let asked = "source completions/kubectl-sts_plan.bash
        COMP_WORDS=(kubectl-sts_plan -f tests/fixtures/rollout.yaml w) COMP_CWORD=3
        _clap_complete_kubectl_sts_plan kubectl-sts_plan w tests/fixtures/rollout.yaml
        printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", asked])
        .env("PATH", path_with(&folder));
    match bash.current_dir(root()).output() {
        // Outside of a completion, bash prints a warning about the missing space option.
        Ok(output) => assert_eq!(String::from_utf8(output.stdout).unwrap(), "web\n"),
        Err(_) => println!("not tested: no bash on the PATH"),
    }
}

/// `kubectl sts-plan <TAB>`, by the script and by the program under that name. On Windows, names end in `.exe`, and
/// kubectl treats that as part of the plugin's name.
#[test]
#[cfg(unix)]
fn kubectl_completes() {
    for (how, end) in [("script", ""), ("link", ""), ("windows", ".exe")] {
        let folder = folder(&format!("kubectl_completes_{how}"));
        let program = folder.join(format!("kubectl-sts_plan{end}"));
        fs::rename(folder.join("kubectl-sts_plan"), &program).unwrap();
        let name = folder.join(format!("kubectl_complete-sts_plan{end}"));
        if how == "script" {
            fs::copy(root().join("completions/kubectl_complete-sts_plan"), name).unwrap();
        } else {
            fs::hard_link(&program, name).unwrap();
        }
        let mut kubectl = Command::new("kubectl");
        kubectl
            .args(["__complete", &format!("sts-plan{end}"), "-f", ROLLOUT, "w"])
            .env("PATH", path_with(&folder))
            .current_dir(root());
        let Ok(answered) = kubectl.output() else {
            println!("not tested: no kubectl on the PATH");
            return;
        };
        let answer = String::from_utf8(answered.stdout).unwrap();
        assert_eq!(
            parse(&answer),
            (vec!["web".to_owned()], ":4".to_owned()),
            "{answer}"
        );
    }
}
