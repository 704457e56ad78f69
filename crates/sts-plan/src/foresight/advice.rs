//! Advice on pods that are predicted not to start.

use super::{ClaimTrouble, Foreseen};
use crate::command::{kubectl, named};
use sts_controller::object::Snapshot;

/// Returns the condition under which the pod becomes ready.
#[must_use]
pub(crate) fn condition(pod: &str, found: &Foreseen) -> String {
    match found {
        Foreseen::Claim { claim, trouble } => match trouble {
            ClaimTrouble::ClassMissing { class } => format!("once StorageClass {class} exists"),
            ClaimTrouble::NoDefaultClass => "once a default StorageClass exists".to_owned(),
            ClaimTrouble::NoVolume { .. } => {
                format!("once a PersistentVolume fits claim {claim}")
            }
            ClaimTrouble::Provisioner { .. } | ClaimTrouble::NoAnswer { .. } => {
                format!("once the provisioner creates a volume for claim {claim}")
            }
            ClaimTrouble::Lost { .. } => format!("once claim {claim} has a volume again"),
        },
        Foreseen::NoNode(nodes) => match nodes.unready().next() {
            Some(node) => {
                format!("once node {node} is ready, or another one that fits {pod} joins")
            }
            None => format!("once a node that fits {pod} joins"),
        },
        Foreseen::TooFewPlaces { .. } => format!("once another node that fits {pod} joins"),
        Foreseen::MissingConfig { object, .. } => format!("once {object} exists"),
    }
}

/// Returns read-only commands that show the problem.
#[must_use]
pub(crate) fn look(found: &Foreseen, snapshot: &Snapshot) -> Vec<String> {
    match found {
        Foreseen::Claim { claim, trouble } => match trouble {
            ClaimTrouble::ClassMissing { .. } | ClaimTrouble::NoDefaultClass => {
                vec!["kubectl get storageclass".to_owned()]
            }
            ClaimTrouble::NoVolume { .. } => vec!["kubectl get pv".to_owned()],
            ClaimTrouble::Provisioner { .. }
            | ClaimTrouble::NoAnswer { .. }
            | ClaimTrouble::Lost { .. } => {
                vec![kubectl(snapshot, &format!("describe pvc {}", named(claim)))]
            }
        },
        Foreseen::NoNode(nodes) if nodes.is_for_room() => {
            vec!["kubectl describe nodes".to_owned()]
        }
        Foreseen::NoNode(_) | Foreseen::TooFewPlaces { .. } => {
            vec!["kubectl get nodes --show-labels".to_owned()]
        }
        Foreseen::MissingConfig { object, .. } => {
            let (kind, name) = object.split_once(' ').unwrap_or(("", object));
            let command = format!("get {} {}", kind.to_ascii_lowercase(), named(name));
            vec![kubectl(snapshot, &command)]
        }
    }
}
