//! The stages of `--grow`: patch the claims, stop or restart pods if the storage requires it, then recreate the set around
//! its pods, because `volumeClaimTemplates` is immutable in every version.

mod claim;
mod error;

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
pub(crate) use claim::{
    CannotGrow, Condition, Pending, can_grow, claims_of, class_of, quantity, resize_failure,
};
pub use error::{GrowError, GrowthError};

/// Time in which a kubelet resizes the file system of a used volume: it checks each volume about once a minute
/// (`podSyncTimeout`), and retries with a delay of up to two minutes.
pub(crate) const ONLINE: SignedDuration = SignedDuration::from_mins(5);

/// Assumed time of a volume expansion, including the kubelet's next check.
pub(crate) const EXPANDS_IN: SignedDuration = SignedDuration::from_mins(1);

/// A new size for the claims of a template: `data=20Gi`.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    /// Name of the claim template.
    pub template: String,
    /// Size in canonical form.
    pub size: Arc<str>,
    pub(crate) amount: Quantity,
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

/// Returns the scheduled pod that uses a claim.
pub(crate) fn user_of<'s>(claim: &Claim, snapshot: &'s Snapshot) -> Option<&'s Arc<Pod>> {
    let mut pods = snapshot.pods.values();
    pods.find(|pod| pod.scheduled && pod.claims().any(|used| *used == claim.meta.name))
}

/// Returns the expansion mode of a claim's storage: as assumed for its class, or as a waiting claim of that class shows, or
/// else online.
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

/// Describes the assumptions about growing claims.
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
                "StorageClass {class}, which is not in the input, has allowVolumeExpansion: true"
            ));
        }
        let (how, other) = match expansion {
            Expansion::Online => (
                "while pods use them",
                "expands-on-mount or expands-offline if it does not",
            ),
            Expansion::OnMount => (
                "while pods use them, but resizes file systems only when pods restart",
                "expands-online if it does both online",
            ),
            Expansion::Offline => (
                "only while no pod uses them",
                "expands-online or expands-on-mount if pods can keep running",
            ),
        };
        sentences.push(format!(
            "the storage of class {class} expands volumes within 1m, {how} (--assume storageclass/{class}={other})"
        ));
    }
    if !sentences.is_empty() {
        sentences.push("no ResourceQuota or LimitRange prevents larger claims".to_owned());
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
        for (text, expected) in [
            ("data", "use CLAIM_TEMPLATE=SIZE"),
            ("=20Gi", "use CLAIM_TEMPLATE=SIZE"),
            ("data=", "use CLAIM_TEMPLATE=SIZE"),
            ("data=20GB", "invalid size \"20GB\""),
            ("data=much", "invalid size \"much\""),
            ("data=0", "invalid size 0"),
            ("data=-1Gi", "invalid size -1Gi"),
        ] {
            let error = text.parse::<Growth>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
