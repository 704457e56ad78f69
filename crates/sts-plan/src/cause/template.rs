//! Differences between the template of a stuck pod and the rollback template.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::{Blames, CauseEntry, CauseTrait, Facts, ReadPart, Symptom, TemplatePart};
use crate::foresight::{Foreseen, needs};
use crate::plan::Plan;
use crate::words::has_word;
use sts_controller::controller::{ordinal_of, takes_current_revision};
use sts_controller::object::{Pod, Revision};

/// The differences between two templates that are relevant to remedies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateDifference {
    /// True if both templates are known. Otherwise, nothing is known to differ.
    pub is_known: bool,
    /// Containers whose images differ.
    pub images: Vec<String>,
    /// Containers whose image repositories differ.
    pub repositories: Vec<String>,
    /// Containers whose image registries differ.
    pub registries: Vec<String>,
    /// True if a field that the scheduler reads differs.
    pub scheduling: bool,
    /// Names of differing members of the pod and its containers, such as `env` or `volumes`.
    pub members: BTreeSet<String>,
    /// Containers that differ in any member.
    pub containers: BTreeSet<String>,
    /// True if something of the pod differs that its containers share, such as `volumes` or an annotation.
    pub pod: bool,
    /// Words of the differing fields and of their values, which the message of a policy may name.
    pub words: BTreeSet<String>,
    /// True if the init containers differ.
    pub init: bool,
    /// True if only annotations differ that have the pods restarted, such as `restartedAt` and checksums of their configuration.
    pub only_restarted: bool,
    /// True if the other template is the older one.
    pub is_older: bool,
}

/// The members that provide a container's configuration.
const FED_BY: [&str; 5] = [
    "env",
    "envFrom",
    "volumeMounts",
    "volumes",
    "serviceAccountName",
];

impl TemplateDifference {
    /// Reports whether the other template may fix a cause: it differs in the part that the symptom reads, or in the one that
    /// the cause declares.
    pub(super) fn may_fix(
        &self,
        symptom: Symptom,
        facts: &Facts,
        entry: Option<&CauseEntry>,
        other: Option<&Arc<Revision>>,
    ) -> bool {
        let blames = entry.map_or(Blames::Unknown, |entry| entry.blames);
        let part = entry.map_or(&TemplatePart::AtFault, |entry| &entry.fixed_by);
        let has = |member: &str| self.members.contains(member);
        let is_fed = || FED_BY.iter().any(|member| has(member));
        let is_within_pod = entry.is_some_and(|entry| entry.has(CauseTrait::WithinPod));
        let reaches = |container: &String| self.reaches(container, is_within_pod);
        let failed = facts.failure.iter().map(|failure| &failure.container);
        let failed: Vec<&String> = failed.chain(&facts.containers).collect();
        let is_reached = failed.is_empty() || failed.iter().any(|it| reaches(it));
        let may_end = self.may_end(blames) && is_reached;
        match (symptom.entry().reads, part) {
            (ReadPart::Nothing, _) | (_, TemplatePart::Nothing) => false,
            (
                ReadPart::Container | ReadPart::Process | ReadPart::Configuration,
                TemplatePart::Members(members),
            ) => members.iter().any(|member| has(member)),
            (ReadPart::Container, _) => may_end,
            (ReadPart::Process, _) => match blames {
                Blames::Object => is_fed(),
                // Only the new template may need the service.
                Blames::Dependency => is_reached,
                _ => may_end,
            },
            (ReadPart::Configuration, TemplatePart::Resources) => has("resources"),
            (ReadPart::Configuration, _) => match blames {
                Blames::Object | Blames::Volume => is_fed(),
                _ => may_end,
            },
            (ReadPart::InitContainers, TemplatePart::Resources) => has("resources"),
            (ReadPart::InitContainers, TemplatePart::Members(members)) => {
                members.iter().any(|member| has(member))
            }
            (ReadPart::InitContainers, part) => *part == TemplatePart::InitContainers && self.init,
            (ReadPart::Image, part) => {
                let changed = match (blames, part) {
                    // The node's disk is full for any image.
                    (Blames::Node, _) => return false,
                    (_, TemplatePart::Members(members)) if members.iter().any(|it| has(it)) => {
                        return true;
                    }
                    (_, TemplatePart::Members(_)) => &self.registries,
                    // A registry that rejects one tag rejects all tags of the repository.
                    (_, TemplatePart::Repository) => &self.repositories,
                    (Blames::Registry, _) => &self.registries,
                    _ => &self.images,
                };
                failed.iter().any(|container| changed.contains(container))
            }
            (ReadPart::Volumes, _) => has("volumes"),
            (ReadPart::Scheduling, _) => self.scheduling && facts.claims.is_empty(),
            (ReadPart::Scheduler, _) => has("schedulerName"),
            (ReadPart::Object, _) => match &facts.foreseen {
                Some(Foreseen::MissingConfig { object, .. }) => {
                    let template = other.and_then(|it| it.template());
                    template.is_some_and(|template| !needs(&template["spec"], object))
                }
                _ => false,
            },
            (ReadPart::Named, _) if wants_digests(&facts.message) => {
                let template = other.and_then(|it| it.template());
                template.is_some_and(|template| has_digests(&template["spec"]))
            }
            (ReadPart::Named, _) => {
                matches!(blames, Blames::Policy | Blames::Template | Blames::Object)
                    && self.is_named_by(&facts.message)
            }
        }
    }

