//! Redaction of possibly secret values in formats meant for publication.
//!
//! A Markdown comment or a page has more readers than the set. Changed field names are safe to publish; values of
//! environment variables, arguments and annotations are not. Such a value is replaced by its size and the beginning
//! of its SHA-256, so that equal values remain recognizable.

use std::borrow::Cow;

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use sts_controller::object::without_credentials;

/// Annotation that only contains a useful timestamp.
const RESTARTED_AT: &str = "kubectl.kubernetes.io/restartedAt";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    /// API fields, whose names determine the sensitivity of nested values.
    Fields,
    /// List of named values: `value` may be secret.
    Named,
    /// User-defined keys with public values: labels, selectors, resolver options.
    Labels,
    /// Arguments of a process: names of flags are public, and so are numbers and switches.
    Arguments,
    /// Possibly secret throughout.
    Secret,
}

impl Within {
    fn member(self, name: &str) -> Within {
        match (self, name) {
            (Within::Secret, RESTARTED_AT) => Within::Labels,
            (Within::Secret | Within::Arguments | Within::Labels, _) => self,
            (Within::Named, "value") => Within::Secret,
            (_, "labels" | "matchLabels" | "nodeSelector" | "dnsConfig") => Within::Labels,
            (_, "env" | "httpHeaders") => Within::Named,
            // `command` of containers and exec actions, volumeAttributes of CSI, options of flexVolume.
            (_, "args" | "command") => Within::Arguments,
            (_, "annotations" | "volumeAttributes" | "options") => Within::Secret,
            _ => self,
        }
    }

    /// Resolves a path such as `spec.template.spec.containers[0].env[1].value`.
    fn at(path: &str) -> Within {
        let mut within = Within::Fields;
        let mut rest = path;
        while !rest.is_empty() {
            let (name, after) = match rest.strip_prefix('[') {
                // A bracketed key may contain dots: annotations[example.com/token].
                Some(bracketed) => bracketed.split_once(']').unwrap_or((bracketed, "")),
                None => rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len())),
            };
            within = within.member(name.trim_matches('"'));
            rest = after.strip_prefix('.').unwrap_or(after);
        }
        within
    }
}

/// Returns a field's value with possible secrets redacted.
#[must_use]
pub fn redacted(path: &str, value: &Value) -> Value {
    within(Within::at(path), value)
}

/// Returns a message about a field with possible secrets redacted. Servers quote the rejected value as JSON.
#[must_use]
pub fn message<'m>(path: &str, text: &'m str) -> Cow<'m, str> {
    for (at, mark) in text.match_indices("value: ") {
        let start = at + mark.len();
        let quoted = text[start..].starts_with(['{', '[', '"']);
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        let value = values.next().filter(|_| quoted);
        let Some(Ok(value)) = value else {
            continue;
        };
        let shown = redacted(path, &value);
        if shown != value {
            let (before, after) = (&text[..start], &text[start + values.byte_offset()..]);
            let after = without_credentials(after);
            return Cow::Owned(format!("{before}{shown}{after}"));
        }
    }
    without_credentials(text)
}

fn within(place: Within, value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.clone(), within(place.member(name), member)))
            .collect(),
        Value::Array(items) => items.iter().map(|item| within(place, item)).collect(),
        Value::Null => Value::Null,
        Value::String(text) if place == Within::Arguments => argument(text),
        Value::String(text) if place == Within::Secret => digest(text),
        scalar if place == Within::Secret => digest(&scalar.to_string()),
        // Addresses, images and paths may contain credentials.
        Value::String(text) => Value::String(without_credentials(text).into_owned()),
        scalar => scalar.clone(),
    }
}

/// Returns an argument without its value, unless that is a number, a size, a duration or a switch: `--port=8080`.
fn argument(text: &str) -> Value {
    let is_name = |name: &str| {
        let letters = name.trim_start_matches('-');
        let mut bytes = letters.bytes();
        let is_word = bytes.all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        letters.len() < name.len() && !letters.is_empty() && is_word
    };
    match text.split_once('=') {
        Some((name, value)) if is_name(name) => {
            let shown = without_credentials(text);
            Value::String(match is_amount(value) && shown == text {
                true => text.to_owned(),
                false => format!("{name}={}", digested(value)),
            })
        }
        // A short flag may have its value glued to it: -pPASSWORD.
        None if text.starts_with("--") && is_name(text) => Value::String(text.to_owned()),
        _ => digest(text),
    }
}

/// Reports whether a value is a switch, or a number with at most a short unit: `true`, `32768`, `0.9`, `4Gi`, `30s`.
fn is_amount(value: &str) -> bool {
    let unit = value.trim_start_matches(|it: char| it.is_ascii_digit() || it == '.');
    let digits = value.len() - unit.len();
    let is_unit = unit.len() <= 2
        && unit
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'%');
    matches!(value, "true" | "false") || ((1..=9).contains(&digits) && is_unit)
}

fn digest(text: &str) -> Value {
    Value::String(digested(text))
}

