//! Claim of a full volume, and whether it can grow.

use crate::catalogue::{
    CauseTrait, ContainerFailure, Mount, Recognized, container_of, mount_of, mounts, paths,
};
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
        let given = pod.given()?;
        let container = container_of(&given["spec"], failure)?;
        let mounts: Vec<Mount<'_>> = mounts(&given["spec"], container).collect();
        let name = claim_of(&mounts, &failure.last_words)?;
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

/// Returns the claim of the first path in a message that is on one, or else the only claim of the container.
fn claim_of<'v>(mounts: &[Mount<'v>], words: &str) -> Option<&'v str> {
    let mut on_paths = paths(words).filter_map(|path| mount_of(mounts, path)?.0.claim());
    on_paths.next().or_else(|| {
        let mut claims: Vec<&str> = mounts.iter().filter_map(Mount::claim).collect();
        claims.dedup();
        match claims.as_slice() {
            [claim] => Some(*claim),
            _ => None,
        }
    })
}
