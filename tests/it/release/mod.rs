//! The parts of a release: archives, manifests of package managers, notes, the manual page, and the workflow.

use crate::program;

#[cfg(unix)]
pub mod action;
mod packages;
#[cfg(unix)]
mod static_program;
mod workflows;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_yaml::Value;

const VERSION: &str = concat!("v", env!("CARGO_PKG_VERSION"));

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn manifest(text: &str) -> Value {
    serde_yaml::from_str(text).unwrap()
}

fn committed() -> String {
    fs::read_to_string(root().join("krew-manifest.yaml")).unwrap()
}

fn run(program: &str, args: &[&str]) -> Result<String, String> {
    let output = Command::new(root().join(program))
        .args(args)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    if output.status.success() {
        Ok(text(output.stdout))
    } else {
        Err(text(output.stderr))
    }
}

fn text<'v>(value: &'v Value, path: &str) -> &'v str {
    let found = path.split('.').fold(value, |value, name| &value[name]);
    found
        .as_str()
        .unwrap_or_else(|| panic!("{path} is not a text: {found:?}"))
}

/// `os-arch` of a platform.
fn platform_name(platform: &Value) -> String {
    let labels = "selector.matchLabels";
    let os = text(platform, &format!("{labels}.os"));
    format!("{os}-{}", text(platform, &format!("{labels}.arch")))
}

/// krew's own rules for a manifest, and its index's rules for a plugin.
fn assert_valid(manifest: &Value) {
    assert_eq!(
        text(manifest, "apiVersion"),
        "krew.googlecontainertools.github.com/v1alpha2"
    );
    assert_eq!(text(manifest, "kind"), "Plugin");
    // The name is that of the executable, with dashes.
    assert_eq!(text(manifest, "metadata.name"), "sts-plan");
    let spec = &manifest["spec"];
    assert_eq!(text(spec, "version"), VERSION);
    assert!(text(spec, "homepage").starts_with("https://"));
    let short = text(spec, "shortDescription");
    assert!(
        !short.is_empty() && short.len() <= 50 && !short.ends_with('.'),
        "{short}"
    );
    assert!(!short.to_lowercase().contains("kubectl"), "{short}");
    for long in ["description", "caveats"] {
        let mut lines = text(spec, long).lines();
        assert!(lines.all(|line| line.len() <= 80), "{long}");
    }
    let platforms = spec["platforms"].as_sequence().unwrap();
    let names: BTreeSet<String> = platforms.iter().map(platform_name).collect();
    assert_eq!(
        names.len(),
        platforms.len(),
        "a platform stands there twice"
    );
    let expected = ["linux", "darwin", "windows"]
        .into_iter()
        .flat_map(|os| [format!("{os}-amd64"), format!("{os}-arm64")]);
    assert_eq!(names, expected.collect());
    for platform in platforms {
        let name = platform_name(platform);
        let windows = name.starts_with("windows");
        let archive = if windows { "zip" } else { "tar.gz" };
        let uri = text(platform, "uri");
        assert!(
            uri.starts_with("https://")
                && uri.ends_with(&format!("/{VERSION}/kubectl-sts_plan-{name}.{archive}")),
            "{uri}"
        );
        let sum = text(platform, "sha256");
        let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        assert!(sum.len() == 64 && sum.chars().all(is_hex), "{sum}");
        let bin = text(platform, "bin");
        assert_eq!(bin.ends_with(".exe"), windows, "{name}: {bin}");
        let files: Vec<&str> = platform["files"]
            .as_sequence()
            .unwrap()
            .iter()
            .map(|file| {
                assert_eq!(text(file, "to"), ".");
                text(file, "from")
            })
            .collect();
        assert_eq!(files, [bin, "LICENSE"], "{name}");
    }
}

#[test]
fn the_krew_manifest_is_valid() {
    assert_valid(&manifest(&committed()));
}

/// Packs every platform of the manifest.
#[cfg(unix)]
fn archives() -> PathBuf {
    let folder = program::new_folder("archives");
    let man = folder.join("page");
    fs::write(&man, ".TH page").unwrap();
    // The unoptimized program is large; any file packs alike, and so do licenses.
    let program = folder.join("program");
    fs::write(&program, "#!/bin/sh\n").unwrap();
    for platform in manifest(&committed())["spec"]["platforms"]
        .as_sequence()
        .unwrap()
    {
        let paths = [&program, &man, &man, &folder].map(|path| path.to_str().unwrap());
        run(
            ".ci/archive",
            &[&[platform_name(platform).as_str()], &paths[..]].concat(),
        )
        .unwrap();
    }
    folder
}

