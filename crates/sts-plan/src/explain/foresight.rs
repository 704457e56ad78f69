//! Obstacles that will stop a rollout, in words.

use super::command::{kubectl, quoted};
use crate::foresight::{ClaimTrouble, Foreseen};
use sts_controller::object::Snapshot;

/// Returns the condition that has to come true for the pod to get ready.
#[must_use]
pub(super) fn condition(pod: &str, found: &Foreseen) -> String {
    match found {
        Foreseen::Claim { claim, trouble } => match trouble {
            ClaimTrouble::ClassMissing { class } => format!("StorageClass {class} is created"),
            ClaimTrouble::NoDefaultClass => "a StorageClass is made the default".to_owned(),
            ClaimTrouble::NoVolume { .. } => {
                format!("a PersistentVolume that claim {claim} can take is created")
            }
            ClaimTrouble::Provisioner { .. } => {
                format!("the provisioner creates a volume for claim {claim}")
            }
            ClaimTrouble::Lost { .. } => format!("claim {claim} gets a volume again"),
        },
        Foreseen::NoNode(_) => format!("a node that fits {pod} joins"),
        Foreseen::TooFewPlaces { .. } => format!("another node that fits {pod} joins"),
        Foreseen::MissingConfig { object, .. } => format!("{object} exists"),
    }
}

/// Commands that look into it. None of them changes anything.
#[must_use]
pub(super) fn look(found: &Foreseen, snapshot: &Snapshot) -> Vec<String> {
    match found {
        Foreseen::Claim { claim, trouble } => match trouble {
            ClaimTrouble::ClassMissing { .. } | ClaimTrouble::NoDefaultClass => {
                vec!["kubectl get storageclass".to_owned()]
            }
            ClaimTrouble::NoVolume { .. } => vec!["kubectl get pv".to_owned()],
            ClaimTrouble::Provisioner { .. } | ClaimTrouble::Lost { .. } => {
                vec![kubectl(
                    snapshot,
                    &format!("describe pvc {}", quoted(claim)),
                )]
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
            let command = format!("get {} {}", kind.to_ascii_lowercase(), quoted(name));
            vec![kubectl(snapshot, &command)]
        }
    }
}

/// Returns the attempts that do not help: a sentence each.
#[must_use]
pub(super) fn cautions(found: &Foreseen, scheduling_differs: bool) -> Vec<String> {
    match found {
        Foreseen::Claim { .. } => vec![
            "no pod template change decides where a claim gets its volume; spec.volumeClaimTemplates cannot be changed"
                .to_owned(),
        ],
        Foreseen::NoNode(_) | Foreseen::TooFewPlaces { .. } if !scheduling_differs => vec![
            "nothing that the scheduler reads differs between the revisions, so rolling back does not help".to_owned(),
        ],
        _ => Vec::new(),
    }
}
