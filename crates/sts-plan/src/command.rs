//! Shell-quoted kubectl commands.

use std::borrow::Cow;

use crate::conditions::Conditions;
use sts_controller::object::Snapshot;

/// Returns a kubectl command with the set's namespace.
pub(crate) fn kubectl(snapshot: &Snapshot, command: &str) -> String {
    match &*snapshot.set.meta.namespace {
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
    kubectl(snapshot, &format!("delete pod {}", quoted(pod)))
}

/// Quotes a word for a shell, if it needs quoting. Names in a manifest may contain anything.
#[must_use]
pub fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/=:,@%+".contains(&byte);
    if !word.is_empty() && !word.starts_with('-') && word.bytes().all(plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
}

/// Returns the arguments that remove all finalizers of an object.
pub(crate) fn finalizers_patch(kind: &str, name: &str) -> String {
    format!(
        "patch {kind} {} --type merge -p '{{\"metadata\":{{\"finalizers\":null}}}}'",
        quoted(name)
    )
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_word_stays_one_word() {
        assert_eq!(quoted("web-0"), "web-0");
        assert_eq!(quoted("web-0; reboot"), "'web-0; reboot'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("--all"), "'--all'");
    }
}
