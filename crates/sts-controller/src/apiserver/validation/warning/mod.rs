//! Warnings of a server about an accepted set: fields without effect, or with an unexpected one.
//!
//! `GetWarningsForPodTemplate`, in the server's order. The minors are the first ones with the warning.

mod claim;
mod list;
mod port;
mod volume;

use std::collections::BTreeSet;

use serde_json::Value;

use claim::{fractional, of_claim};
use list::Warnings;

use super::address::sloppy;
use super::disabled::generation;
use super::name;
use super::read::{each, each_container, entries, is_given, list, number, text, texts};
use crate::apiserver::schema::Path;
use crate::version::Validation;

/// Returns all warnings about a set. Existing ones are repeated only if the spec changes.
pub(super) fn of_set(set: &Value, old: Option<&Value>, rules: &Validation) -> Vec<String> {
    let mut out = Warnings {
        rules,
        list: Vec::new(),
    };
    let spec = &set["spec"];
    let at = Path::Root.member("spec");
    let changed = old.is_none_or(|old| {
        let before = old["metadata"]["generation"].as_i64().unwrap_or(0);
        generation(Some(old), set, rules) != before
    });
    if changed && out.since(23) {
        of_template(&spec["template"], &at.member("template"), &mut out);
    }
    if out.since(25) {
        for (at, claim) in each(spec, "volumeClaimTemplates", &at) {
            // On updates the server adds a path element that it omits on creation, capitalized.
            let at = if old.is_some() { at.member("Spec") } else { at };
            of_claim(&claim["spec"], &at, &mut out);
        }
    }
    let history = spec["revisionHistoryLimit"].as_i64().unwrap_or(0);
    if rules.negative_history_limit_warned && history < 0 {
        let what = "a negative value retains all historical revisions; a value >= 0 is recommended";
        out.warn(at.member("revisionHistoryLimit"), what);
    }
    out.list
}

fn of_template(template: &Value, at: &Path<'_>, out: &mut Warnings<'_>) {
    let (metadata, spec) = (&template["metadata"], &template["spec"]);
    let at_spec = at.member("spec");
    old_node_labels(spec, &at_spec, out);
    spread(spec, &at_spec, out);
    old_annotations(metadata, at, out);
    volume::of_pod(spec, &at_spec, out);
    twice(spec, "hostAliases", "ip", &at_spec, out);
    pull_secrets(spec, &at_spec, out);
    for resource in ["memory", "ephemeral-storage"] {
        fractional(spec, "overhead", resource, &at_spec, out);
    }
    old_profiles(metadata, spec, at, out);
    containers(metadata, spec, at, out);
    if out.since(28) {
        port::of_pod(spec, &at_spec, out);
        if number(spec, "terminationGracePeriodSeconds") < 0 {
            let what = "must be >= 0; negative values are invalid and will be treated as 1";
            out.warn(at_spec.member("terminationGracePeriodSeconds"), what);
        }
        null_selectors(spec, &at_spec, out);
    }
    if out.since(33) {
        let at = at_spec.member("dnsConfig.nameservers");
        for (index, server) in texts(&spec["dnsConfig"], "nameservers").enumerate() {
            address(server, &at.index(index), out);
        }
        for (at, alias) in each(spec, "hostAliases", &at_spec) {
            address(text(alias, "ip"), &at.member("ip"), out);
        }
    }
}

/// Returns the new name of a deprecated node label.
fn deprecated_label(key: &str) -> Option<&'static str> {
    Some(match key {
        "beta.kubernetes.io/arch" => "deprecated since v1.14; use \"kubernetes.io/arch\" instead",
        "beta.kubernetes.io/os" => "deprecated since v1.14; use \"kubernetes.io/os\" instead",
        "failure-domain.beta.kubernetes.io/region" => {
            "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"
        }
        "failure-domain.beta.kubernetes.io/zone" => {
            "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"
        }
        "beta.kubernetes.io/instance-type" => {
            "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"
        }
        "app.kubernetes.io/created-by" => "deprecated since v1.9",
        "scheduler.alpha.kubernetes.io/preferAvoidPods" => {
            "deprecated since v1.22; use Taints and Tolerations instead"
        }
        "node-role.kubernetes.io/master" => "use \"node-role.kubernetes.io/control-plane\" instead",
        _ => return None,
    })
}

