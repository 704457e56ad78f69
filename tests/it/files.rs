//! The files that `-f` reads.

use std::fs;

use kubectl_sts_plan::input::files::read_paths;

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
