//! Claims that get no volume, and the reasons.

use std::sync::Arc;

use jiff::SignedDuration;
use serde_json::Value;

use super::{Foreseen, Foresight, Input, MOST_PODS, PodTemplateView};
use crate::conditions::{Conditions, InputKind};
use crate::grant::{self, Grant};
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::controller::{claim_of_pod, pod_name};
use sts_controller::object::{Claim, Event, PersistentVolume, Pod, RelatedObjects, Snapshot};

/// Number of failures that count as persistent.
const AGAIN_AND_AGAIN: i64 = 3;
/// Time allowed to a provisioner after a single failure.
const PATIENCE: SignedDuration = SignedDuration::from_mins(2);
/// Time allowed to a provisioner to report that it begins.
const UNANSWERED: SignedDuration = SignedDuration::from_mins(5);
/// Legacy annotation with the class of a claim, in addition to `spec.storageClassName`.
const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

/// Reason why a claim gets no volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimTrouble {
    /// Its StorageClass does not exist.
    ClassMissing {
        /// Name of the class.
        class: String,
    },
    /// It names no StorageClass, and no default class exists.
    NoDefaultClass,
    /// No provisioner creates a volume for it, and no existing volume is free and large enough.
    NoVolume {
        /// Name of the class; empty if the claim requests none.
        class: String,
    },
    /// The provisioner fails.
    Provisioner {
        /// Last error message.
        message: String,
        /// Number of failures.
        count: i64,
    },
    /// No provisioner answers.
    NoAnswer {
        /// Report of the controller that waits for it.
        message: String,
    },
    /// The volume that it names cannot be bound to it.
    VolumeRefused {
        /// Reason of the report.
        reason: Arc<str>,
        /// Report of the controller.
        message: String,
    },
    /// Its volume no longer exists.
    Lost {
        /// Name of the volume.
        volume: String,
    },
}

pub(super) fn foresee(view: &Input<'_>, foresight: &mut Foresight, pods: &PodTemplateView<'_>) {
    let namespace = &view.snapshot.set.meta.namespace;
    for template in view.snapshot.set.claim_templates.iter() {
        let grants = &view.conditions.grants;
        let (spec, metadata) = (&template.object["spec"], &template.object["metadata"]);
        let problem = of_class(view, spec, metadata, grants);
        // Free volumes go to the first claims that request them.
        let mut free = match &problem {
            Some(_) => free_volumes(view.related, &template.object["spec"], namespace, None),
            None => 0,
        };
        for name in view.in_order() {
            let claim: Arc<str> = claim_of_pod(&template.name, name).into();
            let trouble = match view.snapshot.claims.get(&claim) {
                Some(there) if !there.meta.is_terminating() => {
                    of_claim(view.snapshot, view.conditions, there, grants)
                }
                _ if free > 0 => {
                    free -= 1;
                    None
                }
                _ => problem.clone(),
            };
            if let Some(trouble) = trouble {
                let claim = Arc::clone(&claim);
                foresight.note(name, pods.revision, || Foreseen::Claim { claim, trouble });
            }
        }
    }
}

/// Returns the reason why an existing pod waits for a volume; `None` if unknown.
pub(crate) fn claim_trouble(
    snapshot: &Snapshot,
    conditions: &Conditions,
    pod: &Pod,
) -> Option<Foreseen> {
    let unbound = snapshot.unbound_claims(pod).into_iter();
    let mut troubles = unbound.filter_map(|claim| {
        let trouble = of_claim(snapshot, conditions, claim, &conditions.grants)?;
        let claim = Arc::clone(&claim.meta.name);
        Some(Foreseen::Claim { claim, trouble })
    });
    troubles.next()
}