    /// Reports whether a failed container differs, or something that it depends on: the pod around it, or an init
    /// container. A container that calls another one of its pod depends on all of them.
    fn reaches(&self, container: &str, is_within_pod: bool) -> bool {
        self.pod
            || self.init
            || self.containers.contains(container)
            || (is_within_pod && !self.containers.is_empty())
    }

    /// Reports whether a message names a differing field or its value.
    pub(crate) fn is_named_by(&self, message: &str) -> bool {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let mut words = self.words.iter();
        words.any(|word| has_word(message, word, is_part))
    }

    /// Reports whether any other template may end a failure of this component.
    fn may_end(&self, blames: Blames) -> bool {
        matches!(blames, Blames::Template | Blames::Unknown) && !self.only_restarted
    }
}

/// The pod spec members that the scheduler reads, in addition to container requests.
const SCHEDULED_BY: [&str; 11] = [
    "affinity",
    "hostNetwork",
    "nodeName",
    "nodeSelector",
    "overhead",
    "priorityClassName",
    "resourceClaims",
    "schedulerName",
    "schedulingGates",
    "tolerations",
    "topologySpreadConstraints",
];

/// Returns the revision that a pod is compared with: that of its replacement, if it is another one, or the rollback revision.
pub(super) fn other<'p>(plan: &'p Plan, next: Option<&Arc<str>>) -> Option<&'p Arc<Revision>> {
    match next {
        Some(next) => plan.predicted().objects().revisions.get(next),
        None => plan.fallback(),
    }
}

