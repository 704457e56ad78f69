//! Other ways to install, and their requirements: the crates, `cargo binstall`, the image, pre-commit.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{committed, manifest, platform_name, root, text};

fn cargo_toml(folder: &str) -> String {
    fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap()
}

/// The folders of the published packages: the program and the crates.
fn packages() -> Vec<String> {
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let names = crates.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut folders: Vec<String> = names.map(|name| format!("crates/{name}")).collect();
    folders.push(".".to_owned());
    folders.retain(|folder| !cargo_toml(folder).contains("publish = false"));
    assert!(folders.len() > 4, "{folders:?}");
    folders
}

/// crates.io requires these fields, and shows the readme.
#[test]
fn the_crates_have_the_fields_of_a_registry() {
    for folder in packages() {
        let manifest = cargo_toml(&folder);
        for key in [
            "description = ",
            "license.workspace",
            "repository.workspace",
            "keywords = ",
            "categories = ",
            "readme = \"README.md\"",
        ] {
            assert!(manifest.contains(&format!("\n{key}")), "{folder}: {key}");
        }
        assert!(root().join(&folder).join("README.md").is_file(), "{folder}");
        // A package contains only its own folder, nothing from above it.
        let license = fs::read_to_string(root().join(&folder).join("LICENSE"));
        let of_all = fs::read_to_string(root().join("LICENSE")).unwrap();
        assert_eq!(license.ok(), Some(of_all), "{folder}");
    }
}

/// The workspace is packed as by `cargo publish`, and every file that the sources include is in the package. The
/// registry's index is used offline if possible.
#[test]
#[cfg(unix)]
fn the_workspace_can_be_packed() {
    let version = Command::new(env!("CARGO"))
        .arg("--version")
        .output()
        .unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let minor = version
        .split('.')
        .nth(1)
        .and_then(|minor| minor.parse::<u32>().ok());
    if minor < Some(90) {
        test_kit::tell(&format!(
            "NOT RUN: {} cannot pack crates that need each other",
            version.trim()
        ));
        return;
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packed");
    let pack = |network: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(["package", "--workspace", "--no-verify", "--locked"])
            .arg("--allow-dirty")
            .args(network)
            .current_dir(root())
            .env("CARGO_TARGET_DIR", &target);
        cargo.output().unwrap()
    };
    let mut output = pack(&["--offline"]);
    if !output.status.success() {
        output = pack(&[]);
    }
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let mut taken_in = 0;
    for folder in packages() {
        let name = match folder.rsplit('/').next().unwrap() {
            "." => "kubectl-sts-plan",
            name => name,
        };
        let package = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
        let archive = target.join(format!("package/{package}.crate"));
        let bytes = fs::metadata(&archive).unwrap().len();
        // The limits of crates.io.
        assert!(bytes < 10 * 1024 * 1024, "{name}: {bytes} bytes");
        let unpacked = target.join("unpacked");
        fs::create_dir_all(&unpacked).unwrap();
        let status = Command::new("tar")
            .arg("xzf")
            .arg(&archive)
            .arg("-C")
            .arg(&unpacked)
            .status();
        assert!(status.unwrap().success());
        let mut left = vec![unpacked.join(&package).join("src")];
        while let Some(path) = left.pop() {
            if path.is_dir() {
                left.extend(
                    fs::read_dir(path)
                        .unwrap()
                        .map(|entry| entry.unwrap().path()),
                );
                continue;
            }
            let source = fs::read(&path).unwrap();
            let source = String::from_utf8_lossy(&source);
            let macros = ["include_str!(\"", "include_bytes!(\""];
            for file in macros.iter().flat_map(|begin| source.split(begin).skip(1)) {
                let file = file.split('"').next().unwrap();
                let file = path.parent().unwrap().join(file);
                assert!(file.is_file(), "{}: {}", path.display(), file.display());
                taken_in += 1;
            }
        }
    }
    assert!(taken_in > 2, "only {taken_in} files");
}

/// Each crate contains its sources, and no development files.
#[test]
#[cfg(unix)]
fn the_crates_have_their_sources() {
    for folder in packages() {
        let output = Command::new(env!("CARGO"))
            .args([
                "package",
                "--list",
                "--offline",
                "--locked",
                "--allow-dirty",
            ])
            .current_dir(root().join(&folder))
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{folder}: {error}");
        let files = String::from_utf8(output.stdout).unwrap();
        for file in ["Cargo.toml", "LICENSE", "README.md", "src/lib.rs"] {
            assert!(files.lines().any(|it| it == file), "{folder} lacks {file}");
        }
        let has_workflows = files.lines().any(|it| it.starts_with(".github/"));
        assert!(!has_workflows, "{folder}");
    }
}

