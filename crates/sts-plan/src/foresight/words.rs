//! Descriptions of foreseen problems, shared by assumptions, findings and verdicts.

use super::{ClaimTrouble, Exclusion, Foreseen, NodeMismatch, UnfitNodes};
use crate::words::{list, plural};

const NAMED: usize = 3;

/// Describes in one clause why a pod does not become ready: `pg-2 cannot be scheduled: 3 nodes do not match
/// nodeSelector disk=ssd`.
#[must_use]
pub fn describe(pod: &str, found: &Foreseen) -> String {
    match found {
        Foreseen::Claim { claim, trouble } => {
            format!("{pod} waits for claim {claim}: {}", no_volume(trouble))
        }
        Foreseen::NoNode(nodes) => format!("{pod} cannot be scheduled: {}", why_not(nodes)),
        Foreseen::TooFewPlaces { by, places, .. } => {
            let rule = match by {
                Exclusion::AntiAffinity { key } => format!("required anti-affinity over {key}"),
                Exclusion::Spread { key, max_skew } => {
                    format!("the topology spread over {key} (maxSkew {max_skew})")
                }
                Exclusion::HostPort(port) => format!("host port {port}"),
            };
            let places = plural(*places, "pod", "pods");
            format!("no node is left for {pod}: {rule} leaves room for {places}")
        }
        Foreseen::MissingConfig { object, .. } => {
            format!("{pod} cannot start: {object} is missing")
        }
    }
}

/// Describes in one clause why a claim gets no volume.
pub(crate) fn no_volume(trouble: &ClaimTrouble) -> String {
    match trouble {
        ClaimTrouble::ClassMissing { class } => format!("StorageClass {class} does not exist"),
        ClaimTrouble::NoDefaultClass => {
            "it names no StorageClass, and there is no default StorageClass".to_owned()
        }
        ClaimTrouble::NoVolume { class } if class.is_empty() => {
            "it requests no StorageClass, and no PersistentVolume is available".to_owned()
        }
        ClaimTrouble::NoVolume { class } => {
            format!(
                "StorageClass {class} does not provision volumes, and none of its PersistentVolumes is available"
            )
        }
        ClaimTrouble::Provisioner { message, count } => {
            let times = match count {
                1 => String::new(),
                count => format!(" {count} times"),
            };
            format!(
                "provisioning failed{times}: {}",
                message.trim_end_matches('.')
            )
        }
        ClaimTrouble::NoAnswer { message } => {
            format!("no provisioner answers: {}", message.trim_end_matches('.'))
        }
        ClaimTrouble::VolumeRefused { message, .. } => message.trim_end_matches('.').to_owned(),
        ClaimTrouble::Lost { volume } => format!("its volume {volume} is gone (phase Lost)"),
    }
}

fn why_not(nodes: &UnfitNodes) -> String {
    let groups = nodes.groups.iter();
    let groups: Vec<String> = groups
        .map(|(why, names)| {
            let number = names.len();
            let named = format!("({})", list(names, NAMED));
            match why {
                NodeMismatch::Selector => {
                    let asked = match (nodes.selector.as_str(), nodes.has_affinity) {
                        ("", _) => "the required node affinity".to_owned(),
                        (selector, false) => format!("nodeSelector {selector}"),
                        (selector, true) => {
                            format!("nodeSelector {selector} and the required node affinity")
                        }
                    };
                    let nodes = plural(number, "node does", "nodes do");
                    format!("{nodes} not match {asked}")
                }
                NodeMismatch::TooSmall { resource, asked } => {
                    let nodes = plural(number, "node has", "nodes have");
                    format!("{nodes} less {resource} in total than the {asked} requested")
                }
                NodeMismatch::Full { resource, .. } if resource == "pods" => {
                    let nodes = plural(number, "node has", "nodes have");
                    format!("{nodes} as many pods as fit {named}")
                }
                NodeMismatch::Full { resource, asked } => {
                    let nodes = plural(number, "node has", "nodes have");
                    format!("{nodes} less {resource} left than the {asked} requested {named}")
                }
                NodeMismatch::Volume => {
                    let nodes = plural(number, "node", "nodes");
                    format!("its volume cannot be used on {nodes}")
                }
                NodeMismatch::Taint(taint) => {
                    let nodes = plural(number, "node has", "nodes have");
                    format!("{nodes} taint {taint}, which it does not tolerate")
                }
                NodeMismatch::NotReady(message) => {
                    let nodes = plural(number, "node is", "nodes are");
                    let names = list(names, NAMED);
                    let named = match message.trim_end_matches('.') {
                        "" => names,
                        message => format!("{names}: {message}"),
                    };
                    format!("{nodes} not ready ({named})")
                }
                NodeMismatch::AntiAffinity { key } => {
                    let nodes = plural(number, "node is", "nodes are");
                    format!("{nodes} excluded by required anti-affinity to other pods over {key} {named}")
                }
                NodeMismatch::Affinity { key } => {
                    let nodes = plural(number, "node has", "nodes have");
                    format!("{nodes} no pod in the same {key} that the required affinity selects {named}")
                }
                NodeMismatch::VolumeLimit(driver) => {
                    let nodes = plural(number, "node has", "nodes have");
                    format!("{nodes} as many volumes of {driver} as fit {named}")
                }
                NodeMismatch::HostPort(port) => {
                    let nodes = plural(number, "node has", "nodes have");
                    format!("{nodes} host port {port} taken {named}")
                }
                NodeMismatch::Cordoned => {
                    let nodes = plural(number, "node is", "nodes are");
                    format!("{nodes} cordoned {named}")
                }
            }
        })
        .collect();
    groups.join(", ")
}
