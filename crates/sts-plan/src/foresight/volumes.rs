//! Nodes that can attach the volumes of a future pod.

use std::sync::Arc;

use super::Input;
use crate::conditions::Conditions;
use sts_controller::controller::claim_of_pod;
use sts_controller::object::{Claim, Node, PersistentVolume, Phase, Pod};

/// Part of the cluster in which a volume can be used.
pub(crate) enum Reach<'v> {
    /// Node affinity of the volume.
    Volume(&'v Arc<PersistentVolume>),
    /// The same, with the node on which a pod runs with it: the kubelet has checked the affinity there, whatever labels
    /// the input has.
    Used(&'v Arc<PersistentVolume>, &'v str),
    /// Zone in which the volume was used: the input lacks the volume, and its class provisions zonal volumes.
    Zone(&'v Arc<str>),
}

impl Reach<'_> {
    /// Reports whether a pod with the volume can run on the node.
    pub(crate) fn admits(&self, node: &Node) -> bool {
        match self {
            Reach::Volume(volume) => volume.admits(node),
            Reach::Used(volume, on) => volume.admits(node) || *node.meta.name == **on,
            // A node without a zone label may be in any zone.
            Reach::Zone(zone) => node.zone().is_none_or(|of| of == *zone),
        }
    }

    /// Returns the zones that the volume is limited to; empty if unlimited.
    pub(crate) fn zones(&self) -> Vec<&str> {
        match self {
            Reach::Volume(volume) | Reach::Used(volume, _) => volume.zones().into_iter().collect(),
            Reach::Zone(zone) => vec![zone],
        }
    }
}

/// Returns the volumes of the input that are bound to the claims of a pod of any owner.
pub(super) fn bound_volumes<'v>(pod: &Pod, conditions: &'v Conditions) -> Vec<Reach<'v>> {
    let claims: Vec<&Arc<str>> = pod.claims().collect();
    if claims.is_empty() {
        return Vec::new();
    }
    let volumes = conditions.related.volumes().filter(|volume| {
        let of = volume.claim.as_ref();
        of.is_some_and(|(namespace, claim)| {
            *namespace == pod.meta.namespace && claims.contains(&claim)
        })
    });
    volumes.map(Reach::Volume).collect()
}

/// Returns the known reaches of the volumes bound to these claims of a pod.
pub(crate) fn reaches<'v>(
    view: &Input<'v>,
    pod: &str,
    claims: impl Iterator<Item: AsRef<str>>,
) -> Vec<Reach<'v>> {
    let running = view.snapshot.pods.get(pod);
    let running = running.filter(|pod| pod.phase == Phase::Running);
    let used_on = running.and_then(|pod| pod.node());
    claims
        .filter_map(|claim| {
            let claim = view.snapshot.claims.get(claim.as_ref())?;
            // A terminating claim will be recreated with another volume.
            let name = claim
                .volume_name()
                .filter(|_| !claim.meta.is_terminating())?;
            match view.related.volume(&name) {
                Some(volume) => Some(match used_on {
                    Some(node) => Reach::Used(volume, node),
                    None => Reach::Volume(volume),
                }),
                None => zone_of_use(view, pod, claim).map(Reach::Zone),
            }
        })
        .collect()
}

/// Returns the known reaches of the volumes of a pod by its claim templates.
pub(super) fn claims_of<'v>(view: &Input<'v>, pod: &str) -> Vec<Reach<'v>> {
    let templates = view.snapshot.set.claim_templates.iter();
    let claims = templates.map(|template| claim_of_pod(&template.name, pod));
    reaches(view, pod, claims)
}

/// Returns the zone of a bound claim whose volume is missing from the input: that of the pod's node, or of the node
/// for which the volume was provisioned. `None` if its class does not provision zonal volumes.
fn zone_of_use<'v>(view: &Input<'v>, pod: &str, claim: &Claim) -> Option<&'v Arc<str>> {
    let given = claim.given()?;
    let class = given["spec"]["storageClassName"].as_str()?;
    let class = view.related.storage_class(class)?;
    let running = view.snapshot.pods.get(pod).and_then(|pod| pod.node());
    let selected = claim.selected_node();
    let node = view.related.node(running.or(selected.as_deref())?)?;
    node.zone().filter(|_| class.is_zonal)
}