fn digested(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let bytes = text.len();
    let unit = if bytes == 1 { "byte" } else { "bytes" };
    format!("({bytes} {unit}, sha256 {:02x}{:02x}…)", hash[0], hash[1])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_that_may_be_secrets_are_replaced() {
        let container = "spec.template.spec.containers[0]";
        let secret = json!("(6 bytes, sha256 e9a6…)");
        for path in [
            "env[1].value",
            "args[0]",
            "command[2]",
            "livenessProbe.httpGet.httpHeaders[0].value",
            "lifecycle.preStop.exec.command[1]",
        ] {
            let path = format!("{container}.{path}");
            assert_eq!(redacted(&path, &json!("hunter")), secret, "{path}");
        }
        for path in [
            "metadata.annotations[example.com/to.ken]",
            "spec.template.metadata.annotations.token",
            "spec.template.spec.volumes[0].csi.volumeAttributes.key",
        ] {
            assert_eq!(redacted(path, &json!("hunter")), secret, "{path}");
        }
        assert_eq!(
            redacted(
                &format!("{container}.env"),
                &json!([{"name": "A", "value": "hunter"}, {"name": "B", "valueFrom": {"secretKeyRef": {"key": "b"}}}])
            ),
            json!([{"name": "A", "value": secret}, {"name": "B", "valueFrom": {"secretKeyRef": {"key": "b"}}}])
        );
    }

    #[test]
    fn arguments_show_their_flags_and_amounts() {
        let hidden = "(6 bytes, sha256 e9a6…)";
        for (argument, shown) in [
            ("--max-model-len=32768", "--max-model-len=32768".to_owned()),
            ("--memory=0.9", "--memory=0.9".to_owned()),
            ("-retention=30d", "-retention=30d".to_owned()),
            ("--storage.cache=true", "--storage.cache=true".to_owned()),
            ("--enable-feature", "--enable-feature".to_owned()),
            ("--user=hunter", format!("--user={hidden}")),
            ("-Dkey=hunter", format!("-Dkey={hidden}")),
            ("hunter", hidden.to_owned()),
        ] {
            let container = "spec.template.spec.containers[0]";
            for path in ["args[0]", "command[0]"] {
                let path = format!("{container}.{path}");
                assert_eq!(
                    redacted(&path, &json!(argument)),
                    json!(shown),
                    "{argument}"
                );
            }
        }
        // A number can be a secret, and a short flag can have one.
        for (path, secret) in [
            ("args[0]", "-phunter"),
            ("args[0]", "--password=1234"),
            ("args[0]", "--port=12345678901234567890"),
            ("args[1]", "1234"),
            ("env[0].value", "--port=8080"),
        ] {
            let path = format!("spec.template.spec.containers[0].{path}");
            let told = redacted(&path, &json!(secret)).to_string();
            assert!(
                told.contains("sha256") && !told.contains("hunter"),
                "{told}"
            );
            assert!(!told.contains("1234"), "{told}");
        }
    }

    #[test]
    fn credentials_within_addresses_images_and_paths_are_hidden() {
        for (path, value, shown) in [
            (
                "spec.template.spec.containers[0].image",
                "r.example/u:p@x/a:1",
                "r.example/u:p@x/a:1",
            ),
            (
                "spec.template.spec.containers[0].image",
                "u:hunter2@r.example/a:1",
                "u:(hidden)@r.example/a:1",
            ),
            (
                "spec.template.spec.volumes[0].nfs.server",
                "nfs://u:hunter2@h",
                "nfs://u:(hidden)@h",
            ),
            (
                "spec.template.spec.containers[0].livenessProbe.httpGet.path",
                "/healthz?token=hunter2",
                "/healthz?token=(hidden)",
            ),
        ] {
            assert_eq!(redacted(path, &json!(value)), json!(shown), "{path}");
        }
    }

    #[test]
    fn a_message_hides_what_the_value_that_it_quotes_may_hide() {
        let path = "spec.volumeClaimTemplates[0]";
        let quoted = r#"Invalid value: {"metadata":{"annotations":{"a":"hunter"}}}: it is wrong"#;
        let shown = r#"Invalid value: {"metadata":{"annotations":{"a":"(6 bytes, sha256 e9a6…)"}}}: it is wrong"#;
        assert_eq!(message(path, quoted), shown);
        for text in [
            "Invalid value: 3: too few",
            r#"Invalid value: {"a": 1}: no"#,
            "Forbidden: x",
        ] {
            assert_eq!(message(path, text), text);
        }
    }

    #[test]
    fn everything_else_is_shown() {
        for path in [
            "spec.template.spec.containers[0].image",
            "spec.template.spec.containers[0].env[1].name",
            "spec.template.metadata.labels.command",
            "spec.template.metadata.annotations[kubectl.kubernetes.io/restartedAt]",
            "spec.template.spec.nodeSelector[example.com/args]",
            "spec.template.spec.tolerations[0].value",
        ] {
            assert_eq!(redacted(path, &json!("plain")), json!("plain"), "{path}");
        }
    }
}
