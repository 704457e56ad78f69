//! The nodes that can have the volumes of a pod to come.

use std::sync::Arc;

use super::Input;
use sts_controller::object::{Claim, Node, PersistentVolume};

/// The annotation of a claim that names the node that its volume was made for.
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// The part of the cluster in which a volume can be used.
pub(crate) enum Reach<'v> {
    /// As the volume says.
    Volume(&'v Arc<PersistentVolume>),
    /// This zone: the volume is not among the objects, its class makes volumes of one zone, and it was used there.
    Zone(&'v Arc<str>),
}

impl Reach<'_> {
    /// Reports whether a pod with the volume may run on the node.
    pub(crate) fn admits(&self, node: &Node) -> bool {
        match self {
            Reach::Volume(volume) => volume.admits(node),
            // A node that tells no zone may be in any.
            Reach::Zone(zone) => node.zone().is_none_or(|of| of == *zone),
        }
    }

    /// The zones that it is limited to; empty where it may be in any.
    pub(crate) fn zones(&self) -> Vec<&str> {
        match self {
            Reach::Volume(volume) => volume.zones().into_iter().collect(),
            Reach::Zone(zone) => vec![zone],
        }
    }
}

/// The reaches of the volumes that these claims of a pod are bound to, as far as they are known.
pub(crate) fn reaches<'v>(
    view: &Input<'v>,
    pod: &str,
    claims: impl Iterator<Item: AsRef<str>>,
) -> Vec<Reach<'v>> {
    claims
        .filter_map(|claim| {
            let claim = view.snapshot.claims.get(claim.as_ref())?;
            // One that is being deleted is recreated, with another volume.
            let given = claim.given().filter(|_| !claim.meta.is_terminating())?;
            let name = given["spec"]["volumeName"].as_str()?;
            match view.related.volume(name) {
                Some(volume) => Some(Reach::Volume(volume)),
                None => zone_of_use(view, pod, claim).map(Reach::Zone),
            }
        })
        .collect()
}

/// The zone of a bound claim whose volume is not among the objects: that of the node where its pod runs, or for which
/// the volume was made. `None` where its class does not make volumes of one zone.
fn zone_of_use<'v>(view: &Input<'v>, pod: &str, claim: &Claim) -> Option<&'v Arc<str>> {
    let given = claim.given()?;
    let class = given["spec"]["storageClassName"].as_str()?;
    let class = view.related.storage_class(class)?;
    let running = view.snapshot.pods.get(pod).and_then(|pod| pod.node());
    let selected = given["metadata"]["annotations"][SELECTED_NODE].as_str();
    let node = view.related.node(running.or(selected)?)?;
    node.zone().filter(|_| class.is_zonal)
}
