//! Environment variables and their sources.

use serde_json::Value;

use super::context::PodContext;
use crate::apiserver::schema::{Era, Path};
use crate::apiserver::validation::read::{each, each_container, is_given, list, text};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::rule::{Check, Rule, check as check_rules, rule};
use crate::apiserver::validation::volume::{check_field_reference, check_resource_reference};
use crate::apiserver::validation::{name, word};

/// Pod fields that a variable may reference, in the order of the messages, each with its minors.
const FIELDS: [(&str, Era); 9] = [
    ("metadata.name", Era::since(0)),
    ("metadata.namespace", Era::since(0)),
    ("metadata.uid", Era::since(0)),
    ("spec.nodeName", Era::since(0)),
    ("spec.serviceAccountName", Era::since(0)),
    ("status.hostIP", Era::since(0)),
    ("status.hostIPs", Era::since(28)),
    ("status.podIP", Era::since(0)),
    ("status.podIPs", Era::since(0)),
];

/// `ValidateEnv`.
pub(super) fn check_all(container: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    for (at, variable) in each(container, "env", at) {
        let name = text(variable, "name");
        if name.is_empty() {
            out.required(at.member("name"), "");
        } else {
            let complaints = word::variable(name, out.rules);
            out.invalid_text(at.member("name"), name, &complaints);
        }
        if is_given(variable, "valueFrom") {
            check_source(variable, &at.member("valueFrom"), out);
        }
    }
}

/// `validateEnvVarValueFrom`.
fn check_source(variable: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let source = &variable["valueFrom"];
    let mut count = 0;
    for kind in [
        "fieldRef",
        "resourceFieldRef",
        "configMapKeyRef",
        "secretKeyRef",
        "fileKeyRef",
    ] {
        let reference = &source[kind];
        if reference.is_null() {
            continue;
        }
        count += 1;
        let at = at.member(kind);
        match kind {
            "fieldRef" => {
                let minor = out.rules.minor;
                let known = FIELDS.iter().filter(|(_, era)| era.has(minor));
                let known: Vec<&str> = known.map(|(field, _)| *field).collect();
                check_field_reference(reference, &known, &at, out);
            }
            "resourceFieldRef" => check_resource_reference(reference, false, &at, out),
            "fileKeyRef" => check_file_key(reference, &at, out),
            _ => check_key(reference, &at, out),
        }
    }
    if count == 0 {
        let detail = if out.rules.pod.variable_files {
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        } else {
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
        };
        out.invalid(at, "", detail);
    } else if !text(variable, "value").is_empty() {
        out.invalid(at, "", "may not be specified when `value` is not empty");
    } else if count > 1 {
        let detail = "may not have more than one field specified at a time";
        out.invalid(at, "", detail);
    }
}

/// `validateConfigMapKeySelector` and `validateSecretKeySelector`.
fn check_key(reference: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let (name, key) = (text(reference, "name"), text(reference, "key"));
    let complaints = name::dns_subdomain(name);
    out.invalid_text(at.member("name"), name, &complaints);
    if key.is_empty() {
        out.required(at.member("key"), "");
    } else {
        let complaints = word::config_key(key);
        out.invalid_text(at.member("key"), key, &complaints);
    }
}

fn check_file_key(reference: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    static FILE: [Rule; 2] = [
        rule("volumeName", Check::RequiredLabel),
        rule("path", Check::Required("")),
    ];
    static PATH: [Rule; 1] = [rule("path", Check::NoBacksteps)];
    let key = text(reference, "key");
    if key.is_empty() {
        out.required(at.member("key"), "");
    } else {
        let complaints = word::variable(key, out.rules);
        out.invalid_text(at.member("key"), key, &complaints);
    }
    check_rules(reference, at, &FILE, out);
    check_rules(reference, at, &PATH, out);
}

/// `ValidateEnvFrom`.
pub(super) fn check_sources(container: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let at = at.member("envFrom");
    for (index, source) in list(container, "envFrom").iter().enumerate() {
        let at_one = at.index(index);
        let prefix = text(source, "prefix");
        if !prefix.is_empty() {
            let complaints = word::variable(prefix, out.rules);
            out.invalid_text(at_one.member("prefix"), prefix, &complaints);
        }
        let mut count = 0;
        for member in ["configMapRef", "secretRef"] {
            if !is_given(source, member) {
                continue;
            }
            count += 1;
            let at = at_one.member(member);
            let name = text(&source[member], "name");
            if name.is_empty() {
                out.required(at.member("name"), "");
            } else {
                let complaints = name::dns_subdomain_prefix(name);
                out.invalid_text(at.member("name"), name, &complaints);
            }
        }
        // The server attributes this to the whole list.
        let before = out.len();
        match count {
            0 => out.invalid(at, "", "must specify one of: `configMapRef` or `secretRef`"),
            1 => {}
            _ => out.invalid(
                at,
                "",
                "may not have more than one field specified at a time",
            ),
        }
        out.blame(before, at_one);
    }
}

/// `validateFileKeyRefVolumes`: the file must be in an emptyDir volume of the pod.
pub(super) fn check_files(pod: &PodContext<'_>, at: &Path<'_>, out: &mut Refusals<'_>) {
    each_container(pod.spec, at, |container, at| {
        let at = at.member("env");
        for (index, variable) in list(container, "env").iter().enumerate() {
            let reference = &variable["valueFrom"]["fileKeyRef"];
            if reference.is_null() {
                continue;
            }
            let at = at.index(index);
            let at = at.member("valueFrom.fileKeyRef.volumeName");
            let wanted = text(reference, "volumeName");
            let mut own = list(pod.spec, "volumes").iter();
            let own = own.rfind(|volume| text(volume, "name") == wanted);
            // A claim is a volume, too.
            if own.is_none() && !pod.volumes.contains_key(wanted) {
                out.not_found(at, wanted, "");
            } else if own.is_none_or(|volume| !is_given(volume, "emptyDir")) {
                let detail = "referenced volume must be of type emptyDir";
                out.invalid(at, wanted, detail);
            }
        }
    });
}
