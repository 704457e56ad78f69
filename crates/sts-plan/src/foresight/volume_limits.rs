//! Limits of CSI volumes on a node. Upstream: `plugins/nodevolumelimits/csi.go` of the scheduler. Only checked if nodes are
//! changed. In-tree volumes, and inline volumes, are not counted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::NodeMismatch;
use crate::conditions::Conditions;
use sts_controller::object::{Node, PersistentVolume};

/// Volumes of the input by their claims, and those in use on each node.
pub(super) struct VolumeLimits<'v> {
    conditions: &'v Conditions,
    by_claim: BTreeMap<(Arc<str>, Arc<str>), &'v Arc<PersistentVolume>>,
}

impl<'v> VolumeLimits<'v> {
    pub(super) fn of(conditions: &'v Conditions) -> Self {
        let volumes = conditions.related.volumes();
        let by_claim = volumes.filter_map(|volume| Some((volume.claim.clone()?, volume)));
        VolumeLimits {
            conditions,
            by_claim: by_claim.collect(),
        }
    }

    /// Returns the driver whose limit keeps a pod with these claims off a node. Volumes of pods that leave their nodes do not
    /// count.
    pub(super) fn mismatch(
        &self,
        node: &Node,
        namespace: &Arc<str>,
        claims: &[String],
    ) -> Option<NodeMismatch> {
        let limits = &self.conditions.related.csi_node(&node.meta.name)?.limits;
        let of_claim = |namespace: &Arc<str>, claim: &str| {
            let key = (Arc::clone(namespace), Arc::from(claim));
            self.by_claim.get(&key).copied()
        };
        let wanted: Vec<&Arc<PersistentVolume>> = claims
            .iter()
            .filter_map(|claim| of_claim(namespace, claim))
            .collect();
        let running = self.conditions.outage.running.get(&node.meta.name);
        let staying = running
            .into_iter()
            .flatten()
            .filter(|resident| resident.is_there() && !self.conditions.outage.moves(&resident.pod));
        let used: Vec<&Arc<PersistentVolume>> = staying
            .flat_map(|resident| {
                let pod = &resident.pod;
                let namespace = &pod.meta.namespace;
                pod.claims()
                    .filter_map(move |claim| of_claim(namespace, claim))
            })
            .collect();
        let count = |driver: &Arc<str>| {
            let all = used.iter().chain(&wanted);
            let names: BTreeSet<&Arc<str>> = all
                .filter(|volume| volume.driver.as_ref() == Some(driver))
                .map(|volume| &volume.meta.name)
                .collect();
            i64::try_from(names.len()).unwrap_or(i64::MAX)
        };
        let exceeded = limits.iter().find(|(driver, limit)| {
            let is_new = |volume: &&Arc<PersistentVolume>| {
                volume.driver.as_ref() == Some(*driver)
                    && !used.iter().any(|it| it.meta.name == volume.meta.name)
            };
            wanted.iter().any(is_new) && count(driver) > **limit
        });
        exceeded.map(|(driver, _)| NodeMismatch::VolumeLimit(Arc::clone(driver)))
    }
}
