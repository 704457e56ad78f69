//! Credential plugin policy of a kuberc: since kubectl 1.35, a user can forbid all plugins, or all but some.
//!
//! The rest of a kuberc (aliases and defaults of kubectl commands) does not apply here.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::notice::Notice;
use crate::bounded;

const VERSIONS: [&str; 2] = [
    "kubectl.config.k8s.io/v1beta1",
    "kubectl.config.k8s.io/v1alpha1",
];

/// Location of the user's kuberc.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kuberc {
    /// The file.
    pub path: PathBuf,
    /// True if it was named, so that it must exist.
    pub named: bool,
}

impl Kuberc {
    /// Returns the file that kubectl would read: that of `KUBERC`, else that in the home directory; `None` if it is
    /// disabled.
    #[must_use]
    pub fn of_environment(
        variable: impl Fn(&str) -> Option<OsString>,
        home: Option<&Path>,
    ) -> Option<Self> {
        if variable("KUBECTL_KUBERC").is_some_and(|on| on == "false") {
            return None;
        }
        match variable("KUBERC").filter(|path| !path.is_empty()) {
            Some(off) if off == "off" => None,
            Some(path) => Some(Kuberc {
                path: path.into(),
                named: true,
            }),
            None => Some(Kuberc {
                path: home?.join(".kube").join("kuberc"),
                named: false,
            }),
        }
    }
}

/// Policy on credential plugins.
#[derive(Debug, PartialEq, Eq)]
enum Policy {
    All,
    None,
    /// Only plugins with these names: paths, or names to look up in `PATH`.
    Only(Vec<String>),
}

/// Checks that the user's kuberc allows a plugin. `search` is the value of `PATH`.
///
/// # Errors
/// When it does not; the message includes advice.
pub(super) fn check(
    kuberc: Option<&Kuberc>,
    command: &str,
    search: Option<&OsString>,
    notice: &Notice,
) -> Result<(), String> {
    let Some(kuberc) = kuberc else {
        return Ok(());
    };
    let file = kuberc.path.display();
    let policy = match read(&kuberc.path) {
        Ok(policy) => policy,
        Err(Unread::Absent) if !kuberc.named => return Ok(()),
        Err(Unread::Absent) => {
            return Err(format!("kuberc {file} does not exist: correct KUBERC"));
        }
        Err(Unread::Broken(problem)) if kuberc.named => {
            return Err(format!("invalid kuberc {file}: {problem}"));
        }
        // As in kubectl.
        Err(Unread::Broken(problem)) => {
            notice.say(&format!("warning: ignoring kuberc {file}: {problem}"));
            return Ok(());
        }
        Err(Unread::Policy(problem)) => {
            return Err(format!("invalid kuberc {file}: {problem}"));
        }
    };
    match policy {
        Policy::All => Ok(()),
        Policy::None => Err(format!(
            "not allowed: credentialPluginPolicy is DenyAll in the kuberc {file}; change it, or pass a token with --token"
        )),
        Policy::Only(names) if names.iter().any(|name| is_same(name, command, search)) => Ok(()),
        Policy::Only(_) => Err(format!(
            "not allowed: not in credentialPluginAllowlist of the kuberc {file}; add it there, or pass a token with --token"
        )),
    }
}

/// Reason why a kuberc is not used.
#[derive(Debug, PartialEq, Eq)]
enum Unread {
    Absent,
    /// It cannot be read, or is not a kuberc.
    Broken(String),
    /// It contradicts itself.
    Policy(String),
}

fn read(path: &Path) -> Result<Policy, Unread> {
    let bytes = bounded::read(path, bounded::SMALL).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Unread::Absent,
        _ => Unread::Broken(format!("cannot be read ({error})")),
    })?;
    let value = kubectl_manifest::read_document(&bytes)
        .map_err(|line| Unread::Broken(format!("invalid for kubectl in line {line}")))?;
    let version = value["apiVersion"].as_str().unwrap_or_default();
    if value["kind"] != "Preference" || !VERSIONS.contains(&version) {
        let problem = format!("not a Preference of {}", VERSIONS[0]);
        return Err(Unread::Broken(problem));
    }
    policy(&value).map_err(Unread::Policy)
}