/// krew's naming guide advises against short names of resources. The name contains one, and both the manifest and the
/// text for reviewers explain why. `krew search` finds the long name.
#[test]
fn the_name_in_the_index_is_explained() {
    let manifest = manifest(&committed());
    let spec = &manifest["spec"];
    let description = text(spec, "description").replace('\n', " ");
    assert!(description.contains("The name uses kubectl's own short name of StatefulSets"));
    assert!(text(spec, "shortDescription").contains("StatefulSet"));
    let name = text(&manifest, "metadata.name");
    assert!(
        name.chars().all(|it| it.is_ascii_lowercase() || it == '-'),
        "{name}"
    );
    assert!(
        !name.contains("kubectl") && !name.starts_with("kube"),
        "{name}"
    );
    let notes = fs::read_to_string(root().join("packaging/krew-submission.md")).unwrap();
    for reason in ["abbreviations", "no aliases", "statefulset-plan"] {
        assert!(notes.contains(reason), "{reason}");
    }
}

/// A release fills in its values, and every archive has the files that the manifest extracts.
#[test]
#[cfg(unix)]
fn a_release_fills_the_krew_manifest_in() {
    let folder = archives();
    let at = folder.to_str().unwrap();
    let filled = run(".ci/krew", &[VERSION, "acme/plans", at]).unwrap();
    let manifest = manifest(&filled);
    assert_valid(&manifest);
    for platform in manifest["spec"]["platforms"].as_sequence().unwrap() {
        let uri = text(platform, "uri");
        assert!(
            uri.starts_with("https://github.com/acme/plans/releases/download/"),
            "{uri}"
        );
        let archive = folder.join(uri.rsplit('/').next().unwrap());
        let sums = Command::new("sha256sum").arg(&archive).output().unwrap();
        let sum = String::from_utf8(sums.stdout).unwrap();
        assert_eq!(
            sum.split(' ').next(),
            Some(text(platform, "sha256")),
            "{uri}"
        );
        let names = names_in(&archive);
        let script = "completions/kubectl_complete-sts_plan";
        for file in [
            text(platform, "bin"),
            "LICENSE",
            "README.md",
            "THIRD-PARTY-NOTICES.txt",
            script,
            "man/kubectl-sts_plan.1",
        ] {
            assert!(names.contains(file), "{uri} lacks {file}: {names:?}");
        }
        for file in named_by_its_pages(&names) {
            assert!(names.contains(&file), "{uri} names {file}, and lacks it");
        }
    }
    fs::remove_file(folder.join("kubectl-sts_plan-linux-arm64.tar.gz")).unwrap();
    let missing = run(".ci/krew", &[VERSION, "acme/plans", at]).unwrap_err();
    assert!(
        missing.contains("linux-arm64.tar.gz does not exist"),
        "{missing}"
    );
}

/// Returns the files that the pages of an archive link to or plan.
#[cfg(unix)]
fn named_by_its_pages(names: &BTreeSet<String>) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for page in names.iter().filter(|name| name.ends_with(".md")) {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
        for link in text.split("](").skip(1) {
            let link = link.split([')', '#']).next().unwrap();
            if !link.is_empty() && !link.contains("://") {
                let link = Path::new(folder).join(link);
                named.insert(link.to_str().unwrap().to_owned());
            }
        }
        let planned = text.split(['`', ' ', '\n']);
        named.extend(
            planned
                .filter(|word| word.starts_with("tests/fixtures/") && word.ends_with(".yaml"))
                .map(str::to_owned),
        );
    }
    assert!(named.contains("docs/usage.md"), "{named:?}");
    named
}

/// The names of the files in an archive.
#[cfg(unix)]
fn names_in(archive: &Path) -> BTreeSet<String> {
    let bytes = fs::read(archive).unwrap();
    let listed = if bytes.starts_with(b"PK") {
        Command::new("python3")
            .args(["-m", "zipfile", "-l"])
            .arg(archive)
            .output()
            .unwrap()
    } else {
        Command::new("tar")
            .arg("tzf")
            .arg(archive)
            .output()
            .unwrap()
    };
    String::from_utf8(listed.stdout)
        .unwrap()
        .lines()
        .map(|line| line.split(' ').next().unwrap().to_owned())
        .collect()
}