fn old_node_labels(spec: &Value, at: &Path<'_>, out: &mut Warnings<'_>) {
    for (key, _) in entries(spec, "nodeSelector") {
        if let Some(what) = deprecated_label(key) {
            out.warn(at.member("nodeSelector").key(key), what);
        }
    }
    let node = &spec["affinity"]["nodeAffinity"];
    let at = at.member("affinity.nodeAffinity");
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let at_terms = at.member(required);
    let at_terms = at_terms.member("nodeSelectorTerms");
    for (index, term) in list(&node[required], "nodeSelectorTerms")
        .iter()
        .enumerate()
    {
        node_term(term, false, &at_terms.index(index), out);
    }
    let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
    for (at, term) in each(node, preferred, &at) {
        node_term(&term["preference"], true, &at.member("preference"), out);
    }
}

fn node_term(term: &Value, values: bool, at: &Path<'_>, out: &mut Warnings<'_>) {
    let at = at.member("matchExpressions");
    for (index, expression) in list(term, "matchExpressions").iter().enumerate() {
        let at = at.index(index);
        let key = text(expression, "key");
        if let Some(what) = deprecated_label(key) {
            out.warn(at.member("key"), &format!("{key} is {what}"));
        }
        if !values || !out.since(32) {
            continue;
        }
        let at = at.member("values");
        for (index, value) in texts(expression, "values").enumerate() {
            for complaint in name::label_value(value, out.rules) {
                out.warn(at.index(index), &format!("{value} is invalid, {complaint}"));
            }
        }
    }
}

const NULL_SELECTOR: &str = "a null labelSelector results in matching no pod";

fn spread(spec: &Value, at: &Path<'_>, out: &mut Warnings<'_>) {
    for (at, constraint) in each(spec, "topologySpreadConstraints", at) {
        let key = text(constraint, "topologyKey");
        if let Some(what) = deprecated_label(key) {
            out.warn(at.member("topologyKey"), &format!("{key} is {what}"));
        }
        if out.since(28) && !is_given(constraint, "labelSelector") {
            out.warn(at.member("labelSelector"), NULL_SELECTOR);
        }
    }
}

fn null_selectors(spec: &Value, at: &Path<'_>, out: &mut Warnings<'_>) {
    for member in ["podAffinity", "podAntiAffinity"] {
        let affinity = &spec["affinity"][member];
        let at = at.member("affinity");
        let at = at.member(member);
        let required = "requiredDuringSchedulingIgnoredDuringExecution";
        let at_terms = at.member(required);
        for (at, term) in at_terms.items(list(affinity, required)) {
            if !is_given(term, "labelSelector") {
                out.warn(at.member("labelSelector"), NULL_SELECTOR);
            }
        }
        let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
        let at_terms = at.member(preferred);
        for (index, term) in list(affinity, preferred).iter().enumerate() {
            if !is_given(&term["podAffinityTerm"], "labelSelector") {
                let at = at_terms.index(index);
                out.warn(at.member("podAffinityTerm.labelSelector"), NULL_SELECTOR);
            }
        }
    }
}

fn old_annotations(metadata: &Value, at: &Path<'_>, out: &mut Warnings<'_>) {
    let at = at.member("metadata.annotations");
    for (key, what) in [
        (
            "scheduler.alpha.kubernetes.io/critical-pod",
            "non-functional in v1.16+; use the \"priorityClassName\" field instead",
        ),
        (
            "security.alpha.kubernetes.io/sysctls",
            "non-functional in v1.11+; use the \"sysctls\" field instead",
        ),
        (
            "security.alpha.kubernetes.io/unsafe-sysctls",
            "non-functional in v1.11+; use the \"sysctls\" field instead",
        ),
    ] {
        if is_given(&metadata["annotations"], key) {
            out.warn(at.key(key), what);
        }
    }
}

/// Warns about elements with equal keys, which `kubectl apply` treats as one.
fn twice(spec: &Value, list_name: &str, member: &str, at: &Path<'_>, out: &mut Warnings<'_>) {
    let mut seen = BTreeSet::new();
    for (at, element) in each(spec, list_name, at) {
        let value = text(element, member);
        if !seen.insert(value) {
            let what = format!("duplicate {member} {}", super::go::quoted(value));
            out.warn(at.member(member), &what);
        }
    }
}

fn pull_secrets(spec: &Value, at: &Path<'_>, out: &mut Warnings<'_>) {
    twice(spec, "imagePullSecrets", "name", at, out);
    for (at, secret) in each(spec, "imagePullSecrets", at) {
        if text(secret, "name").is_empty() {
            out.warn(at.member("name"), "invalid empty name \"\"");
        }
    }
}

