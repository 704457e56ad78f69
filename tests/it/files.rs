//! The files that `-f` reads.

use std::fs;

use crate::program;
use kubectl_sts_plan::internals::read_paths;

#[test]
fn files_are_selected_as_by_kubectl() {
    let root = std::env::temp_dir().join(format!("sts-plan-manifest-{}", std::process::id()));
    let inner = root.join("inner");
    fs::create_dir_all(&inner).unwrap();
    fs::create_dir_all(root.join("empty")).unwrap();
    for (name, kind) in [
        ("b.yml", "B"),
        ("a.yaml", "A"),
        ("c.txt", "C"),
        ("inner/d.json", "D"),
    ] {
        fs::write(
            root.join(name),
            format!("{{\"apiVersion\":\"v1\",\"kind\":\"{kind}\"}}"),
        )
        .unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(&root, inner.join("loop")).unwrap();
    let path = |name: &str| root.join(name).to_string_lossy().into_owned();
    let kinds = |paths: &[String], recursive| {
        let mut stdin = "apiVersion: v1\nkind: Stdin\n".as_bytes();
        let reading =
            read_paths(paths, recursive, &mut stdin).map_err(|error| error.to_string())?;
        let kinds = reading
            .manifests
            .iter()
            .map(|manifest| manifest.kind.to_string());
        Ok::<_, String>(kinds.collect::<Vec<_>>().join(" "))
    };
    assert_eq!(kinds(&[path("")], false).unwrap(), "A B");
    assert_eq!(kinds(&[path("")], true).unwrap(), "A B D");
    assert_eq!(
        kinds(&[path("c.txt"), "-".into()], false).unwrap(),
        "C Stdin"
    );
    assert!(
        kinds(&["-".into(), "-".into()], false)
            .unwrap_err()
            .contains("only once")
    );
    assert!(
        kinds(&[path("empty")], false)
            .unwrap_err()
            .contains("must end with .json, .yaml or .yml")
    );
    assert!(
        kinds(&[path("absent")], false)
            .unwrap_err()
            .contains("no such file or directory")
    );
    fs::remove_dir_all(&root).unwrap();
}

#[cfg(unix)]
#[test]
fn too_little_memory_is_an_error_for_files_as_for_standard_input() {
    let file = program::folder("memory").join("long.json");
    let set = serde_json::json!({"apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": "w", "uid": "u", "annotations": {"a": "x".repeat(60_000_000)}},
        "spec": {"selector": {}, "template": {}}});
    std::fs::write(&file, set.to_string()).unwrap();
    for limit in [150_000, 250_000, 350_000] {
        for input in ["-f \"$FILE\"", "-f - < \"$FILE\""] {
            let script = format!("ulimit -v {limit}; exec \"$PROGRAM\" {input}");
            let mut shell = std::process::Command::new("/bin/sh");
            let shell = shell
                .args(["-c", &script])
                .env_clear()
                .env("PROGRAM", program::PROGRAM)
                .env("FILE", &file);
            let (code, out, error) = program::ended(shell.output().unwrap());
            assert_eq!((code, &*out), (1, ""), "{limit} {input}: {error}");
            assert!(
                error.starts_with("error: ") && error.ends_with(": out of memory\n"),
                "{error}"
            );
        }
    }
    std::fs::remove_file(&file).unwrap();
}
