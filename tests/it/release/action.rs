//! The steps of `action.yml`, run like on a runner, with a folder instead of GitHub's releases.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::{VERSION, manifest, root, run};
use crate::readme::changed_set;

/// Additional variables in the environment of a step.
type Env<'a> = &'a [(&'a str, &'a str)];

/// A runner: its folder, and the environment of every step.
pub struct Runner {
    pub folder: PathBuf,
}

impl Runner {
    pub fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("action_{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("temp")).unwrap();
        fs::create_dir_all(folder.join("bin")).unwrap();
        Runner { folder }
    }

    /// Runs a step with only these variables in its environment.
    pub fn step(&self, name: &str, env: Env<'_>) -> Output {
        let path = format!(
            "{}:{}:/usr/local/bin:/usr/bin:/bin",
            self.folder.join("bin").display(),
            self.folder.join("temp/sts-plan/bin").display(),
        );
        let file = |name: &str| self.folder.join(name);
        Command::new(root().join("packaging/action").join(name))
            .current_dir(&self.folder)
            .env_clear()
            .env("PATH", path)
            .env("HOME", nonexistent!())
            .env("KUBECONFIG", nonexistent!())
            .env("RUNNER_OS", "Linux")
            .env("RUNNER_ARCH", "X64")
            .env("RUNNER_TEMP", file("temp"))
            .env("GITHUB_PATH", file("path"))
            .env("GITHUB_OUTPUT", file("output"))
            .env("GITHUB_STEP_SUMMARY", file("summary"))
            .env("GITHUB_REPOSITORY", "acme/plans")
            .envs(env.iter().copied())
            .output()
            .unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap_or_default()
    }

    /// Puts the program on the path, as an installation does.
    pub fn with_program(self) -> Self {
        let link = self.folder.join("bin/kubectl-sts_plan");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_kubectl-sts_plan"), link).unwrap();
        self
    }

