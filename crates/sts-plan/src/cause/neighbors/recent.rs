//! Objects that decide on a creation or a pull, and that somebody wrote shortly before it failed.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{Rank, Recognized, Symptom};
use crate::catalogue::CauseTrait;
use crate::duration::age;
use crate::plan::Plan;
use crate::words::names_in;
use sts_controller::object::{Bystander, Pod};

/// Maximum time between a write and what fails of it.
const SHORTLY: SignedDuration = SignedDuration::from_hours(24);
/// Kinds of objects whose names a refusal may have for another reason than that they refuse.
const OTHERS: [&str; 7] = [
    "ConfigMap",
    "Deployment",
    "Namespace",
    "Pod",
    "Secret",
    "Service",
    "ServiceAccount",
];

/// Returns the object that was written after the ready pods were created, as a sentence: `ClusterPolicy pin was written 3h ago
/// by kubectl-client-side-apply, after the ready pods were created`.
pub(super) fn recent(
    plan: &Plan,
    pod: &Pod,
    symptom: Symptom,
    recognized: Option<&Recognized>,
    report: &str,
) -> Option<String> {
    let found = recognized?;
    let created = || plan.observed().ready().filter_map(|it| it.meta.created);
    match symptom {
        Symptom::Refused => {
            let newest = created().max()?;
            let object = policy(plan, pod, found, newest, report)?;
            Some(format!(
                "{}, after the ready pods were created",
                written(plan, object)?
            ))
        }
        Symptom::ImagePull | Symptom::VolumeImagePull
            if found.entry.has(CauseTrait::OfPullSecret) =>
        {
            let object = newest_pull_secret(plan, pod)?;
            let age = plan.conditions.now.duration_since(object.written?);
            written(plan, object).filter(|_| age <= SHORTLY)
        }
        _ => None,
    }
}

/// Returns the object that a refusal names or reads, if it was written after this time.
fn policy<'p>(
    plan: &'p Plan,
    pod: &Pod,
    found: &Recognized,
    newest: Timestamp,
    report: &str,
) -> Option<&'p Arc<Bystander>> {
    let is_new = |it: &&Arc<Bystander>| it.written.is_some_and(|at| at > newest);
    let mut all = plan.related.all_bystanders().filter(is_new);
    if found.entry.has(CauseTrait::OfNamespace) {
        return all.find(|it| &*it.kind == "Namespace" && it.meta.name == pod.meta.namespace);
    }
    if let Some(namespace) = service_namespace(report) {
        return all.find(|it| {
            let types = it.spec["policyTypes"].as_array();
            let is_ingress = types.is_none_or(|types| types.iter().any(|it| it == "Ingress"));
            &*it.kind == "NetworkPolicy" && *it.meta.namespace == *namespace && is_ingress
        });
    }
    if found.entry.rank == Rank::Generic {
        return None;
    }
    if found.entry.has(CauseTrait::OfWebhookCertificate) {
        let namespace = namespace_of_service(report)?;
        return all.find(|it| {
            let has_ca = it.keys.iter().any(|key| CA_KEYS.contains(&&**key));
            &*it.kind == "Secret" && *it.meta.namespace == *namespace && has_ca
        });
    }
    let mut named = all.filter(|it| !OTHERS.contains(&&*it.kind));
    named.find(|it| names_in(report).any(|word| word == &*it.meta.name))
}

/// Returns the namespace of a webhook's Service that gives no answer in time.
fn service_namespace(message: &str) -> Option<&str> {
    let is_silent = ["deadline exceeded", "i/o timeout", "timeout exceeded"]
        .iter()
        .any(|words| message.to_ascii_lowercase().contains(words));
    namespace_of_service(message).filter(|_| is_silent)
}

/// Keys of Secrets with the certificate of a CA or of a server.
const CA_KEYS: [&str; 4] = ["ca-cert.pem", "ca.crt", "tls.crt", "cert-chain.pem"];

/// Returns the namespace of a webhook's Service: `ops` of `https://v.ops.svc:443/`.
fn namespace_of_service(message: &str) -> Option<&str> {
    let (_, host) = message.split_once("https://")?;
    let host = host.split(['/', ':', '?']).next()?;
    let mut labels = host.split('.');
    let (_, namespace) = (labels.next()?, labels.next()?);
    (labels.next() == Some("svc")).then_some(namespace)
}

/// Returns the pull secret of a pod that was written last.
pub(super) fn newest_pull_secret<'p>(plan: &'p Plan, pod: &Pod) -> Option<&'p Arc<Bystander>> {
    let given = pod.given()?;
    let names = given["spec"]["imagePullSecrets"].as_array()?;
    let secrets = plan.related.bystanders(&pod.meta.namespace).filter(|it| {
        &*it.kind == "Secret" && names.iter().any(|name| name["name"] == *it.meta.name)
    });
    secrets.max_by_key(|it| it.written)
}

/// Says when an object was written, and by whom: `Secret db was written 1h ago by kubectl-edit`.
pub(super) fn written(plan: &Plan, object: &Bystander) -> Option<String> {
    let ago = age(plan.conditions.now.duration_since(object.written?));
    let by = writer(object);
    let (kind, name) = (&object.kind, &object.meta.name);
    Some(format!("{kind} {name} was written {ago} ago{by}"))
}

/// Returns the object for which another one was written, or who wrote it: ` by kubectl-edit`; empty if unknown.
fn writer(object: &Bystander) -> String {
    match (object.meta.controller(), &*object.writer) {
        (Some(owner), _) => format!(" for {} {}", owner.kind, owner.name),
        (None, "") => String::new(),
        (None, writer) => format!(" by {writer}"),
    }
}
