//! Pods that a larger quota admits.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Relief;
use crate::conditions::Conditions;
use crate::grant::Grant;
use crate::words::count;
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::controller::{ordinal_of, pod_name};
use sts_controller::object::{Event, Snapshot};

/// Maximum number of pods to check for one quota.
const MOST_PODS: usize = 100_000;

/// A parsed quota refusal: upstream `staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go`,
/// `checkRequest`: `exceeded quota: compute, requested: memory=2Gi, used: memory=10Gi, limited: memory=10Gi`. It only lists
/// the exceeded resources.
pub(crate) struct Exceeded {
    pub(crate) quota: String,
    requested: BTreeMap<String, Quantity>,
    used: BTreeMap<String, Quantity>,
    limited: BTreeMap<String, Quantity>,
}

impl Exceeded {
    pub(crate) fn read(event: &Event) -> Option<Self> {
        Self::of(&event.message)
    }

    fn of(message: &str) -> Option<Self> {
        let (_, words) = message.split_once("exceeded quota: ")?;
        let (quota, amounts) = words.split_once(", requested: ")?;
        let (requested, rest) = amounts.split_once(", used: ")?;
        let (used, limited) = rest.split_once(", limited: ")?;
        Some(Exceeded {
            quota: quota.to_owned(),
            requested: read(requested)?,
            used: read(used)?,
            limited: read(limited)?,
        })
    }

    /// Returns the raised quota; `None` if the grant is for another quota or another resource.
    fn raised(&self, grant: &Grant) -> Option<Self> {
        let keys = self.limited.keys().map(String::as_str);
        let (resource, more) = grant.raises(&self.quota, keys)?;
        let mut limited = self.limited.clone();
        let sum = limited.get(resource)?.plus(more)?;
        limited.insert(resource.to_owned(), sum);
        Some(Exceeded {
            quota: self.quota.clone(),
            requested: self.requested.clone(),
            used: self.used.clone(),
            limited,
        })
    }

    /// Counts one pod less, which makes room for another one of its size.
    fn give_back(&mut self) {
        for (name, limited) in &mut self.limited {
            let sum = self
                .requested
                .get(name)
                .and_then(|asked| limited.plus(asked));
            if let Some(sum) = sum {
                *limited = sum;
            }
        }
    }

    /// Reports whether one more pod fits.
    fn fits(&self) -> bool {
        self.limited.iter().all(|(resource, limited)| {
            let sum = self.with(resource);
            sum.is_some_and(|sum| sum <= *limited)
        })
    }

    fn with(&self, resource: &str) -> Option<Quantity> {
        self.used.get(resource)?.plus(self.requested.get(resource)?)
    }

    /// Counts one more pod.
    fn take(&mut self) {
        let names: Vec<String> = self.used.keys().cloned().collect();
        for name in names {
            if let Some(sum) = self.with(&name) {
                self.used.insert(name, sum);
            }
        }
    }

    /// Returns the controller's warning for a pod that does not fit.
    fn warning(&self, event: &Event, set: &str, pod: &str) -> Arc<Event> {
        let list = |amounts: &BTreeMap<String, Quantity>| {
            let pairs = amounts
                .iter()
                .map(|(name, amount)| format!("{name}={}", amount.canonical()));
            pairs.collect::<Vec<_>>().join(",")
        };
        let message = format!(
            "create Pod {pod} in StatefulSet {set} failed error: pods \"{pod}\" is forbidden: exceeded quota: {}, requested: \
             {}, used: {}, limited: {}",
            self.quota,
            list(&self.requested),
            list(&self.used),
            list(&self.limited)
        );
        Arc::new(Event {
            message: Arc::from(message),
            ..event.clone()
        })
    }
}

