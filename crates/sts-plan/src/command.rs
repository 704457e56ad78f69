//! Shell-quoted kubectl commands.

use std::borrow::Cow;

use crate::conditions::Conditions;
use sts_controller::object::{Snapshot, is_dns_subdomain};

/// Returns a kubectl command with the set's namespace.
pub(crate) fn kubectl(snapshot: &Snapshot, command: &str) -> String {
    in_namespace(&snapshot.set.meta.namespace, command)
}

/// Returns a kubectl command with a namespace.
pub(crate) fn in_namespace(namespace: &str, command: &str) -> String {
    match namespace {
        "" => format!("kubectl {command}"),
        namespace => format!("kubectl {command} -n {}", quoted(namespace)),
    }
}

/// Returns the manifest file that printed commands name.
pub(crate) fn manifest_file(conditions: &Conditions) -> &str {
    conditions.manifest.as_deref().unwrap_or("FILE")
}

/// Returns the arguments that apply the manifest.
pub(crate) fn apply(conditions: &Conditions) -> String {
    format!("apply -f {}", quoted(manifest_file(conditions)))
}

/// Returns the command that deletes a pod.
pub(crate) fn delete_pod(pod: &str, snapshot: &Snapshot) -> String {
    kubectl(snapshot, &format!("delete pod {}", named(pod)))
}

/// Returns the command that makes a complete dump of the set.
pub(crate) fn dump(snapshot: &Snapshot) -> String {
    let meta = &snapshot.set.meta;
    let namespace = match &*meta.namespace {
        "" => String::new(),
        namespace => format!(" -n {}", quoted(namespace)),
    };
    format!(
        "kubectl sts-plan dump {}{namespace} > dump.yaml",
        named(&meta.name)
    )
}

/// Quotes a word for a shell, if it needs quoting. Only for the value of a flag and for files: kubectl reads a word
/// that begins with a dash as a flag, however it is quoted.
#[must_use]
pub fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/=:,@%+".contains(&byte);
    if !word.is_empty() && !word.starts_with(['-', '=']) && word.bytes().all(plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
}

/// Returns the name of an object as an argument. An object with a name that API servers refuse does not exist, and
/// kubectl may read the name as a flag: a placeholder takes its place.
#[must_use]
pub fn named(name: &str) -> &str {
    match is_dns_subdomain(name) {
        true => name,
        false => PLACEHOLDER,
    }
}

/// Returns `KEY=VALUE` as an argument, for a label or the image of a container.
pub(crate) fn pair(key: &str, value: &str) -> String {
    let key = match key.starts_with('-') {
        true => PLACEHOLDER,
        false => key,
    };
    quoted(&format!("{key}={value}")).into_owned()
}

/// Placeholder for a name that cannot be printed.
const PLACEHOLDER: &str = "NAME";

/// Returns the arguments that remove all finalizers of an object.
pub(crate) fn finalizers_patch(kind: &str, name: &str) -> String {
    format!(
        "patch {kind} {} --type merge -p '{{\"metadata\":{{\"finalizers\":null}}}}'",
        named(name)
    )
}

#[cfg(test)]
mod tests {
    use super::{named, pair, quoted};

    #[test]
    fn a_word_stays_one_word() {
        assert_eq!(quoted("web-0"), "web-0");
        assert_eq!(quoted("web-0; reboot"), "'web-0; reboot'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("--all"), "'--all'");
        assert_eq!(quoted("=ls"), "'=ls'");
    }

    #[test]
    fn no_name_is_a_flag() {
        assert_eq!(named("web-0.example"), "web-0.example");
        for name in ["--all", "-n", "", "a b", "a/b", "a,b", "A", "a_b", "'", "-"] {
            assert_eq!(named(name), "NAME", "{name}");
        }
        assert_eq!(pair("app", "x:2"), "app=x:2");
        assert_eq!(pair("--all", "x"), "NAME=x");
        assert_eq!(pair("a b", "$(x)"), "'a b=$(x)'");
    }
}