    /// Replaces a command with a script.
    fn with_command(self, name: &str, script: &str) -> Self {
        let path = self.folder.join("bin").join(name);
        fs::write(&path, format!("#!/bin/bash\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }
}

fn text_of(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8(both).unwrap()
}

#[test]
fn it_installs_a_release_whose_checksum_is_right() {
    let runner = Runner::new("install");
    let release = runner.folder.join("downloads").join(VERSION);
    fs::create_dir_all(&release).unwrap();
    let program = runner.folder.join("program");
    fs::write(&program, "#!/bin/sh\necho kubectl sts-plan 0\n").unwrap();
    let (program, out) = (program.to_str().unwrap(), release.to_str().unwrap());
    run(
        ".ci/archive",
        &["linux-amd64", program, "LICENSE", "LICENSE", out],
    )
    .unwrap();
    let archive = release.join("kubectl-sts_plan-linux-amd64.tar.gz");
    let sum = Command::new("sha256sum").arg(&archive).output().unwrap();
    let sum = text_of(&sum).split(' ').next().unwrap().to_owned();
    let sums = |line: &str| fs::write(release.join("SHA256SUMS"), line).unwrap();
    let downloads = format!("file://{}", runner.folder.join("downloads").display());
    let install = |env: Env<'_>| {
        let base = [
            ("STS_PLAN_DOWNLOADS", &*downloads),
            ("STS_PLAN_VERSION", VERSION),
        ];
        runner.step("install", &[&base[..], env].concat())
    };

    sums(&format!("{sum}  kubectl-sts_plan-linux-amd64.tar.gz\n"));
    let output = install(&[]);
    assert!(output.status.success(), "{output:?}");
    assert!(text_of(&output).contains("kubectl sts-plan 0"));
    let bin = runner.folder.join("temp/sts-plan/bin");
    assert_eq!(runner.read("path").trim(), bin.to_str().unwrap());
    assert!(install(&[("STS_PLAN_SHA256", &sum)]).status.success());

    // A wrong checksum from the release or the user, no checksum, no release, no such platform.
    let zeros = "0".repeat(64);
    let elsewhere = format!("{VERSION}/../../../evil");
    let cases: [(&str, Env<'_>, &str); 6] = [
        (
            &sum,
            &[("STS_PLAN_VERSION", &elsewhere)],
            "is not a release",
        ),
        (&sum, &[("STS_PLAN_SHA256", &zeros)], "has the checksum"),
        (&zeros, &[], "has the checksum"),
        ("", &[], "expected a checksum in SHA256SUMS"),
        (&sum, &[("STS_PLAN_VERSION", "main")], "is not a release"),
        (
            &sum,
            &[("RUNNER_ARCH", "ARM")],
            "there is no release for ARM",
        ),
    ];
    for (listed, env, problem) in cases {
        match listed {
            "" => sums(""),
            sum => sums(&format!("{sum}  kubectl-sts_plan-linux-amd64.tar.gz\n")),
        }
        fs::remove_dir_all(&bin).unwrap_or_default();
        let output = install(env);
        assert!(
            !output.status.success() && text_of(&output).contains(problem),
            "{output:?}"
        );
        assert!(!bin.join("kubectl-sts_plan").exists(), "{env:?}");
    }
}

/// A good change passes and a bad one fails; both leave the plan for later steps. Unreadable input fails, and leaves no
/// plan.
#[test]
fn it_plans_and_fails_by_its_inputs() {
    let world = root().join("tests/fixtures/rollout.yaml");
    let world = world.to_str().unwrap();
    let runner = Runner::new("plan").with_program();
    let change = |name: &str, replicas: i64| {
        let path = runner.folder.join(name);
        fs::write(&path, changed_set(replicas)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let good = change("good.yaml", 4);
    let bad = change("bad.yaml", -1);
    let empty = runner.folder.join("empty.yaml");
    fs::write(&empty, "").unwrap();
    let gates = ("STS_PLAN_FAIL_ON", "blocked,rejected");
    let cases: [(Env<'_>, &str, bool); 6] = [
        (&[("STS_PLAN_APPLY", &good), gates], "0", true),
        (
            &[
                ("STS_PLAN_APPLY", &good),
                gates,
                ("STS_PLAN_NAMESPACE", "prod"),
            ],
            "0",
            true,
        ),
        (&[("STS_PLAN_APPLY", &bad), gates], "4", true),
        (&[("STS_PLAN_APPLY", &bad)], "4", true),
        (
            &[("STS_PLAN_APPLY", empty.to_str().unwrap()), gates],
            "1",
            false,
        ),
        (
            &[
                (
                    "STS_PLAN_ARGS",
                    "--what-if-fails\n--kubernetes-version\n1.30\n",
                ),
                gates,
            ],
            "0",
            true,
        ),
    ];
    for (env, code, planned) in cases {
        for file in ["output", "summary"] {
            let _ = fs::remove_file(runner.folder.join(file));
        }
        let output = runner.step("plan", &[&[("STS_PLAN_FILE", world)], env].concat());
        assert_eq!(
            output.status.code().unwrap().to_string(),
            code,
            "{env:?}: {output:?}"
        );
        let outputs = runner.read("output");
        let outputs: BTreeMap<&str, &str> = outputs
            .lines()
            .filter_map(|it| it.split_once('='))
            .collect();
        assert_eq!(outputs["exit-code"], code, "{env:?}");
        assert_eq!(outputs.contains_key("markdown"), planned, "{env:?}");
        assert_eq!(
            runner.read("summary").contains("prod/web"),
            planned,
            "{env:?}"
        );
        if planned {
            let json = fs::read_to_string(outputs["json"]).unwrap();
            assert!(json.contains("\"kind\": \"Plan\""), "{env:?}");
        }
        // Without a plan, there is still an annotation.
        let says = String::from_utf8(output.stdout).unwrap();
        let annotated = says.contains("::error::no StatefulSet in the manifest to apply");
        assert_eq!(annotated, !planned, "{env:?}: {says}");
    }
}

/// A stand-in for `gh`, which answers with the token's user and with the comments in a file.
const GH: &str = r#"echo "$@" >>"$RUNNER_TEMP/calls"
filter=
for word; do [ "$last" != --jq ] || filter=$word; last=$word; done
case $* in
  *graphql*) echo '{"data": {"viewer": {"login": "github-actions[bot]"}}}' | jq -r "$filter" ;;
  *--jq*) jq -r "$filter" "$RUNNER_TEMP/comments" ;;
esac"#;

/// The first comment is new, the next replaces it, and one that is too long points to the rest. Another user's comment
/// is never replaced, whatever it begins with.
#[test]
fn it_comments_once_and_replaces_only_its_own_comment() {
    if Command::new("jq").arg("--version").output().is_err() {
        println!("comments not tested: no jq");
        return;
    }
    let runner = Runner::new("comment").with_command("gh", GH);
    let plan = runner.folder.join("plan.md");
    let comment = |text: &str, there: &[(u32, &str)]| {
        let there = there.iter().map(|(id, author)| {
            serde_json::json!({"id": id, "user": {"login": author},
                "body": "<!-- kubectl sts-plan -->\n### web\n"})
        });
        let there: serde_json::Value = there.collect();
        fs::write(&plan, text).unwrap();
        fs::write(runner.folder.join("temp/comments"), there.to_string()).unwrap();
        let _ = fs::remove_file(runner.folder.join("temp/calls"));
        fs::create_dir_all(runner.folder.join("temp/sts-plan")).unwrap();
        let env = [
            ("PULL_REQUEST", "7"),
            ("STS_PLAN_MARKDOWN", plan.to_str().unwrap()),
        ];
        let output = runner.step("comment", &env);
        assert!(output.status.success(), "{output:?}");
        (
            runner.read("temp/calls"),
            runner.read("temp/sts-plan/comment.md"),
        )
    };
    let new = "--method POST repos/acme/plans/issues/7/comments";
    let (calls, body) = comment("### web\n", &[]);
    assert!(calls.contains(new), "{calls}");
    assert_eq!(body, "<!-- kubectl sts-plan -->\n### web\n");
    let ours = "github-actions[bot]";
    let (calls, _) = comment("### web\n", &[(11, ours), (12, ours), (13, "mallory")]);
    assert!(
        calls.contains("--method PATCH repos/acme/plans/issues/comments/12"),
        "{calls}"
    );
    let (calls, _) = comment("### web\n", &[(13, "mallory")]);
    assert!(calls.contains(new), "{calls}");
    let (_, body) = comment(&"é".repeat(66_000), &[]);
    assert!(body.chars().count() < 65_536, "{}", body.chars().count());
    assert!(body.ends_with("é\n\nThe rest is in the summary of the run.\n"));
}

/// Every input reaches a step, and every variable of a step comes from an input or from the runner.
#[test]
fn the_inputs_are_those_of_the_steps() {
    let text = fs::read_to_string(root().join("action.yml")).unwrap();
    let action = manifest(&text);
    for (input, about) in action["inputs"].as_mapping().unwrap() {
        let name = input.as_str().unwrap();
        assert!(
            about["description"]
                .as_str()
                .is_some_and(|it| it.ends_with('.')),
            "{name}"
        );
        assert!(text.contains(&format!("inputs.{name}")), "{name}");
    }
    for step in action["runs"]["steps"].as_sequence().unwrap() {
        let command = step["run"].as_str().unwrap().trim_matches('"');
        let path = command.strip_prefix("$GITHUB_ACTION_PATH/").unwrap();
        let script = fs::read_to_string(root().join(path)).unwrap();
        for (variable, value) in step["env"].as_mapping().unwrap() {
            let variable = variable.as_str().unwrap();
            assert!(value.as_str().unwrap().starts_with("${{ "), "{variable}");
            // `gh` reads its token itself.
            assert!(
                script.contains(variable) || variable == "GH_TOKEN",
                "{path} {variable}"
            );
        }
    }
}