/// `cargo binstall` finds the archive of each platform.
#[test]
fn binstall_uses_the_archives_of_a_release() {
    let toml = cargo_toml(".");
    let committed = manifest(&committed());
    for platform in committed["spec"]["platforms"].as_sequence().unwrap() {
        let archive = text(platform, "uri").rsplit('/').next().unwrap();
        let targets: &[&str] = match &*platform_name(platform) {
            "linux-amd64" => &["x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl"],
            "linux-arm64" => &["aarch64-unknown-linux-gnu", "aarch64-unknown-linux-musl"],
            "darwin-amd64" => &["x86_64-apple-darwin"],
            "darwin-arm64" => &["aarch64-apple-darwin"],
            "windows-amd64" => &["x86_64-pc-windows-msvc"],
            "windows-arm64" => &["aarch64-pc-windows-msvc"],
            other => panic!("{other} has no target"),
        };
        let format = if archive.ends_with(".zip") {
            "zip"
        } else {
            "tgz"
        };
        for target in targets {
            let section = format!(
                "[package.metadata.binstall.overrides.{target}]\n\
                 pkg-url = \"{{ repo }}/releases/download/v{{ version }}/{archive}\"\n\
                 pkg-fmt = \"{format}\"\n"
            );
            assert!(toml.contains(&section), "{section}");
        }
    }
    let repository = text(&committed, "spec.homepage");
    assert!(toml.contains(&format!("repository = \"{repository}\"")));
}

/// The image has only the program and certificates, and runs as an unprivileged user. The files that it copies exist.
#[test]
fn the_image_has_only_the_program() {
    let text = fs::read_to_string(root().join("Dockerfile")).unwrap();
    let mut stages: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
    {
        match line.strip_prefix("FROM ") {
            Some(from) => stages.push((from, Vec::new())),
            None => stages.last_mut().unwrap().1.push(line),
        }
    }
    let [
        (build, _),
        (certificates, none),
        (base, shared),
        (release, released),
        (last, built),
    ] = &stages[..]
    else {
        panic!("{stages:?}");
    };
    assert!(build.ends_with(" AS build"));
    assert!(certificates.ends_with(" AS certificates") && none.is_empty());
    assert_eq!(
        [*base, *release, *last],
        ["scratch AS base", "base AS release", "base"]
    );
    assert!(shared.contains(&"USER 65532:65532"));
    assert!(shared.contains(&"ENTRYPOINT [\"/kubectl-sts_plan\"]"));
    for line in [shared, released, built].into_iter().flatten() {
        let allowed = ["COPY ", "USER ", "ENTRYPOINT ", "ARG TARGETARCH"];
        assert!(allowed.iter().any(|it| line.starts_with(it)), "{line}");
        let source = line
            .strip_prefix("COPY ")
            .and_then(|rest| rest.split(' ').next());
        if let Some(source) = source.filter(|it| !it.starts_with("--from=")) {
            let from_release = source == "programs/linux-${TARGETARCH}/kubectl-sts_plan";
            assert!(from_release || root().join(source).is_file(), "{line}");
        }
    }
}

/// A hook is the program with existing flags, followed by the user's own. A rejected set fails the commit, and a valid
/// one does not.
#[test]
fn the_hooks_of_pre_commit_run() {
    let hooks = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let hooks = manifest(&hooks);
    let hooks = hooks.as_sequence().unwrap();
    assert_eq!(hooks.len(), 2);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pre-commit");
    let _ = fs::remove_dir_all(&folder);
    for name in ["good", "refused", "none"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    let set = |start: i32| {
        format!(
            "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {{name: web}}\nspec:\n  ordinals: {{start: {start}}}\n  \
             serviceName: web\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata: {{labels: {{app: \
             web}}}}\n    spec: {{containers: [{{name: app, image: app}}]}}\n"
        )
    };
    fs::write(folder.join("good/web.yaml"), set(0)).unwrap();
    fs::write(folder.join("refused/web.yaml"), set(-1)).unwrap();
    fs::write(
        folder.join("none/service.yaml"),
        "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n",
    )
    .unwrap();
    for hook in hooks {
        let mut entry = text(hook, "entry").split(' ');
        assert_eq!(entry.next(), Some("kubectl-sts_plan"));
        let args: Vec<&str> = entry.collect();
        assert_eq!(hook["pass_filenames"].as_bool(), Some(false));
        for (name, code) in [("good", 0), ("refused", 4), ("none", 1)] {
            let status = std::process::Command::new(env!("CARGO_BIN_EXE_kubectl-sts_plan"))
                .args(&args)
                .args(["-f", name, "-R"])
                .current_dir(&folder)
                .output()
                .unwrap();
            assert_eq!(status.status.code(), Some(code), "{name}: {status:?}");
        }
    }
}