/// Returns the differences between a pod's template and that of the revision that it is compared with; none without one.
pub(super) fn difference(
    plan: &Plan,
    pod: &Pod,
    next: Option<&Arc<str>>,
    other: Option<&Arc<Revision>>,
) -> TemplateDifference {
    let end = plan.predicted().objects();
    let of_pod = end.revisions.get(&pod.revision);
    let created = |revision: Option<&Arc<Revision>>| revision.and_then(|it| it.meta.created);
    let (Some(now), Some(before)) = (
        of_pod.and_then(|revision| revision.template().cloned()),
        other.and_then(|revision| revision.template().cloned()),
    ) else {
        return TemplateDifference::default();
    };
    let metadata = |template: &Value| {
        let annotations = template["metadata"]["annotations"].as_object();
        let mut annotations = annotations.cloned().unwrap_or_default();
        annotations.retain(|key, _| !restarts_only(key));
        (template["metadata"]["labels"].clone(), annotations)
    };
    let has_other_metadata = metadata(&now) != metadata(&before);
    let only_restarted = now != before && now["spec"] == before["spec"] && !has_other_metadata;
    let (now_template, before_template) = (now, before);
    let (now, before) = (&now_template["spec"], &before_template["spec"]);
    let mut members = members(before, now);
    members.extend(other_annotations(&before_template, &now_template));
    let image = |container: &Value| container["image"].as_str().unwrap_or_default().to_owned();
    let with_other = |part: fn(&str) -> &str| -> Vec<String> {
        let others = containers(now).filter(|container| {
            let same = containers(before).find(|other| other["name"] == container["name"]);
            same.is_none_or(|other| part(&image(other)) != part(&image(container)))
        });
        others
            .filter_map(|container| container["name"].as_str().map(str::to_owned))
            .collect()
    };
    let requests = |spec: &Value| -> Vec<Value> {
        containers(spec)
            .map(|container| {
                let resources = &container["resources"];
                // Requests default to the limits.
                let hosts: Vec<Value> = container["ports"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|port| port["hostPort"].clone())
                    .collect();
                Value::from(vec![
                    resources["requests"].clone(),
                    resources["limits"].clone(),
                    Value::from(hosts),
                ])
            })
            .collect()
    };
    let differs = |member: &str| now[member] != before[member];
    TemplateDifference {
        images: with_other(|image| image),
        repositories: with_other(repository),
        registries: with_other(registry),
        members,
        containers: changed_containers(before, now),
        // Webhooks inject containers by labels and annotations.
        pod: has_other_metadata || {
            let keys = [before, now].into_iter().filter_map(Value::as_object);
            let mut keys = keys.flat_map(|members| members.keys());
            keys.any(|key| !is_container_list(key) && differs(key))
        },
        words: words(&before_template, &now_template),
        init: now["initContainers"] != before["initContainers"],
        only_restarted,
        is_known: true,
        // A template that is used again has a new number, but keeps its time.
        is_older: next.is_none() || created(other) < created(of_pod),
        scheduling: SCHEDULED_BY.iter().any(|member| differs(member))
            || requests(now) != requests(before),
    }
}

/// Words of policies that admit only images with a digest.
const WANTS_DIGESTS: [&str; 5] = [
    "by digest",
    "a digest",
    "no digest",
    "without digest",
    "image digest",
];

/// Reports whether a policy refuses images without a digest.
fn wants_digests(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    WANTS_DIGESTS.iter().any(|words| message.contains(words))
}

/// Reports whether all images of a pod have a digest.
fn has_digests(spec: &Value) -> bool {
    let mut images = containers(spec).map(|container| container["image"].as_str());
    images.all(|image| image.is_some_and(|image| image.contains("@sha256:")))
}

/// Reports whether the scheduler reads another template of a pod than the one that it is on.
pub(crate) fn schedules_differently(plan: &Plan, pod: &Pod) -> bool {
    let next = comes_back_on(plan, pod);
    let next = next.as_ref();
    difference(plan, pod, next, other(plan, next)).scheduling
}

/// Returns the repository of an image without tag and digest: `docker.io/library/redis` of `docker.io/library/redis:7`.
fn repository(image: &str) -> &str {
    let image = image.split('@').next().unwrap_or(image);
    match image.rsplit_once(':') {
        Some((repository, tag)) if !tag.contains('/') => repository,
        _ => image,
    }
}

/// Returns the registry of an image: `docker.io` if its first part is not a host.
fn registry(image: &str) -> &str {
    match image.split_once('/') {
        Some((host, _)) if host.contains(['.', ':']) || host == "localhost" => host,
        _ => "docker.io",
    }
}

