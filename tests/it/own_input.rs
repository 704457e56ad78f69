//! A run never writes to the files that it reads.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::golden;
use crate::program::program;

/// A folder with a set in `a.yaml`, the same set in `dir/b.yaml`, a policy, and a link to the set.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("own-input-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("dir")).unwrap();
    let set = golden::root().join("fixtures/rollout.yaml");
    fs::copy(&set, folder.join("a.yaml")).unwrap();
    fs::copy(&set, folder.join("dir/b.yaml")).unwrap();
    fs::write(folder.join("policy.yaml"), "fail-on: [rejected]\n").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("a.yaml", folder.join("link.yaml")).unwrap();
    folder
}

fn run(folder: &Path, args: &str) -> Output {
    program()
        .args(args.split(' '))
        .current_dir(folder)
        .output()
        .unwrap()
}

#[test]
fn an_output_never_goes_to_an_input() {
    let folder = folder("refused");
    let names = ["a.yaml", "dir/b.yaml", "policy.yaml"];
    let before = names.map(|name| fs::read(folder.join(name)).unwrap());
    let mut cases = vec![
        "-f a.yaml --save a.yaml",
        "-f a.yaml --save dir/../a.yaml",
        "-f a.yaml --report json=a.yaml",
        "-f dir/b.yaml --apply a.yaml --save a.yaml",
        "-f dir --report json=plan.json --save dir/b.yaml",
        "-f dir -R --save dir/b.yaml",
        "-f a.yaml --policy policy.yaml --save policy.yaml",
    ];
    if cfg!(unix) {
        cases.push("-f a.yaml --save link.yaml");
        cases.push("-f link.yaml --save a.yaml");
    }
    for args in cases {
        let output = run(&folder, args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args}: {said}");
        assert!(said.contains("the file is also an input"), "{args}: {said}");
        let after = names.map(|name| fs::read(folder.join(name)).unwrap());
        assert!(after == before, "{args}");
    }
    for args in [
        "-f a.yaml --save new.json",
        "-f a.yaml --save new.json",
        "-f a.yaml --report json=/dev/null",
    ] {
        let output = run(&folder, args);
        assert_eq!(output.status.code(), Some(0), "{args}: {output:?}");
    }
}

#[test]
fn standard_output_that_is_an_input_is_rejected() {
    let folder = folder("redirected");
    for args in ["-f dir -o json", "dump -f dir"] {
        let out = fs::OpenOptions::new()
            .append(true)
            .open(folder.join("dir/b.yaml"))
            .unwrap();
        let before = fs::read(folder.join("dir/b.yaml")).unwrap();
        let output = program()
            .args(args.split(' '))
            .current_dir(&folder)
            .stdout(out)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args}: {said}");
        assert!(said.contains("which is also an input"), "{args}: {said}");
        assert!(
            fs::read(folder.join("dir/b.yaml")).unwrap() == before,
            "{args}"
        );
    }
}

#[test]
fn a_plan_is_not_saved_to_a_file_called_dash() {
    let folder = folder("dash");
    let output = run(&folder, "-f a.yaml --save -");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("use -o json"), "{said}");
    assert!(!folder.join("-").exists());
}