/// Returns the missing class that a pod waits for, such as `StorageClass fast`, if assuming that it exists resolves
/// the wait.
pub(crate) fn granted_class(
    snapshot: &Snapshot,
    conditions: &Conditions,
    pod: &Pod,
) -> Option<String> {
    let unbound = snapshot.unbound_claims(pod).into_iter();
    let mut waiting = unbound.filter(|claim| of_claim(snapshot, conditions, claim, &[]).is_some());
    let claim = waiting.next()?;
    if claim_trouble(snapshot, conditions, pod).is_some() {
        return None;
    }
    let given = claim.given()?;
    let class = class_of(&given["spec"], &given["metadata"])?;
    Some(class_object(class))
}

/// Returns the claim templates of future pods that get volumes only because their class is assumed to exist, each
/// with the class.
pub(crate) fn granted_templates(
    snapshot: &Snapshot,
    conditions: &Conditions,
) -> Vec<(Arc<str>, String)> {
    let view = Input {
        snapshot,
        related: &conditions.related,
        conditions,
        wanted: Vec::new(),
    };
    let set = &snapshot.set;
    let is_missing = |template: &str| {
        let ordinals = conditions.behaviour.ordinals(set).take(MOST_PODS);
        let mut claims = ordinals.map(|ordinal| claim_of_pod(template, &pod_name(set, ordinal)));
        claims.any(|claim| !snapshot.claims.contains_key(claim.as_str()))
    };
    let granted = set.claim_templates.iter().filter_map(|template| {
        let (spec, metadata) = (&template.object["spec"], &template.object["metadata"]);
        let of = |grants: &[Grant]| of_class(&view, spec, metadata, grants);
        let waits = of(&[]).is_some() && of(&conditions.grants).is_none();
        let class = class_of(spec, metadata).filter(|_| waits && is_missing(&template.name))?;
        Some((Arc::clone(&template.name), class_object(class)))
    });
    granted.collect()
}

/// Returns the name of a class in the form used by grants.
fn class_object(class: &str) -> String {
    format!("StorageClass {class}")
}

/// Returns the class that a claim names.
fn class_of<'c>(spec: &'c Value, metadata: &'c Value) -> Option<&'c str> {
    let annotated = metadata["annotations"][CLASS_ANNOTATION].as_str();
    annotated.or(spec["storageClassName"].as_str())
}

/// Returns the reason why an existing claim gets no volume under these grants; `None` if it has one, or if unknown.
fn of_claim(
    snapshot: &Snapshot,
    conditions: &Conditions,
    claim: &Claim,
    grants: &[Grant],
) -> Option<ClaimTrouble> {
    let given = claim.given()?;
    let volume = given["spec"]["volumeName"].as_str().unwrap_or_default();
    match claim.phase().as_str() {
        "Pending" => {}
        "Lost" => {
            return Some(ClaimTrouble::Lost {
                volume: volume.to_owned(),
            });
        }
        _ => return None,
    }
    let related = &conditions.related;
    let view = Input {
        snapshot,
        related,
        conditions,
        wanted: Vec::new(),
    };
    // The volume of an earlier claim of this name has the data: one of a new class would be empty.
    let class = class_of(&given["spec"], &given["metadata"]).unwrap_or_default();
    let is_dynamic = |class| {
        related
            .storage_class(class)
            .is_some_and(|it| !it.is_static())
    };
    let makes_none = related.has_storage_classes() && !is_dynamic(class);
    let (namespace, name) = (&claim.meta.namespace, &claim.meta.name);
    if volume.is_empty() && makes_none && earlier_volume(related, namespace, name).is_some() {
        return Some(ClaimTrouble::NoVolume {
            class: class.to_owned(),
        });
    }
    if let Some(event) = provisioner_failure(conditions, claim, grants) {
        return Some(ClaimTrouble::Provisioner {
            message: event.message.to_string(),
            count: event.count,
        });
    }
    if let Some(event) = unanswered(conditions, claim) {
        return Some(ClaimTrouble::NoAnswer {
            message: event.message.to_string(),
        });
    }
    // A claim that names its volume waits for that volume.
    if !volume.is_empty() {
        return refused_volume(conditions, claim);
    }
    let (spec, metadata) = (&given["spec"], &given["metadata"]);
    let by_class = of_class(&view, spec, metadata, grants);
    let problem =
        by_class.or_else(|| without_class(conditions, claim, class_of(spec, metadata)))?;
    let namespace = &claim.meta.namespace;
    let free = free_volumes(related, &given["spec"], namespace, Some(&claim.meta.name));
    (free == 0).then_some(problem)
}

