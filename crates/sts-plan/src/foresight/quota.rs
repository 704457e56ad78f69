//! Pods and claims that a quota of the input refuses when they are created: its use is above its limit, or they lack an
//! amount that it counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::creations::{Creation, object_of};
use super::limit_range::with_defaults;
use super::quota_shares::{
    Shares, add, amounts, claim_shares, pod_shares, subtract, unspecified, written,
};
use crate::conditions::Conditions;
use crate::grant::Grant;
use crate::members::{owns, pods_of};
use sts_controller::controller::ordinal_of;
use sts_controller::object::{Pod, Quota, Snapshot};
use sts_controller::simulate::Forbidden;

/// Returns the creations that a quota refuses, each with the API server's message. Upstream: `checkRequest` in
/// `staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go`. Objects of other owners are taken to use
/// what they use now.
pub(crate) fn refused_by_quota(
    creations: &[Creation<'_>],
    snapshot: &Snapshot,
    conditions: &Conditions,
    grants: &[Grant],
) -> Forbidden {
    let mut forbidden = Forbidden::default();
    for quota in conditions.related.quotas(&snapshot.set.meta.namespace) {
        let mut room = Room::of(quota, snapshot, conditions, grants);
        for creation in creations {
            room.admit(creation, conditions, &mut forbidden);
        }
    }
    forbidden
}

/// Returns the pods of other owners that a quota refuses, by name, if these leave their nodes. All are of one namespace.
pub(crate) fn others_refused_by_quota(
    namespace: &str,
    pods: &[&Arc<Pod>],
    conditions: &Conditions,
) -> BTreeMap<Arc<str>, Arc<str>> {
    let mut refused = BTreeMap::new();
    let specs = pods.iter().filter_map(|pod| Some((pod, pod.given()?)));
    let specs: Vec<_> = specs.collect();
    for quota in conditions.related.quotas(namespace) {
        let mut room = Room::as_read(quota);
        // Pods that leave free their share, and take it again one by one.
        for (_, given) in &specs {
            subtract(&mut room.used, &pod_shares(quota, &given["spec"]));
        }
        for (pod, given) in &specs {
            let name = &pod.meta.name;
            if let Some(message) = room.admit_pod(name, &given["spec"], conditions) {
                refused.entry(Arc::clone(name)).or_insert(message);
            }
        }
    }
    refused
}

/// Returns the pods of a set that quotas count, also while they terminate.
fn counted_pods(snapshot: &Snapshot) -> impl Iterator<Item = &Arc<Pod>> {
    pods_of(snapshot).filter(|pod| owns(snapshot, pod) && !pod.phase.has_ended())
}

/// Returns what the pods and claims of a set use of a quota.
fn own_shares(quota: &Quota, snapshot: &Snapshot, conditions: &Conditions) -> Shares {
    let mut own = Shares::new();
    for object in counted_pods(snapshot).filter_map(|pod| object_of(snapshot, pod)) {
        add(&mut own, &pod_shares(quota, &object["spec"]));
    }
    for template in snapshot.set.claim_templates.iter() {
        let prefix = format!("{}-{}-", template.name, snapshot.set.meta.name);
        let names = snapshot.claims.keys();
        let is_its = |name: &&Arc<str>| {
            let ordinal = name.strip_prefix(prefix.as_str());
            ordinal.is_some_and(|it| it.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let claims = names.filter(is_its).count();
        let shares = claim_shares(quota, template, conditions);
        (0..claims).for_each(|_| add(&mut own, &shares));
    }
    own
}

/// The room that a quota leaves.
struct Room<'q> {
    quota: &'q Quota,
    /// The limits, raised by grants. A resource whose use does not include the pods of the set is left out.
    hard: Shares,
    used: Shares,
}

impl<'q> Room<'q> {
    fn as_read(quota: &'q Quota) -> Self {
        Room {
            quota,
            hard: amounts(&quota.hard),
            used: amounts(&quota.used),
        }
    }

    fn of(
        quota: &'q Quota,
        snapshot: &Snapshot,
        conditions: &Conditions,
        grants: &[Grant],
    ) -> Self {
        let mut room = Room::as_read(quota);
        let hard = &mut room.hard;
        for grant in grants {
            let keys = quota.hard.keys().map(|key| &**key);
            let Some((resource, more)) = grant.raises(&quota.meta.name, keys) else {
                continue;
            };
            if let Some(limit) = hard.get_mut(resource) {
                *limit = limit.saturating_add(more.billionths().unwrap_or(0));
            }
        }
        let read = conditions.observed.as_ref().map(|it| it.objects());
        let read = read.unwrap_or(snapshot);
        let own = own_shares(quota, read, conditions);
        let used = &room.used;
        let includes = |resource: &Arc<str>| used.get(resource) >= own.get(resource);
        room.hard.retain(|resource, _| includes(resource));
        // The use was read with the objects.
        subtract(&mut room.used, &own);
        add(&mut room.used, &own_shares(quota, snapshot, conditions));
        // The controller deletes the surplus before it updates, and the rest waits for it.
        let wanted = conditions.behaviour.ordinals(&snapshot.set);
        let surplus = counted_pods(snapshot).filter(|pod| {
            let ordinal = ordinal_of(&pod.meta.name);
            !wanted.contains(&ordinal)
        });
        for object in surplus.filter_map(|pod| object_of(snapshot, pod)) {
            subtract(&mut room.used, &pod_shares(quota, &object["spec"]));
        }
        room
    }

    /// Admits a creation, or records its refusal. A pod that is replaced has freed its share before.
    fn admit(&mut self, creation: &Creation<'_>, conditions: &Conditions, to: &mut Forbidden) {
        let pod = &creation.pod;
        if conditions.assumptions.contains_key(&**pod) {
            return;
        }
        let mut is_refused = to.pods.contains_key(pod);
        for claim in &creation.claims {
            let wanted = claim_shares(self.quota, claim.template, conditions);
            if claim.replaces {
                subtract(&mut self.used, &wanted);
            }
            match self.refusal("persistentvolumeclaims", &claim.name, &wanted) {
                Some(message) => {
                    to.claims.entry(Arc::clone(&claim.name)).or_insert(message);
                    is_refused = true;
                }
                None => add(&mut self.used, &wanted),
            }
        }
        if let Some(object) = &creation.replaces {
            subtract(&mut self.used, &pod_shares(self.quota, &object["spec"]));
        }
        if is_refused {
            return;
        }
        if let Some(message) = self.admit_pod(pod, &creation.object["spec"], conditions) {
            to.pods.insert(Arc::clone(pod), message);
        }
    }

    /// Admits a pod with this spec, or returns the server's message.
    fn admit_pod(&mut self, pod: &str, spec: &Value, conditions: &Conditions) -> Option<Arc<str>> {
        let namespace = &self.quota.meta.namespace;
        let admitted = with_defaults(spec, &conditions.related, namespace);
        let spec = admitted.as_ref().unwrap_or(spec);
        if let Some(lacking) = unspecified(self.quota, spec) {
            let quota = &self.quota.meta.name;
            return Some(Arc::from(format!(
                "pods \"{pod}\" is forbidden: failed quota: {quota}: must specify {lacking}"
            )));
        }
        let wanted = pod_shares(self.quota, spec);
        let refusal = self.refusal("pods", pod, &wanted);
        if refusal.is_none() {
            add(&mut self.used, &wanted);
        }
        refusal
    }

    /// Returns the server's message if the quota has no room.
    fn refusal(&self, resource: &str, name: &str, wanted: &Shares) -> Option<Arc<str>> {
        let exceeded = wanted.iter().find_map(|(share, amount)| {
            let (used, hard) = (self.used.get(share)?, self.hard.get(share)?);
            (used + amount > *hard).then_some((share, amount, used))
        });
        let (share, amount, used) = exceeded?;
        Some(Arc::from(format!(
            "{resource} \"{name}\" is forbidden: exceeded quota: {}, requested: {share}={}, used: {share}={}, limited: \
             {share}={}",
            self.quota.meta.name,
            written(share, *amount),
            written(share, *used),
            self.quota.hard.get(share).map_or("", |limit| limit),
        )))
    }
}
