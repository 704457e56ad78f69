//! Values as Go prints them: the server's messages show invalid values in this form.

use std::fmt::Write as _;

use serde_json::Value;

use super::read::{entries, list, text};
use crate::encode::json as encode_json;

/// Formats a string like Go's `%q`.
pub(in crate::apiserver) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if (control as u32) < 0x20 || control as u32 == 0x7f => {
                let _ = write!(out, "\\x{:02x}", control as u32);
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// Formats a value like Go's JSON encoder: `<`, `>` and `&` escaped, map keys sorted.
pub(super) fn json(value: &Value) -> String {
    match value {
        Value::String(_) => encode_json(value, true),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(json).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{}:{}", json(&Value::from(&**name)), json(value)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        plain => plain.to_string(),
    }
}

/// Formats an object as JSON with only these members, in this order, omitting absent ones.
pub(super) fn json_of(value: &Value, members: &[&str]) -> String {
    let given = members.iter().filter(|member| !value[**member].is_null());
    let shown: Vec<String> = given
        .map(|member| format!("\"{member}\":{}", json(&value[*member])))
        .collect();
    format!("{{{}}}", shown.join(","))
}

/// Formats `metav1.LabelSelector` as JSON.
pub(super) fn label_selector(selector: &Value) -> String {
    if selector.is_null() {
        return "null".to_owned();
    }
    let mut shown = Vec::new();
    if entries(selector, "matchLabels").next().is_some() {
        shown.push(format!(
            "\"matchLabels\":{}",
            json(&selector["matchLabels"])
        ));
    }
    let requirements = list(selector, "matchExpressions");
    if !requirements.is_empty() {
        let requirements: Vec<String> = requirements
            .iter()
            .map(|requirement| json_of(requirement, &["key", "operator", "values"]))
            .collect();
        shown.push(format!("\"matchExpressions\":[{}]", requirements.join(",")));
    }
    format!("{{{}}}", shown.join(","))
}

/// Formats `metav1.OwnerReference` as JSON.
pub(super) fn owner_reference(owner: &Value) -> String {
    const MEMBERS: [&str; 6] = [
        "apiVersion",
        "kind",
        "name",
        "uid",
        "controller",
        "blockOwnerDeletion",
    ];
    json_of(owner, &MEMBERS)
}

/// Formats a list of owner references as JSON.
pub(super) fn owner_references(owners: &Value) -> String {
    let owners = owners.as_array().into_iter().flatten();
    let shown: Vec<String> = owners.map(owner_reference).collect();
    format!("[{}]", shown.join(","))
}

/// Formats `metav1.OwnerReference` as a Go literal (`%#v`).
pub(super) fn owner_reference_literal(owner: &Value) -> String {
    let words = [
        ("APIVersion", "apiVersion"),
        ("Kind", "kind"),
        ("Name", "name"),
        ("UID", "uid"),
    ];
    let flags = [
        ("Controller", "controller"),
        ("BlockOwnerDeletion", "blockOwnerDeletion"),
    ];
    let words = words.map(|(member, api)| format!("{member}:{}", quoted(text(owner, api))));
    let flags = flags.map(|(member, api)| {
        // The server prints a memory address.
        let pointer = match owner[api].is_null() {
            true => "(nil)",
            false => "(0xc000000000)",
        };
        format!("{member}:(*bool){pointer}")
    });
    let members: Vec<String> = words.into_iter().chain(flags).collect();
    format!("v1.OwnerReference{{{}}}", members.join(", "))
}

/// Formats a list of owner references as a Go literal.
pub(super) fn owner_references_literal(owners: &Value) -> String {
    let owners = owners.as_array().into_iter().flatten();
    let shown: Vec<String> = owners.map(owner_reference_literal).collect();
    format!("[]v1.OwnerReference{{{}}}", shown.join(", "))
}

/// Formats a string with a type of its own, such as an operator. Servers that show objects as JSON show these as JSON
/// too.
pub(super) fn named_text(text: &str, as_json: bool) -> String {
    if as_json {
        json(&Value::from(text))
    } else {
        quoted(text)
    }
}

/// A member of the server's internal type: its internal name, its name in the API, and its type.
pub(super) struct Member {
    name: &'static str,
    api: &'static str,
    kind: Kind,
}

enum Kind {
    /// Any value; `null` if absent.
    Any,
    /// A string; empty if absent.
    Text,
    Selector,
    Object(&'static [Member]),
}

const fn any(name: &'static str, api: &'static str) -> Member {
    Member {
        name,
        api,
        kind: Kind::Any,
    }
}

const fn text_member(name: &'static str, api: &'static str) -> Member {
    Member {
        name,
        api,
        kind: Kind::Text,
    }
}

const fn object(name: &'static str, api: &'static str, members: &'static [Member]) -> Member {
    Member {
        name,
        api,
        kind: Kind::Object(members),
    }
}

/// `core.SeccompProfile` and `core.AppArmorProfile`.
pub(super) static PROFILE: &[Member] = &[
    text_member("Type", "type"),
    any("LocalhostProfile", "localhostProfile"),
];

/// `core.SecurityContext`.
pub(super) static SECURITY_CONTEXT: &[Member] = &[
    object(
        "Capabilities",
        "capabilities",
        &[any("Add", "add"), any("Drop", "drop")],
    ),
    any("Privileged", "privileged"),
    object(
        "SELinuxOptions",
        "seLinuxOptions",
        &[
            text_member("User", "user"),
            text_member("Role", "role"),
            text_member("Type", "type"),
            text_member("Level", "level"),
        ],
    ),
    object(
        "WindowsOptions",
        "windowsOptions",
        &[
            any("GMSACredentialSpecName", "gmsaCredentialSpecName"),
            any("GMSACredentialSpec", "gmsaCredentialSpec"),
            any("RunAsUserName", "runAsUserName"),
            any("HostProcess", "hostProcess"),
        ],
    ),
    any("RunAsUser", "runAsUser"),
    any("RunAsGroup", "runAsGroup"),
    any("RunAsNonRoot", "runAsNonRoot"),
    any("ReadOnlyRootFilesystem", "readOnlyRootFilesystem"),
    any("AllowPrivilegeEscalation", "allowPrivilegeEscalation"),
    any("ProcMount", "procMount"),
    object("SeccompProfile", "seccompProfile", PROFILE),
    object("AppArmorProfile", "appArmorProfile", PROFILE),
];

/// `core.PodResourceClaim`.
pub(super) static POD_RESOURCE_CLAIM: &[Member] = &[
    text_member("Name", "name"),
    any("ResourceClaimName", "resourceClaimName"),
    any("ResourceClaimTemplateName", "resourceClaimTemplateName"),
];

/// `core.ClusterTrustBundleProjection`.
pub(super) static CLUSTER_TRUST_BUNDLE: &[Member] = &[
    any("Name", "name"),
    any("SignerName", "signerName"),
    Member {
        name: "LabelSelector",
        api: "labelSelector",
        kind: Kind::Selector,
    },
    any("Optional", "optional"),
    text_member("Path", "path"),
];

/// Formats an object as JSON of the server's internal type, with all members in their order.
pub(super) fn internal(value: &Value, members: &[Member]) -> String {
    if value.is_null() {
        return "null".to_owned();
    }
    let shown: Vec<String> = members
        .iter()
        .map(|member| {
            let value = match member.kind {
                Kind::Any => json(&value[member.api]),
                Kind::Text => json(&Value::from(text(value, member.api))),
                Kind::Selector => label_selector(&value[member.api]),
                Kind::Object(members) => internal(&value[member.api], members),
            };
            format!("\"{}\":{value}", member.name)
        })
        .collect();
    format!("{{{}}}", shown.join(","))
}

/// Formats a map: `map[string]string{"app":"web"}`.
pub(super) fn text_map(map: &Value) -> String {
    let Some(members) = map.as_object() else {
        return "map[string]string(nil)".to_owned();
    };
    let entries: Vec<String> = members
        .iter()
        .map(|(key, value)| {
            let value = quoted(value.as_str().unwrap_or_default());
            format!("{}:{value}", quoted(key))
        })
        .collect();
    format!("map[string]string{{{}}}", entries.join(", "))
}

/// Formats a list: `[]string{"a", "b"}`.
pub(super) fn text_list(list: &Value) -> String {
    match list.as_array() {
        None => "[]string(nil)".to_owned(),
        Some(values) => {
            let values: Vec<String> = values
                .iter()
                .map(|value| quoted(value.as_str().unwrap_or_default()))
                .collect();
            format!("[]string{{{}}}", values.join(", "))
        }
    }
}
