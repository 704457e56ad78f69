//! Reasons that a removed pod does not come back.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::foresight::{Foreseen, Foresight};
use crate::plan::Obstacle;
use sts_controller::simulate::World;

/// Reason that a removed pod does not come back.
#[derive(Debug, Clone)]
pub(in super::super) enum Lacking {
    /// The API server refuses it, with this message.
    Admission {
        /// The pod.
        pod: Arc<str>,
        /// The message.
        message: Arc<str>,
    },
    /// It has no node, or another problem that was foreseen.
    Foreseen {
        /// The pod.
        pod: Arc<str>,
        /// The problem.
        found: Foreseen,
    },
}

impl Lacking {
    /// Returns what the first of the removed pods lacks in the world at rest.
    pub(super) fn of(
        removed: &BTreeSet<Arc<str>>,
        world: &World,
        obstacles: &[Obstacle],
        foresight: &Foresight,
    ) -> Option<Self> {
        removed.iter().find_map(|name| {
            let Some(pod) = world.snapshot().pods.get(name) else {
                return refused(name, world, obstacles);
            };
            if pod.is_ready() || pod.node.is_some() || pod.is_terminating() {
                return None;
            }
            let found = foresight.of_pod(name, &pod.revision)?;
            Some(Lacking::Foreseen {
                pod: Arc::clone(name),
                found: found.clone(),
            })
        })
    }
}

/// Returns the refusal that keeps a pod from being created; `None` if the set does not want it, or another pod comes first.
fn refused(pod: &Arc<str>, world: &World, obstacles: &[Obstacle]) -> Option<Lacking> {
    let is_its = |obstacle: &&Obstacle| {
        let is_refused = matches!(obstacle, Obstacle::CreationRefused { .. });
        is_refused && obstacle.pod().is_some_and(|it| it.meta.name == *pod)
    };
    obstacles.iter().find(is_its)?;
    let forbidden = &world.kubelet().forbidden;
    let of_claim = || {
        let mut claims = forbidden.claims.iter();
        let ending = format!("-{pod}");
        claims.find_map(|(claim, message)| claim.ends_with(&*ending).then_some(message))
    };
    let message = forbidden.pods.get(pod).or_else(of_claim)?;
    Some(Lacking::Admission {
        pod: Arc::clone(pod),
        message: Arc::clone(message),
    })
}