/// Returns the pods that a quota refuses, by its message on each, and that it admits once so many pods of the set are gone;
/// from the lowest ordinal up.
pub(crate) fn admitted_after(refused: &BTreeMap<Arc<str>, Arc<str>>, gone: usize) -> Vec<Arc<str>> {
    let mut pods: Vec<(&Arc<str>, Exceeded)> = refused
        .iter()
        .filter_map(|(pod, message)| Some((pod, Exceeded::of(message)?)))
        .collect();
    pods.sort_by_key(|(pod, _)| ordinal_of(pod));
    let mut quotas: BTreeMap<String, Exceeded> = BTreeMap::new();
    let mut admitted = Vec::new();
    for (pod, exceeded) in pods {
        let quota = quotas.entry(exceeded.quota.clone()).or_insert_with(|| {
            let mut quota = exceeded;
            (0..gone).for_each(|_| quota.give_back());
            quota
        });
        if gone > 0 && quota.fits() {
            quota.take();
            admitted.push(Arc::clone(pod));
        }
    }
    admitted
}

/// Returns the quota that a message of the API server names as exceeded.
pub(crate) fn exceeded_quota(message: &str) -> Option<String> {
    Exceeded::of(message).map(|exceeded| exceeded.quota)
}

/// Parses `cpu=1,memory=2Gi`.
fn read(text: &str) -> Option<BTreeMap<String, Quantity>> {
    let pairs = text.trim_end_matches('.').split(',').map(|pair| {
        let (name, amount) = pair.split_once('=')?;
        Some((name.to_owned(), Quantity::parse(amount).ok()?))
    });
    pairs.collect()
}

/// Raises a quota by the grants and admits the missing pods that fit, from the lowest ordinal up.
pub(super) fn give(
    relief: &mut Relief,
    left: &mut BTreeMap<Arc<str>, Arc<Event>>,
    snapshot: &Snapshot,
    conditions: &Conditions,
    event: &Event,
) {
    let Some(today) = Exceeded::read(event) else {
        return;
    };
    let mut raised = None;
    let mut given = Vec::new();
    for grant in conditions.grants.iter() {
        let before = raised.as_ref().unwrap_or(&today);
        if let Some(more) = before.raised(grant) {
            raised = Some(more);
            given.push(grant.to_string());
        } else if matches!(grant, Grant::Quota { name, resource: None, .. } if *name == today.quota)
        {
            let lacking: Vec<&str> = today.limited.keys().map(String::as_str).collect();
            relief.used.insert(grant.to_string());
            relief.sentences.push(format!(
                "--assume {grant} is ambiguous: quota {} is exceeded for {}; use quota/{}={}+AMOUNT",
                today.quota,
                lacking.join(" and "),
                today.quota,
                lacking.first().copied().unwrap_or_default()
            ));
        }
    }
    let Some(mut quota) = raised else {
        return;
    };
    relief.used.extend(given.iter().cloned());
    let grants = given.join(" --assume ");
    let set = &snapshot.set;
    let ordinals = conditions.behaviour.ordinals(set).take(MOST_PODS);
    let missing = ordinals
        .map(|ordinal| Arc::<str>::from(pod_name(set, ordinal)))
        .filter(|name| !snapshot.pods.contains_key(name));
    let (mut admitted, mut refused) = (0_usize, 0_usize);
    for pod in missing {
        if conditions.assumptions.contains_key(&*pod) {
            continue;
        }
        if quota.fits() {
            quota.take();
            admitted += 1;
            left.remove(&pod);
        } else {
            refused += 1;
            left.insert(Arc::clone(&pod), quota.warning(event, &set.meta.name, &pod));
        }
    }
    let name = &quota.quota;
    relief.sentences.push(match (admitted, refused) {
        (admitted, 0) => format!(
            "quota {name} has room for {} (--assume {grants})",
            count(admitted, "pod")
        ),
        (0, refused) => format!(
            "quota {name} still has no room for {} (--assume {grants})",
            count(refused, "pod")
        ),
        (admitted, refused) => format!(
            "quota {name} has room for {}, but not for {} more (--assume {grants})",
            count(admitted, "pod"),
            refused
        ),
    });
}
