//! Claim of a full volume, and whether it can grow.

use crate::catalogue::{CauseTrait, ContainerFailure, Mounts, Recognized, paths_in};
use crate::grow::{CannotGrow, Condition, can_grow, class_of};
use crate::plan::Plan;
use sts_controller::object::Pod;

/// The claim of a full volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FullClaim {
    /// Its name and size: `data-pg-0 (10Gi)`.
    pub claim: String,
    /// The condition under which it grows: `StorageClass gp3 allows it`.
    pub growth: String,
}

impl FullClaim {
    /// Finds the claim on which a process lacks space: that of a path in its message, or the only one of its container.
    pub(super) fn of(
        plan: &Plan,
        pod: &Pod,
        failure: Option<&ContainerFailure>,
        recognized: Option<&Recognized>,
    ) -> Option<Self> {
        recognized.filter(|found| found.entry.has(CauseTrait::LacksSpace))?;
        let failure = failure?;
        let mounts = Mounts::of(pod, failure)?;
        let name = mounts.claim_of(paths_in(&failure.last_words))?;
        let claim = plan.snapshot.claims.get(name)?;
        let size = claim.storage.as_ref().map(|size| format!(" ({size})"));
        let class = || class_of(claim).unwrap_or_default();
        let growth = match can_grow(claim, &plan.related) {
            Ok(Condition::Met) => format!("StorageClass {} allows it", class()),
            Ok(Condition::Unknown(class)) => {
                format!("if StorageClass {class} has allowVolumeExpansion: true")
            }
            Err(CannotGrow::Class(class)) => format!(
                "StorageClass {class} does not allow it: if its storage can expand volumes, set allowVolumeExpansion: true first"
            ),
            Err(CannotGrow::Unbound | CannotGrow::NoClass) => return None,
        };
        Some(FullClaim {
            claim: format!("{name}{}", size.unwrap_or_default()),
            growth,
        })
    }
}