/// Reports whether an annotation only has the pods restarted: the time of `kubectl rollout restart`, or the checksum of an
/// object that they read, which another template does not bring back.
fn restarts_only(key: &str) -> bool {
    let starts = [
        "checksum/",
        "checksum.",
        "configmap.reloader.",
        "secret.reloader.",
        "reloader.stakater.com/last-reloaded",
        "stakater.com/last-reloaded",
    ];
    let ends = [
        "/restartedAt",
        "/restarted-at",
        "/rollme",
        "checksum",
        "config-hash",
        "configHash",
        "secret-hash",
    ];
    key == "rollme"
        || starts.iter().any(|start| key.starts_with(start))
        || ends.iter().any(|end| key.ends_with(end))
}

/// Returns the revision of a deleted pod's replacement, if it differs from the pod's own.
pub(crate) fn comes_back_on(plan: &Plan, pod: &Pod) -> Option<Arc<str>> {
    let end = plan.predicted().objects();
    let behaviour = &plan.conditions.behaviour;
    let slot = behaviour.slot(&end.set, ordinal_of(&pod.meta.name))?;
    let slot = i64::try_from(slot).unwrap_or(i64::MAX);
    // Once the pod terminates, the status no longer counts it.
    let is_counted = pod.revision == end.status.current_revision && !pod.is_terminating();
    let stored_current = end.status.current_replicas - i64::from(is_counted);
    let next = match takes_current_revision(&end.set, stored_current, slot) {
        true => &end.status.current_revision,
        false => &plan.last.status.update_revision,
    };
    (!next.is_empty() && !pod.revision.is_empty() && **next != *pod.revision)
        .then(|| Arc::clone(next))
}

/// Returns the names of the differing members of the pod and its containers.
fn members(before: &Value, now: &Value) -> BTreeSet<String> {
    let mut pairs = vec![(before, now)];
    pairs.extend(containers(now).filter_map(|container| {
        let mut others = containers(before);
        Some((
            others.find(|other| other["name"] == container["name"])?,
            container,
        ))
    }));
    let mut out = BTreeSet::new();
    for (before, now) in pairs {
        let keys = [before, now].into_iter().filter_map(Value::as_object);
        let keys = keys.flat_map(|members| members.keys());
        out.extend(
            keys.filter(|key| !is_container_list(key))
                .filter(|key| before[key.as_str()] != now[key.as_str()])
                .cloned(),
        );
    }
    out
}

fn is_container_list(key: &str) -> bool {
    matches!(key, "containers" | "initContainers")
}

/// Returns the annotations of pods that differ, which network plugins and webhooks read.
fn other_annotations(before: &Value, now: &Value) -> Vec<String> {
    let of = |template: &Value| template["metadata"]["annotations"].as_object().cloned();
    let (before, now) = (of(before).unwrap_or_default(), of(now).unwrap_or_default());
    let keys: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let others = keys
        .into_iter()
        .filter(|key| !restarts_only(key) && before.get(*key) != now.get(*key));
    others.cloned().collect()
}

/// Returns the names of the containers that differ or that only one of the two has.
fn changed_containers(before: &Value, now: &Value) -> BTreeSet<String> {
    let same = |one: &Value, other: &Value| containers(other).any(|container| container == one);
    let changed = containers(now).filter(|it| !same(it, before));
    let gone = containers(before).filter(|it| !same(it, now));
    let names = changed.chain(gone).filter_map(|it| it["name"].as_str());
    names.map(str::to_owned).collect()
}

/// Keys that say nothing about the field that they are in.
const PLAIN_KEYS: [&str; 4] = ["key", "name", "type", "value"];

/// Minimum length of a value that a message can name.
const LEAST_VALUE: usize = 3;

/// Returns the names of the differing fields, and their values.
fn words(before: &Value, now: &Value) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    collect_words(before, now, &mut out);
    out
}