fn policy(kuberc: &Value) -> Result<Policy, String> {
    let list = match &kuberc["credentialPluginAllowlist"] {
        Value::Null => None,
        Value::Array(entries) => Some(entries),
        _ => return Err("credentialPluginAllowlist is not a list".to_owned()),
    };
    let name = match &kuberc["credentialPluginPolicy"] {
        Value::Null => "",
        Value::String(name) => name,
        _ => return Err("credentialPluginPolicy is not a string".to_owned()),
    };
    match (name, list) {
        ("" | "AllowAll", None) => Ok(Policy::All),
        ("DenyAll", None) => Ok(Policy::None),
        ("" | "AllowAll" | "DenyAll", Some(_)) => Err(format!(
            "credentialPluginAllowlist requires the policy Allowlist, not {name:?}"
        )),
        ("Allowlist", list) => {
            let entries = list.map(Vec::as_slice).unwrap_or_default();
            // The field is `name` in 1.35 and `command` from 1.36.
            let entry = |entry: &Value| {
                let named = [&entry["command"], &entry["name"]];
                let named = named.iter().find_map(|name| name.as_str());
                named.filter(|name| !name.is_empty()).map(str::to_owned)
            };
            let names: Option<Vec<String>> = entries.iter().map(entry).collect();
            match names {
                Some(names) if !names.is_empty() => Ok(Policy::Only(names)),
                Some(_) => {
                    Err("the policy Allowlist requires a credentialPluginAllowlist".to_owned())
                }
                None => Err("an entry of credentialPluginAllowlist has no name".to_owned()),
            }
        }
        (other, _) => Err(format!(
            "unknown credentialPluginPolicy {:?}: use AllowAll, DenyAll or Allowlist",
            kubectl_manifest::excerpt(other)
        )),
    }
}

/// Reports whether an entry of an allowlist means this command: the same string, or the same file.
fn is_same(entry: &str, command: &str, search: Option<&OsString>) -> bool {
    let command_path = Path::new(command);
    if Path::new(entry).components().eq(command_path.components()) {
        return true;
    }
    let found = [entry, command].map(|name| look_up(name, search));
    matches!(found, [Some(entry), Some(command)] if entry.components().eq(command.components()))
}

/// Returns the file of a command: a path itself, a name from `PATH`.
fn look_up(command: &str, search: Option<&OsString>) -> Option<PathBuf> {
    if command.contains(std::path::is_separator) {
        return Some(PathBuf::from(command));
    }
    let folders = std::env::split_paths(search?);
    let mut files = folders.map(|folder| folder.join(command));
    files.find(|file| is_executable(file))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file)
        .is_ok_and(|there| there.is_file() && there.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn policies_are_read_as_kubectl_reads_them() {
        let only = |names: &[&str]| {
            Ok(Policy::Only(
                names.iter().map(ToString::to_string).collect(),
            ))
        };
        for (kuberc, expected) in [
            (json!({}), Ok(Policy::All)),
            (json!({"credentialPluginPolicy": ""}), Ok(Policy::All)),
            (
                json!({"credentialPluginPolicy": "DenyAll"}),
                Ok(Policy::None),
            ),
            (
                json!({"credentialPluginPolicy": "Allowlist",
                    "credentialPluginAllowlist": [{"name": "aws"}, {"command": "/bin/x"}]}),
                only(&["aws", "/bin/x"]),
            ),
        ] {
            assert_eq!(policy(&kuberc), expected, "{kuberc}");
        }
        for wrong in [
            json!({"credentialPluginPolicy": "Allowlist"}),
            json!({"credentialPluginPolicy": "Allowlist", "credentialPluginAllowlist": []}),
            json!({"credentialPluginPolicy": "Allowlist", "credentialPluginAllowlist": [{}]}),
            json!({"credentialPluginPolicy": "DenyAll", "credentialPluginAllowlist": [{"name": "x"}]}),
            json!({"credentialPluginAllowlist": []}),
            json!({"credentialPluginPolicy": "denyall"}),
            json!({"credentialPluginPolicy": 3}),
        ] {
            assert!(policy(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_entry_matches_a_path_or_a_name_in_path() {
        let search = Some(OsString::from("/nonexistent:/bin:/usr/bin"));
        let sh = look_up("sh", search.as_ref()).unwrap();
        let path = sh.to_str().unwrap();
        assert!(is_same("sh", "sh", None));
        assert!(is_same("sh", path, search.as_ref()));
        assert!(is_same(path, "sh", search.as_ref()));
        assert!(is_same("/bin//sh", "/bin/sh", None));
        assert!(!is_same("sh", "/tmp/sh", search.as_ref()));
        assert!(!is_same("bash", "sh", search.as_ref()));
    }
}
