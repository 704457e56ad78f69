//! Pods and their templates: `ValidatePodSpec`, in the server's order.

mod affinity;
mod annotation;
mod container;
mod context;
mod dns;
mod ephemeral;
mod handler;
mod host;
mod init;
mod mount;
mod os;
mod pod_level_resources;
mod port;
mod resource_claim;
mod restart;
mod scheduling;
mod security;
pub(super) mod spread;
mod toleration;
mod variable;
mod windows;

use std::collections::BTreeSet;

use serde_json::Value;

use super::read::{is_given, list, text};
use super::refusals::Refusals;
use super::rule::{Check, Rule, check as check_rules, rule};
use super::volume::Volumes;
use super::{meta, resources, volume};
use crate::apiserver::schema::Path;

use context::PodContext;

pub(super) use affinity::{has_invalid_node_value, has_invalid_selector_value};
pub(super) use annotation::is_deletion_cost;
pub(super) use security::has_host_sysctl;

/// `ValidatePodTemplateSpecForStatefulSet`, without the selector. `given` is the template as sent.
pub(super) fn check_template(spec: &Value, given: &Value, in_full: bool, out: &mut Refusals<'_>) {
    let template = &spec["template"];
    let metadata = &template["metadata"];
    let at_set = Path::Root.member("spec");
    let at = at_set.member("template");
    // The server omits `metadata` in these paths.
    let before = out.len();
    meta::check_labels(&metadata["labels"], &at.member("labels"), out);
    out.blame(before, at.member("metadata.labels"));
    let before = out.len();
    let at_annotations = at.member("annotations");
    meta::check_annotations(&metadata["annotations"], &at_annotations, out);
    annotation::check(metadata, &template["spec"], &at_annotations, out);
    out.blame(before, at.member("metadata.annotations"));
    if !in_full {
        return;
    }
    let at_spec = at.member("spec");
    let pod = &template["spec"];
    let claims = list(spec, "volumeClaimTemplates");
    let volumes = volume::check_template(pod, &given["spec"], claims, &at_spec, out);
    check_spec(pod, &given["spec"], volumes, &at_spec, out);
    annotation::check_profiles(metadata, pod, &at_spec, out);
    if !list(pod, "ephemeralContainers").is_empty() {
        let detail = "ephemeral containers not allowed in pod template";
        out.forbidden(at_spec.member("ephemeralContainers"), detail);
    }
}

/// `ValidatePodCreate`, for a pod from a template, with its volumes.
pub(super) fn check_pod(pod: &Value, out: &mut Refusals<'_>) {
    let at = Path::Root.member("spec");
    let (metadata, spec) = (&pod["metadata"], &pod["spec"]);
    let at_metadata = Path::Root.member("metadata");
    meta::check_labels(&metadata["labels"], &at_metadata.member("labels"), out);
    let at_annotations = at_metadata.member("annotations");
    meta::check_annotations(&metadata["annotations"], &at_annotations, out);
    meta::check_finalizers(&metadata["finalizers"], out);
    annotation::check(metadata, spec, &at_annotations, out);
    let volumes = volume::check_pod(spec, &at, out);
    check_spec(spec, spec, volumes, &at, out);
    for member in ["containers", "initContainers", "ephemeralContainers"] {
        for (index, container) in list(spec, member).iter().enumerate() {
            if member != "ephemeralContainers" {
                container::check_image_blanks(container, &at.member(member).index(index), out);
            }
        }
    }
    if !list(spec, "ephemeralContainers").is_empty() {
        out.forbidden(at.member("ephemeralContainers"), "cannot be set on create");
    }
    if !text(spec, "nodeName").is_empty() && !list(spec, "schedulingGates").is_empty() {
        let detail = "cannot be set until all schedulingGates have been cleared";
        out.forbidden(at.member("nodeName"), detail);
    }
    annotation::check_profiles(metadata, spec, &at, out);
}

static POLICIES: [Rule; 2] = [
    rule(
        "restartPolicy",
        Check::Chosen(&["Always", "OnFailure", "Never"]),
    ),
    rule(
        "dnsPolicy",
        Check::Chosen(&["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"]),
    ),
];

static NAMES: [Rule; 5] = [
    rule("serviceAccountName", Check::Subdomain),
    rule("nodeName", Check::Subdomain),
    rule("activeDeadlineSeconds", Check::Within(1, i32::MAX as i64)),
    rule("hostname", Check::Label),
    rule("subdomain", Check::Label),
];

static CLASSES: [Rule; 3] = [
    rule("priorityClassName", Check::Subdomain),
    rule("runtimeClassName", Check::GivenSubdomain),
    rule(
        "preemptionPolicy",
        Check::GivenOneOf(&["PreemptLowerPriority", "Never"]),
    ),
];

/// `ValidatePodSpec`, without the volumes. The controller overwrites host name and subdomain, so those of a template
/// are not validated.
fn check_spec(
    spec: &Value,
    given: &Value,
    volumes: Volumes,
    at: &Path<'_>,
    out: &mut Refusals<'_>,
) {
    let claims = list(spec, "resourceClaims").iter();
    let pod = PodContext {
        spec,
        given,
        volumes,
        claims: claims
            .map(|claim| text(claim, "name"))
            .filter(|name| !name.is_empty())
            .collect(),
        host_users: spec["hostUsers"] != Value::Bool(false),
        grace: spec["terminationGracePeriodSeconds"].as_i64(),
    };
    resource_claim::check_all(spec, at, out);
    container::check_all(&pod, at, out);
    init::check_all(&pod, at, out);
    ephemeral::check_all(&pod, at, out);
    if out.rules.pod.pod_resources {
        pod_level_resources::check(&pod, at, out);
    }
    host::check_ports(spec, at, out);
    check_rules(spec, at, &POLICIES, out);
    meta::check_labels(&spec["nodeSelector"], &at.member("nodeSelector"), out);
    security::check_pod(spec, at, out);
    affinity::check(&spec["affinity"], &at.member("affinity"), out);
    dns::check(spec, at, out);
    scheduling::check_gates(spec, at, out);
    spread::check_all(spec, at, out);
    windows::check_host_process(spec, at, out);
    host::check_users(spec, at, out);
    host::check_name_override(spec, at, out);
    let names = if out.of_pod { &NAMES[..] } else { &NAMES[..3] };
    check_rules(spec, at, names, out);
    toleration::check_all(list(spec, "tolerations"), &at.member("tolerations"), out);
    host::check_aliases(spec, at, out);
    check_rules(spec, at, &CLASSES, out);
    if is_given(spec, "overhead") {
        let limits = Value::Object(
            [("limits".to_owned(), spec["overhead"].clone())]
                .into_iter()
                .collect(),
        );
        resources::check(
            &limits,
            resources::ResourceOwner::Container,
            &BTreeSet::new(),
            &at.member("overhead"),
            out,
        );
    }
    os::check(spec, given, at, out);
    scheduling::check_group(spec, at, out);
    variable::check_files(&pod, at, out);
}