/// The same files give the same archive.
#[test]
#[cfg(unix)]
fn archives_are_reproducible() {
    let (once, again) = ["once", "again"]
        .map(|name| {
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("archive_{name}"));
            let _ = fs::remove_dir_all(&folder);
            let out = folder.to_str().unwrap();
            let files = ["linux-amd64", "LICENSE", "LICENSE", "LICENSE", out];
            run(".ci/archive", &files).unwrap();
            fs::read(folder.join("kubectl-sts_plan-linux-amd64.tar.gz")).unwrap()
        })
        .into();
    assert_eq!(once, again);
}

#[test]
#[cfg(unix)]
fn the_release_notes_have_this_version() {
    let notes = run(".ci/release-notes", &[VERSION]).unwrap();
    assert!(
        notes.lines().count() > 3 && !notes.contains("## "),
        "{notes}"
    );
    assert!(
        run(".ci/release-notes", &["v99.0.0"])
            .unwrap_err()
            .contains("v99.0.0")
    );
}

/// The template of krew-release-bot is the manifest with placeholders for the bot.
#[test]
#[cfg(unix)]
fn the_bots_template_is_the_krew_manifest() {
    let template = run(".ci/krew", &["--template"]).unwrap();
    let path = root().join(".krew.yaml");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &template).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), template);
    // As the bot fills it in.
    let filled: String = template
        .replace("{{ .TagName }}", VERSION)
        .lines()
        .map(|line| match line.split_once("{{addURIAndSha \"") {
            Some((indent, rest)) => {
                let uri = rest.split('"').next().unwrap();
                assert!(rest.ends_with(&format!("| indent {} }}}}", indent.len())));
                format!(
                    "{indent}uri: {uri}\n{indent}sha256: \"{}\"\n",
                    "0".repeat(64)
                )
            }
            None => format!("{line}\n"),
        })
        .collect();
    assert_eq!(manifest(&filled), manifest(&committed()));
}

/// The workflow's steps work with the built programs, and so does an archive for a user.
#[test]
#[cfg(target_os = "linux")]
fn a_release_dry_run_works() {
    let folder = program::new_folder("dry-run");
    let man = folder.join("page");
    fs::write(&man, manual_page()).unwrap();
    let files = folder.join("files");
    let program = env!("CARGO_BIN_EXE_kubectl-sts_plan");
    let args = [program, man.to_str().unwrap(), files.to_str().unwrap()];
    let told = run(".ci/release-dry-run", &args).unwrap();
    assert!(told.contains("prerelease=false"), "{told}");
    // Six archives, two manifests and their checksums.
    assert!(told.ends_with("has 9 files\n"), "{told}");
    let sums = fs::read_to_string(files.join("SHA256SUMS")).unwrap();
    assert_eq!(sums.lines().count(), 8, "{sums}");
    let formula = fs::read_to_string(files.join("kubectl-sts-plan.rb")).unwrap();
    for (line, sum) in formula.lines().filter_map(|line| {
        let sum = line.trim().strip_prefix("sha256 \"")?;
        Some((line, sum.trim_end_matches('"')))
    }) {
        assert!(sums.contains(sum), "{line}");
    }
    assert!(
        !formula.contains('@') && formula.contains("version \"0."),
        "{formula}"
    );
}

/// A tag with another version, or with none, releases nothing.
#[test]
#[cfg(unix)]
fn a_tag_of_another_version_is_rejected() {
    assert_eq!(
        run(".ci/release-check", &[VERSION]).unwrap(),
        "prerelease=false\n"
    );
    for (tag, problem) in [
        ("v99.0.0", "Cargo.toml has no line"),
        ("v1", "v1 is not a version"),
        ("main", "main is not a version"),
    ] {
        let error = run(".ci/release-check", &[tag]).unwrap_err();
        assert!(error.contains(problem), "{tag}: {error}");
    }
}

fn manual_page() -> Vec<u8> {
    let mut page = Vec::new();
    clap_mangen::Man::new(kubectl_sts_plan::internals::manual())
        .render(&mut page)
        .unwrap();
    page
}

/// The manual page has every flag, in its group.
#[test]
fn the_manual_page_has_every_flag() {
    let command = kubectl_sts_plan::internals::command();
    let page = String::from_utf8(manual_page()).unwrap().replace('\\', "");
    for argument in command.get_arguments() {
        if let Some(long) = argument.get_long() {
            assert!(page.contains(&format!("--{long}")), "--{long}");
        }
        if let Some(heading) = argument.get_help_heading() {
            assert!(page.contains(&heading.to_uppercase()), "{heading}");
        }
    }
    for text in [
        "\nExit codes:",
        "\nExit codes of -w:",
        "kubectl sts-plan -A",
    ] {
        assert!(page.contains(text), "{text}");
    }
}