/// Returns the events of a claim, oldest first, without those of an earlier claim of its name.
fn events_of_claim<'c>(
    conditions: &'c Conditions,
    claim: &'c Claim,
) -> impl DoubleEndedIterator<Item = &'c Arc<Event>> {
    let meta = &claim.meta;
    let related = &conditions.related;
    let events = related.events(&meta.namespace, "PersistentVolumeClaim", &meta.name);
    events.iter().filter(|event| event.is_about(&meta.uid))
}

/// Returns the trouble of a claim without a class, if the input has no classes: as the controller reports it or, without
/// any report, because the API server fills in the default class where there is one.
fn without_class(
    conditions: &Conditions,
    claim: &Claim,
    class: Option<&str>,
) -> Option<ClaimTrouble> {
    let Some(last) = events_of_claim(conditions, claim).max_by_key(|event| event.last) else {
        let age = (claim.meta.created).map(|created| conditions.now.duration_since(created));
        let is_old = age.is_some_and(|age| age > PATIENCE);
        let is_unset = class.is_none() && !conditions.related.has_storage_classes();
        return (is_unset && is_old).then_some(ClaimTrouble::NoDefaultClass);
    };
    let is_reported =
        &*last.reason == "FailedBinding" && last.message.contains("no storage class is set");
    match class.filter(|_| is_reported) {
        Some("") => Some(ClaimTrouble::NoVolume {
            class: String::new(),
        }),
        None if is_reported => Some(ClaimTrouble::NoDefaultClass),
        _ => None,
    }
}

/// Returns the report that an external provisioner is awaited, if it is repeated and no provisioner has reported
/// anything. A provisioner reports `Provisioning` as soon as it begins.
fn unanswered<'c>(conditions: &'c Conditions, claim: &'c Claim) -> Option<&'c Arc<Event>> {
    let events = || events_of_claim(conditions, claim);
    let waits = events().rfind(|event| &*event.reason == "ExternalProvisioning")?;
    let waited = waits
        .first
        .map(|first| conditions.now.duration_since(first));
    let is_answered = events().any(|event| event.reason.starts_with("Provisioning"));
    (!is_answered && waited.is_some_and(|waited| waited > UNANSWERED)).then_some(waits)
}

/// Returns the last report on a claim that names its volume, if it says why the two are not bound.
fn refused_volume(conditions: &Conditions, claim: &Claim) -> Option<ClaimTrouble> {
    let last = events_of_claim(conditions, claim).max_by_key(|event| event.last)?;
    matches!(&*last.reason, "VolumeMismatch" | "FailedBinding").then(|| {
        ClaimTrouble::VolumeRefused {
            reason: Arc::clone(&last.reason),
            message: last.message.to_string(),
        }
    })
}

/// Returns the last provisioning failure of a claim, if it is persistent or not recent. Ignores a missing class
/// that is assumed to exist.
fn provisioner_failure<'c>(
    conditions: &'c Conditions,
    claim: &'c Claim,
    grants: &[Grant],
) -> Option<&'c Arc<Event>> {
    let events = || events_of_claim(conditions, claim);
    let is_granted = |event: &Event| {
        let named = event.message.split_once("storageclass.storage.k8s.io \"");
        let name = named.and_then(|(_, rest)| rest.split_once("\" not found"));
        name.is_some_and(|(name, _)| grant::exists(grants, &class_object(name)))
    };
    let failures = || {
        events().filter(|event| {
            event.is_warning && &*event.reason == "ProvisioningFailed" && !is_granted(event)
        })
    };
    let last = failures().max_by_key(|event| event.last)?;
    let done =
        |event: &Arc<Event>| &*event.reason == "ProvisioningSucceeded" && event.last >= last.last;
    if events().any(done) {
        return None;
    }
    let often: i64 = failures().map(|event| event.count).sum();
    let since = last.first.or(claim.meta.created);
    let waited = since.map(|since| conditions.now.duration_since(since));
    (often >= AGAIN_AND_AGAIN || waited.is_some_and(|waited| waited > PATIENCE)).then_some(last)
}

