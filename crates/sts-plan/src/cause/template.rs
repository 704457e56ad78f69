//! Differences between the template of a stuck pod and the rollback template.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::{Blames, CauseEntry, CauseKind, TemplatePart};
use crate::plan::Plan;
use sts_controller::controller::ordinal_of;
use sts_controller::object::{Pod, Revision};

/// The differences between two templates that are relevant to remedies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateDifference {
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
    /// True if the init containers differ.
    pub init: bool,
    /// True if only the `restartedAt` annotation differs.
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
    /// Reports whether the other template may fix a cause.
    pub(super) fn is_read_by(&self, kind: &CauseKind, entry: Option<&CauseEntry>) -> bool {
        let blames = entry.map_or(Blames::Unknown, |entry| entry.blames);
        let part = entry.map_or(&TemplatePart::AtFault, |entry| &entry.fixed_by);
        let any = |members: &[String]| {
            members
                .iter()
                .any(|member| self.members.contains(&**member))
        };
        let is_fed = || FED_BY.iter().any(|member| self.members.contains(*member));
        match kind {
            CauseKind::ImagePull(failure) => {
                let changed = match (blames, part) {
                    // The node's disk is full for any image.
                    (Blames::Node, _) => return false,
                    // A registry that rejects one tag rejects all tags of the repository.
                    (Blames::Registry, TemplatePart::Repository) => &self.repositories,
                    (Blames::Registry, _) => &self.registries,
                    _ => &self.images,
                };
                changed.contains(&failure.container)
            }
            CauseKind::NotTakenUp { node: None, .. } => self.members.contains("schedulerName"),
            CauseKind::Unschedulable { claims, .. } => self.scheduling && claims.is_empty(),
            CauseKind::ContainerConfig(_) => match (part, blames) {
                (TemplatePart::Members(members), _) => any(members),
                (_, Blames::Object | Blames::Volume) => is_fed(),
                _ => self.may_end(blames),
            },
            CauseKind::Starting { .. } => *part == TemplatePart::InitContainers && self.init,
            CauseKind::NotReady { .. } if *part == TemplatePart::Nothing => false,
            CauseKind::CrashLoop(_) => match (part, blames) {
                (TemplatePart::Members(members), _) => any(members),
                (_, Blames::Object) => is_fed(),
                // Only the new template may need the service.
                (_, Blames::Dependency) => !self.only_restarted,
                _ => self.may_end(blames),
            },
            CauseKind::OutOfMemory(_) | CauseKind::NotReady { .. } => self.may_end(blames),
            _ => false,
        }
    }

    /// Reports whether any other template may end a failure of this component.
    fn may_end(&self, blames: Blames) -> bool {
        matches!(blames, Blames::Template | Blames::Unknown) && !self.only_restarted
    }
}

/// The pod spec members that the scheduler reads, in addition to container requests.
const SCHEDULED_BY: [&str; 10] = [
    "affinity",
    "hostNetwork",
    "nodeName",
    "nodeSelector",
    "overhead",
    "priorityClassName",
    "resourceClaims",
    "schedulerName",
    "tolerations",
    "topologySpreadConstraints",
];

/// Returns the differences between a pod's template and the rollback template; none without one.
pub(super) fn difference(plan: &Plan, pod: &Pod) -> TemplateDifference {
    let end = plan.predicted().objects();
    let of_pod = end.revisions.get(&pod.revision);
    // A pod is compared with the revision of its replacement, if that is another one.
    let next = comes_back_on(plan, pod);
    let other = match &next {
        Some(next) => end.revisions.get(next),
        None => plan.fallback(),
    };
    let created = |revision: Option<&Arc<Revision>>| revision.and_then(|it| it.meta.created);
    let (Some(now), Some(before)) = (
        of_pod.and_then(|revision| revision.template().cloned()),
        other.and_then(|revision| revision.template().cloned()),
    ) else {
        return TemplateDifference::default();
    };
    let only_restarted = now != before && {
        let (mut now, mut before) = ((*now).clone(), (*before).clone());
        for template in [&mut now, &mut before] {
            if let Some(annotations) = template["metadata"]["annotations"].as_object_mut() {
                annotations.remove(RESTARTED_AT);
            }
        }
        let annotations = |template: &Value| {
            let annotations = template["metadata"]["annotations"].as_object();
            annotations.cloned().unwrap_or_default()
        };
        now["spec"] == before["spec"]
            && now["metadata"]["labels"] == before["metadata"]["labels"]
            && annotations(&now) == annotations(&before)
    };
    let (now, before) = (&now["spec"], &before["spec"]);
    let members = members(before, now);
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
        init: now["initContainers"] != before["initContainers"],
        only_restarted,
        // A template that is used again has a new number, but keeps its time.
        is_older: next.is_none() || created(other) < created(of_pod),
        scheduling: SCHEDULED_BY.iter().any(|member| differs(member))
            || requests(now) != requests(before),
    }
}

/// Reports whether the scheduler reads another template of a pod than the one that it is on.
pub(crate) fn schedules_differently(plan: &Plan, pod: &Pod) -> bool {
    difference(plan, pod).scheduling
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

/// The annotation that `kubectl rollout restart` writes.
const RESTARTED_AT: &str = "kubectl.kubernetes.io/restartedAt";

/// Returns the revision of a deleted pod's replacement, if it differs from the pod's own.
pub(crate) fn comes_back_on(plan: &Plan, pod: &Pod) -> Option<Arc<str>> {
    let end = plan.predicted().objects();
    let behaviour = &plan.conditions.behaviour;
    let slot = behaviour.slot(&end.set, ordinal_of(&pod.meta.name))?;
    let partition = usize::try_from(end.set.strategy.partition()).unwrap_or(0);
    let next = match slot < partition {
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
        let lists = ["containers", "initContainers"];
        out.extend(
            keys.filter(|key| !lists.contains(&key.as_str()))
                .filter(|key| before[key.as_str()] != now[key.as_str()])
                .cloned(),
        );
    }
    out
}

fn containers(spec: &Value) -> impl Iterator<Item = &Value> {
    ["containers", "initContainers"]
        .into_iter()
        .flat_map(|list| spec[list].as_array().into_iter().flatten())
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
