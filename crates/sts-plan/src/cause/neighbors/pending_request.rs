//! Certificates of kubelets that nobody has approved.

use super::MOST;
use crate::catalogue::Trouble;
use crate::plan::Plan;
use crate::words::list;
use jiff::SignedDuration;
use sts_controller::object::Bystander;

/// Signers of the certificates of kubelets.
const OF_KUBELETS: [&str; 2] = [
    "kubernetes.io/kube-apiserver-client-kubelet",
    "kubernetes.io/kubelet-serving",
];
/// Beginning of the name of a node as a user.
const NODE_USER: &str = "system:node:";
/// Maximum age of a request that waits: they are removed after a day.
const LONGEST: SignedDuration = SignedDuration::from_hours(24);

/// Returns what the waiting requests of kubelets say, if the first of them can be that of a node.
pub(super) fn trouble(plan: &Plan, request: &Bystander, node: &str) -> Option<Trouble> {
    let all = plan.related.bystanders("");
    let waiting = all.filter(|it| it.kind == request.kind && waits(plan, it, node));
    let names: Vec<&str> = waiting.map(|it| &*it.meta.name).collect();
    let first = names.first().filter(|it| ***it == *request.meta.name)?;
    let others = match names.len() {
        1 => String::new(),
        _ => format!(", like {}", list(&names[1..], MOST)),
    };
    let node = match node {
        "" => "the node".to_owned(),
        node => format!("node {node}"),
    };
    Some(Trouble {
        says: format!(
            "is not approved{others}: a kubelet without a certificate cannot report its node"
        ),
        cure: format!(
            "If it is that of the kubelet of {node}: kubectl certificate approve {first} (kubectl describe csr {first} shows \
             who asks)"
        ),
    })
}

/// Reports whether a request can be that of the kubelet of a node, and nobody has decided on it.
fn waits(plan: &Plan, request: &Bystander, node: &str) -> bool {
    let spec = |name: &str| request.spec[name].as_str().unwrap_or_default();
    let is_of_kubelet = OF_KUBELETS.contains(&spec("signerName"));
    let is_of_node = match spec("username").strip_prefix(NODE_USER) {
        Some(name) => node.is_empty() || name == node,
        None => true,
    };
    let created = request.meta.created;
    let is_recent = created.is_some_and(|at| plan.conditions.now.duration_since(at) <= LONGEST);
    is_of_kubelet
        && is_of_node
        && is_recent
        && request.conditions.is_empty()
        && request.status["certificate"].as_str().is_none()
}