const SECCOMP: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_OF: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR_OF: &str = "container.apparmor.security.beta.kubernetes.io/";
const USE_SECCOMP: &str = "non-functional in v1.27+; use the \"seccompProfile\" field instead";

fn old_profiles(metadata: &Value, spec: &Value, at: &Path<'_>, out: &mut Warnings<'_>) {
    let field = is_given(&spec["securityContext"], "seccompProfile");
    if out.since(27) && !field && is_given(&metadata["annotations"], SECCOMP) {
        out.warn(at.member("metadata.annotations").key(SECCOMP), USE_SECCOMP);
    }
}

/// Visits each container of a pod, of any kind.
fn containers(metadata: &Value, spec: &Value, at: &Path<'_>, out: &mut Warnings<'_>) {
    let at_annotations = at.member("metadata.annotations");
    let annotations = &metadata["annotations"];
    each_container(spec, &at.member("spec"), |container, at| {
        let context = &container["securityContext"];
        let name = text(container, "name");
        let key = format!("{SECCOMP_OF}{name}");
        if out.since(27) && !is_given(context, "seccompProfile") && is_given(annotations, &key) {
            out.warn(at_annotations.key(&key), USE_SECCOMP);
        }
        let key = format!("{APP_ARMOR_OF}{name}");
        if let Some(annotation) = annotations[&*key].as_str()
            && out.since(30)
            && !is_given(context, "appArmorProfile")
            && !matches_annotation(&spec["securityContext"]["appArmorProfile"], annotation)
        {
            let what = "deprecated since v1.30; use the \"appArmorProfile\" field instead";
            out.warn(at_annotations.key(&key), what);
        }
        let at_resources = at.member("resources");
        for resource in ["memory", "ephemeral-storage"] {
            for member in ["limits", "requests"] {
                let resources = &container["resources"];
                fractional(resources, member, resource, &at_resources, out);
            }
        }
        if out.since(28) {
            hidden_variables(container, &at.member("env"), out);
        }
    });
}

/// Reports whether a profile of the pod matches an annotation.
fn matches_annotation(profile: &Value, annotation: &str) -> bool {
    let path = profile["localhostProfile"].as_str();
    match text(profile, "type") {
        "Unconfined" => annotation == "unconfined" && path.is_none(),
        "RuntimeDefault" => annotation == "runtime/default" && path.is_none(),
        "Localhost" => {
            let wanted = annotation.strip_prefix("localhost/");
            wanted.is_some_and(|wanted| !wanted.is_empty() && path == Some(wanted))
        }
        _ => false,
    }
}

/// Warns about a repeated variable, unless it refers to the previous one.
fn hidden_variables(container: &Value, at: &Path<'_>, out: &mut Warnings<'_>) {
    let mut seen = BTreeSet::new();
    for (at, variable) in at.items(list(container, "env")) {
        let (name, value) = (text(variable, "name"), text(variable, "value"));
        if seen.insert(name) {
            continue;
        }
        let reference = format!("$({name})");
        let builds =
            !is_given(variable, "valueFrom") && value != reference && value.contains(&reference);
        if !builds {
            let name = super::go::quoted(name);
            let what = format!(
                "hides previous definition of {name}, which may be dropped when using apply"
            );
            out.warn(at, &what);
        }
    }
}

/// `GetWarningsForIP`.
fn address(given: &str, at: &Path<'_>, out: &mut Warnings<'_>) {
    use core::net::IpAddr;
    let Some(meant) = sloppy(given) else {
        return;
    };
    let plain = match meant {
        IpAddr::V4(_) => meant.to_string(),
        IpAddr::V6(inner) => inner
            .to_ipv4_mapped()
            .map_or_else(|| meant.to_string(), |mapped| mapped.to_string()),
    };
    let quoted = super::go::quoted(given);
    match given.parse::<IpAddr>() {
        Ok(IpAddr::V6(inner)) if inner.to_ipv4_mapped().is_none() => {
            if plain != given {
                let plain = super::go::quoted(&plain);
                let what = format!(
                    "IPv6 address {quoted} should be in RFC 5952 canonical format ({plain})"
                );
                out.list.push(format!("{at}: {what}"));
            }
        }
        Ok(IpAddr::V4(_)) => {}
        _ => {
            let plain = super::go::quoted(&plain);
            let what = if out.rules.pod.strict_addresses {
                format!("non-standard IP address {quoted} is invalid: use {plain}")
            } else {
                format!(
                    "non-standard IP address {quoted} will be considered invalid in a future Kubernetes release: use {plain}"
                )
            };
            out.warn(*at, &what);
        }
    }
}