/// Returns the reason derived from the class alone: nothing will provision a volume.
fn of_class(
    view: &Input<'_>,
    spec: &Value,
    metadata: &Value,
    grants: &[Grant],
) -> Option<ClaimTrouble> {
    let related = view.related;
    let class = match class_of(spec, metadata) {
        Some("") => {
            return knows_volumes(view).then(|| ClaimTrouble::NoVolume {
                class: String::new(),
            });
        }
        Some(class) => class,
        None => {
            let lacks = related.has_storage_classes() && related.default_storage_class().is_none();
            return lacks.then_some(ClaimTrouble::NoDefaultClass);
        }
    };
    match related.storage_class(class) {
        Some(known) if known.is_static() && knows_volumes(view) => Some(ClaimTrouble::NoVolume {
            class: class.to_owned(),
        }),
        Some(_) => None,
        // A class that is assumed to exist provisions volumes.
        None if grant::exists(grants, &class_object(class)) => None,
        // Manually created volumes may name any class, and the input does not list them.
        None if !knows_volumes(view) && has_bound_sibling(view.snapshot, class) => None,
        None => related
            .has_storage_classes()
            .then(|| ClaimTrouble::ClassMissing {
                class: class.to_owned(),
            }),
    }
}

/// Returns the volume that was bound to an earlier claim of this name, and still names it.
pub(crate) fn earlier_volume<'r>(
    related: &'r RelatedObjects,
    namespace: &str,
    claim: &str,
) -> Option<&'r Arc<PersistentVolume>> {
    related.volumes().find(|volume| {
        let names_it = |(of, name): &(Arc<str>, Arc<str>)| **of == *namespace && **name == *claim;
        volume.is_bound && volume.claim.as_ref().is_some_and(names_it)
    })
}

/// Reports whether the input contains PersistentVolumes.
fn knows_volumes(view: &Input<'_>) -> bool {
    view.related.volumes().next().is_some()
        && (view.conditions.input == InputKind::Complete || view.related.has_storage_classes())
}

/// Reports whether another claim of the class is bound, so that something provisions its volumes.
fn has_bound_sibling(snapshot: &Snapshot, class: &str) -> bool {
    let mut claims = snapshot.claims.values();
    claims.any(|claim| {
        claim.phase() == "Bound"
            && claim
                .given()
                .is_some_and(|given| given["spec"]["storageClassName"] == class)
    })
}

/// Counts the volumes available to a claim with this specification.
fn free_volumes(
    related: &RelatedObjects,
    spec: &Value,
    namespace: &str,
    claim: Option<&str>,
) -> usize {
    let class = spec["storageClassName"].as_str().unwrap_or_default();
    let asked = spec["resources"]["requests"]["storage"].as_str();
    let asked = asked.and_then(|asked| Quantity::parse(asked).ok());
    let is_free = |volume: &&Arc<PersistentVolume>| {
        let free = match (&volume.claim, claim) {
            (None, _) => true,
            (Some((of, name)), Some(claim)) => **of == *namespace && **name == *claim,
            // A volume reserved by claim name may wait for a future claim.
            (Some((of, _)), None) => **of == *namespace && !volume.is_bound,
        };
        let fits = Quantity::parse(&volume.capacity)
            .ok()
            .zip(asked.as_ref())
            .is_none_or(|(has, asked)| has >= *asked);
        free && fits && *volume.storage_class == *class
    };
    related.volumes().filter(is_free).count()
}