fn collect_words(before: &Value, now: &Value, out: &mut BTreeSet<String>) {
    match (before, now) {
        _ if before == now => {}
        (Value::Array(_), Value::Array(_) | Value::Null) | (Value::Null, Value::Array(_)) => {
            // A list that one of them lacks is empty there.
            let (before, now) = (elements(before), elements(now));
            let none = Value::Null;
            for at in 0..before.len().max(now.len()) {
                let (before, now) = (before.get(at), now.get(at));
                collect_words(before.unwrap_or(&none), now.unwrap_or(&none), out);
            }
        }
        (Value::Object(_), _) | (_, Value::Object(_)) => {
            let members = [before, now].into_iter().filter_map(Value::as_object);
            let keys: BTreeSet<&String> = members.flat_map(|members| members.keys()).collect();
            for key in keys
                .into_iter()
                .filter(|key| before[key.as_str()] != now[key.as_str()])
            {
                let (before, now) = (&before[key.as_str()], &now[key.as_str()]);
                let is_around = (before.is_object() && now.is_object())
                    || (before.is_array() && now.is_array());
                let is_plain = PLAIN_KEYS.contains(&key.as_str()) || key.is_empty();
                out.extend((!is_around && !is_plain).then(|| key.clone()));
                if key == "image" {
                    out.extend(other_tags(before, now));
                }
                collect_words(before, now, out);
            }
        }
        _ => {
            let values = [before, now].into_iter().filter_map(Value::as_str);
            out.extend(
                values
                    .filter(|it| it.len() >= LEAST_VALUE)
                    .map(str::to_owned),
            );
        }
    }
}

/// Returns the tags of two images of one repository, which a policy names without the image: `latest`.
fn other_tags(before: &Value, now: &Value) -> Vec<String> {
    let (Some(before), Some(now)) = (before.as_str(), now.as_str()) else {
        return Vec::new();
    };
    let both = [before, now].map(|image| {
        let image = image.split('@').next().unwrap_or(image);
        // An image without a tag has this one.
        let tag = image.strip_prefix(repository(image)).unwrap_or_default();
        match tag.trim_start_matches(':') {
            "" => "latest".to_owned(),
            tag => tag.to_owned(),
        }
    });
    let is_other = repository(before) == repository(now) && both[0] != both[1];
    let told = both.into_iter().filter(|it| it.len() >= LEAST_VALUE);
    told.filter(|_| is_other).collect()
}

/// Returns the elements of a list; none for another value.
fn elements(of: &Value) -> &[Value] {
    of.as_array().map_or(&[], Vec::as_slice)
}

/// Returns the containers of a pod's specification, and its init containers.
pub(super) fn containers(spec: &Value) -> impl Iterator<Item = &Value> {
    ["containers", "initContainers"]
        .into_iter()
        .flat_map(|list| spec[list].as_array().into_iter().flatten())
}

/// Returns the words of the command of a container, followed by those of its arguments.
pub(super) fn command(container: &Value) -> impl Iterator<Item = &str> {
    let lists = ["command", "args"].into_iter();
    let words = lists.flat_map(|list| container[list].as_array().into_iter().flatten());
    words.filter_map(Value::as_str)
}

/// Returns the container of this name.
pub(super) fn container_named<'s>(spec: &'s Value, name: &str) -> Option<&'s Value> {
    containers(spec).find(|it| it["name"] == name)
}

#[cfg(test)]
mod tests {
    use super::{registry, repository};

    #[test]
    fn images_have_their_repository_and_their_registry() {
        for (image, of_repository, of_registry) in [
            ("redis", "redis", "docker.io"),
            ("bitnami/redis:7", "bitnami/redis", "docker.io"),
            ("localhost/redis", "localhost/redis", "localhost"),
            (
                "reg.example:5000/a/redis",
                "reg.example:5000/a/redis",
                "reg.example:5000",
            ),
            (
                "reg.example/redis:7@sha256:00",
                "reg.example/redis",
                "reg.example",
            ),
        ] {
            assert_eq!(repository(image), of_repository);
            assert_eq!(registry(image), of_registry);
        }
    }
}
