//! The commands of a remedy.

use std::sync::Arc;

use serde_json::json;

use crate::cause::container_list;
use crate::command::{apply, finalizers_patch, kubectl, quoted};
use crate::conditions::Conditions;
use crate::remedy::{MissingObject, RemedyAction};
use sts_controller::object::Snapshot;

pub(super) fn delete_pod(pod: &str, snapshot: &Snapshot) -> String {
    kubectl(snapshot, &format!("delete pod {}", quoted(pod)))
}

pub(crate) fn commands(
    remedy_action: &RemedyAction,
    snapshot: &Snapshot,
    conditions: &Conditions,
) -> Vec<String> {
    let set = quoted(&snapshot.set.meta.name);
    let command = match remedy_action {
        RemedyAction::FixPod(pod) => return look_at(pod, snapshot),
        RemedyAction::DeletePod(pod) => return vec![delete_pod(pod, snapshot)],
        RemedyAction::OutOfService(node, _) => {
            let node = quoted(node);
            return vec![format!(
                "kubectl taint nodes {node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"
            )];
        }
        RemedyAction::DeleteNode(node, _) => {
            return vec![format!("kubectl delete node {}", quoted(node))];
        }
        RemedyAction::RestoreNode(node, _) => {
            return vec![format!("kubectl describe node {}", quoted(node))];
        }
        RemedyAction::AddNode(..) => return Vec::new(),
        RemedyAction::Uncordon(node, _) => {
            return vec![format!("kubectl uncordon {}", quoted(node))];
        }
        RemedyAction::Provide(_, object) => match object {
            MissingObject::ServiceAccount(name) => {
                format!("create serviceaccount {}", quoted(name))
            }
            MissingObject::Key { kind, name, .. } => {
                format!("edit {} {}", kind.to_lowercase(), quoted(name))
            }
            MissingObject::StorageClass(name) => {
                return vec![
                    format!("kubectl get storageclass {}", quoted(name)),
                    "kubectl apply -f FILE".to_owned(),
                ];
            }
        },
        RemedyAction::AllowCreation(_, Some(quota)) => format!("describe quota {}", quoted(quota)),
        RemedyAction::AllowCreation(..) => format!("describe sts {set}"),
        RemedyAction::RaiseMemory {
            container,
            is_init,
            proposed,
            ..
        } => {
            let limits = json!({"name": container, "resources": {"limits": {"memory": proposed}}});
            let patch =
                json!({"spec": {"template": {"spec": {container_list(*is_init): [limits]}}}});
            format!("patch sts {set} -p {}", quoted(&patch.to_string()))
        }
        RemedyAction::ForceDeletePod(pod) => {
            format!("delete pod {} --grace-period=0 --force", quoted(pod))
        }
        RemedyAction::DropPodFinalizers(pod) => finalizers_patch("pod", pod),
        RemedyAction::LabelPod(pod, labels) => {
            let labels = labels.iter();
            let labels: Vec<String> = labels
                .map(|(key, value)| quoted(&format!("{key}={value}")).into_owned())
                .collect();
            format!("label pod {} {} --overwrite", quoted(pod), labels.join(" "))
        }
        RemedyAction::ToRevision(_, number) => {
            format!("rollout undo sts/{set} --to-revision={number}")
        }
        RemedyAction::NewTemplate => apply(conditions),
        RemedyAction::Partition(partition) => format!(
            "patch sts {set} --type merge -p \
             '{{\"spec\":{{\"updateStrategy\":{{\"rollingUpdate\":{{\"partition\":{partition}}}}}}}}}'"
        ),
        RemedyAction::MaxUnavailable(pods) => format!(
            "patch sts {set} --type merge -p \
             '{{\"spec\":{{\"updateStrategy\":{{\"rollingUpdate\":{{\"maxUnavailable\":{pods}}}}}}}}}'"
        ),
        RemedyAction::HistoryLimit(_) | RemedyAction::Parallel => {
            return vec![
                kubectl(snapshot, &format!("delete sts {set} --cascade=orphan")),
                kubectl(snapshot, &apply(conditions)),
            ];
        }
        RemedyAction::RetainClaims => format!(
            "patch sts {set} --type merge -p \
             '{{\"spec\":{{\"persistentVolumeClaimRetentionPolicy\":{{\"whenDeleted\":\"Retain\",\"whenScaled\":\"Retain\"}}}}}}'"
        ),
        RemedyAction::DeleteRevision(revision) => {
            format!("delete controllerrevision {}", quoted(revision))
        }
        RemedyAction::RecreateRenamed(_) => {
            return vec![
                kubectl(snapshot, &format!("delete sts {set}")),
                kubectl(snapshot, &apply(conditions)),
            ];
        }
        RemedyAction::DeleteClaim(claim) => format!("delete pvc {}", quoted(claim)),
        RemedyAction::ReleaseClaim(claim, at) => format!(
            "patch pvc {} --type json -p \
             '[{{\"op\":\"remove\",\"path\":\"/metadata/ownerReferences/{at}\"}}]'",
            quoted(claim)
        ),
        RemedyAction::DropSetFinalizers => finalizers_patch("sts", &snapshot.set.meta.name),
    };
    vec![kubectl(snapshot, &command)]
}

/// Returns the commands that show what is wrong with a pod.
fn look_at(pod: &Arc<str>, snapshot: &Snapshot) -> Vec<String> {
    let mut out = vec![kubectl(snapshot, &format!("describe pod {}", quoted(pod)))];
    let stored = snapshot.pods.get(pod);
    if let Some(node) = stored
        .filter(|it| it.is_terminating())
        .and_then(|it| it.node())
    {
        out.push(format!("kubectl describe node {}", quoted(node)));
    }
    let unbound = stored.map(|pod| snapshot.unbound_claims(pod));
    out.extend(unbound.into_iter().flatten().map(|claim| {
        let command = format!("describe pvc {}", quoted(&claim.meta.name));
        kubectl(snapshot, &command)
    }));
    let containers = stored.map(|pod| pod.containers());
    let crashed = containers
        .into_iter()
        .flatten()
        .find(|container| container.restarts > 0 && !container.ready);
    let running = stored.map(|pod| pod.containers());
    let running = running.into_iter().flatten().find(|container| {
        // The pod waits for a running init container; any other unready container logs its own reason.
        !container.ready && container.waiting.is_none() && container.ended.is_none()
    });
    if let Some(container) = running.filter(|_| crashed.is_none()) {
        let (pod, container) = (quoted(pod), quoted(&container.name));
        out.push(kubectl(snapshot, &format!("logs {pod} -c {container}")));
    }
    if let Some(container) = crashed {
        let (pod, container) = (quoted(pod), quoted(&container.name));
        let command = format!("logs {pod} -c {container} --previous");
        out.push(kubectl(snapshot, &command));
    }
    out
}
