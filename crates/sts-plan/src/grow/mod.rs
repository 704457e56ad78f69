//! Larger volumes: what `--grow` plans, as stages. Claims are patched one by one, pods make way where the storage asks for
//! that, and the set is deleted without its pods and created with the new size, since no minor lets
//! `volumeClaimTemplates` change.

mod claim;
mod error;
mod stages;

use std::collections::BTreeSet;
use std::str::FromStr;
use std::sync::Arc;

use jiff::SignedDuration;

use crate::conditions::Conditions;
use crate::grant::Grant;
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{Claim, Pod, Snapshot};
use sts_controller::simulate::Expansion;

pub use claim::PendingGrowth;
pub(crate) use claim::{CannotGrow, Condition, Pending, can_grow, claims_of, class_of, quantity};
pub use error::{GrowError, GrowthError};
pub use stages::stages;

/// Time in which a kubelet grows the file system of a volume that a running pod uses: it looks at each volume about once a
/// minute (`podSyncTimeout`), and tries again with a delay of up to two minutes.
pub(crate) const ONLINE: SignedDuration = SignedDuration::from_mins(5);

/// Time that a storage is taken to need for a larger volume, with the kubelet's next look at it.
pub(crate) const EXPANDS_IN: SignedDuration = SignedDuration::from_mins(1);

/// A claim template whose claims are to be larger: `data=20Gi`.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    /// The name of the claim template.
    pub template: String,
    /// The size, as the API server answers with it.
    pub size: Arc<str>,
    amount: Quantity,
}

impl FromStr for Growth {
    type Err = GrowthError;

    fn from_str(text: &str) -> Result<Self, GrowthError> {
        let (template, size) = text
            .split_once('=')
            .filter(|(template, size)| !template.is_empty() && !size.is_empty())
            .ok_or(GrowthError::NoSize)?;
        let amount = Quantity::parse(size).map_err(|_| GrowthError::NoQuantity(size.to_owned()))?;
        if amount.is_zero() || amount.is_negative() {
            return Err(GrowthError::NoStorage(size.to_owned()));
        }
        Ok(Growth {
            template: template.to_owned(),
            size: Arc::from(amount.canonical()),
            amount,
        })
    }
}

/// The pod that uses a claim on its node.
pub(crate) fn user_of<'s>(claim: &Claim, snapshot: &'s Snapshot) -> Option<&'s Arc<Pod>> {
    let mut pods = snapshot.pods.values();
    pods.find(|pod| {
        let mut volumes = pod.volumes.iter();
        pod.scheduled && volumes.any(|volume| volume.claim.as_ref() == Some(&claim.meta.name))
    })
}

/// The way in which the storage of a claim expands volumes: as it is assumed of its class, or as a claim of that class
/// shows that waits, or while pods use them.
pub(crate) fn expansion_of(
    claim: &Claim,
    snapshot: &Snapshot,
    conditions: &Conditions,
) -> Expansion {
    let class = class_of(claim);
    let assumed = conditions.grants.iter().find_map(|grant| match grant {
        Grant::Expands(name, how) if class.as_ref() == Some(name) => Some(*how),
        _ => None,
    });
    if let Some(assumed) = assumed {
        return assumed;
    }
    let others = snapshot.claims.values();
    let shown = others
        .filter(|other| class_of(other) == class)
        .filter_map(|other| {
            user_of(other, snapshot)?;
            let status = other.given()?["status"].clone();
            let (pending, since) = Pending::of(other, &status)?;
            let waits = conditions.now.duration_since(since?) > ONLINE;
            match pending {
                Pending::FileSystem if waits => Some(Expansion::OnMount),
                Pending::Volume if waits => Some(Expansion::Offline),
                _ => None,
            }
        });
    shown.max().unwrap_or(Expansion::Online)
}

/// Returns sentences on what is assumed of claims that are to grow.
pub(crate) fn assumed_of(
    claims: &[(Arc<str>, Expansion)],
    snapshot: &Snapshot,
    conditions: &Conditions,
) -> Vec<String> {
    let mut sentences: Vec<String> = Vec::new();
    for (name, expansion) in claims {
        let Some(claim) = snapshot.claims.get(name) else {
            continue;
        };
        let class = class_of(claim).unwrap_or_default();
        if let Ok(Condition::Unknown(class)) = can_grow(claim, &conditions.related) {
            sentences.push(format!(
                "StorageClass {class} is taken to have allowVolumeExpansion: true; it is not in the input"
            ));
        }
        let (how, other) = match expansion {
            Expansion::Online => (
                "while pods use them",
                "expands-on-mount or expands-offline where it does not",
            ),
            Expansion::OnMount => (
                "but for their file systems, which wait for a restart of the pods",
                "expands-online where it does both at once",
            ),
            Expansion::Offline => (
                "while no pod uses them",
                "expands-online or expands-on-mount where pods may go on",
            ),
        };
        sentences.push(format!(
            "the storage of class {class} is taken to expand volumes {how}, in 1m (--assume storageclass/{class}={other})"
        ));
    }
    if !sentences.is_empty() {
        sentences.push(
            "no ResourceQuota or LimitRange is asked whether claims may be larger".to_owned(),
        );
    }
    let mut seen = BTreeSet::new();
    sentences.retain(|sentence| seen.insert(sentence.clone()));
    sentences
}

#[cfg(test)]
mod tests {
    use super::Growth;

    #[test]
    fn a_growth_names_a_claim_template_and_a_size() {
        let growth: Growth = "data=20Gi".parse().unwrap();
        assert_eq!((growth.template.as_str(), &*growth.size), ("data", "20Gi"));
        let growth: Growth = "data=20480Mi".parse().unwrap();
        assert_eq!(&*growth.size, "20Gi");
        for (text, says) in [
            ("data", "write CLAIM_TEMPLATE=SIZE"),
            ("=20Gi", "write CLAIM_TEMPLATE=SIZE"),
            ("data=", "write CLAIM_TEMPLATE=SIZE"),
            ("data=20GB", "\"20GB\" is no quantity"),
            ("data=much", "\"much\" is no quantity"),
            ("data=0", "0 is no storage"),
            ("data=-1Gi", "-1Gi is no storage"),
        ] {
            let error = text.parse::<Growth>().unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
