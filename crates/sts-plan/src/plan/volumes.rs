//! Volumes of a plan's pods, and the nodes that can attach them.

use std::sync::Arc;

use super::Plan;
use crate::foresight::{Foreseen, Input, Reach, reaches};
use sts_controller::object::{Claim, Node, PersistentVolume, Pod};

/// The taints of nodes that only run the control plane.
const CONTROL_PLANE: [&str; 2] = [
    "node-role.kubernetes.io/control-plane",
    "node-role.kubernetes.io/master",
];

/// Provisioners of volumes that only one node has.
const LOCAL_PROVISIONERS: [&str; 10] = [
    "rancher.io/local-path",
    "topolvm.io",
    "topolvm.cybozu.com",
    "local.csi.openebs.io",
    "openebs.io/local",
    "zfs.csi.openebs.io",
    "directpv-min-io",
    "microk8s.io/hostpath",
    "docker.io/hostpath",
    "k8s.io/minikube-hostpath",
];

impl Plan {
    pub(crate) fn volume_stays(&self, claim: &Claim) -> bool {
        let volume = self.volume_of(claim);
        volume.is_some_and(|volume| !volume.is_deleted_with_claim)
    }

    pub(crate) fn volume_of(&self, claim: &Claim) -> Option<&Arc<PersistentVolume>> {
        self.related.volume(&claim.volume_name()?)
    }

    /// Returns the claims of a pod whose volumes only its own node can use.
    #[must_use]
    pub(crate) fn local_volumes(&self, pod: &Pod) -> Vec<Arc<str>> {
        let Some(own) = pod.node() else {
            return Vec::new();
        };
        let claims = pod.volumes.iter().filter_map(|it| it.claim.as_ref());
        let is_local = |claim: &&Arc<str>| {
            let volume = self
                .snapshot
                .claims
                .get(*claim)
                .and_then(|it| self.volume_of(it));
            volume.is_some_and(|volume| {
                !volume.terms.is_empty()
                    && volume.zones().is_empty()
                    && self
                        .related
                        .nodes()
                        .all(|node| *node.meta.name == *own || !volume.admits(node))
            })
        };
        claims.filter(is_local).map(Arc::clone).collect()
    }

    /// Returns the topology of a pod's volumes, as far as known.
    pub(crate) fn reaches(&self, pod: &Pod) -> Vec<Reach<'_>> {
        let view = Input {
            snapshot: &self.snapshot,
            related: &self.related,
            conditions: &self.conditions,
            wanted: Vec::new(),
        };
        let claims = pod.volumes.iter().filter_map(|it| it.claim.as_deref());
        reaches(&view, &pod.meta.name, claims)
    }

    /// Reports whether a node of those that run pods is where the volumes of a pod are.
    #[must_use]
    pub(crate) fn has_node_for_volumes(&self, pod: &Pod) -> bool {
        let reaches = self.reaches(pod);
        let is_worker = |node: &&Arc<Node>| {
            let mut taints = node.taints.iter();
            !taints.any(|taint| CONTROL_PLANE.contains(&&*taint.key))
        };
        let mut workers = self.related.nodes().filter(is_worker);
        !reaches.is_empty() && workers.any(|node| reaches.iter().all(|it| it.admits(node)))
    }

    /// Returns the zones of a pod's volumes, if none has a node that accepts the pod, so that it cannot be
    /// recreated. Empty otherwise, or if unknown.
    #[must_use]
    pub(crate) fn zones_without_node(&self, pod: &Pod) -> Vec<String> {
        let revisions = [&pod.revision, &self.last.status.update_revision];
        let mut foreseen = revisions
            .into_iter()
            .filter_map(|revision| self.foresight.of_pod(&pod.meta.name, revision));
        let is_out =
            |found: &Foreseen| matches!(found, Foreseen::NoNode(nodes) if nodes.is_for_volume());
        if !foreseen.any(is_out) {
            return Vec::new();
        }
        let reaches = self.reaches(pod);
        let mut zones: Vec<String> = reaches
            .iter()
            .flat_map(|reach| reach.zones())
            .map(str::to_owned)
            .collect();
        zones.sort();
        zones.dedup();
        zones
    }

    /// Returns the claims of a pod with an unknown topology, if its node is the only one in its zone that
    /// accepts pods.
    #[must_use]
    pub(crate) fn claims_of_unknown_place(&self, pod: &Pod) -> Vec<Arc<str>> {
        let node = pod.node().and_then(|node| self.related.node(node));
        let Some((node, zone)) = node.and_then(|node| Some((node, node.zone()?))) else {
            return Vec::new();
        };
        let mut others = self
            .related
            .nodes()
            .filter(|it| it.meta.name != node.meta.name);
        let takes = |other: &Arc<Node>| {
            other.zone() == Some(zone) && !other.is_down() && !other.unschedulable
        };
        if others.any(takes) || !self.reaches(pod).is_empty() {
            return Vec::new();
        }
        self.claims_without_volume(pod)
    }

    /// Returns the claims of a pod whose volumes are local to one node, with that node: by the volume, or by the class that
    /// provisioned it if the input lacks the volume.
    pub(crate) fn local_claims(&self, pod: &Pod) -> impl Iterator<Item = (Arc<str>, String)> {
        let claims = pod.volumes.iter().filter_map(|it| it.claim.as_ref());
        claims.filter_map(|name| {
            let claim = self.snapshot.claims.get(name)?;
            let node = match self.volume_of(claim) {
                Some(volume) => {
                    let hosts = volume.hosts();
                    (hosts.len() == 1).then(|| hosts.into_iter().collect())?
                }
                None => {
                    let given = claim.given()?;
                    let annotations = &given["metadata"]["annotations"];
                    let by = annotations["volume.kubernetes.io/storage-provisioner"].as_str()?;
                    let node = claim.selected_node()?;
                    LOCAL_PROVISIONERS.contains(&by).then_some(node)?
                }
            };
            Some((Arc::clone(name), node))
        })
    }

    /// Returns the bound claims of a pod whose volumes are not in the input.
    #[must_use]
    pub(crate) fn claims_without_volume(&self, pod: &Pod) -> Vec<Arc<str>> {
        let claims = pod.volumes.iter().filter_map(|it| it.claim.as_ref());
        let is_unknown = |claim: &&Arc<str>| {
            let stored = self.snapshot.claims.get(*claim);
            stored.is_some_and(|it| it.phase() == "Bound" && self.volume_of(it).is_none())
        };
        claims.filter(is_unknown).map(Arc::clone).collect()
    }
}
