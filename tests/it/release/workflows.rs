//! The workflows: their permissions and their commands, all of which exist.

use std::collections::BTreeSet;
use std::fs;

use serde_yaml::Value;

use super::{manifest, root};

/// Every workflow, by name, as text and as YAML.
fn workflows() -> Vec<(String, String, Value)> {
    let mut all: Vec<_> = fs::read_dir(root().join(".github/workflows"))
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, text.clone(), manifest(&text))
        })
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(all.len(), 3);
    all
}

/// The jobs of a workflow, by name.
fn jobs(workflow: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let jobs = workflow["jobs"].as_mapping().unwrap().iter();
    jobs.map(|(name, job)| (name.as_str().unwrap(), job))
}

fn steps(job: &Value) -> impl Iterator<Item = &Value> {
    job["steps"].as_sequence().unwrap().iter()
}

/// A tag can be moved to other code, so actions are pinned by commit, with the version in a comment.
#[test]
fn actions_are_pinned_by_commit() {
    for (name, text, _) in workflows() {
        for line in text.lines().filter(|line| line.contains("uses: ")) {
            let (_, action) = line.split_once("uses: ").unwrap();
            let (action, version) = action.split_once(" # v").unwrap_or((action, ""));
            let commit = action.split_once('@').map_or("", |(_, commit)| commit);
            let is_commit = commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit());
            assert!(is_commit && !version.is_empty(), "{name}: {line}");
        }
    }
}

/// Jobs have only the permissions that they name, and only the attesting job has the token for it.
#[test]
fn jobs_have_minimal_permissions() {
    for (name, _, workflow) in workflows() {
        assert!(
            workflow["permissions"].as_mapping().unwrap().is_empty(),
            "{name}"
        );
        for (job_name, job) in jobs(&workflow) {
            let permissions = job["permissions"].as_mapping().unwrap();
            let writes: BTreeSet<&str> = permissions
                .iter()
                .filter(|(_, value)| value.as_str() == Some("write"))
                .map(|(permission, _)| permission.as_str().unwrap())
                .collect();
            let attests = steps(job).any(|step| {
                let uses = step["uses"].as_str().unwrap_or_default();
                uses.starts_with("actions/attest-")
            });
            let expected: &[&str] = match (&*name, job_name) {
                ("release.yml", "attest") => &["attestations", "id-token"],
                ("release.yml", "image") => &["packages"],
                ("release.yml", "publish") => &["contents"],
                _ => &[],
            };
            assert_eq!(
                writes,
                expected.iter().copied().collect(),
                "{name} {job_name}"
            );
            assert_eq!(attests, job_name == "attest", "{name} {job_name}");
            for step in steps(job) {
                let checks_out = step["uses"]
                    .as_str()
                    .is_some_and(|it| it.contains("/checkout@"));
                if checks_out {
                    assert_eq!(step["with"]["persist-credentials"].as_bool(), Some(false));
                }
            }
        }
    }
}

/// Scripts of a job are shell, and get event data only through the environment.
#[test]
#[cfg(unix)]
fn scripts_are_shell_and_take_no_expressions() {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let mut count = 0;
    for (name, _, workflow) in workflows() {
        for (job_name, job) in jobs(&workflow) {
            for script in steps(job).filter_map(|step| step["run"].as_str()) {
                assert!(!script.contains("${{"), "{name} {job_name}: {script}");
                let mut bash = Command::new("bash")
                    .arg("-n")
                    .stdin(Stdio::piped())
                    .spawn()
                    .unwrap();
                bash.stdin
                    .take()
                    .unwrap()
                    .write_all(script.as_bytes())
                    .unwrap();
                assert!(
                    bash.wait().unwrap().success(),
                    "{name} {job_name}: {script}"
                );
                count += 1;
            }
        }
    }
    assert!(count > 15, "only {count} scripts");
}

/// The scripts that workflows name exist and are executable, and none is unused.
#[test]
#[cfg(unix)]
fn named_scripts_exist() {
    use std::os::unix::fs::PermissionsExt as _;
    let named = |text: &str| -> BTreeSet<String> {
        text.split(".ci/")
            .skip(1)
            .map(|rest| {
                rest.split(|c: char| !c.is_alphanumeric() && c != '-')
                    .next()
                    .unwrap()
                    .to_owned()
            })
            .collect()
    };
    let mut used = BTreeSet::from(["release-dry-run".to_owned()]);
    for (_, text, _) in workflows() {
        used.extend(named(&text));
    }
    let mut there = BTreeSet::new();
    for entry in fs::read_dir(root().join(".ci")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        // A folder is a program for contributors, not a script.
        if entry.file_type().unwrap().is_dir() {
            continue;
        }
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o111 != 0, name != "toolchain", "{name}");
        used.extend(named(&fs::read_to_string(entry.path()).unwrap()));
        there.insert(name);
    }
    assert_eq!(used, there);
}

/// The compiler of a release is pinned, to the same version as in the image.
#[test]
fn the_compiler_is_pinned() {
    let toolchain = fs::read_to_string(root().join(".ci/toolchain")).unwrap();
    let toolchain = toolchain.trim();
    assert_eq!(toolchain.split('.').count(), 3, "{toolchain}");
    let image = fs::read_to_string(root().join("Dockerfile")).unwrap();
    assert_eq!(image.matches("rust:").count(), 2);
    let pinned = format!("rust:{toolchain}-alpine@sha256:");
    assert_eq!(image.matches(&pinned).count(), 2);
    for (name, text, _) in workflows() {
        for line in text
            .lines()
            .filter(|line| line.contains("rustup toolchain install"))
        {
            // The only other toolchain is the oldest supported one.
            let oldest = name == "pull-request.yml" && line.contains("\"$oldest\"");
            assert!(
                line.contains("\"$(cat .ci/toolchain)\"") || oldest,
                "{name}: {line}"
            );
        }
    }
}
